//! What is to be done about a target's fence. All policy is here.

use bowline_control::{Decision, Millis, Moment};

use super::{FenceSnapshot, FenceStep, FenceWait, Pulse};
use crate::Rhythm;
use crate::state::Names;
use crate::target::{By, FenceState, FenceWish, Target};

/// A target that is there, and what it is judged by.
pub(super) struct Case<'a, N: Names> {
    pub(super) s: &'a FenceSnapshot<N>,
    pub(super) target: &'a Target<N>,
    pub(super) rhythm: &'a Rhythm,
    pub(super) now: Moment,
}

impl<N: Names> Case<'_, N> {
    pub(super) fn decide(&self) -> Decision<FenceStep, FenceWait> {
        if !self.target.held {
            let goes = self.target.deleting;
            return if goes { Decision::Converged } else { Decision::Do(FenceStep::Hold) };
        }
        let Some(look) = self.s.memory.look else { return Decision::Do(FenceStep::Look) };
        let next = look.at.plus(self.rhythm.pulse);
        match self.recovery().or_else(|| self.lease()).map_or_else(|| self.fence(), Ok) {
            Ok(step) => Decision::Do(step),
            Err(_) if self.now.clock >= next || self.must_look_again() => Decision::Do(FenceStep::Look),
            Err(what) => {
                let until = self.due().map_or(next, |due| due.min(next));
                Decision::Wait { what, until: Some(until) }
            }
        }
    }

    /// That the hub was restored, as another target has made known; or this one does, because it knows more than the hub.
    fn recovery(&self) -> Option<FenceStep> {
        let Target { restore, report, .. } = self.target;
        let known = self.s.memory.look.map_or(0, |look| look.restore);
        let is_ahead = report.as_ref().is_some_and(|report| report.ahead && report.restore == *restore);
        match known > *restore {
            true => Some(FenceStep::Recover(known)),
            false => is_ahead.then_some(FenceStep::Recover(restore + 1)),
        }
    }

    /// What is not recorded yet of how the lease stands.
    fn lease(&self) -> Option<FenceStep> {
        match (self.pulse(), self.target.lapsed) {
            (Pulse::Lapsed, None) => Some(FenceStep::Lose),
            (Pulse::Live, Some(_)) => Some(FenceStep::Return),
            _ => None,
        }
    }

    /// How the lease stands. That it has lapsed is believed of the target as it is now, and of no earlier one.
    fn pulse(&self) -> Pulse {
        match self.s.memory.look {
            Some(look) if look.pulse == Pulse::Lapsed && look.version != self.target.version => Pulse::Silent,
            Some(look) => look.pulse,
            None => Pulse::Silent,
        }
    }

    /// Whether something was learned that is not to be believed, because the target has changed since.
    fn must_look_again(&self) -> bool {
        let look = self.s.memory.look;
        look.is_some_and(|look| look.pulse == Pulse::Lapsed && look.version != self.target.version)
    }

    fn fence(&self) -> Result<FenceStep, FenceWait> {
        match self.target.fence.state {
            FenceState::Open if self.is_wanted() => Ok(FenceStep::Request),
            FenceState::Open if self.target.deleting && self.s.is_used => Err(FenceWait::Users),
            FenceState::Open if self.target.deleting => Ok(FenceStep::LetGo),
            FenceState::Open => Err(FenceWait::NextLook),
            FenceState::Requested if !self.is_wanted() && self.is_accounted_for() => Ok(FenceStep::Unfence),
            FenceState::Requested if !self.is_wanted() => Err(FenceWait::Report),
            FenceState::Requested => self.requested(),
            FenceState::Fenced if self.target.deleting && !self.s.is_used => Ok(FenceStep::LetGo),
            FenceState::Fenced if self.is_wanted() => Err(FenceWait::Fenced),
            FenceState::Fenced if self.is_clean() => Ok(FenceStep::Unfence),
            FenceState::Fenced => Err(FenceWait::Clean),
            FenceState::Unfencing => self.unfencing(),
        }
    }

    /// Whether the target is to be fenced: by a person, or because it is not heard of for too long.
    fn is_wanted(&self) -> bool {
        let wish = &self.target.wish;
        let lapsed_for = |since: Millis| self.now.wall.since(since);
        let is_due =
            self.target.lapsed.zip(wish.evicts).is_some_and(|(since, most)| lapsed_for(since) >= most);
        wish.fence != FenceWish::Open || is_due && (wish.driver || wish.enforces)
    }

    /// When the target is to be fenced by itself.
    fn due(&self) -> Option<Millis> {
        let (since, most) = self.target.lapsed.zip(self.target.wish.evicts)?;
        let left = since.plus(most).since(self.now.wall);
        (left.0 > 0 && self.target.fence.state == FenceState::Open)
            .then(|| self.now.clock.plus(left.min(most)))
    }

    fn requested(&self) -> Result<FenceStep, FenceWait> {
        let wish = &self.target.wish;
        if wish.fence == FenceWish::Confirmed {
            return Ok(FenceStep::Fence(By::Person));
        }
        if wish.driver {
            let asked = (true, self.target.fence.epoch.next());
            return self.driven(asked).map(|step| step.unwrap_or(FenceStep::Fence(By::Driver)));
        }
        if wish.enforces && self.pulse() == Pulse::Lapsed {
            return Ok(FenceStep::Fence(By::Epochs));
        }
        Err(FenceWait::Person)
    }

    fn unfencing(&self) -> Result<FenceStep, FenceWait> {
        if !self.target.wish.driver {
            return Ok(FenceStep::Open);
        }
        let asked = (false, self.target.fence.epoch);
        self.driven(asked).map(|step| step.unwrap_or(FenceStep::Open))
    }

    /// Whether the driver has done what it was asked for; else it is asked, again and again.
    fn driven(&self, (fences, epoch): (bool, crate::Epoch)) -> Result<Option<FenceStep>, FenceWait> {
        match self.s.memory.driver {
            Some((asked, of, in_force)) if (asked, of) == (fences, epoch) => {
                let is_old = self.now.clock >= self.s.memory.driven.plus(self.rhythm.pulse);
                match in_force == fences {
                    true => Ok(None),
                    false if is_old => Ok(Some(FenceStep::Drive(fences))),
                    false => Err(FenceWait::Driver(fences)),
                }
            }
            _ => Ok(Some(FenceStep::Drive(fences))),
        }
    }

    /// Whether it is known what a fence that may be in force keeps out.
    fn is_accounted_for(&self) -> bool {
        self.target.restore == 0 || self.is_clean()
    }

    /// Whether the syncer knows of the fence, and nothing is in use that it has made void.
    fn is_clean(&self) -> bool {
        let Target { fence, restore, report, .. } = self.target;
        report.as_ref().is_some_and(|report| {
            report.fence >= fence.epoch && report.restore >= *restore && report.uses.is_empty()
        })
    }
}

/// All is well.
pub(super) fn well<N: Names>(target: &Target<N>) -> String {
    let lapsed = if target.lapsed.is_some() { ", and not heard of" } else { "" };
    match target.fence.state {
        FenceState::Open if target.wish.drains => format!("drained, or about to be{lapsed}"),
        FenceState::Open if target.wish.cordoned => format!("cordoned{lapsed}"),
        FenceState::Open if target.lapsed.is_some() => "not heard of".to_owned(),
        FenceState::Open => "in service".to_owned(),
        _ => format!("fenced, in epoch {}{lapsed}: `bowline place unfence TARGET`", target.fence.epoch),
    }
}
