//! Where a namespace is to be.

use super::{Case, Refusal, Step, Wait};
use crate::effect::Candidate;
use crate::state::{Names, Placement, Volume};
use crate::target::{FenceState, Target};
use crate::window::Opening;

/// Where a namespace is to be.
pub(super) enum Choice<N: Names> {
    /// There; and what a person wants and cannot have.
    At(N::Target, Option<Wait<N>>),
    /// Nowhere, and why.
    Nowhere(Wait<N>),
    /// That is not known before something is done.
    After(Step<N>),
}

impl<N: Names> Case<'_, N> {
    pub(super) fn choice(&self) -> Choice<N> {
        let choice = self.wanted();
        let (Choice::At(target, _), Some(now)) = (&choice, &self.placement.desired) else { return choice };
        match self.window(now, target) {
            Some(opening) => Choice::At(now.clone(), Some(Wait::Window(target.clone(), opening))),
            None => choice,
        }
    }

    /// When it may be taken from where it runs, if not now. What runs nowhere may go anywhere, also because its target is fenced.
    fn window(&self, from: &N::Target, to: &N::Target) -> Option<Opening> {
        let Placement { wish, grant, .. } = self.placement;
        let is_free = from == to || !grant.is_granted_to(from) || wish.now_to.as_ref() == Some(to);
        wish.window.filter(|_| !is_free)?.next(self.now.wall)
    }

    fn wanted(&self) -> Choice<N> {
        let now = self.placement.desired.as_ref();
        if let Some(pinned) = &self.placement.wish.pinned {
            let refusal = if now == Some(pinned) { None } else { self.against_pinned(pinned) };
            let refusal = refusal.map(|refusal| Wait::Unavailable(pinned.clone(), refusal));
            // What cannot be had is no reason to stop what goes on.
            return match (refusal, now) {
                (None, _) => Choice::At(pinned.clone(), None),
                (Some(wait), Some(now)) => Choice::At(now.clone(), Some(wait)),
                (Some(wait), None) => Choice::Nowhere(wait),
            };
        }
        match now {
            Some(now) if self.may_stay(now) => Choice::At(now.clone(), None),
            _ => self.chosen(),
        }
    }

    fn against_pinned(&self, name: &N::Target) -> Option<Refusal<N>> {
        let Some(target) = self.s.targets.get(name) else { return Some(Refusal::Unknown) };
        against(target).or_else(|| self.tied(name))
    }

    /// A volume that cannot go to a target: that is said before anything is stopped.
    fn tied(&self, name: &N::Target) -> Option<Refusal<N>> {
        let stays =
            |volume: &&Volume<N>| !volume.destroyed && volume.only.as_ref().is_some_and(|only| only != name);
        self.s.volumes.values().find(stays).map(|volume| Refusal::Tied(volume.name.clone()))
    }

    /// Whether a namespace stays where it is: it does unless it is told otherwise, or evicted.
    fn may_stay(&self, name: &N::Target) -> bool {
        self.s.targets.get(name).is_some_and(|target| {
            // A fence that is taken down, or was only asked for, is no reason to go.
            let is_fenced = target.fence.state == FenceState::Fenced;
            let is_evicted = target.deleting || target.wish.drains || is_fenced;
            !is_evicted && self.unsuitable(target).is_none()
        })
    }

    /// What a target lacks, or has and should not.
    fn unsuitable(&self, target: &Target<N>) -> Option<Refusal<N>> {
        let wish = &self.placement.wish;
        let lacks = wish.selector.difference(&target.wish.labels).next().cloned().map(Refusal::Lacks);
        lacks.or_else(|| {
            target.wish.taints.difference(&wish.tolerations).next().cloned().map(Refusal::Tainted)
        })
    }

    /// The target with the least on it, of those that it can be on.
    fn chosen(&self) -> Choice<N> {
        let survey = self.s.memory.survey.as_ref();
        let Some(survey) = survey.filter(|survey| self.now.clock < survey.at.plus(self.rhythm.survey)) else {
            return Choice::After(Step::Survey);
        };
        let now = self.placement.desired.as_ref();
        let suits = |candidate: &&Candidate<N>| {
            Some(&candidate.target.name) != now && self.against_candidate(candidate).is_none()
        };
        let best = survey.candidates.iter().filter(suits).min_by_key(|candidate| candidate.load);
        match (best, now) {
            (Some(best), _) => Choice::At(best.target.name.clone(), None),
            (None, Some(now)) => Choice::At(now.clone(), Some(Wait::Target)),
            (None, None) => Choice::Nowhere(Wait::Target),
        }
    }

    fn against_candidate(&self, candidate: &Candidate<N>) -> Option<Refusal<N>> {
        let Candidate { target, load } = candidate;
        let is_full = target.wish.capacity.is_some_and(|most| *load >= most);
        let full = is_full.then_some(Refusal::Full);
        against(target).or_else(|| self.unsuitable(target)).or(full).or_else(|| self.tied(&target.name))
    }
}

/// Why nothing new can be placed on a target.
pub(super) fn against<N: Names>(target: &Target<N>) -> Option<Refusal<N>> {
    let wish = &target.wish;
    if target.deleting {
        Some(Refusal::Goes)
    } else if target.fence.state != FenceState::Open {
        Some(Refusal::Fenced)
    } else if wish.cordoned || wish.drains {
        Some(Refusal::Cordoned)
    } else {
        target.lapsed.map(|_| Refusal::Silent)
    }
}
