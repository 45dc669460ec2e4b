//! The queue by examples, and against a naive one.

mod naive;

use std::hash::{Hash, Hasher};

use super::*;

const NOW: Millis = Millis(100);

fn add(queue: &mut WorkQueue<&'static str>, keys: &[&'static str]) {
    for key in keys {
        queue.add(key, Priority::Change, NOW);
    }
}

fn take(queue: &mut WorkQueue<&'static str>) -> Taken<&'static str> {
    queue.take(NOW).expect("somebody waits")
}

#[test]
fn keys_are_taken_in_the_order_in_which_they_came() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a", "b", "a", "c"]);
    assert_eq!(queue.waiting().copied().collect::<Vec<_>>(), ["a", "b", "c"]);
    let keys: Vec<_> = std::iter::from_fn(|| queue.take(NOW)).map(|taken| taken.key).collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

#[test]
fn a_key_that_comes_while_a_worker_has_it_comes_again() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a"]);
    let first = take(&mut queue);
    assert_eq!(queue.add(&"a", Priority::Change, NOW), Added::Again);
    assert_eq!(queue.add(&"a", Priority::Change, NOW), Added::Known);
    assert!(queue.take(NOW).is_none(), "no two workers have it");
    queue.done(first.ticket, NOW);
    let again = take(&mut queue);
    queue.done(again.ticket, NOW);
    assert!(queue.take(NOW).is_none());
    assert_eq!(queue.counts(NOW), Counts { adds: 2, ..Counts::default() });
}

#[test]
fn a_person_goes_first_and_a_key_can_be_raised() {
    let mut queue = WorkQueue::new();
    for key in ["a", "b", "c"] {
        queue.add(&key, Priority::Resync, NOW);
    }
    queue.add(&"d", Priority::Person, NOW);
    assert_eq!(queue.add(&"b", Priority::Person, NOW), Added::Known);
    assert_eq!(queue.add(&"b", Priority::Resync, NOW), Added::Known, "nothing is lowered");
    assert_eq!(queue.waiting().copied().collect::<Vec<_>>(), ["d", "b", "a", "c"]);
    // Also while a worker has it.
    let first = take(&mut queue);
    queue.add(&"d", Priority::Resync, NOW);
    queue.add(&"d", Priority::Change, NOW);
    queue.done(first.ticket, NOW);
    assert_eq!(queue.waiting().copied().collect::<Vec<_>>(), ["b", "d", "a", "c"]);
}

#[test]
fn what_comes_later_comes_at_its_time() {
    let mut queue = WorkQueue::new();
    assert_eq!(queue.next_due(), None);
    assert_eq!(queue.add_at(&"a", Millis(200), Priority::Resync), Added::Queued);
    assert_eq!(queue.add_at(&"a", Millis(300), Priority::Resync), Added::Known, "the earlier counts");
    assert_eq!(queue.add_at(&"b", Millis(150), Priority::Resync), Added::Queued);
    assert_eq!(queue.add_at(&"a", Millis(120), Priority::Resync), Added::Queued);
    assert_eq!(queue.next_due(), Some(Millis(120)));
    assert!(queue.take(Millis(119)).is_none());
    let first = queue.take(Millis(121)).expect("its time has come");
    assert_eq!((first.key, first.waited), ("a", Millis(1)));
    assert_eq!(queue.next_due(), Some(Millis(150)));
    // It waits as everybody does, and comes once.
    queue.add(&"c", Priority::Resync, NOW);
    queue.add(&"b", Priority::Resync, NOW);
    let keys: Vec<_> = std::iter::from_fn(|| queue.take(Millis(500))).map(|taken| taken.key).collect();
    assert_eq!(keys, ["c", "b"]);
}

