//! What is outside of the API, for protocols that call it.
//!
//! A call is carried like a write: it can be lost on its way, done and not answered, cut by a crash, and it can arrive late.
//! What it does there, and how that fails, is the system's.

use std::convert::Infallible;

use bowline_control::{Controller, Millis};

use super::system::System;

type C<S> = <S as System>::Controller;
pub(crate) type MemoryOf<S> = <C<S> as Controller>::Memory;
pub(crate) type CallOf<S> = <C<S> as Controller>::Call;
pub(crate) type ReplyOf<S> = <C<S> as Controller>::Reply;
pub(crate) type StepOf<S> = <C<S> as Controller>::Step;

/// What is known of an instance beside its objects, in a few bytes: what is outside, or what is remembered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Note {
    /// Uids of the place that [`Outside::ground`] names; 0 is nobody's.
    pub(crate) uids: [u8; 2],
    pub(crate) body: [u8; 5],
}

/// A call that is on its way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Ask {
    /// The instance that it is about.
    pub(crate) key: u8,
    /// A uid of the place that [`Outside::place`] names.
    pub(crate) uid: u8,
    /// A uid of the place that [`Outside::ground`] names; 0 is nobody's.
    pub(crate) on: u8,
    /// What is asked, and for which step.
    pub(crate) code: [u8; 5],
}

/// What is outside of a system.
pub(crate) trait Outside<S: System> {
    /// The ways in which it fails, by name. There are none where nothing is outside.
    const WAYS: &'static [&'static str];

    /// The place of an instance whose uids calls are for.
    fn place(key: u8) -> u8;

    /// The place whose uids are in notes, and where calls are made.
    fn ground(key: u8) -> u8 {
        Self::place(key)
    }

    /// What is remembered of a key; [`Note::default`] if that is nothing. When it was learned is left out.
    fn note(memory: &MemoryOf<S>) -> Note;

    /// What is remembered of a key, and was learned then.
    fn memory(note: Note, learned: Millis) -> MemoryOf<S>;

    fn ask(step: &StepOf<S>, call: &CallOf<S>) -> Ask;

    /// The step that a call is for.
    fn step(ask: &Ask) -> StepOf<S>;

    /// A call arrives: what becomes of the outside of its instance, and what it says. If it fails, in this way.
    fn perform(system: &S, outside: &mut Note, ask: &Ask, way: Option<u8>) -> ReplyOf<S>;

    /// Whether a call may arrive when the process that made it is not there any more.
    fn can_be_late(ask: &Ask) -> bool;

    /// The process has ended: what becomes of the outside of an instance.
    fn ended(outside: &mut Note);

    /// As people read it.
    fn describe(outside: &Note) -> String;
    /// What is remembered, as people read it.
    fn remembered(note: &Note) -> String;
    /// A call, as people read it.
    fn called(ask: &Ask) -> String;
}

/// Whether a system has an outside.
pub(crate) const fn is_there<S: System>() -> bool {
    !<S::Outside as Outside<S>>::WAYS.is_empty()
}

/// The outside of a system that has none.
pub(crate) struct Nothing;

impl<S> Outside<S> for Nothing
where
    S: System<Controller: Controller<Memory = (), Call = Infallible, Reply = Infallible>>,
{
    const WAYS: &'static [&'static str] = &[];

    fn place(_: u8) -> u8 {
        unreachable!("nobody calls what is not there")
    }

    fn note((): &()) -> Note {
        Note::default()
    }

    fn memory(_: Note, _: Millis) {}

    fn ask(_: &StepOf<S>, call: &Infallible) -> Ask {
        match *call {}
    }

    fn step(_: &Ask) -> StepOf<S> {
        unreachable!("nobody calls what is not there")
    }

    fn perform(_: &S, _: &mut Note, _: &Ask, _: Option<u8>) -> Infallible {
        unreachable!("nobody calls what is not there")
    }

    fn can_be_late(_: &Ask) -> bool {
        false
    }

    fn ended(_: &mut Note) {}

    fn describe(_: &Note) -> String {
        String::new()
    }

    fn remembered(_: &Note) -> String {
        String::new()
    }

    fn called(_: &Ask) -> String {
        String::new()
    }
}
