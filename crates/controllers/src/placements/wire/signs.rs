//! What is seen of placements on namespaces and claims, and what syncers may read.

use std::collections::BTreeSet;

use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::placements::{
    End as WrittenEnd, Placement as PlacementResource, PlacementStatus, STATE_LABEL, SYNCER_ROLE, SYNCS,
    SyncTarget, VolumeGrant,
};
use bowline_control::Version;
use bowline_placements::plain::signs::{End, Pass, Piece, PieceId, PieceKind, Placed, Sheet, Space};
use bowline_runtime::{Address, Watched, Wire};
use k8s_openapi::api::core::v1::{Namespace, PersistentVolumeClaim};
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::{hold, is_held, placement, volume};
use crate::drawing::{put, status};

/// What holds a binding until its target has given up everything in the namespace.
const FINALIZER: &str = "bowline.dev/syncer";

/// What keeps a claim until no pod uses it.
const PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Reads and writes what is seen of placements.
pub(crate) struct SignWire;

impl Wire for SignWire {
    type Object = Piece;

    fn watched(&self) -> Vec<Watched<PieceKind>> {
        let watched = |kind| {
            let (resource, namespaced) = match kind {
                PieceKind::Placed => (ApiResource::erase::<PlacementResource>(&()), true),
                PieceKind::Volume => (ApiResource::erase::<VolumeGrant>(&()), false),
                PieceKind::Space => (ApiResource::erase::<Namespace>(&()), false),
                PieceKind::Claim => (ApiResource::erase::<PersistentVolumeClaim>(&()), true),
                PieceKind::Pass => (ApiResource::erase::<RoleBinding>(&()), true),
            };
            Watched { kind, resource, namespaced }
        };
        PieceKind::ALL.map(watched).into()
    }

    fn address(&self, id: &PieceId) -> Address {
        let at =
            |namespace: &str, name: &str| Address { namespace: namespace.to_owned(), name: name.to_owned() };
        match id {
            PieceId::Placed(namespace) => at(namespace, PlacementResource::NAME),
            PieceId::Volume(name) | PieceId::Space(name) => at("", name),
            PieceId::Claim(namespace, claim) => at(namespace, claim),
            PieceId::Pass(namespace, target) => at(namespace, &SyncTarget::account_name(target)),
        }
    }

    fn read(&self, kind: PieceKind, raw: &DynamicObject) -> Option<Piece> {
        match kind {
            PieceKind::Placed => placed(raw).map(Box::new).map(Piece::Placed),
            PieceKind::Volume => volume::read(raw).map(Box::new).map(Piece::Volume),
            PieceKind::Space => space(raw).map(Piece::Space),
            PieceKind::Claim => sheet(raw).map(Piece::Claim),
            PieceKind::Pass => pass(raw).map(Piece::Pass),
        }
    }

    fn draw(&self, object: &Piece, raw: &mut DynamicObject) {
        match object {
            Piece::Space(Space { signs, .. }) => sign(signs, raw),
            Piece::Claim(Sheet { signs, protected, .. }) => {
                sign(signs, raw);
                if !protected {
                    hold(raw, PROTECTION, false);
                }
            }
            Piece::Pass(pass) => draw_pass(pass, raw),
            // Nothing of these is written here.
            Piece::Placed(_) | Piece::Volume(_) => {}
        }
    }

