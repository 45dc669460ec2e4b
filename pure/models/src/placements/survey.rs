//! Who knows all targets: what is outside of a placement.

use bowline_control::Millis;
use bowline_placements::{Candidate, FenceState, Memory, Reply, Step, Survey, Surveyed, Target};

use super::Town;
use super::names::{PLACEMENT, TARGETS, target_of, target_slot};
use crate::harness::{Ask, Note, Outside, State};
use crate::tiny::Tiny;

/// Who knows all targets.
pub(crate) struct Register;

const THERE: u8 = 1;
const DRAINS: u8 = 2;
const LAPSED: u8 = 4;
/// How the fence stands begins with this bit, and has two.
const FENCE: u8 = 3;
const RESTORED: u8 = 32;

/// All targets as they are: 0 is that there is none.
pub(super) fn seen(s: &State) -> Note {
    let truth = s.truth();
    let mut note = Note::default();
    for number in 1..=TARGETS {
        if let Some(flat) = truth[usize::from(target_slot(number))] {
            note.body[usize::from(number) - 1] = byte(&target_of(number, flat));
        }
    }
    note
}

fn byte(target: &Target<Tiny>) -> u8 {
    let drains = if target.wish.drains { DRAINS } else { 0 };
    let lapsed = if target.lapsed.is_some() { LAPSED } else { 0 };
    let restored = if target.restore > 0 { RESTORED } else { 0 };
    THERE | drains | lapsed | restored | (target.fence.state as u8) << FENCE
}

fn candidates(note: &Note) -> Vec<Candidate<Tiny>> {
    let there = (1..=TARGETS).zip(note.body).filter(|(_, byte)| byte & THERE > 0);
    let candidate = |(number, byte): (u8, u8)| {
        let mut target = super::beginning::target(number);
        target.wish.drains = byte & DRAINS > 0;
        target.lapsed = (byte & LAPSED > 0).then_some(super::names::LONG_AGO);
        target.restore = if byte & RESTORED > 0 { super::names::RESTORE } else { 0 };
        target.fence.state = FenceState::ALL[usize::from(byte >> FENCE & 3)];
        Candidate { target, load: 0 }
    };
    there.map(candidate).collect()
}

impl Outside<Town> for Register {
    const WAYS: &'static [&'static str] = &["fails"];

    fn place(_: u8) -> u8 {
        PLACEMENT
    }

    fn note(memory: &Memory<Tiny>) -> Note {
        let mut note = Note::default();
        for candidate in memory.survey.iter().flat_map(|survey| &survey.candidates) {
            note.body[usize::from(candidate.target.name) - 1] = byte(&candidate.target);
        }
        note
    }

    fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
        let survey = Surveyed { at: learned, candidates: candidates(&note) };
        Memory { survey: (note != Note::default()).then_some(survey) }
    }

    fn ask(_: &Step<Tiny>, _: &Survey) -> Ask {
        Ask { key: 0, uid: 0, on: 0, code: [0; 5] }
    }

    fn step(_: &Ask) -> Step<Tiny> {
        Step::Survey
    }

    fn perform(_: &Town, seen: &mut Note, _: &Ask, way: Option<u8>) -> Reply<Tiny> {
        if way.is_some() { Err(String::new()) } else { Ok(candidates(seen)) }
    }

    fn can_be_late(_: &Ask) -> bool {
        false
    }

    fn ended(_: &mut Note) {}

    fn describe(_: &Note) -> String {
        String::new()
    }

    fn remembered(note: &Note) -> String {
        format!("{:?}", note.body)
    }

    fn called(_: &Ask) -> String {
        "asks which targets there are".to_owned()
    }
}
