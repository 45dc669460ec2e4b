//! What a syncer has read of the hub.

use std::collections::BTreeMap;

use bowline_control::Version;
use bowline_placements::syncer::View;
use bowline_placements::{
    Epoch, Fence, FenceState, Grant, Object, Placement, Recovery, Target, TargetReport, TargetWish, Use,
    UseState, Volume, Wish,
};

use super::names::{self, RESTORE, VOLUMES, target_slot};
use crate::harness::Objects;
use crate::tiny::{Tiny, Words};
use crate::upgrades::bits::{Pack, Unpack};

/// What tells what a syncer has read from what is in a cluster.
const SEEN: u8 = 2;

/// What a syncer has read of the hub, as far as it concerns its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// In which tenure; 0 if it has read nothing since it began anew.
    pub(crate) tenure: u8,
    pub(crate) parts: [Option<Share>; 1 + VOLUMES as usize],
    pub(crate) fence: (FenceState, Epoch),
    pub(crate) restore: bool,
    /// That is noted in the cluster, and never changes here.
    pub(crate) enforces: bool,
}

/// What it has read of one thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    pub(crate) epoch: Epoch,
    pub(crate) mine: Option<Use>,
    pub(crate) recovering: bool,
    pub(crate) described: bool,
    pub(crate) destroyed: bool,
}

impl Share {
    fn new(grant: &Grant<Tiny>, me: u8) -> Share {
        let mine = grant.users.get(&me).copied();
        let recovering = grant.recovering.is_some();
        Share { epoch: grant.epoch, mine, recovering, described: false, destroyed: false }
    }

    /// Without what the syncer itself has said: that it knows.
    fn said(self) -> Share {
        Share { mine: self.mine.map(|mine| Use { said: None, ..mine }), ..self }
    }

    fn of(bits: &mut Unpack) -> Option<Share> {
        let (is_there, epoch, recovering) = (bits.flag(), Epoch(bits.get(4).into()), bits.flag());
        let (state, mine, fence) = (bits.get(2), bits.get(4), bits.get(3));
        let mine = (state > 0).then(|| Use {
            epoch: Epoch(mine.into()),
            fence: Epoch(fence.into()),
            state: UseState::ALL[usize::from(state) - 1],
            said: None,
        });
        let (described, destroyed) = (bits.flag(), bits.flag());
        is_there.then_some(Share { epoch, mine, recovering, described, destroyed })
    }

    fn put(share: Option<Share>, bits: &mut Pack) {
        let mine = share.and_then(|share| share.mine);
        bits.put(1, share.is_some());
        bits.put(4, share.map_or(0, |share| share.epoch.0));
        bits.put(1, share.is_some_and(|share| share.recovering));
        bits.put(2, mine.map_or(0, |mine| mine.state as u8 + 1));
        bits.put(4, mine.map_or(0, |mine| mine.epoch.0));
        bits.put(3, mine.map_or(0, |mine| mine.fence.0));
        bits.put(1, share.is_some_and(|share| share.described));
        bits.put(1, share.is_some_and(|share| share.destroyed));
    }

    fn grant(&self, me: u8) -> Grant<Tiny> {
        let users = self.mine.iter().map(|mine| (me, *mine)).collect();
        let recovery = || Recovery { restore: RESTORE, awaits: Default::default() };
        Grant { epoch: self.epoch, users, recovering: self.recovering.then(recovery), restore: 0 }
    }
}

impl Seen {
    /// Nothing: who has read nothing reads first.
    pub(crate) fn nothing(enforces: bool) -> Seen {
        let parts = [None; 1 + VOLUMES as usize];
        Seen { tenure: 0, parts, fence: (FenceState::Open, Epoch(0)), restore: false, enforces }
    }

