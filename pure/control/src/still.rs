//! A loop at a moment, laid open: what the explorer makes a loop of for every step, and looks at afterwards.

use std::collections::BTreeMap;

use bowline_workqueue::Priority;

use crate::cache::Cache;
use crate::controller::Controller;
use crate::memo::{Memo, Need};
use crate::object::{KindOf, Version};
use crate::turns::{Loop, Settings};
use crate::{Millis, Moment};

/// A loop at a moment. Left out are how long anything takes, and in which order keys wait.
pub struct Still<C: Controller> {
    /// The objects as the watches have shown them.
    pub objects: Vec<C::Object>,
    /// How far each kind was shown; kinds that are not here have not been listed.
    pub reached: Vec<(KindOf<C::Object>, Version)>,
    /// What is known of the keys.
    pub keys: Vec<Known<C>>,
}

/// What is known of a key.
pub struct Known<C: Controller> {
    /// Which.
    pub key: C::Key,
    /// What the loop remembers of it. If an effect is under way, it is with a worker.
    pub memo: Memo<C>,
    /// It waits for its turn; if it is with a worker, it will.
    pub waits: bool,
    /// It comes then, whatever its cache shows.
    pub due: Option<Millis>,
}

impl<C: Controller> Loop<C> {
    /// A loop that goes on from a moment.
    pub fn resume(controller: C, settings: Settings, still: Still<C>, now: Moment) -> Loop<C> {
        let mut this = Loop::new(controller, settings);
        this.cache = Cache::resume(&this.controller, still.objects, still.reached);
        // Who is with a worker is taken first, while nobody else waits.
        for known in still.keys.iter().filter(|known| known.memo.doing.is_some()) {
            this.queue.add(&known.key, Priority::Change, now.clock);
            if let Some(taken) = this.queue.take(now.clock) {
                this.tickets.insert(taken.key, taken.ticket);
            }
        }
        let mut memos = BTreeMap::new();
        for Known { key, memo, waits, due } in still.keys {
            if waits {
                this.queue.add(&key, Priority::Change, now.clock);
            }
            if let Some(due) = due {
                this.queue.add_at(&key, due, Priority::Change);
            }
            if let Need::Level { until, .. } = &memo.need
                && !waits
            {
                this.parked.insert((*until, key.clone()));
            }
            memos.insert(key, memo);
        }
        this.memos = memos;
        this
    }

    /// What is known of a key now.
    pub fn known(&self, key: &C::Key) -> Known<C> {
        let about = self.queue.about(key);
        Known {
            key: key.clone(),
            memo: self.memos.get(key).cloned().unwrap_or_default(),
            waits: about.dirty.is_some(),
            due: about.due.map(|(due, _)| due),
        }
    }
}
