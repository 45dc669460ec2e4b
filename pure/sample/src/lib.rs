//! A small controller: a pair makes two halves, the left one first, mends them, and removes them in reverse.
//!
//! It is what the loop and the harness are proved on, here and end to end; and it shows what a protocol's crate looks
//! like. Every one has these rooms: the objects (`state`), what a key's objects come to (`snapshot`), what is to be done
//! (`decide`), how (`effect`), and what people are told (`report`).
//!
//! # The protocol
//! A pair wants a value. It is held by a finalizer before anything is made. Each half carries the value, is made when the one
//! before it is ready, and somebody else makes it ready. What lies at the name of a half and is not the pair's is left
//! alone, and waited for. A pair that is deleted removes its halves, the right one first, and is let go when none of them
//! is there.
//!
//! # Invariants
//! - There is at most one half to a side.
//! - A half that is not the pair's is not touched.
//! - A pair is let go only when no half is known to be there. What comes too late for that has its owner's uid, and is
//!   collected.

mod decide;
mod effect;
mod report;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

use bowline_control::{Controller, Decision, Effect, Moment, Standing, Write};

pub use decide::{Step, Wait};
pub use snapshot::Snapshot;
pub use state::{Half, Id, Kind, Names, Object, Owner, Pair, Phase, Side, Status};

/// The controller of pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs<N>(std::marker::PhantomData<N>);

impl<N: Names> Controller for Pairs<N> {
    type Key = N::Name;
    type Object = Object<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step;
    type Wait = Wait;
    // It has no outside.
    type Call = std::convert::Infallible;
    type Reply = std::convert::Infallible;
    type Memory = ();

    fn kinds(&self) -> &[Kind] {
        &[Kind::Pair, Kind::Half]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Name> {
        object.keys()
    }

    fn snapshot(&self, key: &N::Name, objects: &[&Object<N>], _memory: &()) -> Snapshot<N> {
        Snapshot::of(key, objects)
    }

    fn decide(&self, snapshot: &Snapshot<N>, _now: Moment) -> Decision<Step, Wait> {
        decide::decide(snapshot)
    }

    fn effect(
        &self,
        snapshot: &Snapshot<N>,
        step: &Step,
        _now: Moment,
    ) -> Effect<Object<N>, std::convert::Infallible> {
        effect::effect(snapshot, *step)
    }

    fn report(
        &self,
        snapshot: &Snapshot<N>,
        standing: Standing<'_, Wait>,
        _now: Moment,
    ) -> Option<Write<Object<N>>> {
        report::report(snapshot, standing)
    }

    fn learn(&self, _: &mut (), _: &Step, reply: std::convert::Infallible, _: Moment) -> Result<(), String> {
        match reply {}
    }
}
