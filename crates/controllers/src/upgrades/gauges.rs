//! What is counted of groups, and of the leases of their members.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_runtime::{Metrics, PerObject};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Group, Kind, Mood, Object, Phase, SeatState};

/// The numbers of all groups that are there.
pub(crate) struct Gauges {
    members: PerObject,
    present: PerObject,
    upgrading: PerObject,
    masterless: PerObject,
    stalled: PerObject,
    suspect: PerObject,
    there: Mutex<BTreeSet<String>>,
}

/// Whose number it is that the hub suspects itself.
const HUB: &str = "hub";

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "group");
        Gauges {
            members: of("bowline_upgrade_members", "How many members the group has that were not forgotten"),
            present: of("bowline_upgrade_members_present", "How many of them are neither lost nor crashed"),
            upgrading: of("bowline_upgrade_under_way", "Whether the group is being upgraded, or goes back"),
            masterless: of("bowline_upgrade_devices_without_master", "How many devices of the group have no master"),
            stalled: of("bowline_upgrade_stalled", "Whether the group needs a person"),
            suspect: metrics.per_object(
                "bowline_upgrade_suspect",
                "Whether more than half of all leases of members lapsed together, so that none is believed to have",
                "of",
            ),
            there: Mutex::default(),
        }
    }

    /// Whether the hub suspects itself.
    pub(crate) fn suspects(&self, is: bool) {
        self.suspect.set(HUB, truth(is));
    }

    /// What is shown of groups: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Object<Plain>>) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Group, all) => {
                let before = std::mem::take(&mut *there);
                all.iter().for_each(|object| self.show(object, &mut there));
                before.difference(&there).for_each(|name| self.forget(name));
            }
            Event::Put(object) => self.show(object, &mut there),
            Event::Gone(Object::Group(group)) => {
                let name = group.name.to_string();
                self.forget(&name);
                there.remove(&name);
            }
            _ => {}
        }
    }

    fn show(&self, object: &Object<Plain>, there: &mut BTreeSet<String>) {
        let Object::Group(group) = object else { return };
        let name = group.name.to_string();
        let Group { status, wish, .. } = group;
        let present = status.seats.values().filter(|seat| seat.state == SeatState::Present).count();
        let has_master = |device: &&String| {
            status.devices.get(*device).is_some_and(|mastery| mastery.master.is_some() && !mastery.leaves)
        };
        let masterless = wish.devices.len() - wish.devices.iter().filter(has_master).count();
        self.members.set(&name, status.seats.len() as f64);
        self.present.set(&name, present as f64);
        self.upgrading.set(&name, truth(status.phase != Phase::Inactive));
        self.masterless.set(&name, masterless as f64);
        self.stalled.set(&name, truth(group.told.as_ref().is_some_and(|told| told.mood == Mood::Stalled)));
        there.insert(name);
    }

    fn forget(&self, name: &str) {
        let all = [&self.members, &self.present, &self.upgrading, &self.masterless, &self.stalled];
        all.iter().for_each(|one| one.remove(name));
    }
}

fn truth(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use bowline_runtime::Wire as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::upgrades::UpgradeWire;

    fn group(name: &str, status: Value) -> Object<Plain> {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup",
            "metadata": { "name": name, "namespace": "team", "uid": name, "resourceVersion": "7" },
            "spec": { "versions": [{ "name": "v1", "command": ["x"] }], "devices": ["d1", "d2"] }, "status": status,
        });
        let raw = serde_json::from_value(object).expect("an object");
        UpgradeWire.read(Kind::Group, &raw).expect("a group")
    }

    #[test]
    fn each_group_has_its_numbers_until_it_is_gone() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = |name: &str| {
            let text = metrics.text().expect("text");
            let lines = text.lines().filter_map(|line| line.strip_prefix("bowline_upgrade_"));
            let of = format!("{{group=\"team/{name}\"}} ");
            let mut lines: Vec<_> = lines
                .filter_map(|line| line.split_once(&of))
                .map(|(what, is)| format!("{what} {is}"))
                .collect();
            lines.sort();
            lines
        };
        let member =
            |name: &str, state: &str| json!({ "name": name, "uid": name, "version": "v1", "state": state });
        let busy = json!({
            "upgradeState": "Upgraded", "servingVersion": "v1", "fromVersion": "v0", "targetVersion": "v1",
            "members": [member("a", "Present"), member("b", "Lost")],
            "devices": [{ "name": "d1", "master": "a", "epoch": 1 }, { "name": "d2", "master": "b", "epoch": 1, "leaving": true }],
        });
        gauges.see(&Event::Listed(Kind::Group, vec![group("kv", busy), group("new", json!({}))]));
        assert_eq!(
            told("kv"),
            [
                "devices_without_master 1.0",
                "members 2.0",
                "members_present 1.0",
                "stalled 0.0",
                "under_way 1.0"
            ]
        );
        assert_eq!(told("new")[0], "devices_without_master 2.0");
        gauges.see(&Event::Gone(group("new", json!({}))));
        gauges.see(&Event::Listed(Kind::Member, Vec::new()));
        assert_eq!((told("new").len(), told("kv").len()), (0, 5));
        gauges.suspects(true);
        assert!(metrics.text().expect("text").contains("bowline_upgrade_suspect{of=\"hub\"} 1.0"));
    }
}
