//! What placements, targets, grants of volumes and claims look like as JSON.

mod claim;
pub(super) mod grant;
pub(super) mod placement;
mod signs;
mod target;
mod told;
pub(super) mod volume;

use bowline_api::placements::{Placement as PlacementResource, SyncTarget, VolumeGrant};
use bowline_placements::plain::Plain;
use bowline_placements::{Id, IdOf, Kind, Object};
use bowline_runtime::{Address, Notice, Watched, Wire};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, DynamicObject};

pub(crate) use self::signs::SignWire;

/// Reads and writes what the protocol of placements knows.
pub struct PlacementWire;

/// The same for fences, which have nothing to do with claims.
pub(crate) struct FenceWire;

fn watched(kind: Kind) -> Watched<Kind> {
    let (resource, namespaced) = match kind {
        Kind::Placement => (ApiResource::erase::<PlacementResource>(&()), true),
        Kind::Volume => (ApiResource::erase::<VolumeGrant>(&()), false),
        Kind::Target => (ApiResource::erase::<SyncTarget>(&()), false),
        Kind::Claim => (ApiResource::erase::<PersistentVolumeClaim>(&()), true),
    };
    Watched { kind, resource, namespaced }
}

impl Wire for PlacementWire {
    type Object = Object<Plain>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        [Kind::Placement, Kind::Volume, Kind::Target, Kind::Claim].map(watched).into()
    }

    fn address(&self, id: &IdOf<Plain>) -> Address {
        let nowhere = String::new;
        match id {
            Id::Placement(namespace) => {
                Address { namespace: namespace.clone(), name: PlacementResource::NAME.to_owned() }
            }
            Id::Volume(name) | Id::Target(name) => Address { namespace: nowhere(), name: name.clone() },
            Id::Claim(namespace, volume) => {
                let name = volume.split_once('.').map_or(volume.as_str(), |(_, claim)| claim);
                Address { namespace: namespace.clone(), name: name.to_owned() }
            }
        }
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Plain>> {
        match kind {
            Kind::Placement => placement::read(raw).map(Object::Placement),
            Kind::Volume => volume::read(raw).map(Object::Volume),
            Kind::Target => target::read(raw).map(Object::Target),
            Kind::Claim => claim::read(raw).map(Object::Claim),
        }
    }

    fn draw(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        match object {
            Object::Placement(placement) => placement::draw(placement, raw),
            Object::Volume(volume) => volume::draw(volume, raw),
            Object::Target(target) => target::draw(target, raw),
            // Claims are people's.
            Object::Claim(_) => {}
        }
    }

    fn draw_status(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        match object {
            Object::Placement(placement) => placement::draw_status(placement, raw, &now),
            Object::Volume(volume) => volume::draw_status(volume, raw, &now),
            Object::Target(target) => target::draw_status(target, raw, &now),
            Object::Claim(_) => {}
        }
    }

    fn notice(&self, before: &Object<Plain>, after: &Object<Plain>) -> Option<Notice> {
        match (before, after) {
            (Object::Placement(before), Object::Placement(after)) => told::of_placement(before, after),
            (Object::Volume(before), Object::Volume(after)) => told::of_grant(&before.grant, &after.grant),
            (Object::Target(before), Object::Target(after)) => told::of_target(before, after),
            _ => None,
        }
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

impl Wire for FenceWire {
    type Object = Object<Plain>;

    fn watched(&self) -> Vec<Watched<Kind>> {
        [Kind::Placement, Kind::Volume, Kind::Target].map(watched).into()
    }

    fn address(&self, id: &IdOf<Plain>) -> Address {
        PlacementWire.address(id)
    }

    fn read(&self, kind: Kind, raw: &DynamicObject) -> Option<Object<Plain>> {
        PlacementWire.read(kind, raw)
    }

    fn draw(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        PlacementWire.draw(object, raw);
    }

    fn draw_status(&self, object: &Object<Plain>, raw: &mut DynamicObject) {
        PlacementWire.draw_status(object, raw);
    }

    fn notice(&self, before: &Object<Plain>, after: &Object<Plain>) -> Option<Notice> {
        PlacementWire.notice(before, after)
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

/// Whether a finalizer is there.
fn is_held(raw: &DynamicObject, finalizer: &str) -> bool {
    raw.metadata.finalizers.iter().flatten().any(|other| other == finalizer)
}

/// Puts a finalizer, or takes it away. Others keep theirs.
fn hold(raw: &mut DynamicObject, finalizer: &str, held: bool) {
    let finalizers = raw.metadata.finalizers.get_or_insert_default();
    finalizers.retain(|other| other != finalizer);
    if held {
        finalizers.push(finalizer.to_owned());
    }
}

/// A key, and a value behind `=` if there is one.
fn label(key: &str, value: &str) -> String {
    if value.is_empty() { key.to_owned() } else { format!("{key}={value}") }
}

#[cfg(test)]
mod tests;
