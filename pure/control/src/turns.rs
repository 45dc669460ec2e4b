//! The loop: whose turn it is, what is done, and what its answer means.

use std::collections::{BTreeMap, BTreeSet};

use bowline_workqueue::{Backoff, Counts, Priority, Taken, Ticket, WorkQueue};

use crate::cache::{Cache, Event, Shown};
use crate::controller::{Controller, EffectOf};
use crate::effect::{Answer, Effect, Refusal};
use crate::memo::{Level, Memo, Need, What};
use crate::object::{Id, Object, Version};
use crate::verdict::{Case, Conclusion, Verdict};
use crate::{Millis, Moment};

/// The bounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// More effects than this without coming to rest are too many.
    pub effects: u32,
    /// How long a cache may take to reach what was answered, before somebody looks.
    pub catch_up: Millis,
    /// How long a stalled key rests.
    pub stalled: Millis,
    /// How long a key rests whose effect did not work.
    pub backoff: Backoff,
    /// Random, where keys are names that users give: see [`WorkQueue::seeded`]. The shell draws it for itself.
    pub seed: (u64, u64),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            effects: 64,
            catch_up: Millis(10_000),
            stalled: Millis(300_000),
            backoff: Backoff { first: Millis(100), most: Millis(60_000) },
            seed: (0, 0),
        }
    }
}

/// The loop: see the crate.
pub struct Loop<C: Controller> {
    pub(crate) controller: C,
    settings: Settings,
    pub(crate) cache: Cache<C>,
    pub(crate) queue: WorkQueue<C::Key>,
    pub(crate) memos: BTreeMap<C::Key, Memo<C>>,
    pub(crate) tickets: BTreeMap<C::Key, Ticket>,
    /// Keys whose cache has to catch up, by when that takes too long.
    pub(crate) parked: BTreeSet<(Millis, C::Key)>,
}

/// What the loop made of a key.
pub struct Turn<C: Controller> {
    /// Which.
    pub key: C::Key,
    /// What was decided, and why.
    pub verdict: Verdict<C::Step, C::Wait>,
    /// What the decision rests on.
    pub observed: Vec<(<C::Object as Object>::Id, Version)>,
    /// What is to be carried; its answer is to be given to [`Loop::answer`].
    pub effect: Option<EffectOf<C>>,
    /// How long the key had waited for its turn.
    pub waited: Millis,
}

type ObjectId<C> = <<C as Controller>::Object as Object>::Id;

impl<C: Controller> Loop<C> {
    /// A loop that has seen nothing.
    pub fn new(controller: C, settings: Settings) -> Loop<C> {
        Loop {
            controller,
            settings,
            cache: Cache::new(),
            queue: WorkQueue::seeded(settings.seed),
            memos: BTreeMap::new(),
            tickets: BTreeMap::new(),
            parked: BTreeSet::new(),
        }
    }

    /// The objects as they were shown.
    pub fn cache(&self) -> &Cache<C> {
        &self.cache
    }

    /// The controller.
    pub fn controller(&self) -> &C {
        &self.controller
    }

    /// What is remembered of a key.
    pub fn memo(&self, key: &C::Key) -> Option<&Memo<C>> {
        self.memos.get(key)
    }

    /// Whether every kind has been listed: before, nothing is decided.
    pub fn has_seen_everything(&self) -> bool {
        self.cache.is_complete(&self.controller)
    }

    /// What is told of its queue.
    pub fn counts(&self, now: Moment) -> Counts {
        self.queue.counts(now.clock)
    }

    /// When there will be a turn, if nothing comes in and there is none now.
    pub fn next_due(&self) -> Option<Millis> {
        let parked = self.parked.first().map(|(until, _)| *until);
        self.queue.next_due().into_iter().chain(parked).min()
    }

    /// Forgets all but the controller, as a process does that ends and starts again. Nothing may be under way.
    pub fn begin_anew(&mut self) {
        self.cache = Cache::new();
        self.queue = WorkQueue::seeded(self.settings.seed);
        self.memos.clear();
        self.tickets.clear();
        self.parked.clear();
    }

    /// Nothing more is begun but what is waiting already.
    pub fn drain(&mut self) {
        self.queue.drain();
    }

    /// Whether it was drained, and nothing is under way.
    pub fn is_drained(&self) -> bool {
        self.queue.is_drained()
    }

