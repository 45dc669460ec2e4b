//! A workload cluster: what is in it, what its syncer notes there, and its way to the hub.

use bowline_placements::syncer::{Act, Held, Here, Known, Local, Stage};
use bowline_placements::{Epoch, TargetReport, Thing};

use super::names::{self, Part, VOLUMES};
use super::seen::Seen;
use crate::tiny::Tiny;
use crate::upgrades::bits::{Pack, Unpack};

/// What is in a cluster. All of it outlives its syncer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    pub(crate) link: Link,
    /// Another one each time that the syncer has its lease again.
    pub(crate) tenure: u8,
    /// It came back after its lease had lapsed: whoever looked before believes that it still has.
    pub(crate) was_lapsed: bool,
    /// A driver, or a person, keeps it from its volumes.
    pub(crate) blocked: bool,
    pub(crate) accepted: u8,
    /// By thing: in which epoch it was given up.
    pub(crate) given: [u8; 1 + VOLUMES as usize],
    /// The namespace, if it is there: by which grant, and whether it runs.
    pub(crate) space: Option<(Option<Held>, bool)>,
    pub(crate) volumes: [Option<Local>; VOLUMES as usize],
}

/// The way of a syncer to the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    Up,
    /// It does not reach the hub, and has its lease.
    Cut,
    /// By its own clock its lease is over; the hub does not know that yet. Clocks differ by less than this takes.
    Alone,
    /// And by the hub's.
    Lapsed,
}

const LINKS: [Link; 4] = [Link::Up, Link::Cut, Link::Alone, Link::Lapsed];
const STAGES: [Stage; 4] = [Stage::Idle, Stage::Bound, Stage::Leaving, Stage::Destroyed];

/// What tells what is in a cluster from what its syncer has read.
const SITE: u8 = 1;

fn held_of(bits: &mut Unpack) -> Held {
    Held { epoch: Epoch(bits.get(4).into()), fence: Epoch(bits.get(3).into()) }
}

fn put_held(held: Option<Held>, bits: &mut Pack) {
    bits.put(4, held.map_or(0, |held| held.epoch.0));
    bits.put(3, held.map_or(0, |held| held.fence.0));
}

impl Site {
    pub(crate) fn new() -> Site {
        Site {
            link: Link::Up,
            tenure: 1,
            was_lapsed: false,
            blocked: false,
            accepted: 0,
            given: [0; 1 + VOLUMES as usize],
            space: None,
            volumes: [None; VOLUMES as usize],
        }
    }

    pub(crate) fn of(bits: u64) -> Site {
        let mut bits = Unpack::of(bits.into());
        assert_eq!(bits.get(2), SITE, "it is what is in a cluster");
        let (link, tenure, was_lapsed) = (LINKS[usize::from(bits.get(2))], bits.get(3), bits.flag());
        let (blocked, accepted) = (bits.flag(), bits.get(3));
        let given = std::array::from_fn(|_| bits.get(4));
        let (is_there, is_held, runs, held) = (bits.flag(), bits.flag(), bits.flag(), held_of(&mut bits));
        let volumes = std::array::from_fn(|_| {
            let (is_there, stage, retained) = (bits.flag(), STAGES[usize::from(bits.get(2))], bits.flag());
            let held = held_of(&mut bits);
            is_there.then_some(Local { held: Some(held), stage, retained })
        });
        let space = is_there.then_some((is_held.then_some(held), runs));
        Site { link, tenure, was_lapsed, blocked, accepted, given, space, volumes }
    }

    pub(crate) fn bits(&self) -> u64 {
        let mut bits = Pack::default();
        bits.put(2, SITE);
        bits.put(2, self.link as u8);
        bits.put(3, self.tenure);
        bits.put(1, self.was_lapsed);
        bits.put(1, self.blocked);
        bits.put(3, self.accepted);
        self.given.iter().for_each(|epoch| bits.put(4, *epoch));
        let held = self.space.and_then(|(held, _)| held);
        bits.put(1, self.space.is_some());
        bits.put(1, held.is_some());
        bits.put(1, self.runs());
        put_held(held, &mut bits);
        for local in &self.volumes {
            bits.put(1, local.is_some());
            bits.put(2, local.map_or(0, |local| local.stage as u8));
            bits.put(1, local.is_some_and(|local| local.retained));
            put_held(local.and_then(|local| local.held), &mut bits);
        }
        bits.bits() as u64
    }

    pub(crate) fn runs(&self) -> bool {
        self.space.is_some_and(|(_, runs)| runs)
    }

    pub(crate) fn local(&self, volume: u8) -> Option<Local> {
        self.volumes[usize::from(volume) - 1]
    }

    /// Whether pods can use a volume, or may still.
    pub(crate) fn uses(&self, volume: u8) -> bool {
        self.local(volume).is_some_and(|local| matches!(local.stage, Stage::Bound | Stage::Leaving))
    }

