//! Identities in the harness, by themselves.

use bowline_control::Millis;
use bowline_explorer::{Options, check};

use super::world::World;
use super::{SHAPE, at, memory, names};
use crate::harness::{FAULTS, Flat, Note, SHIPPED, padded};
use crate::naive::{is_well_formed, reach};

/// States are told apart by what is shown of them: a trace hides nothing.
#[test]
fn what_is_shown_of_a_state_is_all_of_it() {
    let model = at("edits=0", [0; FAULTS], SHAPE, SHIPPED);
    let report = check(&model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
    let (states, generated, depth) = reach(&model).counts();
    let counts = (report.distinct, report.generated, report.depth);
    assert_eq!(counts, (states as u64, generated as u64, depth as u32));
}

#[test]
fn every_action_has_a_name_and_a_class() {
    is_well_formed(&at("edits=0,deletes=0", [0, 0, 1, 0, 0, 0, 0, 0, 1], SHAPE, SHIPPED));
}

#[test]
fn what_is_flat_loses_nothing() {
    for wish in 1..32 {
        for status in 0..64 {
            for (told, observed) in [(0, 0), (1, 1), (4, 2)] {
                let body = padded([wish, status, told, observed]);
                let flat = Flat { uid: 2, version: 9, generation: 2, deleting: true, body, ..names::WANTED };
                assert_eq!(names::flat(&names::object(1, flat)), flat);
            }
        }
    }
    let account = Flat { uid: 1, version: 3, owner: Some((1, 2)), body: padded([1, 2]), ..names::THEIRS };
    assert_eq!(names::flat(&names::object(3, account)), account);
    let tombstone = Flat { owner: None, body: padded([1, 2, 1]), ..account };
    assert_eq!(names::flat(&names::object(5, tombstone)), tombstone);
}

#[test]
fn what_is_noted_loses_nothing_but_its_time() {
    for policy in [0, 0b1000_0101, 0b1001_1010] {
        for role in [0, 0b1000_0001, 0b1011_1001] {
            for (flags, refused) in [(1, 0), (3, 0), (5, 35), (15, 53), (64, 0), (65, 90)] {
                // Of what was not seen nothing is known.
                let (policy, role) = if flags & 1 == 0 { (0, 0) } else { (policy, role) };
                let flags = if role > 0 && flags & 1 > 0 { flags | 48 } else { flags };
                let other = if policy >> 2 & 3 == 2 || role >> 2 & 3 == 2 { 3 } else { 0 };
                let note = Note { uids: [2, other], body: [policy, role, flags, 1, refused] };
                assert_eq!(memory::note(&memory::memory(note, Millis(7))), note);
            }
        }
    }
    assert_eq!(memory::note(&memory::memory(Note::default(), Millis(7))), Note::default());
    let world =
        World { policy: 1, role: 3, uids: [2, 0], others: 1, attached: true, extras: 1, ..World::default() };
    let more = World { extras: 2, inline: true, bounded: true, unbound: true, attached: false, ..world };
    assert_eq!(World::of(&more.note()), more);
    assert_eq!(World::of(&world.note()), world);
}
