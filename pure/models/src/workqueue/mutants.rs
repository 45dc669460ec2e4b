//! Queues that work wrong.

use bowline_workqueue::{Priority, Ticket, WorkQueue};

use super::actions::{NOW, act, give_back};
use super::{Act, Queue, Rules, SHIPPED, WORKQUEUE};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: WORKQUEUE.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = WORKQUEUE.size("adds=3,fails=1,priorities=2").expect("a size that works");
                Box::new(Queue::new(&size, &RULES))
            },
        }
    };
}

pub(crate) const MUTANTS: &[Mutant] = &[
    mutant!("hands out what a worker has" breaks "OneWorker" by act: hands_out_twice),
    mutant!("forgets what comes while a worker has it" breaks "NothingLost" by act: forgets_again),
    mutant!("forgets what comes later" breaks "NothingLost" by act: forgets_later),
    mutant!("does not look whether it is to be taken again" breaks "AgainWaits" by give_back: keeps),
    mutant!("takes who came last" breaks "InOrder" by act: takes_last),
    mutant!("knows no priorities" breaks "InOrder" by act: levels),
    mutant!("does not let anybody wait" breaks "NotBefore" by act: hurries),
    mutant!("sleeps for ever" breaks "AddedIsTaken" by act: sleeps),
    mutant!("says that it has ended when nobody waits" breaks "DrainedIsEmpty" by has_ended: |queue| queue.counts(NOW).depth == 0),
    mutant!("waits for more" breaks "DrainEnds" by has_ended: |_| false),
];

fn hands_out_twice(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    let again = (0..3).find(|key| queue.about(key).is_taken && queue.about(key).dirty.is_some());
    if what == Act::Take && again.is_some() { again } else { act(queue, what) }
}

fn forgets_again(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    match what {
        Act::Add(key, _) if queue.about(&key).is_taken => Some(key),
        other => act(queue, other),
    }
}

fn forgets_later(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    match what {
        Act::AddLater(key, _) if queue.about(&key).dirty.is_some() => Some(key),
        other => act(queue, other),
    }
}

fn keeps(queue: &mut WorkQueue<u8>, ticket: Ticket, failed: bool) {
    if failed {
        give_back(queue, ticket, failed);
    }
}

fn takes_last(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    if what != Act::Take {
        return act(queue, what);
    }
    let line: Vec<u8> = queue.waiting().copied().collect();
    let taken: Vec<_> = line.iter().filter_map(|_| queue.take(NOW)).collect();
    for other in taken {
        if Some(&other.key) != line.last() {
            queue.add(&other.key, Priority::Resync, NOW);
            queue.done(other.ticket, NOW);
        }
    }
    line.last().copied()
}

fn levels(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    match what {
        Act::Add(key, _) => act(queue, Act::Add(key, Priority::Resync)),
        other => act(queue, other),
    }
}

fn hurries(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    match what {
        Act::AddLater(key, priority) => act(queue, Act::Add(key, priority)),
        other => act(queue, other),
    }
}

fn sleeps(queue: &mut WorkQueue<u8>, what: Act) -> Option<u8> {
    if what == Act::Wake { None } else { act(queue, what) }
}