    /// Everything that is here by a grant.
    pub(crate) fn held(&self) -> Vec<(Part, Held)> {
        let space = self.space.and_then(|(held, _)| Some((names::SPACE, held?)));
        let volumes = (1..).zip(self.volumes).filter_map(|(name, local)| Some((name, local?.held?)));
        space.into_iter().chain(volumes.map(|(name, held)| (Thing::Volume(name), held))).collect()
    }

    /// The greatest epoch of a thing that is known here.
    pub(crate) fn knows(&self, thing: &Part) -> Epoch {
        let given = self.given[usize::from(names::thing_slot(thing))];
        let held = self.held().into_iter().filter(|(held, _)| held == thing).map(|(_, held)| held.epoch);
        held.max().unwrap_or_default().max(Epoch(given.into()))
    }

    /// Visits every epoch of a grant, and every fence epoch.
    pub(crate) fn each_held(&mut self, mut visit: impl FnMut(u8, &mut Held)) {
        if let Some((Some(held), _)) = &mut self.space {
            visit(names::PLACEMENT, held);
        }
        for (slot, local) in (1..).zip(&mut self.volumes) {
            if let Some(held) = local.as_mut().and_then(|local| local.held.as_mut()) {
                visit(slot, held);
            }
        }
    }

    pub(crate) fn has_lease(&self) -> bool {
        matches!(self.link, Link::Up | Link::Cut)
    }

    /// What the syncer knows, by what it has read.
    pub(crate) fn known(&self, me: u8, seen: &Seen, report: Option<TargetReport<Tiny>>) -> Known<Tiny> {
        let here = self.space.map(|(held, runs)| Here {
            ours: true,
            held,
            runs,
            volumes: (1..).zip(self.volumes).filter_map(|(name, local)| Some((name, local?))).collect(),
        });
        let given = names::things().zip(self.given).filter(|(_, epoch)| *epoch > 0);
        Known {
            tenure: self.has_lease().then_some(self.tenure.into()),
            view: Some(seen.view(me, report)),
            accepted: Epoch(self.accepted.into()),
            enforces: seen.enforces,
            given: given.map(|(thing, epoch)| (thing, Epoch(epoch.into()))).collect(),
            here: here.into_iter().map(|here| (0, here)).collect(),
        }
    }

    /// What the syncer does here becomes of it; `None` if that is done at the hub, and not here.
    pub(crate) fn after(&self, act: &Act<Tiny>) -> Option<Site> {
        let mut after = self.clone();
        let at = |volume: &u8| usize::from(*volume) - 1;
        let made = |held, stage, retained| Some(Local { held: Some(held), stage, retained });
        match act {
            Act::Read | Act::Report(_) | Act::Describe(_) | Act::Say(..) | Act::Adopt(..) => return None,
            Act::Accept(epoch) => after.accepted = epoch.0 as u8,
            Act::Confirm(Thing::Namespace(_), held) => after.space = Some((Some(*held), self.runs())),
            Act::Confirm(Thing::Volume(volume), held) => {
                let local = &mut after.volumes[at(volume)];
                *local = local.map(|local| Local { held: Some(*held), ..local });
            }
            Act::Stop(_) => after.space = self.space.map(|(held, _)| (held, false)),
            Act::Retain(volume) => {
                let local = &mut after.volumes[at(volume)];
                *local = local.map(|local| Local { retained: true, ..local });
            }
            Act::Unclaim(volume) => after.stands(*volume, Stage::Leaving),
            Act::Remove(volume) => after.volumes[at(volume)] = None,
            Act::Destroy(volume) => after.stands(*volume, Stage::Destroyed),
            Act::Clear(_) => after.space = None,
            Act::GiveUp(thing, epoch) => {
                after.given[usize::from(names::thing_slot(thing))] = epoch.0 as u8;
            }
            Act::Make(volume, held) => after.volumes[at(volume)] = made(*held, Stage::Idle, true),
            Act::Claim(volume, held) => match self.local(*volume) {
                Some(_) => after.stands(*volume, Stage::Bound),
                None => after.volumes[at(volume)] = made(*held, Stage::Bound, false),
            },
            Act::Start(_, held) => after.space = Some((Some(*held), true)),
        }
        // A volume is in a namespace.
        if after.space.is_none() && after.volumes.iter().any(Option::is_some) {
            after.space = Some((None, false));
        }
        Some(after)
    }

    fn stands(&mut self, volume: u8, stage: Stage) {
        let local = &mut self.volumes[usize::from(volume) - 1];
        *local = local.map(|local| Local { stage, ..local });
    }

    /// Nodes detach what nobody claims.
    pub(crate) fn detached(&self) -> Option<Site> {
        let leaves = (1..)
            .zip(self.volumes)
            .find(|(_, local)| local.is_some_and(|local| local.stage == Stage::Leaving));
        let mut after = self.clone();
        after.stands(leaves?.0, Stage::Idle);
        Some(after)
    }
}

pub(crate) fn describe(bits: u64) -> String {
    match bits & 3 {
        1 => format!("{:?}", Site::of(bits)),
        _ => format!("{:?}", Seen::of(bits, false)),
    }
}
