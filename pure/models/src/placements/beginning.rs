//! What everything begins with: a namespace that is on the first target, or one that is nowhere yet.

use bowline_control::Version;
use bowline_placements::syncer::{Held, Local, Stage};
use bowline_placements::{
    Epoch, Fence, FenceState, Grant, Mood, Phase, Placement, Said, Target, TargetReport, TargetWish, Told,
    Use, UseState, Volume, Wish,
};

use super::Town;
use super::names::{self, PLACEMENT, SHUT, target_slot};
use super::seen::{Seen, blank_volume, placement};
use super::site::Site;
use crate::harness::{NODES, Objects};
use crate::tiny::{Tiny, Words};

/// Who has everything in the beginning.
const FIRST: u8 = 1;

/// A target whose syncer has said that it is there.
pub(super) fn target(name: u8) -> Target<Tiny> {
    Target {
        name,
        uid: 1,
        version: Version(2),
        generation: 0,
        deleting: false,
        held: true,
        wish: TargetWish::default(),
        fence: Fence::default(),
        lapsed: None,
        restore: 0,
        report: Some(TargetReport {
            fence: Epoch(0),
            tenure: 1,
            restore: 0,
            uses: Default::default(),
            ahead: false,
        }),
        told: None,
    }
}

impl Town {
    fn grant(&self) -> Grant<Tiny> {
        if self.new {
            return Grant::default();
        }
        let its = Use { epoch: Epoch(1), fence: Epoch(0), state: UseState::Granted, said: Some(Said::Ready) };
        Grant { epoch: Epoch(1), users: [(FIRST, its)].into(), recovering: None, restore: 0 }
    }

    fn placement(&self) -> Placement<Tiny> {
        let told = Told { phase: Phase::Granted, mood: Mood::Well, words: Words, observed: 1 };
        Placement {
            version: Version(2),
            held: !self.new,
            wish: Wish {
                pinned: (!self.chosen).then_some(FIRST),
                window: self.window.then_some(SHUT),
                ..Wish::default()
            },
            desired: (!self.new).then_some(FIRST),
            told: (!self.new).then_some(told),
            ..placement(self.grant())
        }
    }

    fn volume(&self, name: u8) -> Volume<Tiny> {
        Volume {
            version: Version(2),
            described: (!self.new).then_some(Words),
            ..blank_volume(name, self.grant())
        }
    }

    /// What is there in the beginning, and in every backup.
    pub(super) fn at_first(&self) -> Objects {
        let mut objects = Objects::default();
        objects[usize::from(PLACEMENT)] = Some(names::flat_placement(&self.placement()));
        for name in 1..=self.volumes {
            objects[usize::from(name)] = Some(names::flat_volume(&self.volume(name)));
        }
        for name in 1..=self.targets {
            let mut target = target(name);
            (target.wish.driver, target.wish.enforces) = (self.driver, self.enforces);
            if self.requested && name == FIRST {
                target.fence.state = FenceState::Requested;
            }
            target.wish.evicts = self.enforces.then_some(bowline_control::Millis(1));
            objects[usize::from(target_slot(name))] = Some(names::flat_target(&target));
        }
        objects
    }

    pub(super) fn sites(&self) -> [u64; NODES] {
        let objects = self.at_first();
        let mut nodes = [0; NODES];
        for name in 1..=self.targets {
            let mut site = Site::new();
            if name == FIRST && !self.new {
                let held = Held { epoch: Epoch(1), fence: Epoch(0) };
                site.space = Some((Some(held), true));
                for local in site.volumes.iter_mut().take(self.volumes.into()) {
                    *local = Some(Local { held: Some(held), stage: Stage::Bound, retained: true });
                }
            }
            nodes[usize::from(name) - 1] = site.bits();
            if let Some(place) = self.view_place(name) {
                nodes[place] = Seen::now(&objects, name, site.tenure).bits();
            }
        }
        nodes
    }

    /// Where it stands what a syncer has read; nowhere if it sees everything as it is.
    pub(super) fn view_place(&self, name: u8) -> Option<usize> {
        (!self.fresh).then(|| usize::from(name) + 1)
    }
}
