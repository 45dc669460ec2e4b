//! What is to be done about a group. All policy is here.
//!
//! First what has happened is recorded ([`facts`]), then members are told what follows from what is recorded, and devices
//! are handed over ([`masters`]); then comes what a person commands, the member in hand, and what follows by itself
//! ([`course`]). What can be done to an upgrade, and when, is in [`moves`], for commands and for automatic mode alike.
//!
//! What somebody has let go of is given away, and its new master told, before anybody else is told to let go. Else a device would
//! have no master for as long as it takes to tell everybody, when the whole group is handed over.

mod course;
mod facts;
mod health;
mod masters;
mod moves;
mod step;

use bowline_control::{Decision, Millis, Moment};

pub use self::step::{Refusal, Step, Wait};
use crate::Rhythm;
use crate::snapshot::Snapshot;
use crate::state::{Command, Group, Names, Phase, Status, Verb};

pub(crate) type What<N> = Decision<Step<N>, Wait<N>>;

/// A group that is there, and what it is judged by.
pub(crate) struct Case<'a, N: Names> {
    pub(crate) s: &'a Snapshot<N>,
    pub(crate) group: &'a Group<N>,
    pub(crate) rhythm: &'a Rhythm,
    pub(crate) now: Moment,
}

impl<N: Names> Case<'_, N> {
    pub(crate) fn decide(&self) -> What<N> {
        if self.group.deleting {
            return self.end();
        }
        // First of all: members are told to stop when their group is deleted.
        if !self.group.held {
            return Decision::Do(Step::Hold);
        }
        let Some(look) = &self.s.memory.look else { return Decision::Do(Step::Look) };
        let next = look.at.plus(self.rhythm.pulse);
        let what = match self.steps() {
            Ok(step) => return Decision::Do(step),
            Err(what) => what,
        };
        if self.now.clock >= next || self.must_look_again() {
            return Decision::Do(Step::Look);
        }
        let until = self.due(&what).map_or(next, |due| due.min(next));
        Decision::Wait { what, until: Some(until) }
    }

    /// The one thing that is to be done, or what is waited for.
    pub(crate) fn steps(&self) -> Result<Step<N>, Wait<N>> {
        let found = self.facts().or_else(|| self.handing()).or_else(|| self.leaving());
        if let Some(step) = found {
            return Ok(step);
        }
        if self.group.status.serving.is_none() {
            return Err(Wait::Spec);
        }
        if let Some(command) = self.pending() {
            return Ok(match self.commanded(command) {
                Ok((step, _)) => step,
                Err(_) => Step::Refuse,
            });
        }
        self.course()
    }

    /// The command that was not answered yet.
    pub(crate) fn pending(&self) -> Option<&Command<N>> {
        let command = self.group.wish.command.as_ref()?;
        let answered = self.group.status.answered.as_ref();
        answered.is_none_or(|answered| answered.ticket != command.ticket).then_some(command)
    }

    /// How a command is done, and what follows; or why it is not.
    pub(crate) fn commanded(&self, command: &Command<N>) -> Result<(Step<N>, Status<N>), Refusal<N>> {
        let member = || command.member.as_ref().ok_or(Refusal::NoMember);
        Ok(match command.verb {
            Verb::Initialize => {
                self.may_initialize()?;
                if let Some(refusal) = self.cluster_is_busy() {
                    return Err(refusal);
                }
                match self.initialize() {
                    Ok(after) => (Step::Initialize, after),
                    Err(_) => (Step::Enter, self.group.status.clone()),
                }
            }
            Verb::Node => (Step::Take(member()?.clone()), self.take(member()?)?),
            Verb::Run => (Step::Run, self.run()?),
            Verb::Commit => (Step::Commit, self.commit()?),
            Verb::Rollback => (Step::Rollback, self.rollback()?),
            Verb::Reset => (Step::Reset, self.reset()?),
            Verb::Forward => (Step::Forward, self.forward()?),
            Verb::Forget => (Step::Forget(member()?.clone()), self.forget(member()?)?),
        })
    }

    /// Whether somebody else is on the cluster, or it is not there.
    pub(crate) fn cluster_is_busy(&self) -> Option<Refusal<N>> {
        self.group.wish.cluster.as_ref()?;
        let Some(cluster) = self.s.cluster.as_ref().filter(|cluster| !cluster.deleting) else {
            return Some(Refusal::NoCluster);
        };
        if cluster.upgrade.as_ref().is_some_and(|(group, _)| *group != self.group.name) {
            return Some(Refusal::OtherGroup);
        }
        cluster.updates.then_some(Refusal::Updates)
    }

    /// Whether the cluster is not ours for the next attempt.
    pub(crate) fn cluster_is_taken(&self) -> Option<Refusal<N>> {
        self.group.wish.cluster.as_ref()?;
        let next = (self.group.name.clone(), self.next_attempt());
        let is_ours = self.s.cluster.as_ref().is_some_and(|cluster| cluster.upgrade.as_ref() == Some(&next));
        if is_ours { None } else { Some(self.cluster_is_busy().unwrap_or(Refusal::Updates)) }
    }

    pub(crate) fn next_attempt(&self) -> u64 {
        self.group.status.attempt.saturating_add(1)
    }

    /// The cluster is left when the upgrade is over. An attempt that was entered for and did not begin is given up before that: a
    /// request to leave may arrive late, and must not find an upgrade that has begun after all.
    fn leaving(&self) -> Option<Step<N>> {
        let attempt = self.on_the_cluster().filter(|_| self.group.status.phase == Phase::Inactive)?;
        if attempt != self.next_attempt() {
            return Some(Step::Leave);
        }
        (!self.wants_to_begin()).then_some(Step::GiveUp)
    }

    /// The attempt in which the group is on its cluster, if it is.
    fn on_the_cluster(&self) -> Option<u64> {
        let (group, attempt) = self.s.cluster.as_ref()?.upgrade.as_ref()?;
        (*group == self.group.name).then_some(*attempt)
    }

    /// Whether an upgrade is about to begin.
    fn wants_to_begin(&self) -> bool {
        let commanded = self.pending().is_some_and(|command| command.verb == Verb::Initialize);
        (commanded || self.wanted().is_ok_and(|wanted| wanted)) && self.may_initialize().is_ok()
    }

    /// When something is to be done that nobody else brings about.
    fn due(&self, wait: &Wait<N>) -> Option<Millis> {
        let Group { wish, status, .. } = self.group;
        let time = match wait {
            Wait::Soak => wish.soak?,
            _ if wish.automatic && status.phase != Phase::Inactive => wish.deadline?,
            _ => return None,
        };
        // What is over has been acted on, if it could be.
        let left = Some(self.left(status.since, time)).filter(|left| left.0 > 0)?;
        Some(self.now.clock.plus(left))
    }

    /// How much of a time is left that began then, by the clock on the wall. That may have been put back: nobody waits
    /// longer than the whole.
    pub(crate) fn left(&self, since: Millis, time: Millis) -> Millis {
        since.plus(time).since(self.now.wall).min(time)
    }

    /// The group goes: its members are told to stop, and let go when they have.
    fn end(&self) -> What<N> {
        if !self.group.held {
            return Decision::Converged;
        }
        let Some(look) = &self.s.memory.look else { return Decision::Do(Step::Look) };
        if let Some(step) = self.telling(|_, _| true).or_else(|| self.dismissal()) {
            return Decision::Do(step);
        }
        match self.s.members.values().find(|member| member.held) {
            // Nobody else may change the cluster before everybody has stopped.
            None if self.on_the_cluster().is_some() => Decision::Do(Step::Leave),
            None => Decision::Do(Step::LetGo),
            Some(_) if self.now.clock >= look.at.plus(self.rhythm.pulse) || self.must_look_again() => {
                Decision::Do(Step::Look)
            }
            Some(member) => Decision::Wait {
                what: Wait::Stops(member.name.clone()),
                until: Some(look.at.plus(self.rhythm.pulse)),
            },
        }
    }
}
