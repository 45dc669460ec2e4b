//! What is counted of identities, and of what is called of AWS for them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_aws::{Action, Kind as Trouble, Listener};
use bowline_control::Event;
use bowline_identities::plain::Plain;
use bowline_identities::{Identity, Kind, Mood, Object};
use bowline_runtime::{Counted, Crossed, Metrics, PerObject};

/// The numbers of all identities that are there.
pub(crate) struct Gauges {
    complete: PerObject,
    ready: PerObject,
    synced: PerObject,
    stalled: PerObject,
    sweeps: PerObject,
    calls: Crossed,
    repairs: Counted,
    rate: PerObject,
    identities: Mutex<BTreeSet<String>>,
    tombstones: Mutex<BTreeSet<String>>,
}

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "identity");
        Gauges {
            complete: of(
                "bowline_identity_complete",
                "Whether the role of the identity has all of its policies",
            ),
            ready: of("bowline_identity_ready", "Whether the role of the identity can be assumed"),
            synced: of("bowline_identity_synced", "Whether what is in AWS is what the identity says"),
            stalled: of("bowline_identity_stalled", "Whether the identity needs a person"),
            sweeps: of(
                "bowline_identity_tombstone_sweeps",
                "How often it was looked for what arrived in AWS after the identity was gone",
            ),
            calls: metrics.crossed(
                "bowline_identity_aws_calls",
                "Calls of AWS that this process has made, by how they ended",
                ["action", "result"],
            ),
            repairs: metrics.counted(
                "bowline_identity_drift_repaired",
                "What others had changed in AWS and this process has put right, by what it was",
                "what",
            ),
            rate: metrics.per_object(
                "bowline_identity_aws_calls_per_second",
                "Calls of AWS that may leave a second, as of the last one: fewer than is set if AWS says that it is too much",
                "service",
            ),
            identities: Mutex::default(),
            tombstones: Mutex::default(),
        }
    }

    /// Who counts the calls of AWS, and tells at which rate they may leave.
    pub(crate) fn listener(&self, rate: impl Fn() -> u64 + Send + Sync + 'static) -> Listener {
        let (calls, told) = (self.calls.clone(), self.rate.clone());
        Arc::new(move |action: Action, trouble: Option<&Trouble>| {
            calls.add([&action.name(), trouble.map_or("done", result)]);
            told.set("aws", rate() as f64);
        })
    }

    /// Something was put right that others had changed.
    pub(crate) fn repaired(&self, what: &str) {
        self.repairs.add(what);
    }

    /// What is shown of identities and tombstones: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Object<Plain>>) {
        let mut identities = self.identities.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tombstones = self.tombstones.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Identity, all) => {
                let before = std::mem::take(&mut *identities);
                all.iter().for_each(|object| self.show(object, &mut identities));
                before.difference(&identities).for_each(|name| self.forget(name));
            }
            Event::Listed(Kind::Tombstone, all) => {
                let before = std::mem::take(&mut *tombstones);
                all.iter().for_each(|object| self.show(object, &mut tombstones));
                before.difference(&tombstones).for_each(|name| self.sweeps.remove(name));
            }
            Event::Put(object @ Object::Identity(_)) => self.show(object, &mut identities),
            Event::Put(object @ Object::Tombstone(_)) => self.show(object, &mut tombstones),
            Event::Gone(Object::Identity(identity)) => {
                let name = identity.name.to_string();
                self.forget(&name);
                identities.remove(&name);
            }
            Event::Gone(Object::Tombstone(tombstone)) => {
                let name = tombstone.name.to_string();
                self.sweeps.remove(&name);
                tombstones.remove(&name);
            }
            _ => {}
        }
    }

    fn show(&self, object: &Object<Plain>, there: &mut BTreeSet<String>) {
        match object {
            Object::Identity(identity) => {
                self.show_identity(identity);
                there.insert(identity.name.to_string());
            }
            Object::Tombstone(tombstone) => {
                let name = tombstone.name.to_string();
                self.sweeps.set(&name, f64::from(tombstone.sweeps));
                there.insert(name);
            }
            Object::Account(_) | Object::Cluster(_) => {}
        }
    }

    fn show_identity(&self, identity: &Identity<Plain>) {
        let name = identity.name.to_string();
        let truth = |is| if is { 1.0 } else { 0.0 };
        let mood = identity.told.as_ref().map(|told| told.mood);
        self.complete.set(&name, truth(identity.status.complete.is_some()));
        self.ready.set(&name, truth(identity.status.ready));
        self.synced.set(&name, truth(mood == Some(Mood::Well)));
        self.stalled.set(&name, truth(mood == Some(Mood::Stalled)));
    }

    fn forget(&self, name: &str) {
        [&self.complete, &self.ready, &self.synced, &self.stalled].iter().for_each(|one| one.remove(name));
    }
}

