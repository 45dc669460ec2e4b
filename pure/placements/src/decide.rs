//! What is to be done about a placement. All policy is here.
//!
//! First comes what a restore has left open ([`recovery`]), then what has happened is recorded: what was given up, and what a
//! fence has made void ([`facts`]). Then the namespace goes where it is to be ([`course`], [`choice`]); or, if it is deleted,
//! its data with it ([`end`]).

mod choice;
mod course;
mod end;
mod facts;
mod recovery;
mod step;

use bowline_control::{Decision, Millis, Moment};

pub use self::step::{Refusal, Step, Wait};
use crate::Rhythm;
use crate::snapshot::Snapshot;
use crate::state::{Names, Placement};

/// How long it is waited for a window until the clock on the wall is looked at again, which may jump.
const LOOK: Millis = Millis(60_000);

pub(crate) type What<N> = Decision<Step<N>, Wait<N>>;

/// A step; or what is waited for; or nothing.
pub(crate) type Next<N> = Result<Step<N>, Option<Wait<N>>>;

/// A placement that is there, and what it is judged by.
pub(crate) struct Case<'a, N: Names> {
    pub(crate) s: &'a Snapshot<N>,
    pub(crate) placement: &'a Placement<N>,
    pub(crate) rhythm: &'a Rhythm,
    pub(crate) now: Moment,
}

impl<N: Names> Case<'_, N> {
    pub(crate) fn decide(&self) -> What<N> {
        // First of all: volumes are given up, and deleted, before their namespace goes.
        if !self.placement.held {
            let goes = self.placement.deleting;
            return if goes { Decision::Converged } else { Decision::Do(Step::Hold) };
        }
        match self.steps() {
            Ok(step) => Decision::Do(step),
            Err(None) => Decision::Converged,
            Err(Some(what)) => {
                let until = match &what {
                    Wait::Window(_, opening) => Some(self.now.clock.plus(opening.after.min(LOOK))),
                    what => what.is_for_a_target().then(|| self.next_survey()),
                };
                Decision::Wait { what, until }
            }
        }
    }

    fn steps(&self) -> Next<N> {
        if let Some(step) = self.registration() {
            return Ok(step);
        }
        if let Some(open) = self.recovery() {
            return open.map_err(Some);
        }
        if let Some(step) = self.facts() {
            return Ok(step);
        }
        if self.placement.deleting { self.end() } else { self.course() }
    }

    /// A volume that is asked for, and has no grant yet.
    fn registration(&self) -> Option<Step<N>> {
        let is_new = |volume: &&N::Volume| !self.s.volumes.contains_key(*volume);
        let mut asked = self.s.claims.values().filter(|claim| !claim.deleting).map(|claim| &claim.volume);
        if self.placement.deleting { None } else { asked.find(is_new).cloned().map(Step::Register) }
    }

    /// When it is asked again which targets there are.
    fn next_survey(&self) -> Millis {
        let at = self.s.memory.survey.as_ref().map_or(self.now.clock, |survey| survey.at);
        at.plus(self.rhythm.survey)
    }
}