    fn draw_status(&self, object: &Piece, raw: &mut DynamicObject) {
        let Piece::Placed(placed) = object else { return };
        let end = placed.end.map(|end| match end {
            End::Keep => WrittenEnd::Keep,
            End::Delete => WrittenEnd::Delete,
        });
        put(status(raw), "end", end.map(|end| json!(end)));
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

fn placed(raw: &DynamicObject) -> Option<Placed> {
    let placement = placement::read(raw)?;
    let said = raw.data.get("status").filter(|said| !said.is_null()).cloned();
    let status: PlacementStatus = said.map_or(Ok(PlacementStatus::default()), serde_json::from_value).ok()?;
    let end = status.end.map(|end| match end {
        WrittenEnd::Keep => End::Keep,
        WrittenEnd::Delete => End::Delete,
    });
    Some(Placed { placement, dying: raw.metadata.deletion_timestamp.is_some(), end })
}

fn space(raw: &DynamicObject) -> Option<Space> {
    let meta = &raw.metadata;
    Some(Space {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        signs: signs(raw),
    })
}

fn sheet(raw: &DynamicObject) -> Option<Sheet> {
    let Space { name, uid, version, deleting, signs } = space(raw)?;
    let protected = is_held(raw, PROTECTION);
    Some(Sheet { namespace: raw.metadata.namespace.clone()?, name, uid, version, deleting, protected, signs })
}

/// The targets that labels name. One with another value is not ours, and is put right like one that is missing.
fn signs(raw: &DynamicObject) -> BTreeSet<String> {
    let labels = raw.metadata.labels.iter().flatten();
    labels
        .filter_map(|(key, value)| Some((key.strip_prefix(STATE_LABEL)?, value)))
        .map(|(target, value)| if value == SYNCS { target.to_owned() } else { format!("{target}={value}") })
        .collect()
}

fn sign(signs: &BTreeSet<String>, raw: &mut DynamicObject) {
    let labels = raw.metadata.labels.get_or_insert_default();
    labels.retain(|key, _| !key.starts_with(STATE_LABEL));
    for sign in signs {
        let (target, value) = sign.split_once('=').unwrap_or((sign, SYNCS));
        labels.insert(format!("{STATE_LABEL}{target}"), value.to_owned());
    }
}

/// What a syncer may do in a namespace: the binding that is called so and says for which target it is.
fn pass(raw: &DynamicObject) -> Option<Pass> {
    let meta = &raw.metadata;
    let target = meta.labels.as_ref()?.get(SyncTarget::LABEL)?.clone();
    // The one beside the account is for its lease, and comes with the account.
    let is_beside_account = meta.namespace.as_deref() == Some(SYSTEM_NAMESPACE);
    if meta.name.as_deref() != Some(&SyncTarget::account_name(&target)) || is_beside_account {
        return None;
    }
    let said = |name: &str| raw.data.get(name).cloned().unwrap_or(Value::Null);
    Some(Pass {
        namespace: meta.namespace.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        held: is_held(raw, FINALIZER),
        right: said("roleRef") == role() && said("subjects") == subjects(&target),
        target,
    })
}

fn role() -> Value {
    json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": SYNCER_ROLE })
}

fn subjects(target: &str) -> Value {
    json!([{ "kind": "ServiceAccount", "name": SyncTarget::account_name(target), "namespace": SYSTEM_NAMESPACE }])
}

fn draw_pass(pass: &Pass, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, pass.held);
    let labels = raw.metadata.labels.get_or_insert_default();
    labels.insert(SyncTarget::LABEL.to_owned(), pass.target.clone());
    if pass.right {
        raw.data["roleRef"] = role();
        raw.data["subjects"] = subjects(&pass.target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(object: Value) -> DynamicObject {
        serde_json::from_value(object).expect("an object")
    }

    #[test]
    fn labels_of_others_stay_and_ours_are_put_right() {
        let mut raw = raw(json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": { "name": "shop", "uid": "u", "resourceVersion": "7",
                "labels": { "team": "a", "state.bowline.dev/east": "Sync", "state.bowline.dev/west": "Odd" } },
        }));
        let Some(Piece::Space(space)) = SignWire.read(PieceKind::Space, &raw) else { panic!("a namespace") };
        assert_eq!(space.signs, BTreeSet::from(["east".to_owned(), "west=Odd".to_owned()]));
        let before = raw.clone();
        SignWire.draw(&Piece::Space(space.clone()), &mut raw);
        assert_eq!(raw, before, "what is read and drawn again is the same");
        let signs = BTreeSet::from(["west".to_owned()]);
        SignWire.draw(&Piece::Space(Space { signs: signs.clone(), ..space }), &mut raw);
        let labels = raw.metadata.labels.clone().expect("labels");
        let labels: Vec<_> = labels.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        assert_eq!(labels, ["state.bowline.dev/west: Sync", "team: a"]);
    }

    #[test]
    fn a_binding_comes_back_and_one_that_was_changed_is_not_right() {
        let pass = Pass {
            namespace: "shop".into(),
            target: "east".into(),
            uid: "u".into(),
            version: Version(7),
            deleting: false,
            held: true,
            right: true,
        };
        let id = PieceId::Pass("shop".into(), "east".into());
        assert_eq!(SignWire.address(&id).to_string(), "shop/bowline-syncer-east");
        let mut raw = raw(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": { "name": "bowline-syncer-east", "namespace": "shop", "uid": "u", "resourceVersion": "7" },
        }));
        assert_eq!(SignWire.read(PieceKind::Pass, &raw), None, "that is somebody else's");
        SignWire.draw(&Piece::Pass(pass.clone()), &mut raw);
        assert_eq!(SignWire.read(PieceKind::Pass, &raw), Some(Piece::Pass(pass.clone())));
        let mut of_lease = raw.clone();
        of_lease.metadata.namespace = Some(SYSTEM_NAMESPACE.to_owned());
        assert_eq!(SignWire.read(PieceKind::Pass, &of_lease), None, "that is for its lease");
        raw.data["subjects"] = json!([]);
        let wrong = Pass { right: false, ..pass };
        assert_eq!(SignWire.read(PieceKind::Pass, &raw), Some(Piece::Pass(wrong)));
    }

    #[test]
    fn a_placement_is_seen_to_be_deleted_when_it_is_noted_what_becomes_of_its_volumes() {
        let mut raw = raw(json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement",
            "metadata": { "name": "placement", "namespace": "shop", "uid": "u", "resourceVersion": "7", "generation": 2,
                "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": [placement::FINALIZER] },
            "spec": {}, "status": { "epoch": 3 },
        }));
        let read = |raw: &DynamicObject| placement::read(raw).expect("a placement");
        let Some(Piece::Placed(placed)) = SignWire.read(PieceKind::Placed, &raw) else {
            panic!("a placement")
        };
        assert_eq!((placed.dying, placed.end, read(&raw).deleting), (true, None, false));
        for (end, doomed) in [(End::Keep, false), (End::Delete, true)] {
            let noted = Placed { end: Some(end), ..(*placed).clone() };
            SignWire.draw_status(&Piece::Placed(Box::new(noted)), &mut raw);
            assert_eq!((read(&raw).deleting, read(&raw).doomed), (true, doomed));
            let Some(Piece::Placed(again)) = SignWire.read(PieceKind::Placed, &raw) else {
                panic!("a placement")
            };
            assert_eq!(again.end, Some(end));
        }
        raw.metadata.finalizers = None;
        raw.data["status"] = json!({});
        assert!(read(&raw).deleting, "nobody holds it, and nobody is to hold it again");
    }
}
