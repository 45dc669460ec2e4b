//! Volumes: bound as long as their claim is there; then released, and removed if nobody wants them kept.

use bowline_control::Decision;
use serde_json::Value;

use crate::controller::Snapshot;
use crate::step::{Choice, change, delete, wait};
use crate::thing::{Id, Kind, Thing, put};
use crate::{DRIVER, claims};

const PROTECTION: &str = "kubernetes.io/pv-protection";

/// The claim that a volume is for.
pub(crate) fn claim(volume: &Thing) -> Option<Id> {
    let claim = &volume.spec()["claimRef"];
    Some(Id::new(Kind::Claim, claim["namespace"].as_str()?, claim["name"].as_str()?))
}

/// Whether a volume names this claim.
pub(crate) fn is_for(volume: &Thing, wanted: &Thing) -> bool {
    claim(volume).is_some_and(|named| named == wanted.id) && owner(volume).is_none_or(|uid| uid == wanted.uid)
}

/// The uid of the claim that a volume is bound to.
fn owner(volume: &Thing) -> Option<&str> {
    volume.spec()["claimRef"]["uid"].as_str().filter(|uid| !uid.is_empty())
}

fn is_bound(volume: &Thing, snapshot: &Snapshot) -> bool {
    owner(volume).is_some_and(|uid| snapshot.near(Kind::Claim).any(|claim| claim.uid == uid))
}

/// Whether another CSI driver has made a volume, who deletes it with its data: one that goes before that leaves the data behind.
fn is_anothers(volume: &Thing) -> bool {
    volume.spec()["csi"]["driver"].as_str().is_some_and(|driver| driver != DRIVER)
}

/// What is to be done about a volume.
pub(crate) fn decide(volume: &Thing, snapshot: &Snapshot) -> Choice {
    let bound = is_bound(volume, snapshot);
    if volume.deleting {
        let protected = volume.finalizers.iter().any(|finalizer| finalizer == PROTECTION);
        return match (protected, bound) {
            (true, false) => change(
                "give up the protection",
                volume,
                volume.edit(|volume| {
                    volume.finalizers.retain(|finalizer| finalizer != PROTECTION);
                }),
            ),
            (true, true) => wait("the claim of the volume to be gone"),
            (false, _) => wait("others to let the volume go"),
        };
    }
    if claim(volume).is_none() {
        let wants = |claim: &&Thing| !claim.deleting && claims::named(claim) == Some(&volume.id.name);
        let first =
            snapshot.near(Kind::Claim).filter(wants).min_by_key(|claim| (claim.created, claim.id.clone()));
        return first.map_or(Decision::Converged, |first| claims::take(volume, first));
    }
    let unwanted = volume.spec()["persistentVolumeReclaimPolicy"] == "Delete";
    if owner(volume).is_some() && !bound && unwanted && !is_anothers(volume) {
        return delete(volume);
    }
    Decision::Converged
}

/// What a volume's status says.
pub(crate) fn status(volume: &Thing, snapshot: &Snapshot) -> Value {
    let mut status = volume.status.clone();
    let phase = match owner(volume) {
        None => "Available",
        Some(_) if is_bound(volume, snapshot) => "Bound",
        Some(_) => "Released",
    };
    put(&mut status, "phase", phase.into());
    status
}

#[cfg(test)]
mod tests {
    use bowline_control::{Controller, Moment, Write};
    use serde_json::json;

    use super::*;
    use crate::controller::Workloads;
    use crate::step::Step;

    fn claim(body: Value) -> Thing {
        let id = Id::new(Kind::Claim, "ns", "c");
        Thing::blank(id, body).edit(|claim| claim.uid = "u".into())
    }

    fn decided(it: &Thing, near: &[Thing]) -> Option<Write<Thing>> {
        let snapshot = Snapshot { it: Some(it.clone()), near: near.to_vec() };
        match Workloads.decide(&snapshot, Moment::default()) {
            Decision::Do(Step::Write { write, .. }) => Some(*write),
            _ => None,
        }
    }