    /// What is there to be read.
    pub(crate) fn now(objects: &Objects, me: u8, tenure: u8) -> Seen {
        let Some(target) = objects[usize::from(target_slot(me))] else {
            unreachable!("nobody deletes targets")
        };
        let target = names::target_of(me, target);
        let part = |slot: usize| match names::object(slot as u8, objects[slot]?) {
            Object::Placement(placement) => Some(Share::new(&placement.grant, me)),
            Object::Volume(volume) => Some(Share {
                described: volume.described.is_some(),
                destroyed: volume.destroyed,
                ..Share::new(&volume.grant, me)
            }),
            _ => None,
        };
        Seen {
            tenure,
            parts: std::array::from_fn(part),
            fence: (target.fence.state, target.fence.epoch),
            restore: target.restore > 0,
            enforces: target.wish.enforces,
        }
    }

    pub(crate) fn of(bits: u64, enforces: bool) -> Seen {
        let mut bits = Unpack::of(bits.into());
        assert_eq!(bits.get(2), SEEN, "it is what a syncer has read");
        let tenure = bits.get(3);
        let fence = (FenceState::ALL[usize::from(bits.get(2))], Epoch(bits.get(3).into()));
        let restore = bits.flag();
        Seen { tenure, parts: std::array::from_fn(|_| Share::of(&mut bits)), fence, restore, enforces }
    }

    pub(crate) fn bits(&self) -> u64 {
        let mut bits = Pack::default();
        bits.put(2, SEEN);
        bits.put(3, self.tenure);
        bits.put(2, self.fence.0 as u8);
        bits.put(3, self.fence.1.0);
        bits.put(1, self.restore);
        self.parts.iter().for_each(|share| Share::put(*share, &mut bits));
        bits.bits() as u64
    }

    /// Whether it has read all that can be read now of a place.
    pub(crate) fn is_current(&self, now: &Seen, slot: u8) -> bool {
        match self.parts.get(usize::from(slot)) {
            Some(part) => part.map(Share::said) == now.parts[usize::from(slot)].map(Share::said),
            None => self.fence == now.fence && self.restore == now.restore,
        }
    }

    /// With what the syncer itself has said, which it knows.
    pub(crate) fn with_words(mut self, now: &Seen) -> Seen {
        for slot in 0..self.parts.len() {
            if self.is_current(now, slot as u8) {
                self.parts[slot] = now.parts[slot];
            }
        }
        self
    }

    pub(super) fn view(&self, me: u8, report: Option<TargetReport<Tiny>>) -> View<Tiny> {
        let placement = self.parts[0].map(|share| placement(share.grant(me)));
        let volumes = (1..).zip(&self.parts[1..]).filter_map(|(name, share)| Some((name, (*share)?)));
        let volumes: BTreeMap<_, _> =
            volumes.map(|(name, share)| (name, volume(name, &share, share.grant(me)))).collect();
        View {
            tenure: self.tenure.into(),
            target: Target {
                name: me,
                uid: 1,
                version: Version(0),
                generation: 0,
                deleting: false,
                held: true,
                wish: TargetWish { enforces: self.enforces, ..TargetWish::default() },
                fence: Fence { state: self.fence.0, epoch: self.fence.1, ..Fence::default() },
                lapsed: None,
                restore: self.restore.into(),
                report,
                told: None,
            },
            placements: placement.into_iter().map(|placement| (0, placement)).collect(),
            volumes,
        }
    }
}

pub(super) fn placement(grant: Grant<Tiny>) -> Placement<Tiny> {
    Placement {
        name: 0,
        uid: 1,
        version: Version(0),
        generation: 1,
        deleting: false,
        held: true,
        doomed: false,
        wish: Wish::default(),
        desired: None,
        grant,
        told: None,
    }
}

fn volume(name: u8, share: &Share, grant: Grant<Tiny>) -> Volume<Tiny> {
    Volume {
        described: share.described.then_some(Words),
        destroyed: share.destroyed,
        ..blank_volume(name, grant)
    }
}

pub(super) fn blank_volume(name: u8, grant: Grant<Tiny>) -> Volume<Tiny> {
    Volume {
        name,
        namespace: 0,
        uid: 1,
        version: Version(0),
        deleting: false,
        held: true,
        shared: false,
        abandoned: false,
        only: None,
        described: None,
        unknown: false,
        destroyed: false,
        grant,
    }
}
