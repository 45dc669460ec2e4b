//! A protocol that is all outside: a lamp is switched as it is wanted. Its calls can be late.

use std::convert::Infallible;
use std::fmt;

use bowline_control::{
    Controller, Decision, Effect, EffectOf, Id, Millis, Moment, Object, Standing, Verdict, Version, Write,
};
use bowline_explorer::{Model, Options, Property, check};

use super::super::flat::{BODY, Flat, padded};
use super::super::{Ask, Deed, Edit, Note, Objects, Outside, Who};
use super::super::{Bounds, FAULTS, Fault, Harness, SHIPPED, State, System};
use super::follow;
use crate::catalogue::Catalogued;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Lamp(Flat);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Name(u8);

impl Id for Name {
    type Kind = ();

    fn kind(&self) {}
}

impl Object for Lamp {
    type Id = Name;
    type Uid = u8;

    fn id(&self) -> Name {
        Name(0)
    }

    fn uid(&self) -> u8 {
        self.0.uid
    }

    fn version(&self) -> Version {
        Version(self.0.version.into())
    }

    fn wish(&self) -> Option<u64> {
        Some(self.0.generation.into())
    }
}

/// To switch it on, or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Switch(bool);

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("switch the lamp")
    }
}

struct Switches;

impl Controller for Switches {
    type Key = u8;
    type Object = Lamp;
    /// What is wanted, and what the lamp was switched to.
    type Snapshot = (Option<bool>, Option<bool>);
    type Step = Switch;
    type Wait = Infallible;
    type Call = Switch;
    type Reply = Option<bool>;
    type Memory = Option<bool>;

    fn kinds(&self) -> &[()] {
        &[()]
    }

    fn keys(&self, _: &Lamp) -> Vec<u8> {
        vec![0]
    }

    fn snapshot(&self, _: &u8, objects: &[&Lamp], memory: &Option<bool>) -> Self::Snapshot {
        (objects.first().map(|lamp| lamp.0.body[0] > 0), *memory)
    }

    fn decide(&self, (wanted, is): &Self::Snapshot, _: Moment) -> Decision<Switch, Infallible> {
        match wanted {
            Some(on) if *is != Some(*on) => Decision::Do(Switch(*on)),
            _ => Decision::Converged,
        }
    }

    fn effect(&self, _: &Self::Snapshot, step: &Switch, _: Moment) -> EffectOf<Switches> {
        Effect::Call(*step)
    }

    fn report(&self, _: &Self::Snapshot, _: Standing<'_, Infallible>, _: Moment) -> Option<Write<Lamp>> {
        None
    }

    fn learn(
        &self,
        memory: &mut Option<bool>,
        _: &Switch,
        reply: Option<bool>,
        _: Moment,
    ) -> Result<(), String> {
        *memory = Some(reply.ok_or("it is stuck")?);
        Ok(())
    }
}

/// The lamp, and somebody who wants it on, and then off.
struct Lamps;

const NEW: Flat = Flat {
    uid: 0,
    version: 0,
    generation: 1,
    deleting: false,
    finalizers: 0,
    owner: None,
    body: padded([1]),
};

impl System for Lamps {
    type Controller = Switches;
    type Outside = Lamps;

    const BUDGETS: &'static [&'static str] = &["creates", "edits"];
    const POINTS: &'static [&'static str] = &["other", "switch"];

    fn controller(&self) -> Switches {
        Switches
    }

    fn kinds(&self) -> &'static [()] {
        &[()]
    }

    fn kind(_: u8) -> u8 {
        0
    }

    fn wanted(_: u8) -> usize {
        1
    }

    fn id(slot: u8) -> Name {
        Name(slot)
    }

    fn slot(id: &Name) -> u8 {
        id.0
    }

    fn object(_: u8, flat: Flat) -> Lamp {
        Lamp(flat)
    }

    fn flat(lamp: &Lamp) -> Flat {
        lamp.0
    }

    fn point(verdict: &Verdict<Switch, Infallible>) -> u8 {
        u8::from(matches!(verdict, Verdict::Do(_)))
    }

    fn deeds(&self, objects: &Objects, _: &State, _: u8, out: &mut Vec<Deed>) {
        let (who, what, about) = match objects[0] {
            None => (Who::Person(0), Edit::Create(NEW), "Create"),
            Some(flat) => (Who::Person(1), Edit::Replace(Flat { body: [0; BODY], ..flat }), "Edit"),
        };
        out.push(Deed { who, what, slot: 0, about });
    }

    fn properties(&self) -> Vec<Property<Harness<Lamps>>> {
        vec![Property::eventually_always("AsWanted", |_, s: &State| {
            s.truth()[0].is_none_or(|flat| flat.body[0] == s.outside[0].body[0])
        })]
    }

    fn uses(&self, slot: u8, _: u8) -> bool {
        slot == 0
    }

    fn place_name(slot: u8) -> String {
        slot.to_string()
    }

    fn describe(_: u8, flat: &Flat) -> String {
        flat.body[0].to_string()
    }
}

