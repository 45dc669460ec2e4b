//! What comes of what happens.

use bowline_workqueue::{Added, Backoff, Millis, Priority, Ticket, WorkQueue};

use super::state::{KEYS, Known, State, WORKERS};
use super::{Act, Action, Queue};

pub(super) const NOW: Millis = Millis(0);
/// What is to come now comes at this moment, and the rest at the next.
const SOON: Millis = Millis(1);
const LATE: Millis = Millis(2);

/// Does something with a queue, as it is shipped.
pub(super) fn act(queue: &mut WorkQueue<u8>, act: Act) -> Option<u8> {
    match act {
        Act::Add(key, priority) => (queue.add(&key, priority, NOW) != Added::Refused).then_some(key),
        Act::AddLater(key, priority) => (queue.add_at(&key, LATE, priority) != Added::Refused).then_some(key),
        Act::Wake => {
            queue.wake(SOON);
            None
        }
        Act::Take => queue.take(NOW).map(|taken| taken.key),
        Act::Drain => {
            queue.drain();
            None
        }
    }
}

/// Gives a key back, as it is shipped.
pub(super) fn give_back(queue: &mut WorkQueue<u8>, ticket: Ticket, failed: bool) {
    match failed {
        true => queue.failed(ticket, &Backoff { first: LATE, most: LATE }, 0, NOW),
        false => queue.done(ticket, NOW),
    };
}

/// A queue, and the tickets of those who work.
struct Made {
    queue: WorkQueue<u8>,
    tickets: [Option<Ticket>; WORKERS],
}

impl Queue {
    pub(super) fn step(&self, before: &State, action: Action) -> State {
        let mut s = *before;
        let Made { mut queue, mut tickets } = make(&s, action);
        let act = |queue: &mut _, act| (self.rules.act)(queue, act);
        match action {
            Action::Add(key, priority) => {
                s.adds -= 1;
                if act(&mut queue, Act::Add(key, priority)).is_some() {
                    s.owe(key, Some(priority), None);
                }
            }
            Action::AddLater(key, priority) => {
                s.adds -= 1;
                if act(&mut queue, Act::AddLater(key, priority)).is_some() {
                    s.owe(key, None, Some(priority));
                }
            }
            Action::Wake(key) => {
                act(&mut queue, Act::Wake);
                let later = s.owed[usize::from(key)].later.take();
                s.owe(key, later, None);
            }
            Action::Take(worker) => {
                let taken = act(&mut queue, Act::Take);
                s.workers[usize::from(worker)] = taken;
                if let Some(key) = taken {
                    s.owed[usize::from(key)].dirty = None;
                }
            }
            Action::Done(worker) | Action::Fail(worker) => {
                let failed = matches!(action, Action::Fail(_));
                s.fails -= u8::from(failed);
                let key = s.workers[usize::from(worker)].take();
                if let (Some(key), Some(ticket)) = (key, tickets[usize::from(worker)].take()) {
                    (self.rules.give_back)(&mut queue, ticket, failed);
                    s.owe(key, None, (failed && !s.draining).then_some(Priority::Change));
                }
            }
            Action::Drain => {
                act(&mut queue, Act::Drain);
                s.draining = true;
                s.owed.iter_mut().for_each(|owed| owed.later = None);
            }
        }
        s.take_over(&queue);
        s.ended = (self.rules.has_ended)(&queue);
        s.line_up(before);
        s
    }
}

/// The queue that a state is of. What comes later comes late, but for the key whose time has come.
fn make(s: &State, action: Action) -> Made {
    let mut queue = WorkQueue::new();
    let mut tickets = [const { None }; WORKERS];
    for (ticket, key) in tickets.iter_mut().zip(s.workers) {
        if let Some(key) = key {
            queue.add(&key, Priority::Resync, NOW);
            *ticket = queue.take(NOW).map(|taken| taken.ticket);
        }
    }
    for (key, priority) in s.waiting.into_iter().flatten() {
        queue.add(&key, priority, NOW);
    }
    for (key, known) in (0..).zip(s.keys) {
        if let Some(priority) = known.dirty.filter(|_| s.is_taken(key)) {
            queue.add(&key, priority, NOW);
        }
        if let Some(priority) = known.later {
            queue.add_at(&key, if action == Action::Wake(key) { SOON } else { LATE }, priority);
        }
    }
    if s.draining {
        queue.drain();
    }
    Made { queue, tickets }
}

impl State {
    /// Something more is asked for.
    fn owe(&mut self, key: u8, dirty: Option<Priority>, later: Option<Priority>) {
        let owed = &mut self.owed[usize::from(key)];
        *owed = Known { dirty: owed.dirty.max(dirty), later: owed.later.max(later) };
    }

    /// Takes over what became of the queue.
    fn take_over(&mut self, queue: &WorkQueue<u8>) {
        for (key, known) in (0..).zip(&mut self.keys) {
            let about = queue.about(&key);
            *known = Known { dirty: about.dirty, later: about.due.map(|(_, priority)| priority) };
        }
        self.waiting = [None; KEYS];
        for (place, key) in self.waiting.iter_mut().zip(queue.waiting()) {
            *place = queue.about(key).dirty.map(|priority| (*key, priority));
        }
    }

    /// Who ought to wait now and did not, or not so urgently, comes last.
    fn line_up(&mut self, before: &State) {
        let ought = |key: u8| self.owed[usize::from(key)].dirty.filter(|_| !self.is_taken(key));
        let now = |place: &(u8, Priority)| ought(place.0) == Some(place.1);
        let mut line: Vec<_> = before.came.into_iter().flatten().filter(now).collect();
        let all = (0..KEYS as u8).filter_map(|key| Some((key, ought(key)?)));
        let new: Vec<_> = all.filter(|place| !line.contains(place)).collect();
        line.extend(new);
        self.came = [None; KEYS];
        for (place, key) in self.came.iter_mut().zip(line) {
            *place = Some(key);
        }
    }
}
