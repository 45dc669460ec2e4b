//! What a controller is.

use std::fmt;
use std::hash::Hash;

use crate::Moment;
use crate::effect::{Effect, Write};
use crate::object::{KindOf, Object};

/// A controller: everything about it that can go wrong, without I/O.
pub trait Controller {
    /// What is decided about: one instance of the protocol.
    type Key: Clone + Ord + Hash + fmt::Debug;
    /// The objects that it watches and writes.
    type Object: Object;
    /// The protocol's state.
    type Snapshot;
    /// A step of the protocol, told as `make the left half`.
    type Step: Clone + Eq + fmt::Debug + fmt::Display;
    /// What is waited for: an object and a condition, a time, a person; told as
    /// `the left half to be ready`.
    type Wait: Clone + Eq + fmt::Debug + fmt::Display;
    /// A call to something outside.
    type Call: Clone + Eq + fmt::Debug;
    /// What the outside says to it.
    type Reply;
    /// What is remembered of a key until the next crash: what the outside said.
    type Memory: Clone + Default + Eq + fmt::Debug;

    /// The kinds that it watches: it decides nothing before it has seen them all.
    fn kinds(&self) -> &[KindOf<Self::Object>];

    /// The keys that an object concerns: they are decided again when it changes, and see it in their snapshot.
    fn keys(&self, object: &Self::Object) -> Vec<Self::Key>;

    /// The objects that an object names: the keys that it concerns are decided again when they change, and see them in their
    /// snapshot.
    fn names(&self, _object: &Self::Object) -> Vec<<Self::Object as Object>::Id> {
        Vec::new()
    }

    /// The protocol's state, as the objects that concern the key show it.
    fn snapshot(&self, key: &Self::Key, objects: &[&Self::Object], memory: &Self::Memory) -> Self::Snapshot;

    /// What is to be done. All policy is here.
    fn decide(&self, snapshot: &Self::Snapshot, now: Moment) -> Decision<Self::Step, Self::Wait>;

    /// How a step is done.
    fn effect(&self, snapshot: &Self::Snapshot, step: &Self::Step, now: Moment) -> EffectOf<Self>;

    /// The write that makes the object show how it stands; `None` if it does.
    fn report(
        &self,
        snapshot: &Self::Snapshot,
        standing: Standing<'_, Self::Wait>,
        now: Moment,
    ) -> Option<Write<Self::Object>>;

    /// What is to be remembered of what the outside said.
    ///
    /// # Errors
    /// That the step did not work, in words for people: it is tried again after a rest.
    fn learn(
        &self,
        memory: &mut Self::Memory,
        step: &Self::Step,
        reply: Self::Reply,
        now: Moment,
    ) -> Result<(), String>;
}

/// The effects of a controller `C`.
pub type EffectOf<C> = Effect<<C as Controller>::Object, <C as Controller>::Call>;

/// What is to be done about a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision<Step, Wait> {
    /// Exactly one thing.
    Do(Step),
    /// Nothing, until something comes about.
    Wait {
        /// What.
        what: Wait,
        /// Or until then, by the clock that queues go by.
        until: Option<crate::Millis>,
    },
    /// Nothing: all is as it should be.
    Converged,
}

/// How a key stands, for people to see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing<'a, Wait> {
    /// It waits.
    Waiting(&'a Wait),
    /// All is as it should be.
    Converged,
    /// The last effect did not work, and is tried again.
    Failing(&'a str),
    /// So many effects have not led anywhere, that it rests.
    Stalled(&'a str),
}