    /// Takes over what a watch says.
    pub fn event(&mut self, event: Event<C::Object>, now: Moment) {
        if let Event::ListBegins(kind) = &event {
            self.cover(*kind);
        }
        let listed = if let Event::Listed(kind, _) = &event { Some(*kind) } else { None };
        let priority = if listed.is_some() { Priority::Change } else { Priority::Person };
        for shown in self.cache.take_in(&self.controller, event) {
            self.wake(&shown, priority, now);
        }
        if let Some(kind) = listed {
            self.uncover(kind, now);
        }
    }

    /// The next turn; `None` if nobody has one now.
    pub fn turn(&mut self, now: Moment) -> Option<Turn<C>> {
        if !self.cache.is_complete(&self.controller) {
            return None;
        }
        while let Some((until, key)) = self.parked.first().filter(|(until, _)| *until <= now.clock).cloned() {
            self.parked.remove(&(until, key.clone()));
            self.queue.add(&key, Priority::Change, now.clock);
        }
        loop {
            let Taken { key, ticket, waited } = self.queue.take(now.clock)?;
            if !self.is_free(&key, now) {
                self.queue.put_back(ticket, now.clock);
                continue;
            }
            self.tickets.insert(key.clone(), ticket);
            return Some(self.decide(key, waited, now));
        }
    }

    /// Whether a key, whose turn it is, need not wait for its cache; or has waited long enough, and looks.
    fn is_free(&mut self, key: &C::Key, now: Moment) -> bool {
        let memo = self.memos.entry(key.clone()).or_default();
        let Need::Level { id, until, .. } = &memo.need else { return true };
        let until = *until;
        let next = if memo.need.is_met(&self.cache) {
            Need::Nothing
        } else if now.clock >= until {
            Need::Look(id.clone())
        } else {
            return false;
        };
        memo.need = next;
        self.parked.remove(&(until, key.clone()));
        true
    }

    /// An answer has come. `jitter` is a random number: what failed together shall not come back together.
    ///
    /// Tells why the effect did not work, if the key rests for that before its next turn.
    pub fn answer(
        &mut self,
        key: &C::Key,
        answer: Answer<C::Object, C::Reply>,
        jitter: u16,
        now: Moment,
    ) -> Option<&str> {
        let memo = self.memos.get_mut(key)?;
        let doing = memo.doing.take()?;
        let until = now.clock.plus(self.settings.catch_up);
        let worked = match (doing, answer) {
            (What::Write(..), Answer::Refused(Refusal::Other(why))) => Err(why),
            (What::Look(_), Answer::Refused(Refusal::Other(why)) | Answer::Unknown(why)) => Err(why),
            (What::Write(id, read), answer) => {
                memo.need = Need::after(id, read, &answer, until);
                Ok(())
            }
            (What::Look(id), answer) => {
                let read = self.cache.get(&id).map(Object::uid);
                memo.need = Need::after(id, read, &answer, until);
                Ok(())
            }
            (What::Call(step), Answer::Replied(reply)) => {
                self.controller.learn(&mut memo.memory, &step, reply, now)
            }
            (What::Call(_), _) => Err("the outside did not answer".to_owned()),
        };
        let is_of_now = !std::mem::take(&mut memo.outdated);
        memo.trouble = worked.err().filter(|_| is_of_now);
        self.give_back(key, jitter, now);
        self.memos.get(key)?.trouble.as_deref()
    }

    /// Puts a key, whose effect is over, where it belongs.
    fn give_back(&mut self, key: &C::Key, jitter: u16, now: Moment) {
        let (Some(memo), Some(ticket)) = (self.memos.get(key), self.tickets.remove(key)) else { return };
        if memo.trouble.is_some() {
            self.queue.failed(ticket, &self.settings.backoff, jitter, now.clock);
            return;
        }
        let parked = match &memo.need {
            Need::Level { until, .. } if !memo.need.is_met(&self.cache) => Some(*until),
            _ => None,
        };
        self.queue.put_back(ticket, now.clock);
        match parked {
            Some(until) => drop(self.parked.insert((until, key.clone()))),
            None => drop(self.queue.add(key, Priority::Change, now.clock)),
        }
    }

