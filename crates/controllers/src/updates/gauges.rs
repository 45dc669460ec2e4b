//! What is counted of stacks and of what is written for them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_runtime::{Counted, Metrics, PerObject, Timed};
use bowline_updates::{Kind, Mood, Object, Outcome, Phase, Stack, Update};

use super::names::{Place, Text};
use super::wire::phase;

/// The numbers of all stacks that are there.
pub(crate) struct Gauges {
    idle: PerObject,
    stalled: PerObject,
    version: PerObject,
    written: Counted,
    ended: Counted,
    took: Timed,
    drift: Counted,
    /// By name, how it stands with what others change.
    there: Mutex<BTreeMap<String, Drift>>,
    /// Which updates were seen, by uid, and whether they had ended: an end is counted by who has seen it come.
    seen: Mutex<BTreeMap<String, bool>>,
}

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "stack");
        Gauges {
            idle: of("bowline_update_stack_idle", "Whether the stack does nothing, as its status says"),
            stalled: of("bowline_update_stack_stalled", "Whether the stack needs a person"),
            version: of("bowline_update_stack_last_good_version", "The last version that succeeded"),
            written: metrics.counted(
                "bowline_update_objects_written",
                "Objects that this process has written to clusters, by how that ended",
                "result",
            ),
            ended: metrics.counted(
                "bowline_update_ended",
                "Updates that this process has seen end, by how they ended",
                "phase",
            ),
            took: metrics.timed(
                "bowline_update_duration_seconds",
                "How long updates took from their submission to their end, of those that this process has seen end",
                "phase",
            ),
            drift: metrics.counted(
                "bowline_update_drift",
                "How often this process has seen that stacks were found to have drifted, and that they were put right",
                "result",
            ),
            there: Mutex::default(),
            seen: Mutex::default(),
        }
    }

    /// What is shown of stacks: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Object<Text>>) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Stack, all) => {
                let before = std::mem::take(&mut *there);
                for stack in all.iter().filter_map(of_stack) {
                    let name = stack.name.to_string();
                    self.show(stack);
                    self.follow(before.get(&name), stack);
                    there.insert(name, Drift::of(stack));
                }
                before.keys().filter(|name| !there.contains_key(*name)).for_each(|name| self.forget(name));
            }
            Event::Put(Object::Stack(stack)) => {
                self.show(stack);
                let before = there.insert(stack.name.to_string(), Drift::of(stack));
                self.follow(before.as_ref(), stack);
            }
            Event::Gone(Object::Stack(stack)) => {
                let name = stack.name.to_string();
                self.forget(&name);
                there.remove(&name);
            }
            _ => {}
        }
    }

    /// What is shown of updates: `now` is in seconds since 1970.
    pub(crate) fn see_updates(&self, event: &Event<Object<Text>>, now: u64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Listed(Kind::Update, all) => {
                let before = std::mem::take(&mut *seen);
                for update in all.iter().filter_map(of_update) {
                    self.judge(before.get(&update.uid).copied(), update, now);
                    seen.insert(update.uid.clone(), is_ended(update));
                }
            }
            Event::Put(Object::Update(update)) => {
                let before = seen.insert(update.uid.clone(), is_ended(update));
                self.judge(before, update, now);
            }
            Event::Gone(Object::Update(update)) => drop(seen.remove(&update.uid)),
            _ => {}
        }
    }

    /// Who was not seen before it had ended was counted by another process, or in another life of this one.
    fn judge(&self, had_ended: Option<bool>, update: &Update<Text>, now: u64) {
        let Some(shown) = update.shown.as_ref().filter(|shown| shown.stage.is_last()) else { return };
        if had_ended == Some(false) {
            let phase = format!("{:?}", phase(shown.stage));
            self.ended.add(&phase);
            self.took.took(&phase, now.saturating_sub(update.created) as f64);
        }
    }

    /// What became of writes.
    pub(crate) fn wrote(&self, outcomes: &[(Place, Outcome<Text>)]) {
        for (_, outcome) in outcomes {
            self.written.add(match outcome {
                Outcome::Is(_) => "done",
                Outcome::Outdated => "outdated",
                Outcome::Refused(_) => "refused",
                Outcome::Unknown(_) => "unknown",
            });
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

    /// What has drifted, or was put right, is counted by who has seen it come.
    fn follow(&self, before: Option<&Drift>, stack: &Stack<Text>) {
        let now = Drift::of(stack);
        let Some(before) = before.filter(|before| before.uid == now.uid) else { return };
        if now.is_found && !before.is_found {
            self.drift.add("found");
        }
        if before.is_repaired && stack.status.phase == Phase::Idle {
            self.drift.add("repaired");
        }
    }

    fn forget(&self, name: &str) {
        for number in [&self.idle, &self.stalled, &self.version] {
            number.remove(name);
        }
    }
}

/// How a stack stands with what others change.
struct Drift {
    uid: String,
    /// It is told that something is otherwise.
    is_found: bool,
    /// It is being put right.
    is_repaired: bool,
}

impl Drift {
    fn of(stack: &Stack<Text>) -> Drift {
        Drift {
            uid: stack.uid.clone(),
            is_found: stack.told.as_ref().is_some_and(|told| told.mood == Mood::Drifted),
            is_repaired: stack.status.phase == Phase::RollingBack(None),
        }
    }
}

fn of_stack(object: &Object<Text>) -> Option<&Stack<Text>> {
    match object {
        Object::Stack(stack) => Some(stack),
        Object::Update(_) | Object::Cluster(_) => None,
    }
}

fn of_update(object: &Object<Text>) -> Option<&Update<Text>> {
    match object {
        Object::Update(update) => Some(update),
        Object::Stack(_) | Object::Cluster(_) => None,
    }
}

fn is_ended(update: &Update<Text>) -> bool {
    update.shown.as_ref().is_some_and(|shown| shown.stage.is_last())
}

#[cfg(test)]
mod tests {
    use bowline_control::{Millis, Version};
    use bowline_updates::{Good, Number, Shown, Stage, Status, Wish};

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
                history: 100,
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
        assert!(lines.contains(&"objects_written_total{result=\"refused\"} 2".to_owned()), "{lines:?}");
        assert!(lines.contains(&"objects_written_total{result=\"outdated\"} 1".to_owned()), "{lines:?}");
    }

    #[test]
    fn drift_is_counted_when_it_is_found_and_when_it_is_put_right() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = |result: &str, count: u64| {
            let line = format!("bowline_update_drift_total{{result=\"{result}\"}} {count}\n");
            metrics.text().expect("text").contains(&line)
        };
        let one = |phase: Phase, mood: Mood| {
            let Object::Stack(stack) = stack("one", phase, Some(1)) else { panic!("a stack") };
            let told = bowline_updates::Told { mood, words: String::new(), observed: 1 };
            Object::Stack(Stack { told: Some(told), ..stack })
        };
        gauges.see(&Event::Listed(Kind::Stack, vec![one(Phase::Idle, Mood::Drifted)]));
        assert!(!told("found", 1), "somebody else has found it");
        for (phase, mood) in [
            (Phase::Idle, Mood::Well),
            (Phase::RollingBack(None), Mood::Drifted),
            (Phase::RollingBack(None), Mood::Drifted),
            (Phase::Idle, Mood::Drifted),
            (Phase::Idle, Mood::Well),
        ] {
            gauges.see(&Event::Put(one(phase, mood)));
        }
        assert!(told("found", 1) && told("repaired", 1), "{}", metrics.text().expect("text"));
        gauges.see(&Event::Listed(Kind::Stack, vec![one(Phase::Idle, Mood::Drifted)]));
        assert!(told("found", 2) && told("repaired", 1), "what is told only is not repaired");
    }

    fn update(uid: &str, stage: Stage) -> Object<Text> {
        Object::Update(Update {
            name: uid.into(),
            stack: StackName { namespace: "a".into(), name: "one".into() },
            uid: uid.into(),
            version: Version(1),
            created: 1_000,
            deleting: false,
            digest: String::new(),
            plan: None,
            shown: Some(Shown { number: None, stage, tally: None, done: 0, words: String::new() }),
        })
    }

    #[test]
    fn an_end_is_counted_once_by_who_has_seen_it_come() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = |line: &str| metrics.text().expect("text").contains(&format!("bowline_update_{line}\n"));
        let first = vec![
            update("old", Stage::Failed),
            update("new", Stage::Partial),
            update("missed", Stage::Queued),
        ];
        gauges.see_updates(&Event::Listed(Kind::Update, first), 1_010);
        assert!(!told("ended_total{phase=\"Failed\"} 1"), "it had ended before");
        for now in [1_020, 1_030] {
            gauges.see_updates(&Event::Put(update("new", Stage::Succeeded)), now);
        }
        let again = vec![
            update("old", Stage::Failed),
            update("new", Stage::Succeeded),
            update("missed", Stage::Superseded),
        ];
        for now in [1_040, 1_050] {
            gauges.see_updates(&Event::Listed(Kind::Update, again.clone()), now);
        }
        assert!(told("ended_total{phase=\"Succeeded\"} 1") && told("ended_total{phase=\"Superseded\"} 1"));
        assert!(!told("ended_total{phase=\"Failed\"} 1"));
        assert!(told("duration_seconds_sum{phase=\"Succeeded\"} 20.0"));
        assert!(told("duration_seconds_sum{phase=\"Superseded\"} 40.0"));
    }
}
