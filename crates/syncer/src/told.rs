//! What people are told: on stderr, and as Events of the Placement that it is about.

use std::collections::BTreeMap;
use std::time::Duration;

use bowline_placements::plain::Plain;
use bowline_placements::syncer::{Act, Idle};
use bowline_placements::{Said, Thing};
use bowline_runtime::{Herald, Notice};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::core::DynamicObject;
use tokio::time::Instant;

use crate::marks;

/// How long an Event of what is still waited for is enough. It may have been lost, also because the hub had not yet let us send any
/// in that namespace.
const AGAIN: Duration = Duration::from_secs(60);

/// Who tells.
pub(crate) struct Teller {
    herald: Herald,
    say: Box<dyn Fn(&str) + Send + Sync>,
    /// What is waited for, or does not work, as it was told last, by namespace; and when there was an Event of it.
    known: BTreeMap<String, (String, Instant)>,
    /// What was done last, by namespace.
    last: BTreeMap<String, String>,
}

/// What was done, in a word and in a sentence; nothing of what is only noted.
fn done(act: &Act<Plain>) -> Option<(&'static str, String)> {
    let claim = |volume: &str| marks::parts(volume).1.to_owned();
    Some(match act {
        Act::Start(..) => ("Started", "its workloads may run here".to_owned()),
        Act::Stop(_) => ("Stopped", "its workloads have ended here".to_owned()),
        Act::Clear(_) => ("Cleared", "nothing of it is left here".to_owned()),
        Act::Make(volume, held) => {
            ("VolumeMade", format!("the volume of {} is known here, in epoch {}", claim(volume), held.epoch))
        }
        Act::Claim(volume, held) => {
            ("VolumeClaimed", format!("the claim {} is made here, in epoch {}", claim(volume), held.epoch))
        }
        Act::Unclaim(volume) => {
            ("VolumeUnclaimed", format!("the claim {} is deleted here, and its data stays", claim(volume)))
        }
        Act::Remove(volume) => {
            ("VolumeRemoved", format!("the volume of {} is not here any more", claim(volume)))
        }
        Act::Destroy(volume) => {
            ("VolumeDestroyed", format!("the volume of {} is being deleted", claim(volume)))
        }
        Act::Adopt(volume, _) => {
            ("VolumeAdopted", format!("the hub knows the volume of {}, which was made here", claim(volume)))
        }
        Act::Say(thing, Said::Released) => ("Released", format!("{thing} is given up")),
        Act::Say(Thing::Volume(volume), Said::Deleted) => {
            ("Deleted", format!("the data of {} is deleted", claim(volume)))
        }
        _ => return None,
    })
}

/// What is waited for, in words; nothing, if nothing is.
pub(crate) fn idle(idle: &Idle<Plain>) -> Option<(String, String)> {
    match idle {
        Idle::Foreign(name) => Some((
            name.clone(),
            format!("somebody to remove the namespace {name} of the cluster, which is not ours"),
        )),
        Idle::Lease | Idle::Detached(_) | Idle::Nothing => None,
    }
}

impl Teller {
    pub(crate) fn new(herald: Herald, say: Box<dyn Fn(&str) + Send + Sync>) -> Teller {
        Teller { herald, say, known: BTreeMap::new(), last: BTreeMap::new() }
    }

    /// Something was done.
    pub(crate) fn done(&mut self, act: &Act<Plain>, namespace: &str, placement: Option<&DynamicObject>) {
        let Some((reason, words)) = done(act) else { return };
        // Some acts take several turns.
        if self.last.insert(namespace.to_owned(), words.clone()).as_ref() == Some(&words) {
            return;
        }
        (self.say)(&format!("{namespace}: {words}."));
        self.event(placement, true, reason, words);
    }

    /// Something is waited for. It is told once, and from time to time by an Event.
    pub(crate) fn waits(&mut self, namespace: &str, words: &str, placement: Option<&DynamicObject>) {
        self.once(namespace, &format!("waits for {words}"), "Waits", placement);
    }

    /// Something did not work, and is tried again. It is told like that, too.
    pub(crate) fn failed(&mut self, namespace: &str, words: &str, placement: Option<&DynamicObject>) {
        self.once(namespace, &format!("it is tried again: {words}"), "Failed", placement);
    }

    fn once(
        &mut self,
        namespace: &str,
        words: &str,
        reason: &'static str,
        placement: Option<&DynamicObject>,
    ) {
        let before = self.known.get(namespace).filter(|(known, _)| known == words);
        if before.is_some_and(|(_, told)| told.elapsed() < AGAIN) {
            return;
        }
        if before.is_none() {
            let of = if namespace.is_empty() { String::new() } else { format!("{namespace}: ") };
            (self.say)(&format!("{of}{words}."));
        }
        self.known.insert(namespace.to_owned(), (words.to_owned(), Instant::now()));
        self.event(placement, false, reason, words.to_owned());
    }

    /// Nothing is waited for in a namespace any more.
    pub(crate) fn is_well(&mut self, namespace: &str) {
        self.known.remove(namespace);
    }

    fn event(&self, placement: Option<&DynamicObject>, good: bool, reason: &str, note: String) {
        // Nothing can be said in a namespace that is deleted.
        let Some(placement) = placement.filter(|one| one.metadata.deletion_timestamp.is_none()) else {
            return;
        };
        let types = placement.types.clone().unwrap_or_default();
        let about = ObjectReference {
            api_version: Some(types.api_version),
            kind: Some(types.kind),
            name: placement.metadata.name.clone(),
            namespace: placement.metadata.namespace.clone(),
            uid: placement.metadata.uid.clone(),
            resource_version: placement.metadata.resource_version.clone(),
            ..ObjectReference::default()
        };
        self.herald.tell(about, Notice { good, reason: reason.to_owned(), action: "Sync", note });
    }
}
