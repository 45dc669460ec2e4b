//! The fences of targets: asked for, in force, and taken down again.
//!
//! # Invariants
//! - A fence is said to be in force only by a person's word, by a driver that has read it back, or when the volumes of the target
//!   enforce epochs and its lease has lapsed.
//! - It is taken down only when the target's syncer has said that it knows of it, and that nothing is in use that it made void.
//! - The next fence begins after the last one was seen to be down.
//! - After a restore of the hub it may be in force whatever is on record: it is taken down only when the target has said what it uses, and
//!   has nothing that it is not granted.

mod decide;
mod steps;

use std::fmt;
use std::marker::PhantomData;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use self::decide::Case;
use crate::object::{IdOf, Kind, Object};
use crate::report::{mood, short};
use crate::state::{Names, Phase, Told};
use crate::target::{By, Target};
use crate::{Epoch, Grant, Rhythm, words};

/// The controller of targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fences<N> {
    rhythm: Rhythm,
    names: PhantomData<fn() -> N>,
}

/// A target, and what was learned of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenceSnapshot<N: Names> {
    /// The target, if it is there.
    pub target: Option<Target<N>>,
    /// Something is granted to it.
    pub is_used: bool,
    /// What was learned.
    pub memory: FenceMemory,
}

/// What is remembered of a target until the next crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FenceMemory {
    /// How its lease stands.
    pub look: Option<Look>,
    /// What its driver has said last: to a request to fence or to unfence it, in which epoch, and whether the fence is in force.
    pub driver: Option<(bool, Epoch, bool)>,
    /// When.
    pub driven: Millis,
}

/// How the lease of a target stood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// When.
    pub at: Millis,
    /// Which version of the target was known by then. A lapse is believed of that one only: who comes back changes it first.
    pub version: Version,
    /// How it stood.
    pub pulse: Pulse,
    /// The last restore of the hub that any target knew of by then.
    pub restore: u64,
}

/// How a lease stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pulse {
    /// It is renewed.
    Live,
    /// It is not renewed, or there is none; and that is not judged yet, or the hub suspects itself.
    Silent,
    /// It has lapsed.
    Lapsed,
}

/// What is asked of the outside. Each can be asked as often as one likes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FenceCall<N: Names> {
    /// How the lease of a target stands, asked of the server after this version of it was shown.
    Look(N::Target, Version),
    /// To fence a target, or to unfence it, and to see whether the fence is in force then. Who has seen a greater epoch refuses.
    Drive {
        /// The target.
        target: N::Target,
        /// To fence it.
        fences: bool,
        /// In which epoch of its fence.
        epoch: Epoch,
    },
}

/// What is said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FenceReply {
    /// How the lease stands, of this version of its target; and the last restore of the hub that any target knows of.
    Pulse(Version, Result<Pulse, String>, u64),
    /// To what the driver was asked, and whether the fence is in force.
    Driven(bool, Epoch, Result<bool, String>),
}

/// A step. Each but [`FenceStep::Look`] and [`FenceStep::Drive`] is one guarded write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenceStep {
    /// Put our finalizer on the target.
    Hold,
    /// Take our finalizer off.
    LetGo,
    /// See how its lease stands.
    Look,
    /// Ask it what it uses, because the hub was restored, for the so maniest time.
    Recover(u64),
    /// Record that its lease has lapsed.
    Lose,
    /// Record that it is heard of again.
    Return,
    /// Record that it is to be fenced.
    Request,
    /// Let its driver fence it, or unfence it.
    Drive(bool),
    /// Record that it is fenced, and by what.
    Fence(By),
    /// Record that it is to be unfenced.
    Unfence,
    /// Record that it is not fenced any more.
    Open,
}

impl fmt::Display for FenceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenceStep::Hold => "hold the target",
            FenceStep::LetGo => "let the target go",
            FenceStep::Look => "see how the lease stands",
            FenceStep::Recover(_) => "ask the target what it uses, because the hub was restored",
            FenceStep::Lose => "record that the target is not heard of",
            FenceStep::Return => "record that the target is heard of again",
            FenceStep::Request => "ask for a fence",
            FenceStep::Drive(true) => "fence the target",
            FenceStep::Drive(false) => "unfence the target",
            FenceStep::Fence(_) => "record that the fence is in force",
            FenceStep::Unfence => "begin to take the fence down",
            FenceStep::Open => "record that there is no fence any more",
        })
    }
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenceWait {
    /// Nothing; the lease is looked at again.
    NextLook,
    /// Nothing, while it is fenced; the lease is looked at again.
    Fenced,
    /// A person to say that the target is fenced.
    Person,
    /// The driver.
    Driver(bool),
    /// The syncer to know of the fence, and to stop what it has made void.
    Clean,
    /// The syncer to say what it uses after a restore, and to stop what is not its own any more.
    Report,
    /// What is on it to go elsewhere.
    Users,
}

impl words::Told for FenceWait {
    fn is_for_a_person(&self) -> bool {
        matches!(self, FenceWait::Person)
    }

