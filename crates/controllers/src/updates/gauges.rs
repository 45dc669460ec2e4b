//! What is counted of stacks and of what is written for them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_runtime::{Metrics, PerObject};
use bowline_updates::{Kind, Object, Outcome, Phase, Stack};

use super::names::{Place, Text};

/// The numbers of all stacks that are there.
pub(crate) struct Gauges {
    ready: PerObject,
    stalled: PerObject,
    version: PerObject,
    written: PerObject,
    there: Mutex<BTreeSet<String>>,
    /// Writes to clusters, by how they ended.
    ends: Mutex<[f64; 4]>,
}

/// How a write may end.
const ENDS: [&str; 4] = ["done", "outdated", "refused", "unknown"];

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "stack");
        Gauges {
            ready: of("bowline_update_stack_idle", "Whether the stack does nothing, as its status says"),
            stalled: of("bowline_update_stack_stalled", "Whether the stack needs a person"),
            version: of("bowline_update_stack_last_good_version", "The last version that succeeded"),
            written: metrics.per_object(
                "bowline_update_objects_written",
                "Objects that this process has written to clusters, by how that ended",
                "result",
            ),
            there: Mutex::default(),
            ends: Mutex::default(),
        }
    }

    /// What is shown of stacks: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Object<Text>>) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Stack, all) => {
                let stacks = || all.iter().filter_map(of_stack);
                let stays: BTreeSet<_> = stacks().map(|stack| stack.name.to_string()).collect();
                there.difference(&stays).for_each(|name| self.forget(name));
                stacks().for_each(|stack| self.show(stack));
                *there = stays;
            }
            Event::Put(Object::Stack(stack)) => {
                self.show(stack);
                there.insert(stack.name.to_string());
            }
            Event::Gone(Object::Stack(stack)) => {
                let name = stack.name.to_string();
                self.forget(&name);
                there.remove(&name);
            }
            _ => {}
        }
    }

    /// What became of writes.
    pub(crate) fn wrote(&self, outcomes: &[(Place, Outcome<Text>)]) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, outcome) in outcomes {
            ends[match outcome {
                Outcome::Is(_) => 0,
                Outcome::Outdated => 1,
                Outcome::Refused(_) => 2,
                Outcome::Unknown(_) => 3,
            }] += 1.0;
        }
        for (end, count) in ENDS.iter().zip(*ends) {
            self.written.set(end, count);
        }
    }

    fn show(&self, stack: &Stack<Text>) {
        let name = stack.name.to_string();
        let truth = |is| if is { 1.0 } else { 0.0 };
        self.ready.set(&name, truth(stack.status.phase == Phase::Idle));
        self.stalled.set(&name, truth(matches!(stack.status.phase, Phase::Stalled(_))));
        let good = stack.status.good.as_ref().map_or(0, |good| good.number.0);
        self.version.set(&name, good as f64);
    }

    fn forget(&self, name: &str) {
        for number in [&self.ready, &self.stalled, &self.version] {
            number.remove(name);
        }
    }
}

fn of_stack(object: &Object<Text>) -> Option<&Stack<Text>> {
    match object {
        Object::Stack(stack) => Some(stack),
        Object::Update(_) | Object::Cluster(_) => None,
    }
}