    #[test]
    fn a_claim_and_its_volume_find_each_other() {
        let mut claimed = claim(json!({"spec": {"resources": {"requests": {"storage": "1Gi"}}}}));
        let Some(Write::Create(volume)) = decided(&claimed, &[]) else { panic!("a volume is made") };
        assert_eq!(volume.id.name, "pvc-u");
        let Some(Write::Change { after, .. }) = decided(&claimed, std::slice::from_ref(&volume)) else {
            panic!("the claim takes it")
        };
        claimed = after;
        assert_eq!(decided(&claimed, std::slice::from_ref(&volume)), None);
        let snapshot = Snapshot { it: Some(claimed.clone()), near: vec![volume.clone()] };
        assert_eq!(crate::claims::status(&claimed, &snapshot)["phase"], "Bound");
        // And when the claim is gone, the volume goes.
        assert_eq!(decided(&volume, std::slice::from_ref(&claimed)), None);
        assert_eq!(decided(&volume, &[]), Some(Write::Delete(volume)));
    }

    #[test]
    fn a_volume_of_somebody_else_is_not_taken() {
        let named = claim(json!({"spec": {"volumeName": "v"}}));
        let volume = |reference: Value| {
            Thing::blank(Id::new(Kind::Volume, "", "v"), json!({"spec": {"claimRef": reference}}))
        };
        let other = json!({"namespace": "ns", "name": "other"});
        assert_eq!(decided(&named, &[volume(other)]), None);
        let before = json!({"namespace": "ns", "name": "c", "uid": "before"});
        assert_eq!(decided(&named, &[volume(before)]), None);
        // One that names nobody chooses; one that names the claim is chosen.
        let (free, promised) = (volume(Value::Null), volume(json!({"namespace": "ns", "name": "c"})));
        for write in [decided(&free, std::slice::from_ref(&named)), decided(&named, &[promised])] {
            let Some(Write::Change { after, .. }) = write else { panic!("it is taken") };
            assert_eq!(after.spec()["claimRef"]["uid"], "u");
        }
    }

    #[test]
    fn a_volume_that_is_to_be_kept_is_released() {
        let reference = json!({"namespace": "ns", "name": "c", "uid": "u"});
        let body = json!({"spec": {"claimRef": reference, "persistentVolumeReclaimPolicy": "Retain"}});
        let volume = Thing::blank(Id::new(Kind::Volume, "", "v"), body);
        assert_eq!(decided(&volume, &[]), None);
        let snapshot = Snapshot { it: Some(volume.clone()), near: Vec::new() };
        assert_eq!(status(&volume, &snapshot)["phase"], "Released");
    }

    #[test]
    fn a_volume_of_another_driver_is_left_to_that_one() {
        let of = |driver: &str| {
            let spec = json!({
                "claimRef": { "namespace": "ns", "name": "c", "uid": "u" }, "persistentVolumeReclaimPolicy": "Delete",
                "csi": { "driver": driver, "volumeHandle": "h" },
            });
            Thing::blank(Id::new(Kind::Volume, "", "v"), json!({ "spec": spec }))
        };
        assert_eq!(decided(&of("another.example"), &[]), None);
        assert_eq!(decided(&of(DRIVER), &[]), Some(Write::Delete(of(DRIVER))));
    }

    #[test]
    fn a_claim_that_a_pod_uses_stays() {
        let going = claim(json!({})).edit(|claim| {
            claim.deleting = true;
            claim.finalizers = vec!["kubernetes.io/pvc-protection".into()];
        });
        let pod = Thing::blank(Id::new(Kind::Pod, "ns", "p"), json!({}));
        assert_eq!(decided(&going, std::slice::from_ref(&pod)), None);
        let ended = pod.edit(|pod| pod.status = json!({"phase": "Succeeded"}));
        assert!(matches!(decided(&going, &[ended]), Some(Write::Change { .. })));
    }
}