    /// One decision about a key, whose turn it is.
    fn decide(&mut self, key: C::Key, waited: Millis, now: Moment) -> Turn<C> {
        let memo = self.memos.entry(key.clone()).or_default();
        if let Need::Look(id) = &memo.need {
            let id = id.clone();
            let observed = self.cache.get(&id).map(|object| (id.clone(), object.version()));
            memo.doing = Some(What::Look(id.clone()));
            let effect = Some(Effect::Look(id));
            return Turn {
                key,
                verdict: Verdict::Look,
                observed: observed.into_iter().collect(),
                effect,
                waited,
            };
        }
        let objects = self.cache.of(&self.controller, &key);
        let observed = objects.iter().map(|object| (object.id(), object.version())).collect();
        let snapshot = self.controller.snapshot(&key, &objects, &memo.memory);
        if memo.stalled.is_some_and(|until| now.clock >= until) {
            memo.rest();
        }
        let decision = self.controller.decide(&snapshot, now);
        let case = Case { controller: &self.controller, settings: &self.settings, snapshot: &snapshot, now };
        let Conclusion { verdict, effect, until } = case.conclude(decision, memo);
        match &effect {
            Some(Effect::Write(write)) => {
                memo.doing = Some(What::Write(write.id(), write.before().map(Object::uid)));
            }
            Some(Effect::Look(id)) => memo.doing = Some(What::Look(id.clone())),
            Some(Effect::Call(_)) => {
                if let Verdict::Do(step) = &verdict {
                    memo.doing = Some(What::Call(step.clone()));
                }
            }
            None => self.come_to_rest(&key, until, now),
        }
        Turn { key, verdict, observed, effect, waited }
    }

    /// Nothing is to be done about a key now.
    fn come_to_rest(&mut self, key: &C::Key, until: Option<Millis>, now: Moment) {
        let Some(ticket) = self.tickets.remove(key) else { return };
        let stalled = self.memos.get(key).and_then(|memo| memo.stalled);
        if stalled.is_some() {
            self.queue.put_back(ticket, now.clock);
        } else {
            self.queue.done(ticket, now.clock);
        }
        if let Some(until) = stalled.or(until) {
            // Who waits for what is over would be decided again and again.
            let soon = now.clock.plus(self.settings.backoff.first);
            self.queue.add_at(key, until.max(soon), Priority::Resync);
        }
        if let Some(memo) = self.memos.get_mut(key).filter(|_| self.cache.has_nothing_of(key)) {
            // What the outside said of what is not there any more would be kept for ever.
            memo.memory = C::Memory::default();
        }
        if self.memos.get(key).is_some_and(Memo::is_blank) {
            self.memos.remove(key);
        }
    }

    /// Something that concerns them has changed: keys are decided again.
    fn wake(&mut self, shown: &Shown<C::Object>, people: Priority, now: Moment) {
        // Another object of the same name may have been asked for as often.
        let wish = |object: &Option<C::Object>| {
            object.as_ref().and_then(|object| Some((object.uid(), object.wish()?)))
        };
        let wished = wish(&shown.before) != wish(&shown.after);
        let priority = if wished { people } else { Priority::Change };
        let objects = shown.before.iter().chain(&shown.after);
        let mut keys: Vec<_> = objects.clone().flat_map(|object| self.controller.keys(object)).collect();
        keys.extend(objects.flat_map(|object| self.cache.naming(&object.id())));
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            if wished && let Some(memo) = self.memos.get_mut(&key) {
                memo.be_wished_anew();
            }
            self.add(&key, priority, now);
        }
    }

    /// A key is to be decided, unless it is until its cache has caught up.
    fn add(&mut self, key: &C::Key, priority: Priority, now: Moment) {
        let waits = self
            .memos
            .get(key)
            .is_some_and(|memo| matches!(memo.need, Need::Level { .. }) && !memo.need.is_met(&self.cache));
        if !waits {
            self.queue.add(key, priority, now.clock);
        }
    }

    /// A list of a kind begins: what was answered until now is in it.
    fn cover(&mut self, kind: <ObjectId<C> as Id>::Kind) {
        for memo in self.memos.values_mut() {
            if let Need::Level { id, level: Level::At { covered, .. }, .. } = &mut memo.need
                && id.kind() == kind
            {
                *covered = true;
            }
        }
    }

    /// A kind has been listed: who waited for what was answered before goes on. Who waits for an object that the list does
    /// not show looks: it may have gone before the list, and then no event tells.
    fn uncover(&mut self, kind: <ObjectId<C> as Id>::Kind, now: Moment) {
        for (key, memo) in &mut self.memos {
            let Need::Level { id, level: Level::At { covered, .. }, until } = &memo.need else { continue };
            let need = match self.cache.get(id) {
                _ if id.kind() != kind => continue,
                _ if *covered => Need::Nothing,
                None => Need::Look(id.clone()),
                Some(_) => continue,
            };
            self.parked.remove(&(*until, key.clone()));
            memo.need = need;
            self.queue.add(key, Priority::Change, now.clock);
        }
    }
}