    fn is_rest(&self) -> bool {
        matches!(self, FenceWait::NextLook | FenceWait::Fenced)
    }
}

impl fmt::Display for FenceWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenceWait::NextLook | FenceWait::Fenced => "the next look at its lease",
            FenceWait::Person => {
                "a person to see to it that nothing on it can write, and to say so: `bowline place fence TARGET --confirmed`; or `bowline place unfence TARGET`"
            }
            FenceWait::Driver(true) => "its driver to fence it",
            FenceWait::Driver(false) => "its driver to unfence it",
            FenceWait::Clean => "its syncer to stop what was granted before the fence",
            FenceWait::Report => {
                "its syncer to report what it uses, because the hub was restored, and everything of that to be granted or given up: start its syncer, and see `bowline place status`"
            }
            FenceWait::Users => "what is on it to go elsewhere: `bowline place drain TARGET`",
        })
    }
}

impl FenceMemory {
    fn learn(&mut self, reply: FenceReply, now: Millis) -> Result<(), String> {
        match reply {
            FenceReply::Pulse(version, said, restore) => {
                let pulse = said.map_err(|why| format!("could not see how the lease stands: {why}"))?;
                self.look = Some(Look { at: now, version, pulse, restore });
            }
            FenceReply::Driven(fences, epoch, said) => {
                let what = if fences { "fence" } else { "unfence" };
                let in_force = said.map_err(|why| format!("the driver could not {what} it: {why}"))?;
                (self.driver, self.driven) = (Some((fences, epoch, in_force)), now);
            }
        }
        Ok(())
    }
}

impl<N: Names> Fences<N> {
    /// A controller with this rhythm.
    pub fn new(rhythm: Rhythm) -> Fences<N> {
        Fences { rhythm, names: PhantomData }
    }

    fn case<'a>(&'a self, s: &'a FenceSnapshot<N>, now: Moment) -> Option<Case<'a, N>> {
        Some(Case { s, target: s.target.as_ref()?, rhythm: &self.rhythm, now })
    }
}

impl<N: Names> Controller for Fences<N> {
    type Key = N::Target;
    type Object = Object<N>;
    type Snapshot = FenceSnapshot<N>;
    type Step = FenceStep;
    type Wait = FenceWait;
    type Call = FenceCall<N>;
    type Reply = FenceReply;
    type Memory = FenceMemory;

    fn kinds(&self) -> &[Kind] {
        &[Kind::Placement, Kind::Volume, Kind::Target]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Target> {
        match object {
            Object::Target(target) => vec![target.name.clone()],
            object => object.grant().into_iter().flat_map(|(_, grant)| concerned(grant)).cloned().collect(),
        }
    }

    fn names(&self, _: &Object<N>) -> Vec<IdOf<N>> {
        Vec::new()
    }

    fn snapshot(&self, name: &N::Target, objects: &[&Object<N>], memory: &FenceMemory) -> FenceSnapshot<N> {
        let target = objects.iter().find_map(|object| match object {
            Object::Target(target) if target.name == *name => Some(target.clone()),
            _ => None,
        });
        let is_its = |object: &&Object<N>| {
            object.grant().is_some_and(|(_, grant)| concerned(grant).any(|target| target == name))
        };
        FenceSnapshot { target, is_used: objects.iter().any(is_its), memory: *memory }
    }

    fn decide(&self, snapshot: &FenceSnapshot<N>, now: Moment) -> Decision<FenceStep, FenceWait> {
        self.case(snapshot, now).map_or(Decision::Converged, |case| case.decide())
    }

    fn effect(
        &self,
        snapshot: &FenceSnapshot<N>,
        step: &FenceStep,
        now: Moment,
    ) -> Effect<Object<N>, FenceCall<N>> {
        let Some(case) = self.case(snapshot, now) else {
            unreachable!("a step is about a target that is there")
        };
        case.effect(*step)
    }

    fn report(
        &self,
        snapshot: &FenceSnapshot<N>,
        standing: Standing<'_, FenceWait>,
        _now: Moment,
    ) -> Option<Write<Object<N>>> {
        let before = snapshot.target.as_ref()?;
        let (mood, words) = mood(standing, || decide::well(before));
        let told =
            Told { phase: Phase::Granted, mood, words: short::<N>(&words), observed: before.generation };
        if before.told.as_ref() == Some(&told) || before.deleting && !before.held {
            return None;
        }
        let after = Target { told: Some(told), ..before.clone() };
        Some(Write::Status { before: Object::Target(before.clone()), after: Object::Target(after) })
    }

    fn learn(
        &self,
        memory: &mut FenceMemory,
        _step: &FenceStep,
        reply: FenceReply,
        now: Moment,
    ) -> Result<(), String> {
        memory.learn(reply, now.clock)
    }
}

/// Who has something of a grant, or may have.
fn concerned<N: Names>(grant: &Grant<N>) -> impl Iterator<Item = &N::Target> {
    let awaits = grant.recovering.iter().flat_map(|recovery| &recovery.awaits);
    grant.users.keys().chain(awaits)
}