#[test]
fn who_fails_rests_longer_each_time() {
    let mut queue = WorkQueue::new();
    let backoff = Backoff { first: Millis(10), most: Millis(1_000) };
    add(&mut queue, &["a"]);
    let mut now = NOW;
    for rest in [10, 20, 40] {
        let taken = queue.take(now).expect("its time has come");
        assert_eq!(queue.failed(taken.ticket, &backoff, 0, now.plus(Millis(3))), Millis(3));
        now = now.plus(Millis(3 + rest));
        assert_eq!(queue.next_due(), Some(now));
    }
    assert_eq!((queue.about(&"a").failures, queue.counts(now).retries), (3, 3));
    let taken = queue.take(now).expect("its time has come");
    queue.done(taken.ticket, now);
    assert_eq!((queue.about(&"a").failures, queue.next_due()), (0, None));
}

#[test]
fn who_fails_on_a_key_that_has_changed_looks_again_at_once() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a"]);
    let taken = take(&mut queue);
    add(&mut queue, &["a"]);
    queue.failed(taken.ticket, &Backoff::default(), 0, NOW);
    assert_eq!((take(&mut queue).key, queue.about(&"a").failures), ("a", 1));
}

#[test]
fn what_is_neither_well_nor_wrong_changes_no_failures() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a"]);
    let taken = take(&mut queue);
    queue.failed(taken.ticket, &Backoff::default(), 0, NOW);
    add(&mut queue, &["a"]);
    let taken = take(&mut queue);
    queue.put_back(taken.ticket, NOW);
    assert_eq!(queue.about(&"a").failures, 1);
}

#[test]
fn a_drained_queue_ends() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a", "b"]);
    queue.add_at(&"later", Millis(500), Priority::Change);
    let first = take(&mut queue);
    add(&mut queue, &["a"]);
    queue.drain();
    assert_eq!(queue.add(&"c", Priority::Person, NOW), Added::Refused);
    assert_eq!(queue.add_at(&"c", NOW, Priority::Person), Added::Refused);
    queue.failed(first.ticket, &Backoff::default(), 0, NOW);
    assert!(!queue.is_drained());
    for key in ["b", "a"] {
        let taken = take(&mut queue);
        assert_eq!(taken.key, key, "what was added is done");
        queue.failed(taken.ticket, &Backoff::default(), 0, NOW);
    }
    assert!(queue.is_drained() && queue.next_due().is_none());
}

#[test]
fn what_is_told_of_it_is_so() {
    let mut queue = WorkQueue::new();
    add(&mut queue, &["a", "b", "c"]);
    let first = queue.take(Millis(110)).expect("somebody waits");
    let _second = queue.take(Millis(120)).expect("somebody waits");
    assert_eq!(first.waited, Millis(10));
    let counts = queue.counts(Millis(150));
    assert_eq!((counts.depth, counts.adds), (1, 3));
    assert_eq!((counts.unfinished, counts.longest), (Millis(70), Millis(40)));
    assert_eq!(queue.done(first.ticket, Millis(150)), Millis(40));
    assert_eq!(queue.counts(Millis(150)).unfinished, Millis(30));
}

#[test]
fn keys_of_which_nothing_is_known_take_no_room() {
    let mut queue = WorkQueue::new();
    for key in 0..1_000_u32 {
        queue.add(&key, Priority::Change, NOW);
        let taken = queue.take(NOW).expect("somebody waits");
        queue.done(taken.ticket, NOW);
    }
    assert_eq!(queue.room(), (1, 1));
}

/// A key as somebody would choose it who knows the seed: its hash is that of all others.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Alike(u8);

impl Hash for Alike {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[test]
fn keys_with_the_same_hash_are_different_keys() {
    let mut queue = WorkQueue::new();
    for round in [0..100, 50..150] {
        for key in round.clone() {
            assert_eq!(queue.add(&Alike(key), Priority::Change, NOW), Added::Queued);
        }
        for key in round {
            let taken = queue.take(NOW).expect("somebody waits");
            assert_eq!(taken.key, Alike(key));
            queue.done(taken.ticket, NOW);
        }
    }
    assert_eq!(queue.room(), (100, 100), "who is not known gives way");
}
