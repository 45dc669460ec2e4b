//! What is counted of placements and of targets.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_placements::plain::Plain;
use bowline_placements::{FenceState, Kind, Mood, Object, Placement, Target, Told};
use bowline_runtime::{Metrics, PerObject};

/// The numbers of all placements and targets that are there.
pub(crate) struct Gauges {
    granted: PerObject,
    epoch: PerObject,
    stalled: PerObject,
    fenced: PerObject,
    fence_epoch: PerObject,
    lapsed: PerObject,
    target_stalled: PerObject,
    there: Mutex<There>,
}

#[derive(Default)]
struct There {
    placements: BTreeSet<String>,
    targets: BTreeSet<String>,
}

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "namespace");
        let of_target = |name, about| metrics.per_object(name, about, "target");
        Gauges {
            granted: of("bowline_placement_granted", "Whether the namespace is granted to where it is to be"),
            epoch: of("bowline_placement_epoch", "The epoch of the namespace's grant"),
            stalled: of("bowline_placement_stalled", "Whether the placement needs a person"),
            fenced: of_target(
                "bowline_placement_target_fenced",
                "Whether the target is fenced, or about to be",
            ),
            fence_epoch: of_target("bowline_placement_target_fence_epoch", "How often the target was fenced"),
            lapsed: of_target(
                "bowline_placement_target_lapsed",
                "Whether the lease of the target's syncer has lapsed",
            ),
            target_stalled: of_target(
                "bowline_placement_target_stalled",
                "Whether the target needs a person",
            ),
            there: Mutex::default(),
        }
    }

    /// What is shown: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Object<Plain>>) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Placement, all) => {
                let before = std::mem::take(&mut there.placements);
                all.iter().for_each(|object| self.show(object, &mut there));
                before.difference(&there.placements).for_each(|name| self.forget_placement(name));
            }
            Event::Listed(Kind::Target, all) => {
                let before = std::mem::take(&mut there.targets);
                all.iter().for_each(|object| self.show(object, &mut there));
                before.difference(&there.targets).for_each(|name| self.forget_target(name));
            }
            Event::Put(object) => self.show(object, &mut there),
            Event::Gone(Object::Placement(placement)) => {
                self.forget_placement(&placement.name);
                there.placements.remove(&placement.name);
            }
            Event::Gone(Object::Target(target)) => {
                self.forget_target(&target.name);
                there.targets.remove(&target.name);
            }
            _ => {}
        }
    }

    fn show(&self, object: &Object<Plain>, there: &mut There) {
        match object {
            Object::Placement(placement) => {
                self.show_placement(placement);
                there.placements.insert(placement.name.clone());
            }
            Object::Target(target) => {
                self.show_target(target);
                there.targets.insert(target.name.clone());
            }
            Object::Volume(_) | Object::Claim(_) => {}
        }
    }

    fn show_placement(&self, placement: &Placement<Plain>) {
        let Placement { name, grant, desired, told, .. } = placement;
        let is_there = desired.as_ref().is_some_and(|target| grant.is_granted_to(target));
        self.granted.set(name, truth(is_there));
        self.epoch.set(name, grant.epoch.0 as f64);
        self.stalled.set(name, truth(is_stalled(told.as_ref())));
    }

    fn show_target(&self, target: &Target<Plain>) {
        let Target { name, fence, lapsed, told, .. } = target;
        self.fenced.set(name, truth(fence.state != FenceState::Open));
        self.fence_epoch.set(name, fence.epoch.0 as f64);
        self.lapsed.set(name, truth(lapsed.is_some()));
        self.target_stalled.set(name, truth(is_stalled(told.as_ref())));
    }

    fn forget_placement(&self, name: &str) {
        [&self.granted, &self.epoch, &self.stalled].iter().for_each(|one| one.remove(name));
    }

    fn forget_target(&self, name: &str) {
        let all = [&self.fenced, &self.fence_epoch, &self.lapsed, &self.target_stalled];
        all.iter().for_each(|one| one.remove(name));
    }
}

fn is_stalled(told: Option<&Told<Plain>>) -> bool {
    told.is_some_and(|told| told.mood == Mood::Stalled)
}

fn truth(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use bowline_runtime::Wire as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::placements::PlacementWire;

    fn read(kind: Kind, object: Value) -> Object<Plain> {
        let raw = serde_json::from_value(object).expect("an object");
        PlacementWire.read(kind, &raw).expect("an object of the protocol")
    }

    fn target(name: &str, status: Value) -> Object<Plain> {
        read(
            Kind::Target,
            json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget", "spec": { "cluster": "c" },
                "metadata": { "name": name, "uid": name, "resourceVersion": "7" }, "status": status,
            }),
        )
    }

    fn placement(namespace: &str, status: Value) -> Object<Plain> {
        read(
            Kind::Placement,
            json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement", "spec": {}, "status": status,
                "metadata": { "name": "placement", "namespace": namespace, "uid": namespace, "resourceVersion": "7" },
            }),
        )
    }

    #[test]
    fn each_has_its_numbers_until_it_is_gone() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = |of: &str| {
            let text = metrics.text().expect("text");
            let lines = text.lines().filter_map(|line| line.strip_prefix("bowline_placement_"));
            let of = format!("{{{of}}} ");
            let mut lines: Vec<_> = lines
                .filter_map(|line| line.split_once(&of))
                .map(|(what, is)| format!("{what} {is}"))
                .collect();
            lines.sort();
            lines
        };
        let users = json!([{ "target": "east", "epoch": 4 }]);
        let there = json!({ "desired": "east", "epoch": 4, "users": users });
        let elsewhere = json!({ "desired": "west", "epoch": 4, "users": users });
        gauges
            .see(&Event::Listed(Kind::Placement, vec![placement("shop", there), placement("b", elsewhere)]));
        gauges.see(&Event::Listed(
            Kind::Target,
            vec![target("east", json!({ "fence": "Fenced", "fenceEpoch": 2 }))],
        ));
        assert_eq!(told("namespace=\"shop\""), ["epoch 4.0", "granted 1.0", "stalled 0.0"]);
        assert_eq!(told("namespace=\"b\"")[1], "granted 0.0");
        let expected =
            ["target_fence_epoch 2.0", "target_fenced 1.0", "target_lapsed 0.0", "target_stalled 0.0"];
        assert_eq!(told("target=\"east\""), expected);
        gauges.see(&Event::Gone(placement("b", json!({}))));
        gauges.see(&Event::Listed(Kind::Target, Vec::new()));
        assert_eq!((told("namespace=\"b\"").len(), told("target=\"east\"").len()), (0, 0));
        assert_eq!(told("namespace=\"shop\"").len(), 3);
    }
}
