//! What is counted of stacks and of what is written for them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_runtime::{Metrics, PerObject};
use bowline_updates::{Kind, Object, Outcome, Phase, Stack};

use super::names::{Place, Text};

/// The numbers of all stacks that are there.
pub(crate) struct Gauges {
    idle: PerObject,
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
            idle: of("bowline_update_stack_idle", "Whether the stack does nothing, as its status says"),
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
        self.idle.set(&name, truth(stack.status.phase == Phase::Idle));
        self.stalled.set(&name, truth(matches!(stack.status.phase, Phase::Stalled(_))));
        let good = stack.status.good.as_ref().map_or(0, |good| good.number.0);
        self.version.set(&name, good as f64);
    }

    fn forget(&self, name: &str) {
        for number in [&self.idle, &self.stalled, &self.version] {
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

#[cfg(test)]
mod tests {
    use bowline_control::{Millis, Version};
    use bowline_updates::{Good, Number, Status, Wish};

    use super::super::names::StackName;
    use super::*;

    fn stack(name: &str, phase: Phase, good: Option<u64>) -> Object<Text> {
        let good = good.map(|number| Good { number: Number(number), digest: String::new() });
        Object::Stack(Stack {
            name: StackName { namespace: "a".into(), name: name.into() },
            uid: "u".into(),
            version: Version(1),
            generation: 1,
            deleting: false,
            held: true,
            wish: Wish {
                cluster: "prod".into(),
                paused: false,
                repairs: false,
                timeout: Millis(1),
                interval: Millis(1),
                deletions: 1,
                released: Vec::new(),
            },
            status: Status { phase, good, ..Status::default() },
            told: None,
        })
    }

    #[test]
    fn each_stack_has_its_numbers_until_it_is_gone_and_writes_are_counted() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = || {
            let text = metrics.text().expect("text");
            let lines = text.lines().filter_map(|line| line.strip_prefix("bowline_update_"));
            let mut lines: Vec<_> = lines.map(ToOwned::to_owned).collect();
            lines.sort();
            lines
        };
        let (one, two) = (stack("one", Phase::Stalled(None), Some(3)), stack("two", Phase::Idle, None));
        gauges.see(&Event::Listed(Kind::Stack, vec![one.clone(), two]));
        gauges.see(&Event::Listed(Kind::Stack, vec![one.clone()]));
        let of_one = [
            "stack_idle{stack=\"a/one\"} 0.0",
            "stack_last_good_version{stack=\"a/one\"} 3.0",
            "stack_stalled{stack=\"a/one\"} 1.0",
        ];
        assert_eq!(told(), of_one, "who is not listed any more is gone");
        gauges.see(&Event::Gone(one));
        assert!(told().is_empty());
        let place =
            Place { group: String::new(), kind: "Pod".into(), namespace: "a".into(), name: "b".into() };
        let refused = (place.clone(), Outcome::Refused("no".into()));
        gauges.wrote(&[refused.clone(), (place, Outcome::Outdated)]);
        gauges.wrote(&[refused]);
        let lines = told();
        assert!(lines.contains(&"objects_written{result=\"refused\"} 2.0".to_owned()), "{lines:?}");
        assert!(lines.contains(&"objects_written{result=\"outdated\"} 1.0".to_owned()), "{lines:?}");
    }
}
