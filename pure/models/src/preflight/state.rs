//! A group under way: what is recorded of it, and its nodes.

use bowline_upgrades::{Condition, Desired, Epoch, Report, Status};

use super::few::Few;

/// A state of the exploration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The one truth about the group.
    pub(super) status: Status<Few>,
    /// The nodes, by the numbers of their members.
    pub(super) places: Vec<Place>,
    /// How many crashes can still happen.
    pub(super) crashes: u8,
    /// How often a person can still change their mind.
    pub(super) rollbacks: u8,
    /// The new version never works.
    pub(super) sick: bool,
    /// The upgrade has begun.
    pub(super) begun: bool,
    /// What serves was changed to a version without a quorum, because nobody of the other one worked.
    pub(super) forced: bool,
    /// What the hub does next. It follows from everything else, and is kept because all ask for it.
    pub(super) stands: Stands,
}

/// What the hub does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Stands {
    /// It takes a step.
    Acts,
    /// It takes one when some time has passed.
    Waits,
    /// Nothing, until something happens or a person says so.
    Rests,
}

/// A node, and what the hub knows of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    pub(super) link: Link,
    pub(super) life: Life,
    /// The version that runs, or died.
    pub(super) runs: Option<u16>,
    /// It has finished what it had begun.
    pub(super) drained: bool,
    /// Its agent knows what is desired of it.
    pub(super) noticed: bool,
    /// It crashed, or did not work in the beginning.
    pub(super) struck: bool,
    pub(super) desired: Desired<Few>,
    pub(super) report: Option<Report<Few>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Link {
    Up,
    /// The node is down, and its lease is good.
    Down,
    /// And its lease has lapsed.
    Gone,
}

/// How the software of a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Life {
    Absent,
    New,
    Good,
    Bad,
    Failed,
}

impl Life {
    /// What an agent's words come to.
    pub(super) fn of(condition: Condition) -> Life {
        match condition {
            Condition::Stopped | Condition::Stopping => Life::Absent,
            Condition::Starting => Life::New,
            Condition::Running | Condition::Draining | Condition::Drained => Life::Good,
            Condition::Unhealthy => Life::Bad,
            Condition::Restarting | Condition::Failed => Life::Failed,
        }
    }
}

impl Place {
    pub(super) fn is_up(&self) -> bool {
        self.link == Link::Up
    }

    pub(super) fn is_alive(&self) -> bool {
        self.is_up() && matches!(self.life, Life::New | Life::Good | Life::Bad)
    }

    /// Whether it does its work, in whatever version.
    pub(super) fn works(&self) -> bool {
        self.is_up() && self.life == Life::Good && !self.drained
    }

    /// Whether something about it goes on by itself.
    pub(super) fn is_busy(&self) -> bool {
        match self.link {
            Link::Up => !self.noticed || self.life == Life::New,
            Link::Down => true,
            Link::Gone => false,
        }
    }

    /// What its software acts for.
    pub(super) fn acts(&self) -> &[(u16, Epoch)] {
        let report = self.report.as_ref().filter(|_| self.is_alive());
        report.map_or(&[], |report| &report.devices)
    }

    /// Whether the hub takes it for one that works, at a version.
    pub(super) fn seems_to_work(&self, version: u16) -> bool {
        let runs =
            |report: &Report<Few>| report.condition == Condition::Running && report.version == Some(version);
        self.link != Link::Gone && self.report.as_ref().is_some_and(runs)
    }
}

impl State {
    /// Whether nothing goes on by itself.
    pub(super) fn is_at_rest(&self) -> bool {
        self.stands == Stands::Rests && self.is_quiet()
    }

    /// Whether no node is about to do anything by itself.
    pub(super) fn is_quiet(&self) -> bool {
        !self.places.iter().any(Place::is_busy)
    }

    pub(super) fn place(&self, number: u16) -> &Place {
        &self.places[usize::from(number)]
    }
}