/// How a call ended, in a word.
fn result(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::NotFound => "missing",
        Trouble::AlreadyExists => "exists",
        Trouble::DeleteConflict => "in_use",
        Trouble::LimitExceeded => "no_room",
        Trouble::Malformed => "malformed",
        Trouble::AccessDenied { .. } => "denied",
        Trouble::Concurrent => "concurrent",
        Trouble::Throttled => "throttled",
        Trouble::Unavailable(_) => "unavailable",
        Trouble::InvalidCredentials => "bad_credentials",
        Trouble::InvalidToken => "bad_token",
        Trouble::Withheld => "withheld",
        Trouble::Refused => "refused",
    }
}

#[cfg(test)]
mod tests {
    use bowline_control::{Millis, Version};
    use bowline_identities::plain::{Grant, Named};
    use bowline_identities::{Status, Told, Tombstone, Wish};

    use super::*;

    fn named(name: &str) -> Named {
        Named { namespace: "team".into(), name: name.into() }
    }

    fn identity(name: &str, ready: bool, mood: Mood) -> Object<Plain> {
        let complete = Some(Millis(1));
        Object::Identity(Identity {
            name: named(name),
            uid: "u".into(),
            version: Version(1),
            generation: 1,
            deleting: false,
            held: true,
            wish: Wish {
                grant: Grant::default(),
                account: named(name),
                clusters: Vec::new(),
                adopts: false,
                orphans: false,
            },
            status: Status { complete, ready, ..Status::default() },
            told: Some(Told { mood, words: String::new(), observed: 1 }),
        })
    }

    fn told(metrics: &Metrics) -> Vec<String> {
        let text = metrics.text().expect("text");
        let lines = text.lines().filter_map(|line| line.strip_prefix("bowline_identity_"));
        let mut lines: Vec<_> = lines.map(ToOwned::to_owned).collect();
        lines.sort();
        lines
    }

    #[test]
    fn each_identity_has_its_numbers_until_it_is_gone() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let (a, b) = (identity("a", true, Mood::Well), identity("b", false, Mood::Stalled));
        let of_a = [
            "complete{identity=\"team/a\"} 1.0",
            "ready{identity=\"team/a\"} 1.0",
            "stalled{identity=\"team/a\"} 0.0",
            "synced{identity=\"team/a\"} 1.0",
        ];
        gauges.see(&Event::Listed(Kind::Identity, vec![a.clone(), b.clone()]));
        assert!(told(&metrics).contains(&"stalled{identity=\"team/b\"} 1.0".to_owned()));
        assert_eq!(told(&metrics).len(), 8);
        gauges.see(&Event::Gone(b));
        assert_eq!(told(&metrics), of_a);
        gauges.see(&Event::Listed(Kind::Identity, Vec::new()));
        assert!(told(&metrics).is_empty());
        gauges.see(&Event::Put(a));
        assert_eq!(told(&metrics), of_a);
    }

    #[test]
    fn tombstones_are_told_beside_identities() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let tombstone = Object::Tombstone(Tombstone {
            name: named("a"),
            uid: "t".into(),
            version: Version(1),
            of: vec!["u".into()],
            at: Millis(0),
            sweeps: 2,
        });
        gauges.see(&Event::Put(tombstone.clone()));
        gauges.see(&Event::Listed(Kind::Identity, Vec::new()));
        assert_eq!(told(&metrics), ["tombstone_sweeps{identity=\"team/a\"} 2.0"]);
        gauges.see(&Event::Gone(tombstone));
        assert!(told(&metrics).is_empty());
    }

    #[test]
    fn what_is_put_right_is_counted_by_what_it_was() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        gauges.repaired("trust");
        gauges.repaired("trust");
        assert_eq!(told(&metrics), ["drift_repaired_total{what=\"trust\"} 2"]);
    }

    #[test]
    fn calls_are_counted_by_what_they_were_and_how_they_ended() {
        let metrics = Metrics::new();
        let listener = Gauges::new(&metrics).listener(|| 250);
        listener(Action::CreateRole, None);
        listener(Action::CreateRole, None);
        listener(Action::GetRole, Some(&Trouble::NotFound));
        assert_eq!(
            told(&metrics),
            [
                "aws_calls_per_second{service=\"aws\"} 250.0",
                "aws_calls_total{action=\"CreateRole\",result=\"done\"} 2",
                "aws_calls_total{action=\"GetRole\",result=\"missing\"} 1",
            ]
        );
    }
}
