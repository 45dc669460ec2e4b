//! Who watches over the leases: what is outside of a group.

use std::collections::BTreeMap;

use bowline_control::Millis;
use bowline_upgrades::{Call, Look, Memory, Pulse, Reply, Step};

use super::Team;
use super::names::GROUP;
use super::node::{Link, Node};
use crate::harness::{Ask, NODES, Note, Outside, State, padded};
use crate::tiny::Tiny;

/// The judge of leases.
pub(crate) struct Judge;

/// It cannot be asked.
const FAILS: u8 = 0;

const PULSES: [Pulse; 3] = [Pulse::Live, Pulse::Silent, Pulse::Lapsed];

/// What is remembered of a look, if there was one.
const LOOKED: u8 = 1;

/// And if the hub suspected itself then.
const SUSPECT: u8 = 2;

/// Whether it is remembered that the hub suspects itself.
fn is_suspect(note: &Note) -> bool {
    note.body[NODES] & SUSPECT > 0
}

/// How each lease stands: 0 is that there is no node.
pub(super) fn seen(s: &State) -> Note {
    let mut note = Note::default();
    for (place, bits) in note.body.iter_mut().zip(s.nodes) {
        *place = match bits {
            0 => 0,
            bits => match Node::of(bits).link {
                Link::Up | Link::Cut | Link::Down => 1 + Pulse::Live as u8,
                Link::Lapsed | Link::Gone => 1 + Pulse::Lapsed as u8,
            },
        };
    }
    note
}

impl Outside<Team> for Judge {
    const WAYS: &'static [&'static str] = &["fails", "suspects"];

    fn place(_: u8) -> u8 {
        GROUP
    }

    fn note(memory: &Memory<Tiny>) -> Note {
        let Some(look) = &memory.look else { return Note::default() };
        let looked = if look.suspect { LOOKED | SUSPECT } else { LOOKED };
        let mut note = Note { body: padded([0, 0, 0, 0, looked]), ..Note::default() };
        for (number, (generation, pulse)) in &look.leases {
            note.body[usize::from(*number) - 1] = *generation as u8 | (1 + *pulse as u8) << 4;
        }
        note
    }

    fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
        if note.body[NODES] & LOOKED == 0 {
            return Memory::default();
        }
        let leases = (1..).zip(&note.body[..NODES]).filter(|(_, lease)| **lease > 0);
        let leases = leases
            .map(|(number, lease)| (number, (u64::from(lease & 15), PULSES[usize::from(lease >> 4) - 1])));
        Memory { look: Some(Look { at: learned, leases: leases.collect(), suspect: is_suspect(&note) }) }
    }

    fn ask(_: &Step<Tiny>, call: &Call<Tiny>) -> Ask {
        let mut ask = Ask { key: 0, uid: 0, on: 0, code: [0; 5] };
        for (number, generation) in &call.members {
            ask.code[usize::from(*number) - 1] = *generation as u8;
        }
        ask
    }

    fn step(_: &Ask) -> Step<Tiny> {
        Step::Look
    }

    fn perform(_: &Team, seen: &mut Note, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
        let asked = (1..).zip(&ask.code[..NODES]).filter(|(_, generation)| **generation > 0);
        let members: BTreeMap<_, _> =
            asked.map(|(number, generation)| (number, u64::from(*generation))).collect();
        let pulse = |number: &u8| match (way, seen.body[usize::from(*number) - 1]) {
            (Some(_), _) | (None, 0) => Pulse::Silent,
            (None, pulse) => PULSES[usize::from(pulse) - 1],
        };
        let said = members.keys().map(|number| (*number, pulse(number))).collect();
        let to = Call { group: 0, members };
        match way {
            Some(FAILS) => Reply { to, said: Err(String::new()), suspect: false },
            _ => Reply { to, said: Ok(said), suspect: way.is_some() },
        }
    }

    fn can_be_late(_: &Ask) -> bool {
        false
    }

    fn ended(_: &mut Note) {}

    fn describe(_: &Note) -> String {
        String::new()
    }

    fn remembered(note: &Note) -> String {
        let memory = Self::memory(*note, Millis(0));
        format!("{:?}", memory.look.map(|look| (look.leases, look.suspect)))
    }

    fn called(ask: &Ask) -> String {
        format!("asks how the leases stand, of generations {:?}", &ask.code[..NODES])
    }
}
