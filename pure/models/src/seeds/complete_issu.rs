//! CompleteISSU: the software of a group of nodes is upgraded while it serves.
//!
//! The specification as it is written, defects included (`CompleteISSU.tla`). `CHOOSE` takes the
//! least node, and the first nodes as the partition's members; so nodes are not interchangeable, and
//! the model has no symmetry.

mod expected;
mod properties;
mod state;

use std::ops::Range;

use bowline_explorer::{Class, Field, Model, Property};

pub(super) use self::expected::EXPECTED;
use self::state::{CAPACITY, NodeSet, State, UpgradeState, VERSIONS, Version};
use super::names;
use crate::catalogue::{BadSize, Catalogued, Entry, Size, SizeKey, Value};

pub(crate) const ENTRY: Entry = Entry {
    name: "seed/complete-issu",
    about: "the seed CompleteISSU as written: nodes upgraded in service, one at a time",
    sizes: &[
        SizeKey {
            name: "nodes",
            about: "nodes that are upgraded; more than one, as the document assumes",
            default: Value::Number(3),
            range: (2, CAPACITY as u32),
        },
        SizeKey {
            name: "devices",
            about: "devices that need a master; all have the same one",
            default: Value::Number(1),
            range: (1, 255),
        },
        SizeKey {
            name: "versions",
            about: "versions of the software; more than one, as the document assumes",
            default: Value::Number(2),
            range: (2, VERSIONS as u32),
        },
        SizeKey {
            name: "partitions",
            about: "partitions; all have the same members",
            default: Value::Number(1),
            range: (1, 255),
        },
        SizeKey {
            name: "partition-size",
            about: "members of a partition; at most as many as nodes",
            default: Value::Number(2),
            range: (0, CAPACITY as u32),
        },
        SizeKey {
            name: "fair",
            about: "whether steps forward are weakly fair, as in FairSpec; the document has no fairness",
            default: Value::Flag(false),
            range: (0, 0),
        },
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(CompleteIssu::new(size)?)),
};

/// The model at a size.
pub(crate) struct CompleteIssu {
    pub(super) nodes: u8,
    pub(super) devices: u8,
    pub(super) versions: u8,
    pub(super) partitions: u8,
    pub(super) partition_size: u8,
    pub(super) fair: bool,
}

/// A step, with its node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    RunInitialize,
    RunUpgrade,
    RunCommit,
    RunRollback,
    RunReset,
    UpgradeNode(u8),
    DowngradeNode(u8),
    CrashNode(u8),
}

impl CompleteIssu {
    pub(super) fn new(size: &Size) -> Result<CompleteIssu, BadSize> {
        let model = CompleteIssu {
            nodes: size.small("nodes"),
            devices: size.small("devices"),
            versions: size.small("versions"),
            partitions: size.small("partitions"),
            partition_size: size.small("partition-size"),
            fair: size.flag("fair"),
        };
        if model.partition_size > model.nodes {
            return Err(BadSize::Impossible(format!(
                "partition-size={} is more than nodes={}: a partition has no more members than there are nodes",
                model.partition_size, model.nodes
            )));
        }
        Ok(model)
    }

    fn node_ids(&self) -> Range<u8> {
        0..self.nodes
    }

    /// The nodes that run `version`: none, if there is no such version.
    #[inline]
    fn at(&self, s: &State, version: Version) -> NodeSet {
        self.node_ids().fold(NodeSet::EMPTY, |set, n| if s.version(n) == version { set.with(n) } else { set })
    }

    fn all_at(&self, s: &State, version: Version) -> bool {
        self.at(s, version) == NodeSet::first(self.nodes)
    }

    fn can_upgrade(&self, version: Version) -> bool {
        version < self.versions
    }

    fn can_rollback(&self, s: &State) -> bool {
        s.upgrade_state() == UpgradeState::UPGRADED && !self.at(s, s.upgrade_version() - 1).is_empty()
    }

    fn can_upgrade_node(&self, s: &State, n: u8) -> bool {
        let from = match s.upgrade_state() {
            UpgradeState::INITIALIZED => s.upgrade_version(),
            UpgradeState::UPGRADED => s.upgrade_version() - 1,
            _ => return false,
        };
        s.version(n) == from && self.can_upgrade(from)
    }

    fn can_downgrade_node(&self, s: &State, n: u8) -> bool {
        s.upgrade_state() == UpgradeState::ROLLED_BACK && s.version(n) == s.upgrade_version() + 1
    }

    /// `RunUpgrade`, `RunRollback`: another version serves, and its nodes are masters.
    fn serve(&self, s: &mut State, state: UpgradeState, version: Version) {
        s.set_upgrade(state, version);
        s.set_master(self.at(s, version).choose());
    }

    fn upgrade_node(&self, s: &mut State, n: u8) {
        let serving = self.at(s, s.upgrade_version());
        let upgraded = s.upgrade_state() == UpgradeState::UPGRADED;
        s.set_master(if upgraded { serving } else { serving.without(n) }.choose());

        let to = s.version(n) + 1;
        // The defect: the nodes that are there already do not learn of the new member.
        let members = match self.at(s, to).choose() {
            None => NodeSet::only(n),
            Some(x) if s.active(x).len() < self.partition_size => s.active(x).with(n),
            Some(x) => s.active(x),
        };
        s.set_inactive(n, s.active(n));
        s.set_active(n, members);
        s.set_version(n, to);
    }

