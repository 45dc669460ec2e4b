//! What is claimed of the queue.

use bowline_explorer::{Formula, Property};

use super::state::State;
use super::{Action, Queue};

pub(super) fn all(queue: &Queue) -> Vec<Property<Queue>> {
    let mut all = safety();
    all.extend([
        Property::for_each("AddedIsTaken", 0..usize::from(queue.keys), |key| {
            let owed = move |s: &State| s.owed[key].dirty.is_some() || s.owed[key].later.is_some();
            Formula::leads_to(move |_, s| owed(s), move |_, s| !owed(s))
        })
        .about("what was added is taken after that"),
        Property::leads_to("DrainEnds", |_, s: &State| s.draining, |_, s: &State| s.ended)
            .about("who drains the queue sees it end"),
        Property::sometimes("AllWork", |m: &Queue, s: &State| {
            s.workers[..m.workers.into()].iter().all(Option::is_some)
        })
        .about("every worker has a key"),
        Property::sometimes("Again", |_, s: &State| {
            (0..).zip(s.keys).any(|(key, known)| s.is_taken(key) && known.dirty.is_some())
        })
        .about("a key was added while a worker has it"),
        Property::sometimes("OutOfTurn", |_, s: &State| s.came != s.in_order())
            .about("somebody goes before who came first"),
        Property::sometimes("DrainedBusy", |_, s: &State| {
            s.draining && s.first_waiting().is_some() && s.workers.iter().any(Option::is_some)
        })
        .about("the queue is drained while somebody waits and somebody works"),
    ]);
    all
}

fn safety() -> Vec<Property<Queue>> {
    vec![
        Property::always("OneWorker", |_, s: &State| {
            let mut held: Vec<_> = s.workers.into_iter().flatten().collect();
            held.sort_unstable();
            held.windows(2).all(|pair| pair[0] != pair[1])
        })
        .about("no key is with two workers"),
        Property::always("NothingLost", |_, s: &State| {
            s.owed.iter().zip(&s.keys).all(|(owed, known)| {
                known.dirty.is_some() >= owed.dirty.is_some() && known.later.is_some() >= owed.later.is_some()
            })
        })
        .about("what was added is to be taken, or to come later"),
        Property::always_step("AgainWaits", |_, s: &State, action: &Action, next: &State| {
            let (Action::Done(worker) | Action::Fail(worker)) = action else { return true };
            let Some(key) = s.workers[usize::from(*worker)] else { return true };
            s.owed[usize::from(key)].dirty.is_none() || next.waits(key)
        })
        .about("a key that was added while a worker had it waits as soon as that is done"),
        Property::always_step("InOrder", |_, s: &State, action: &Action, next: &State| {
            let Action::Take(worker) = action else { return true };
            next.workers[usize::from(*worker)] == s.in_order()[0].map(|(key, _)| key)
        })
        .about("the more urgent are taken first, and of two alike the one that came first"),
        Property::always_step("NotBefore", |_, s: &State, action: &Action, next: &State| {
            let Action::Take(worker) = action else { return true };
            next.workers[usize::from(*worker)].is_none_or(|key| s.owed[usize::from(key)].dirty.is_some())
        })
        .about("what is to come later is not taken before"),
        Property::always("DrainedIsEmpty", |_, s: &State| {
            !s.ended || s.owed.iter().all(|owed| owed.dirty.is_none() && owed.later.is_none())
        })
        .about("a queue that has ended owes nothing"),
    ]
}
