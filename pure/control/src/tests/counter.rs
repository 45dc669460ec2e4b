//! A controller that brings a number to what is wanted of it, one at a time.

use crate::{
    Answer, Backoff, Controller, Decision, Effect, EffectOf, Event, Loop, Millis, Moment, Refusal, Settings,
    Standing, Turn, Verdict, Version, Write,
};

/// An object with a number, and the number that is wanted of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) name: &'static str,
    pub(super) uid: u8,
    pub(super) version: u64,
    pub(super) wanted: u64,
    pub(super) is: u64,
    /// What people are told.
    pub(super) says: String,
}

pub(super) fn number(name: &'static str, version: u64, wanted: u64) -> Number {
    Number { name, uid: 1, version, wanted, is: 0, says: String::new() }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Name(pub(super) &'static str);

impl crate::Id for Name {
    type Kind = ();

    fn kind(&self) {}
}

impl crate::Object for Number {
    type Id = Name;
    type Uid = u8;

    fn id(&self) -> Name {
        Name(self.name)
    }

    fn uid(&self) -> u8 {
        self.uid
    }

    fn version(&self) -> Version {
        Version(self.version)
    }

    fn wish(&self) -> Option<u64> {
        Some(self.wanted)
    }
}

/// Counts. A number that is wanted to be 13 waits, for a person; 99 calls the outside.
pub(super) struct Counter;

impl Controller for Counter {
    type Key = Name;
    type Object = Number;
    type Snapshot = (Option<Number>, u32);
    type Step = &'static str;
    type Wait = &'static str;
    type Call = ();
    type Reply = Result<u32, String>;
    type Memory = u32;

    fn kinds(&self) -> &[()] {
        &[()]
    }

    fn keys(&self, object: &Number) -> Vec<Name> {
        vec![Name(object.name)]
    }

    fn snapshot(&self, _: &Name, objects: &[&Number], memory: &u32) -> (Option<Number>, u32) {
        (objects.first().map(|number| (*number).clone()), *memory)
    }

    fn decide(
        &self,
        (number, heard): &(Option<Number>, u32),
        _: Moment,
    ) -> Decision<&'static str, &'static str> {
        match number {
            Some(number) if number.wanted == 13 => {
                Decision::Wait { what: "another number", until: Some(Millis(5_000)) }
            }
            Some(number) if number.wanted == 99 && *heard == 0 => Decision::Do("call"),
            Some(number) if number.is < number.wanted && *heard == 0 => Decision::Do("count"),
            _ => Decision::Converged,
        }
    }

    fn effect(
        &self,
        (number, _): &(Option<Number>, u32),
        step: &&'static str,
        _: Moment,
    ) -> EffectOf<Counter> {
        if *step == "call" {
            return Effect::Call(());
        }
        let before = number.clone().expect("it counts what is there");
        let after = Number { is: before.is + 1, ..before.clone() };
        Effect::Write(Write::Change { before, after })
    }

    fn report(
        &self,
        (number, _): &(Option<Number>, u32),
        standing: Standing<'_, &'static str>,
        _: Moment,
    ) -> Option<Write<Number>> {
        let before = number.clone()?;
        let says = match standing {
            Standing::Waiting(what) => format!("waits for {what}"),
            Standing::Converged => String::new(),
            Standing::Failing(why) => format!("failing: {why}"),
            Standing::Stalled(why) => format!("stalled: {why}"),
        };
        (before.says != says).then(|| Write::Status { after: Number { says, ..before.clone() }, before })
    }

    fn learn(
        &self,
        memory: &mut u32,
        _: &&'static str,
        reply: Result<u32, String>,
        _: Moment,
    ) -> Result<(), String> {
        *memory = reply?;
        Ok(())
    }
}

pub(super) const SETTINGS: Settings = Settings {
    effects: 4,
    catch_up: Millis(100),
    stalled: Millis(1_000),
    backoff: Backoff { first: Millis(10), most: Millis(80) },
    seed: (0, 0),
};

/// A loop that has been shown these numbers.
pub(super) fn loop_of(numbers: &[Number]) -> Loop<Counter> {
    let mut this = Loop::new(Counter, SETTINGS);
    this.event(Event::ListBegins(()), at(0));
    this.event(Event::Listed((), numbers.to_vec()), at(0));
    this
}

pub(super) fn at(clock: u64) -> Moment {
    Moment { clock: Millis(clock), ..Moment::default() }
}

/// The write that a turn wants.
pub(super) fn written(turn: Option<Turn<Counter>>) -> Number {
    match turn.and_then(|turn| turn.effect) {
        Some(Effect::Write(Write::Change { after, .. } | Write::Status { after, .. })) => after,
        other => panic!("no write: {other:?}"),
    }
}

pub(super) fn verdict(turn: Option<Turn<Counter>>) -> Verdict<&'static str, &'static str> {
    turn.expect("a turn").verdict
}

pub(super) fn outdated() -> Answer<Number, Result<u32, String>> {
    Answer::Refused(Refusal::Outdated)
}

pub(super) fn refused(why: &str) -> Answer<Number, Result<u32, String>> {
    Answer::Refused(Refusal::Other(why.into()))
}
