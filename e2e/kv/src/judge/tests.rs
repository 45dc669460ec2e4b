//! Logs as they should be, and for every rule one that breaks it.

use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::clock::Micros;
use crate::device::Written;
use crate::load::Acknowledged;

/// Who acts, in which epoch.
type Actor = (u64, &'static str, u32);

/// A world in which everything goes right.
#[derive(Default)]
struct World {
    logs: Logs,
    book: Book,
    time: u64,
}

impl World {
    fn act(&mut self, device: &str, (epoch, member, pid): Actor, act: Act) {
        self.time += 10;
        let entries = self.logs.entry(device.to_owned()).or_default();
        let last = entries.iter().filter_map(Entry::record).rfind(|record| !record.refused);
        let record = Record {
            sequence: last.map_or(0, |last| last.sequence) + 1,
            epoch,
            member: member.to_owned(),
            version: "v1".to_owned(),
            pid,
            at: Micros(self.time),
            act,
            refused: false,
        };
        entries.push(Entry::Whole(record));
    }

    /// A write that is acknowledged.
    fn write(&mut self, device: &str, actor: Actor, key: &str) {
        let (number, value) = (self.time, format!("{key} at {}", self.time));
        let written = Written { key: key.to_owned(), number, value: value.clone() };
        let sent = Micros(self.time);
        self.act(device, actor, Act::Write(written));
        self.time += 10;
        let (device, key, done) = (device.to_owned(), key.to_owned(), Micros(self.time));
        self.book.writes.push(Acknowledged { device, key, number, value, sent, done });
    }

    fn end(mut self) -> World {
        self.book.devices = self.logs.keys().cloned().collect();
        self.book.reads = 1;
        self.book.ended = Micros(self.time);
        self
    }
}

/// d0: n1 in epoch 7, given back to n2 in epoch 8, which is killed and started again. d1: n2 in epoch 3.
fn honest() -> World {
    let (one, other, again, far) = ((7, "n1", 11), (8, "n2", 22), (8, "n2", 23), (3, "n2", 22));
    let mut world = World { time: 1_000, ..World::default() };
    world.act("d1", far, Act::Claim);
    world.act("d0", one, Act::Claim);
    world.write("d0", one, "a");
    world.write("d0", one, "b");
    world.act("d0", one, Act::Release);
    world.act("d0", other, Act::Claim);
    world.write("d0", other, "a");
    world.write("d1", far, "c");
    world.act("d0", again, Act::Claim);
    world.write("d0", again, "b");
    world.end()
}

/// The record of d0 at a place of its log.
fn record(world: &mut World, at: usize) -> &mut Record {
    match world.logs.get_mut("d0").and_then(|entries| entries.get_mut(at)) {
        Some(Entry::Whole(record)) => record,
        other => panic!("no record: {other:?}"),
    }
}

/// Puts a record at a place of d0, and numbers what follows as if it had always been there.
fn insert(world: &mut World, at: usize, spoil: impl FnOnce(&mut Record)) {
    let mut next = record(world, at - 1).clone();
    spoil(&mut next);
    let entries = world.logs.get_mut("d0").expect("it is there");
    entries.insert(at, Entry::Whole(next));
    for (place, entry) in entries.iter_mut().enumerate() {
        if let Entry::Whole(record) = entry {
            record.sequence = place as u64 + 1;
        }
    }
}

/// The rules that a world breaks.
fn broken(spoil: impl FnOnce(&mut World)) -> Vec<Rule> {
    let mut world = honest();
    spoil(&mut world);
    rules(&world)
}

fn rules(world: &World) -> Vec<Rule> {
    let mut rules: Vec<_> = judge(&world.logs, &world.book).broken.iter().map(|broken| broken.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

fn written(key: &str, number: u64) -> Act {
    Act::Write(Written { key: key.to_owned(), number, value: format!("{key} at {number}") })
}

#[test]
fn an_honest_world_breaks_nothing() {
    let World { logs, book, .. } = honest();
    let verdict = judge(&logs, &book);
    assert_eq!(verdict.clean(), Ok(()));
    let expected =
        Checked { acknowledged: 5, fewest: 1, reads: 1, records: 10, claims: 4, refused: 0, torn: 0 };
    assert_eq!(verdict.checked, expected);
    let handover = |from: &str, epoch, released, micros| Handover {
        device: "d0".to_owned(),
        from: from.to_owned(),
        to: "n2".to_owned(),
        epoch,
        released,
        without_master: Duration::from_micros(micros),
    };
    assert_eq!(verdict.handovers, [handover("n1", 8, true, 10), handover("n2", 8, false, 40)]);
}

#[test]
fn a_write_that_was_acknowledged_and_is_not_there_is_found() {
    let lose = |world: &mut World| insert(world, 8, |record| record.act = written("b", 1));
    assert_eq!(broken(lose), [Rule::LastWins]);
    assert_eq!(broken(|world| record(world, 7).act = Act::Claim), [Rule::NothingLost]);
    assert_eq!(broken(|world| record(world, 7).act = written("b", 1_131)), [Rule::NothingLost]);
    assert_eq!(broken(|world| world.book.writes[0].value.push('!')), [Rule::NothingLost]);
    assert_eq!(broken(|world| world.book.writes[0].device = "d1".to_owned()), [Rule::NothingLost]);
    // It was refused: that is not done.
    assert!(broken(|world| record(world, 1).refused = true).contains(&Rule::NothingLost));
    // It was done before it was sent, or after it was acknowledged.
    assert_eq!(broken(|world| world.book.writes[0].sent = world.book.writes[0].done), [Rule::NothingLost]);
    assert_eq!(broken(|world| world.book.writes[0].done = world.book.writes[0].sent), [Rule::NothingLost]);
}

#[test]
fn an_older_write_in_the_place_of_a_newer_one_is_found() {
    let old = honest().book.writes[0].number;
    assert_eq!(broken(|world| insert(world, 6, |record| record.act = written("a", old))), [Rule::LastWins]);
    assert_eq!(
        broken(|world| insert(world, 6, |record| record.act = written("a", old - 1))),
        [Rule::LastWins]
    );
    // The same one twice: whoever did it did not know the first.
    assert_eq!(broken(|world| insert(world, 6, |_| {})), [Rule::LastWins]);
    // A write that nobody was told of is no harm.
    assert_eq!(broken(|world| insert(world, 6, |record| record.act = written("a", 9_999))), []);
}

#[test]
fn an_answer_that_contradicts_is_found() {
    assert_eq!(broken(|world| world.book.odd.push("n1 says that a has nothing".to_owned())), [Rule::Told]);
}

#[test]
fn an_act_in_a_smaller_epoch_is_found() {
    let late = |world: &mut World| {
        insert(world, 6, |record| {
            (record.epoch, record.member, record.pid, record.act) = (6, "n3".to_owned(), 33, Act::Claim);
        });
    };
    assert_eq!(broken(late), [Rule::EpochsGrow]);
}

#[test]
fn an_attempt_that_the_device_refused_is_found() {
    let refused = |world: &mut World| {
        let late = Record { refused: true, epoch: 7, member: "n1".to_owned(), ..record(world, 5).clone() };
        world.logs.get_mut("d0").expect("it is there").insert(6, Entry::Whole(late));
    };
    assert_eq!(broken(refused), [Rule::NoAttempt]);
}

#[test]
fn two_members_in_an_epoch_are_found() {
    assert_eq!(broken(|world| record(world, 6).member = "n3".to_owned()), [Rule::OneMember]);
}

#[test]
fn two_processes_of_a_member_at_once_are_found() {
    let back = |world: &mut World| {
        insert(world, 8, |record| (record.pid, record.act) = (22, written("a", 9_999)));
    };
    assert_eq!(broken(back), [Rule::OneProcess]);
}

#[test]
fn an_act_without_a_claim_is_found() {
    // Nobody has claimed.
    assert_eq!(broken(|world| record(world, 0).act = written("x", 1)), [Rule::Claimed]);
    // It was given back.
    assert_eq!(broken(|world| insert(world, 4, |record| record.act = written("x", 1))), [Rule::Claimed]);
    // Another process has claimed.
    assert_eq!(broken(|world| record(world, 6).act = written("x", 1)), [Rule::Claimed]);
}

#[test]
fn who_does_not_know_what_was_done_before_is_found() {
    // Twice the same number, and one that is left out.
    assert_eq!(broken(|world| record(world, 4).sequence = 4), [Rule::Order]);
    assert_eq!(broken(|world| record(world, 7).sequence = 9), [Rule::Order]);
    // Time does not go back.
    assert_eq!(broken(|world| record(world, 4).at = Micros(1)), [Rule::Order]);
}

#[test]
fn damage_is_found_and_what_a_kill_leaves_behind_is_none() {
    let add =
        |entry| move |world: &mut World| world.logs.get_mut("d0").expect("it is there").insert(2, entry);
    assert_eq!(broken(add(Entry::Damaged("?".to_owned()))), [Rule::Whole]);
    assert_eq!(broken(add(Entry::Torn)), []);
}

#[test]
fn too_little_proves_nothing() {
    let World { logs, book, .. } = honest();
    let none = Book { devices: vec!["d0".into(), "d9".into()], ..book.clone() };
    assert!(judge(&logs, &none).clean().is_err());
    assert!(judge(&logs, &Book { reads: 0, ..book }).clean().is_err());
    assert!(judge(&Logs::new(), &Book::default()).clean().is_err());
}

/// What happens next on a device.
#[derive(Clone, Copy, Debug)]
enum Next {
    Write(usize),
    /// Given back, and claimed by another member.
    Move,
    /// Killed, and claimed by another member.
    Kill,
    /// Killed, and started again in the same epoch.
    Restart,
    /// Killed in the middle of a record.
    Tear,
}

fn next() -> impl Strategy<Value = (usize, Next)> {
    let what = prop_oneof![
        8 => (0..4_usize).prop_map(Next::Write),
        1 => Just(Next::Move),
        1 => Just(Next::Kill),
        1 => Just(Next::Restart),
        1 => Just(Next::Tear),
    ];
    (0..2_usize, what)
}

const KEYS: [[&str; 4]; 2] = [["a", "b", "c", "d"], ["e", "f", "g", "h"]];

/// An honest world in which this happens.
fn lived(story: &[(usize, Next)]) -> World {
    const DEVICES: [&str; 2] = ["d0", "d1"];
    const MEMBERS: [&str; 3] = ["n1", "n2", "n3"];
    let mut world = World { time: 1_000, ..World::default() };
    let mut masters: [Actor; 2] = [(1, MEMBERS[0], 1), (1, MEMBERS[1], 2)];
    let mut pids = 2;
    for at in 0..2 {
        world.act(DEVICES[at], masters[at], Act::Claim);
        world.write(DEVICES[at], masters[at], KEYS[at][0]);
    }
    for (at, next) in story {
        let (device, (epoch, member, _)) = (DEVICES[*at], masters[*at]);
        let other =
            MEMBERS[(MEMBERS.iter().position(|name| *name == member).unwrap_or(0) + 1) % MEMBERS.len()];
        pids += 1;
        match next {
            Next::Write(key) => {
                world.write(device, masters[*at], KEYS[*at][*key]);
                continue;
            }
            Next::Move => {
                world.act(device, masters[*at], Act::Release);
                masters[*at] = (epoch + 1, other, pids);
            }
            Next::Kill => masters[*at] = (epoch + 3, other, pids),
            Next::Restart => masters[*at] = (epoch, member, pids),
            Next::Tear => {
                world.logs.entry(device.to_owned()).or_default().push(Entry::Torn);
                masters[*at] = (epoch + 1, other, pids);
            }
        }
        world.act(device, masters[*at], Act::Claim);
    }
    world.end()
}

proptest! {
    #[test]
    fn any_honest_world_is_clean(story in prop::collection::vec(next(), 0..60)) {
        let World { logs, book, .. } = lived(&story);
        prop_assert_eq!(judge(&logs, &book).clean(), Ok(()));
    }

    #[test]
    fn any_record_that_goes_is_missed(story in prop::collection::vec(next(), 0..40), at: Index) {
        let mut world = lived(&story);
        let entries = world.logs.get_mut("d0").expect("it is there");
        let at = at.index(entries.len());
        let gone = entries.remove(at);
        let lost = matches!(&gone, Entry::Whole(record) if matches!(record.act, Act::Write(_)));
        let rules = rules(&world);
        prop_assert_eq!(rules.contains(&Rule::NothingLost), lost, "{:?}", gone);
        // The last one is missed by nobody if nobody was told of it.
        prop_assert!(!rules.is_empty() || gone == Entry::Torn || at == world.logs["d0"].len(), "{:?}", gone);
    }

    #[test]
    fn anybody_who_acts_late_is_caught(story in prop::collection::vec(next(), 0..40), from: Index, to: Index) {
        let mut world = lived(&story);
        let entries = world.logs.get_mut("d0").expect("it is there");
        let from = from.index(entries.len());
        let to = from + to.index(entries.len() - from);
        let largest = entries[..=to].iter().filter_map(Entry::record).map(|record| record.epoch).max();
        // It acts again, and numbers its records as all do: only its epoch shows who it is.
        let late = entries[from].record().cloned();
        prop_assume!(late.as_ref().map(|record| record.epoch) < largest && late.is_some());
        entries.insert(to + 1, Entry::Whole(late.expect("there is one")));
        let mut sequence = 0;
        for entry in entries.iter_mut() {
            if let Entry::Whole(record) = entry {
                sequence += 1;
                record.sequence = sequence;
            }
        }
        prop_assert!(rules(&world).contains(&Rule::EpochsGrow));
    }
}
