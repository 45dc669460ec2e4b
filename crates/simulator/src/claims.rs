//! Claims: a volume is made for each, or the one that it names or that names it is taken, and they are bound.

use bowline_control::Decision;
use serde_json::{Value, json};

use crate::controller::Snapshot;
use crate::pods::Seen;
use crate::step::{Choice, change, create, wait};
use crate::thing::{Id, Kind, Thing, put};
use crate::{DRIVER, NODE, SHARED, volumes};

const PROTECTION: &str = "kubernetes.io/pvc-protection";
const BOUND: &str = "pv.kubernetes.io/bind-completed";

/// The volumes that may be a claim's: the one that it names, and the one that would be made for it.
pub(crate) fn volumes(claim: &Thing) -> impl Iterator<Item = String> {
    named(claim).map(str::to_owned).into_iter().chain([made(claim)])
}

/// The volume that a claim names.
pub(crate) fn named(claim: &Thing) -> Option<&str> {
    claim.spec()["volumeName"].as_str().filter(|name| !name.is_empty())
}

fn made(claim: &Thing) -> String {
    format!("pvc-{}", claim.uid)
}

/// What is to be done about a claim.
pub(crate) fn decide(claim: &Thing, snapshot: &Snapshot) -> Choice {
    if claim.deleting {
        return let_go(claim, snapshot);
    }
    let Some(volume) = volume(claim, snapshot) else {
        return match named(claim) {
            Some(name) => wait(format!("the volume {name} to be there, and for nobody else")),
            None if claim.spec()["storageClassName"] == "" => wait("a volume that names the claim"),
            None if snapshot.near(Kind::Volume).any(|volume| volume.id.name == made(claim)) => {
                wait("the volume that was made for the claim to be gone")
            }
            None => create(provision(claim)),
        };
    };
    // The volume first: from then on nobody else has it.
    if !is_bound_to(volume, claim) {
        return take(volume, claim);
    }
    if named(claim) != Some(&volume.id.name) || !claim.annotations.contains_key(BOUND) {
        return change(
            "take the volume",
            claim,
            claim.edit(|claim| {
                claim.body["spec"]["volumeName"] = volume.id.name.clone().into();
                claim.annotations.insert(BOUND.into(), "yes".into());
            }),
        );
    }
    Decision::Converged
}

/// A claim that is being deleted goes when no pod uses it any more.
fn let_go(claim: &Thing, snapshot: &Snapshot) -> Choice {
    if !claim.finalizers.iter().any(|finalizer| finalizer == PROTECTION) {
        return wait("others to let the claim go");
    }
    let ended = |pod: &&Thing| {
        let seen = Seen::of(pod);
        seen.has_ended("Succeeded") || seen.has_ended("Failed")
    };
    match snapshot.near(Kind::Pod).find(|pod| !ended(pod)) {
        Some(pod) => wait(format!("the {} to be gone, which uses the claim", pod.id)),
        None => change(
            "give up the protection",
            claim,
            claim.edit(|claim| {
                claim.finalizers.retain(|finalizer| finalizer != PROTECTION);
            }),
        ),
    }
}

/// The volume of a claim: one that names it, and that it names, if it names any. (One that names nobody takes the claim
/// first.)
fn volume<'a>(claim: &Thing, snapshot: &'a Snapshot) -> Option<&'a Thing> {
    let is_wanted = |volume: &Thing| named(claim).is_none_or(|name| volume.id.name == name);
    let is_there = |volume: &Thing| !volume.deleting || is_bound_to(volume, claim);
    let fits = |volume: &&Thing| is_wanted(volume) && is_there(volume) && volumes::is_for(volume, claim);
    snapshot.near(Kind::Volume).find(fits)
}

fn is_bound_to(volume: &Thing, claim: &Thing) -> bool {
    volume.spec()["claimRef"]["uid"] == claim.uid.as_str()
}

/// A volume for a claim. It is called after the claim's uid: none is made twice.
fn provision(claim: &Thing) -> Thing {
    let name = made(claim);
    let spec = claim.spec();
    let mut volume = json!({
        "accessModes": spec["accessModes"],
        "capacity": { "storage": spec["resources"]["requests"]["storage"] },
        "claimRef": reference(claim),
        "persistentVolumeReclaimPolicy": "Delete",
    });
    let (source, is) = if spec["storageClassName"] == SHARED {
        ("csi", json!({ "driver": DRIVER, "volumeHandle": name }))
    } else {
        ("hostPath", json!({ "path": format!("/simulated/{name}") }))
    };
    put(&mut volume, source, is);
    put(&mut volume, "storageClassName", spec["storageClassName"].clone());
    put(&mut volume, "volumeMode", spec["volumeMode"].clone());
    Thing::blank(Id::new(Kind::Volume, "", &name), json!({ "spec": volume })).edit(|volume| {
        volume.annotations.insert("pv.kubernetes.io/provisioned-by".into(), format!("bowline.dev/{NODE}"));
    })
}

/// A volume becomes a claim's.
pub(crate) fn take(volume: &Thing, claim: &Thing) -> Choice {
    let taken = volume.edit(|volume| volume.body["spec"]["claimRef"] = reference(claim));
    change("choose the claim", volume, taken)
}

fn reference(claim: &Thing) -> Value {
    json!({
        "apiVersion": "v1", "kind": Kind::Claim.name(),
        "namespace": claim.id.namespace, "name": claim.id.name, "uid": claim.uid,
    })
}

/// What a claim's status says.
pub(crate) fn status(claim: &Thing, snapshot: &Snapshot) -> Value {
    let mut status = claim.status.clone();
    let bound = volume(claim, snapshot)
        .filter(|volume| is_bound_to(volume, claim) && named(claim) == Some(&volume.id.name));
    match bound {
        Some(volume) => {
            put(&mut status, "phase", "Bound".into());
            put(&mut status, "accessModes", volume.spec()["accessModes"].clone());
            put(&mut status, "capacity", volume.spec()["capacity"].clone());
        }
        // Its volume was taken away: so it is told, for ever.
        None if matches!(status["phase"].as_str(), Some("Bound" | "Lost")) => {
            put(&mut status, "phase", "Lost".into());
        }
        None => put(&mut status, "phase", "Pending".into()),
    }
    status
}
