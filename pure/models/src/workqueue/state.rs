//! The state: what the queue says of each key, who has it, and what it owes.

use bowline_explorer::Field;
use bowline_workqueue::Priority;

pub(super) const KEYS: usize = 3;
pub(super) const WORKERS: usize = 3;

/// What is known of a key: it is to be taken, or to come later, and how urgent that is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Known {
    pub(super) dirty: Option<Priority>,
    pub(super) later: Option<Priority>,
}

/// Keys in a line.
pub(super) type Line = [Option<(u8, Priority)>; KEYS];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(super) keys: [Known; KEYS],
    /// Who waits, as the queue has them.
    pub(super) waiting: Line,
    pub(super) workers: [Option<u8>; WORKERS],
    pub(super) draining: bool,
    /// The queue says that it has ended.
    pub(super) ended: bool,
    /// What was asked for and not done since: kept beside the queue, as it ought to be.
    pub(super) owed: [Known; KEYS],
    /// Who ought to wait, in the order in which they came.
    pub(super) came: Line,
    pub(super) adds: u8,
    pub(super) fails: u8,
}

impl State {
    pub(super) fn new(adds: u8, fails: u8) -> State {
        State {
            keys: [Known::default(); KEYS],
            waiting: [None; KEYS],
            workers: [None; WORKERS],
            draining: false,
            ended: false,
            owed: [Known::default(); KEYS],
            came: [None; KEYS],
            adds,
            fails,
        }
    }

    pub(super) fn is_taken(&self, key: u8) -> bool {
        self.workers.contains(&Some(key))
    }

    pub(super) fn waits(&self, key: u8) -> bool {
        self.waiting.iter().flatten().any(|(other, _)| *other == key)
    }

    /// Who is to be taken next.
    pub(super) fn first_waiting(&self) -> Option<u8> {
        self.waiting[0].map(|(key, _)| key)
    }

    /// The line as it should be: the higher priority first, and within one who came first.
    pub(super) fn in_order(&self) -> Line {
        let mut line = self.came;
        line.sort_by_key(|place| std::cmp::Reverse(place.map(|(_, priority)| priority)));
        line
    }

    pub(super) fn fields(&self, keys: u8, workers: u8) -> Vec<Field> {
        let line = |line: &Line| -> String {
            let shown = line.iter().flatten().map(|(key, priority)| format!("{} {priority:?}", name(*key)));
            shown.collect::<Vec<_>>().join(", ")
        };
        let mut fields =
            vec![Field::new("waiting", line(&self.waiting)), Field::new("came", line(&self.came))];
        for (worker, key) in (1..=workers).zip(self.workers) {
            fields.push(Field::new(format!("w{worker}"), key.map_or("-", name)));
        }
        for (key, known) in (0..keys).zip(self.keys) {
            let mut said = Vec::new();
            said.extend(known.dirty.map(|priority| format!("dirty ({priority:?})")));
            said.extend(known.later.map(|priority| format!("later ({priority:?})")));
            let owed = self.owed[usize::from(key)];
            said.extend(owed.dirty.map(|priority| format!("owed ({priority:?})")));
            said.extend(owed.later.map(|priority| format!("owed later ({priority:?})")));
            fields.push(Field::new(name(key), said.join(", ")));
        }
        let flags = [("draining", self.draining), ("ended", self.ended)];
        fields.extend(flags.map(|(name, is)| Field::new(name, is.to_string())));
        let budgets = [("adds", self.adds), ("fails", self.fails)];
        fields.extend(budgets.map(|(name, left)| Field::new(name, left.to_string())));
        fields
    }
}

pub(super) fn name(key: u8) -> &'static str {
    ["a", "b", "c"][usize::from(key)]
}
