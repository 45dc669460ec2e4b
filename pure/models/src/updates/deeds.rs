//! What people do, and what the world does by itself.

use super::Team;
use super::names::{self, CLUSTER, UPDATES};
use super::world::{self, World};
use crate::harness::{Deed, Edit, Objects, Who};

impl Team {
    /// What people do to a stack and its updates.
    pub(super) fn to_stack(&self, objects: &Objects, left: u8, key: u8, out: &mut Vec<Deed>) {
        let mut may = |who, what, slot, about| out.push(Deed { who, what, slot, about });
        let Some(stack) = objects[usize::from(key)] else { return };
        let (first, many) = UPDATES[usize::from(key)];
        let there = (first..first + many).filter(|slot| objects[usize::from(*slot)].is_some());
        for slot in there.clone() {
            if self.stacks == 1 {
                may(Who::Person(3), Edit::Delete, slot, "Delete");
            }
            if let Some(flat) = objects[usize::from(slot)] {
                may(Who::Drift, Edit::Replace(names::spoiled(flat)), slot, "Spoil");
            }
        }
        // Names are not used again.
        let next = if self.stacks == 1 {
            first + self.requests - left
        } else {
            there.max().map_or(first, |last| last + 1)
        };
        if next < first + many && !stack.deleting {
            for digest in 1..=self.contents {
                may(Who::Person(0), Edit::Create(names::update(digest, next - first)), next, submits(digest));
            }
        }
        may(Who::Person(2), Edit::Replace(names::paused(stack)), key, "Pause");
        if !stack.deleting {
            may(Who::Person(3), Edit::Delete, key, "Delete");
        }
        if let Some(known) = names::stack_of(key, stack) {
            for bad in known.status.quarantined {
                if !known.wish.released.contains(&bad.number) {
                    may(
                        Who::Person(1),
                        Edit::Replace(names::released(stack, bad.number.0 as u8)),
                        key,
                        "Release",
                    );
                }
            }
        }
    }

    /// What becomes of the cluster, and of the way there.
    pub(super) fn to_cluster(objects: &Objects, out: &mut Vec<Deed>) {
        let mut may = |who, what, about| out.push(Deed { who, what, slot: CLUSTER, about });
        let Some(flat) = objects[usize::from(CLUSTER)] else {
            return may(Who::Person(3), Edit::Create(names::FREE), "Create");
        };
        let Some(cluster) = names::cluster_of(flat) else { return };
        may(Who::Person(2), Edit::Replace(names::paused(flat)), "Pause");
        may(Who::Person(3), Edit::Delete, "Delete");
        if cluster.upgrade {
            may(Who::Runner, Edit::Replace(names::with_upgrade(flat, false)), "EndUpgrade");
        } else if cluster.updates.is_empty() {
            may(Who::Person(4), Edit::Replace(names::with_upgrade(flat, true)), "Upgrade");
        }
        if cluster.ready {
            may(Who::Person(4), Edit::Replace(names::with_readiness(flat, false)), "Lose");
        } else {
            may(Who::Runner, Edit::Replace(names::with_readiness(flat, true)), "Find");
        }
    }

    pub(super) fn to_world(&self, world: World, key: u8, out: &mut Vec<Deed>) {
        let mut may = |who, world: World, about| {
            out.push(Deed { who, what: Edit::Outside(key, world.note()), slot: key, about });
        };
        for digest in 1..=self.contents {
            may(Who::Person(4), World { sick: world.sick ^ 1 << digest, ..world }, turns(digest));
        }
        let about = if world.barred { "Allow" } else { "Bar" };
        may(Who::Person(4), World { barred: !world.barred, ..world }, about);
        for place in 0..2 {
            let with = |at: u8| {
                let mut places = world.places;
                places[place] = at;
                World { places, ..world }
            };
            let at = world.places[place];
            if at != world::ABSENT {
                may(Who::Drift, with(world::ABSENT), ["RemoveFirst", "RemoveSecond"][place]);
            }
            let edited = if world::is_ours(at) { world::OURS_EDITED } else { world::EDITED };
            if at != edited {
                may(Who::Drift, with(edited), ["EditFirst", "EditSecond"][place]);
            }
        }
    }
}

fn submits(digest: u8) -> &'static str {
    ["", "SubmitOne", "SubmitTwo", "SubmitThree"][usize::from(digest)]
}

fn turns(digest: u8) -> &'static str {
    ["", "TurnOne", "TurnTwo", "TurnThree"][usize::from(digest)]
}
