//! KcpStorage: a namespace and its volume are assigned to clusters, whose syncers follow.
//!
//! The translation of the algorithm as it is written, defects included (`KcpStorage.tla`).

mod expected;
mod properties;
mod state;

use std::ops::Range;

use bowline_explorer::{Class, Field, Model, Property};

pub(super) use self::expected::EXPECTED;
use self::state::{CAPACITY, PerCluster, Process, State, Sync};
use super::names;
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value};

pub(crate) const ENTRY: Entry = Entry {
    name: "seed/kcp-storage",
    about: "the seed kcpStorage as written: a volume that follows its namespace across clusters",
    sizes: &[SizeKey {
        name: "clusters",
        about: "clusters that the namespace can be assigned to",
        default: Value::Number(2),
        range: (1, CAPACITY as u32),
    }],
    faults: &[],
    build: |size, _| Ok(Box::new(KcpStorage::new(size))),
};

/// The model at a size.
pub(crate) struct KcpStorage {
    pub(super) clusters: u8,
}

/// A step, with its cluster; the namespace controller's `Start_` chooses one of its branches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Assign(u8),
    Withdraw(u8),
    PvcController,
    Syncer(u8),
    Terminating,
}

impl KcpStorage {
    pub(super) fn new(size: &Size) -> KcpStorage {
        KcpStorage { clusters: size.small("clusters") }
    }

    fn cluster_ids(&self) -> Range<u8> {
        0..self.clusters
    }

    fn processes(&self) -> impl Iterator<Item = Process> {
        let controllers = [Process::NamespaceController, Process::PvcController];
        controllers.into_iter().chain(self.cluster_ids().map(Process::Syncer))
    }

    /// Whether the `pc` of every process is `"Done"`.
    fn all_done(&self, s: &State) -> bool {
        self.processes().all(|process| !s.at_start(process))
    }
}

impl Catalogued for KcpStorage {}

impl Model for KcpStorage {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        vec![State::INITIAL]
    }

    #[inline]
    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        if s.at_start(Process::NamespaceController) {
            if s.ns == PerCluster::NIL {
                out.extend(self.cluster_ids().map(Action::Assign));
            }
            out.extend(self.cluster_ids().filter(|&c| s.ns.get(c) == Sync::SYNC).map(Action::Withdraw));
        }
        if s.at_start(Process::PvcController) {
            out.push(Action::PvcController);
        }
        // A syncer that has nothing new to see still takes its step: it changes nothing.
        out.extend(self.cluster_ids().filter(|&c| s.at_start(Process::Syncer(c))).map(Action::Syncer));
        if self.all_done(s) {
            out.push(Action::Terminating);
        }
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> State {
        let mut s = *state;
        match *action {
            Action::Assign(c) => s.ns.set(c, Sync::SYNC),
            Action::Withdraw(c) => s.ns.set(c, Sync::NIL),
            Action::PvcController => s.pvc = s.ns,
            // The defect: a syncer starts to use the volume, not asking whether another still does.
            Action::Syncer(c) => s.pvc_state.set(c, s.ns.get(c)),
            Action::Terminating => {}
        }
        s
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }

    /// The defect: fairness is on the next step as a whole, so that any process may starve.
    #[inline]
    fn class(&self, _action: &Action) -> Class {
        Class::new(0)
    }

    fn fairness(&self) -> Vec<String> {
        vec!["Next".into()]
    }

    fn representative(&self, state: &State) -> Option<State> {
        Some(state.sorted(self.clusters))
    }

    fn action_name(&self, action: &Action) -> String {
        match *action {
            Action::Assign(c) => format!("NamespaceController(assign {})", cluster(c)),
            Action::Withdraw(c) => format!("NamespaceController(withdraw {})", cluster(c)),
            Action::PvcController => "PVCController".into(),
            Action::Syncer(c) => format!("Syncer({})", cluster(c)),
            Action::Terminating => "Terminating".into(),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        let per_cluster = [("ns", s.ns), ("pvc", s.pvc), ("pvc_state", s.pvc_state)];
        let of_variable = |(name, values): (&'static str, PerCluster)| {
            self.cluster_ids()
                .map(move |c| Field::new(format!("{name}[{}]", cluster(c)), values.get(c).name()))
        };
        let of_process = |process| {
            let (name, label) = match process {
                Process::NamespaceController => ("NC".into(), "Start_"),
                Process::PvcController => ("PVCC".into(), "Start_P"),
                Process::Syncer(c) => (cluster(c), "Start"),
            };
            Field::new(format!("pc[{name}]"), if s.at_start(process) { label } else { "Done" })
        };
        per_cluster.into_iter().flat_map(of_variable).chain(self.processes().map(of_process)).collect()
    }
}

fn cluster(c: u8) -> String {
    names::indexed("c", c)
}