    fn downgrade_node(&self, s: &mut State, n: u8) {
        s.set_master(self.at(s, s.upgrade_version()).choose());
        s.set_active(n, s.inactive(n));
        s.set_inactive(n, NodeSet::EMPTY);
        s.set_version(n, s.version(n) - 1);
    }

    /// `CrashNode(n)`, if it is enabled.
    ///
    /// The defect: where `CanRollback` holds, `RollbackUpgrade` changes `upgradeState`, and
    /// `RebalanceMasters`, which stands outside the disjunction, demands that it stays: no step does both.
    #[inline]
    fn crash_node(&self, s: &State, n: u8) -> Option<State> {
        if self.can_rollback(s) {
            return None;
        }
        let mut t = *s;
        t.set_master(self.at(s, s.upgrade_version()).without(n).choose());
        Some(t)
    }

    #[inline]
    fn run_actions(&self, s: &State, out: &mut Vec<Action>) {
        let version = s.upgrade_version();
        match s.upgrade_state() {
            UpgradeState::INACTIVE if self.all_at(s, version) => out.push(Action::RunInitialize),
            UpgradeState::INITIALIZED if self.can_upgrade(version) && !self.at(s, version + 1).is_empty() => {
                out.push(Action::RunUpgrade);
            }
            UpgradeState::UPGRADED => {
                if self.all_at(s, version) {
                    out.push(Action::RunCommit);
                }
                if self.can_rollback(s) {
                    out.push(Action::RunRollback);
                }
            }
            UpgradeState::ROLLED_BACK if self.all_at(s, version) => out.push(Action::RunReset),
            _ => {}
        }
    }
}

impl Catalogued for CompleteIssu {}

impl Model for CompleteIssu {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        let mut state = State::initial(self.nodes, NodeSet::first(self.partition_size));
        state.set_master(NodeSet::first(self.nodes).choose());
        vec![state]
    }

    #[inline]
    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        self.run_actions(s, out);
        let crashes = !self.can_rollback(s);
        for n in self.node_ids() {
            if self.can_upgrade_node(s, n) {
                out.push(Action::UpgradeNode(n));
            }
            if self.can_downgrade_node(s, n) {
                out.push(Action::DowngradeNode(n));
            }
            if crashes {
                out.push(Action::CrashNode(n));
            }
        }
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> State {
        let mut s = *state;
        match *action {
            Action::RunInitialize => s.set_upgrade_state(UpgradeState::INITIALIZED),
            Action::RunUpgrade => self.serve(&mut s, UpgradeState::UPGRADED, state.upgrade_version() + 1),
            Action::RunRollback => self.serve(&mut s, UpgradeState::ROLLED_BACK, state.upgrade_version() - 1),
            Action::RunCommit | Action::RunReset => s.set_upgrade_state(UpgradeState::INACTIVE),
            Action::UpgradeNode(n) => self.upgrade_node(&mut s, n),
            Action::DowngradeNode(n) => self.downgrade_node(&mut s, n),
            Action::CrashNode(n) => return self.crash_node(state, n).unwrap_or(s),
        }
        s
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }

    #[inline]
    fn class(&self, action: &Action) -> Class {
        if !self.fair {
            return Class::UNFAIR;
        }
        match *action {
            Action::RunUpgrade => Class::new(0),
            Action::RunCommit => Class::new(1),
            Action::RunReset => Class::new(2),
            Action::UpgradeNode(n) => Class::new(3 + u16::from(n)),
            Action::DowngradeNode(n) => Class::new(3 + u16::from(self.nodes) + u16::from(n)),
            Action::RunInitialize | Action::RunRollback | Action::CrashNode(_) => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        if !self.fair {
            return Vec::new();
        }
        let commands = [Action::RunUpgrade, Action::RunCommit, Action::RunReset];
        let upgrades = self.node_ids().map(Action::UpgradeNode);
        let downgrades = self.node_ids().map(Action::DowngradeNode);
        commands
            .into_iter()
            .chain(upgrades)
            .chain(downgrades)
            .map(|action| self.action_name(&action))
            .collect()
    }

    fn action_name(&self, action: &Action) -> String {
        match *action {
            Action::RunInitialize => "RunInitialize".into(),
            Action::RunUpgrade => "RunUpgrade".into(),
            Action::RunCommit => "RunCommit".into(),
            Action::RunRollback => "RunRollback".into(),
            Action::RunReset => "RunReset".into(),
            Action::UpgradeNode(n) => format!("UpgradeNode({})", node(n)),
            Action::DowngradeNode(n) => format!("DowngradeNode({})", node(n)),
            Action::CrashNode(n) => format!("CrashNode({})", node(n)),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        let members = |set: NodeSet| names::set(set.iter().map(node));
        let mut fields = vec![
            Field::new("upgradeState", s.upgrade_state().name()),
            Field::new("upgradeVersion", s.upgrade_version().to_string()),
        ];
        for n in self.node_ids() {
            let name = format!("nodes[{}]", node(n));
            fields.push(Field::new(format!("{name}.version"), s.version(n).to_string()));
            for p in 1..=self.partitions {
                fields.push(Field::new(format!("{name}.active[{p}]"), members(s.active(n))));
                fields.push(Field::new(format!("{name}.inactive[{p}]"), members(s.inactive(n))));
            }
        }
        for d in 0..self.devices {
            let master = s.master().map_or_else(|| "Nil".into(), node);
            fields.push(Field::new(format!("devices[{}].master", names::indexed("d", d)), master));
        }
        fields
    }
}

fn node(n: u8) -> String {
    names::indexed("n", n)
}