impl Outside<Lamps> for Lamps {
    const WAYS: &'static [&'static str] = &["stuck"];

    fn place(key: u8) -> u8 {
        key
    }

    fn note(memory: &Option<bool>) -> Note {
        Note { body: padded([memory.map_or(0, |on| 1 + u8::from(on))]), ..Note::default() }
    }

    fn memory(note: Note, _: Millis) -> Option<bool> {
        note.body[0].checked_sub(1).map(|on| on > 0)
    }

    fn ask(_: &Switch, call: &Switch) -> Ask {
        Ask { key: 0, uid: 0, on: 0, code: padded([call.0.into()]) }
    }

    fn step(ask: &Ask) -> Switch {
        Switch(ask.code[0] > 0)
    }

    fn perform(_: &Lamps, outside: &mut Note, ask: &Ask, way: Option<u8>) -> Option<bool> {
        if way.is_some() {
            return None;
        }
        outside.body[0] = ask.code[0];
        Some(ask.code[0] > 0)
    }

    fn can_be_late(_: &Ask) -> bool {
        true
    }

    fn ended(_: &mut Note) {}

    fn describe(outside: &Note) -> String {
        outside.body[0].to_string()
    }

    fn remembered(note: &Note) -> String {
        note.body[0].to_string()
    }

    fn called(ask: &Ask) -> String {
        ask.code[0].to_string()
    }
}

fn lamps(faults: &[Fault]) -> Harness<Lamps> {
    let mut budgets = [0; FAULTS];
    faults.iter().for_each(|fault| budgets[*fault as usize] = 1);
    let bounds =
        Bounds { instances: 1, workers: 1, lag: 1, effects: 0, faults: budgets, people: padded([1, 1]) };
    Harness::new(Lamps, bounds, SHIPPED)
}

/// The state after these actions.
fn after(model: &Harness<Lamps>, actions: &[&str]) -> State {
    actions.iter().fold(model.init().remove(0), |state, action| {
        let next = follow(model, &state, action).unwrap_or_else(|| panic!("{action} is not enabled"));
        model.canonical(next)
    })
}

fn is_on(s: &State) -> bool {
    s.outside[0].body[0] > 0
}

const SWITCHES_ON: [&str; 3] = ["Create(0)", "Show(())", "Turn(1)"];

#[test]
fn a_call_is_done_and_answered_and_what_it_said_is_remembered() {
    let model = lamps(&[]);
    let s = after(&model, &[&SWITCHES_ON[..], &["Carry(1)", "Turn(1)"]].concat());
    assert!(is_on(&s) && s.keys[0].memory.body[0] == 2);
    assert!(s.keys[0].doing.is_none() && !s.keys[0].trouble, "and nothing is left to do");
}

#[test]
fn a_call_is_lost_on_its_way_or_on_its_way_back() {
    for (fault, action, done) in
        [(Fault::LostRequest, "LoseRequest(1)", false), (Fault::LostReply, "LoseReply(1)", true)]
    {
        let s = after(&lamps(&[fault]), &[&SWITCHES_ON[..], &[action]].concat());
        assert_eq!(is_on(&s), done, "{action}");
        assert!(s.keys[0].trouble && s.keys[0].due, "{action}: it is tried again");
        assert_eq!(s.keys[0].memory, Note::default(), "{action}: nobody has said anything");
    }
}

#[test]
fn a_crash_cuts_a_call_before_or_after_it_is_done() {
    for (action, done) in [("Crash(sent)", true), ("Crash(unsent)", false)] {
        let s = after(&lamps(&[Fault::Crash]), &[&SWITCHES_ON[..], &[action]].concat());
        assert_eq!(is_on(&s), done, "{action}");
        assert!(s.keys[0].doing.is_none() && s.keys[0].waits, "{action}: it begins again");
    }
    let remembers = [&SWITCHES_ON[..], &["Carry(1)", "Crash(unsent)"]].concat();
    let s = after(&lamps(&[Fault::Crash]), &remembers);
    assert_eq!(s.keys[0].memory, Note::default(), "what was remembered is forgotten");
}

#[test]
fn a_call_that_fails_is_in_trouble() {
    let s = after(&lamps(&[Fault::Provider]), &[&SWITCHES_ON[..], &["Fail(1, stuck)"]].concat());
    assert!(!is_on(&s) && s.keys[0].trouble && s.keys[0].due);
}

#[test]
fn a_call_arrives_late_and_undoes_what_came_after_it() {
    let overtaken = ["Wake(1)", "Carry(1)", "Turn(1)", "Edit(0)", "Show(())", "Turn(1)", "Carry(1)"];
    for (fault, leaves) in [(Fault::LostReply, "Delay(1)"), (Fault::TwoLeaders, "Depose")] {
        let model = lamps(&[fault]);
        let left = after(&model, &[&SWITCHES_ON[..], &[leaves]].concat());
        assert!(!is_on(&left), "{leaves}: it has not arrived");
        let mut then = overtaken;
        if fault == Fault::TwoLeaders {
            // The other one begins at once.
            then[0] = "Turn(1)";
        }
        let way = [&SWITCHES_ON[..], &[leaves], &then].concat();
        assert!(!is_on(&after(&model, &way)), "{leaves}: it was switched on, and off");
        let way = [&way[..], &["Arrive(2)"]].concat();
        assert!(is_on(&after(&model, &way)), "{leaves}: and on again, by the first");
    }
}

#[test]
fn the_explorer_finds_what_late_calls_break() {
    let verdict = |faults: &[Fault]| {
        let report = check(&lamps(faults), &Options::default()).expect("a run");
        report.verdicts[0].verdict.as_str().to_owned()
    };
    for fault in Fault::ALL {
        let breaks = matches!(fault, Fault::LostReply | Fault::TwoLeaders);
        assert_eq!(verdict(&[fault]), if breaks { "violated" } else { "holds" }, "{fault:?}");
    }
}

#[test]
fn a_provider_fails_only_where_there_is_one() {
    let kinds =
        |coverage: crate::Coverage| coverage.hits.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert!(kinds(lamps(&[]).coverage().expect("faults")).contains(&"provider"));
    assert!(!kinds(super::model("").coverage().expect("faults")).contains(&"provider"));
}
