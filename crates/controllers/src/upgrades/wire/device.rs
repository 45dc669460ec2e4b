//! The devices of groups: who is master of each, for readers.

use bowline_api::Epoch as ApiEpoch;
use bowline_api::upgrades::{Device as DeviceResource, DeviceSpec, DeviceStatus, NodeGroup};
use bowline_control::Version;
use bowline_runtime::{Address, Watched, Wire};
use bowline_upgrades::Epoch;
use bowline_upgrades::plain::Named;
use bowline_upgrades::plain::devices::{Device, Piece, PieceId, PieceKind, Shown};
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::{group, is_group, owner};
use crate::drawing::{part, put, status};

/// Reads and writes the objects of devices.
pub(crate) struct DeviceWire;

impl Wire for DeviceWire {
    type Object = Piece;

    fn watched(&self) -> Vec<Watched<PieceKind>> {
        let watched = |kind, resource| Watched { kind, resource, namespaced: true };
        vec![
            watched(PieceKind::Group, ApiResource::erase::<NodeGroup>(&())),
            watched(PieceKind::Device, ApiResource::erase::<DeviceResource>(&())),
        ]
    }

    fn address(&self, id: &PieceId) -> Address {
        match id {
            PieceId::Group(Named { namespace, name }) => {
                Address { namespace: namespace.clone(), name: name.clone() }
            }
            PieceId::Device(group, device) => {
                Address { namespace: group.namespace.clone(), name: object_name(&group.name, device) }
            }
        }
    }

    fn read(&self, kind: PieceKind, raw: &DynamicObject) -> Option<Piece> {
        match kind {
            PieceKind::Group => group::read(raw).map(Box::new).map(Piece::Group),
            PieceKind::Device => read(raw).map(Piece::Device),
        }
    }

    fn draw(&self, object: &Piece, raw: &mut DynamicObject) {
        match object {
            Piece::Device(device) => draw(device, raw),
            // Nothing of it is written here.
            Piece::Group(_) => {}
        }
    }

    fn draw_status(&self, object: &Piece, raw: &mut DynamicObject) {
        if let Piece::Device(device) = object {
            draw_status(device, raw);
        }
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

fn object_name(group: &str, device: &str) -> String {
    format!("{group}-{device}")
}

/// A device. One that is not named after its group and itself is nobody's.
fn read(raw: &DynamicObject) -> Option<Device> {
    let meta = &raw.metadata;
    let spec: DeviceSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let (group, name) = (spec.group.to_string(), spec.device.to_string());
    if meta.name.as_deref()? != object_name(&group, &name) {
        return None;
    }
    let owner = meta.owner_references.iter().flatten().find(|owner| is_group(owner) && owner.name == group);
    Some(Device {
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        owner: owner.map(|owner| owner.uid.clone()),
        shown: raw.data.get("status").and_then(shown),
        group: Named { namespace: meta.namespace.clone()?, name: group },
        name,
    })
}

/// What it says, if it says anything that can be read.
fn shown(said: &Value) -> Option<Shown> {
    let DeviceStatus { master, epoch } = serde_json::from_value(said.clone()).ok()?;
    Some(Shown { master: master.map(|master| master.to_string()), epoch: Epoch(epoch.0) })
}

fn draw(device: &Device, raw: &mut DynamicObject) {
    let mut owners = raw.metadata.owner_references.take().unwrap_or_default();
    owners.retain(|owner| !is_group(owner));
    owners.extend(device.owner.as_ref().map(|uid| owner(&device.group.name, uid)));
    raw.metadata.owner_references = Some(owners).filter(|owners| !owners.is_empty());
    let fields = part(raw, "spec");
    put(fields, "group", Some(json!(device.group.name)));
    put(fields, "device", Some(json!(device.name)));
}

fn draw_status(device: &Device, raw: &mut DynamicObject) {
    let Some(Shown { master, epoch }) = &device.shown else { return };
    let fields = status(raw);
    put(fields, "master", master.clone().map(Value::from));
    put(fields, "epoch", Some(json!(ApiEpoch(epoch.0))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Device",
            "metadata": { "name": "kv-d1", "namespace": "team", "uid": "d", "resourceVersion": "7" },
            "spec": { "group": "kv", "device": "d1" },
        });
        serde_json::from_value(object).expect("an object")
    }

    #[test]
    fn what_a_device_says_comes_back() {
        let bare = read(&raw()).expect("a device");
        assert_eq!((&bare.owner, &bare.shown, bare.name.as_str()), (&None, &None, "d1"));
        for (master, epoch) in [(None, 0), (Some("n1".to_owned()), 3)] {
            let shown = Some(Shown { master, epoch: Epoch(epoch) });
            let device = Device { owner: Some("g".into()), shown, ..bare.clone() };
            let mut raw = raw();
            draw(&device, &mut raw);
            draw_status(&device, &mut raw);
            assert_eq!(read(&raw), Some(device.clone()));
            let drawn = raw.clone();
            draw(&device, &mut raw);
            draw_status(&device, &mut raw);
            assert_eq!(raw, drawn, "what is read and drawn again is the same");
        }
    }

    #[test]
    fn a_new_one_says_whose_it_is() {
        let device = Device { owner: Some("g".into()), ..read(&raw()).expect("a device") };
        let mut blank: DynamicObject =
            serde_json::from_value(json!({ "metadata": { "name": "kv-d1" } })).expect("an object");
        draw(&device, &mut blank);
        assert_eq!(blank.data["spec"], json!({ "group": "kv", "device": "d1" }));
        let owners = blank.metadata.owner_references.expect("an owner");
        assert_eq!((owners[0].kind.as_str(), owners[0].uid.as_str()), ("NodeGroup", "g"));
    }

    #[test]
    fn one_of_another_name_or_owner_is_not_the_groups() {
        let mut other = raw();
        other.metadata.name = Some("d1".into());
        assert_eq!(read(&other), None);
        let mut other = raw();
        other.metadata.owner_references = Some(vec![owner("kv-b", "g")]);
        assert_eq!(read(&other).expect("a device").owner, None);
        other.metadata.owner_references = Some(vec![owner("kv", "g")]);
        assert_eq!(read(&other).expect("a device").owner.as_deref(), Some("g"));
    }
}
