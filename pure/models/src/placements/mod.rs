//! The decisions of `bowline-placements` in the harness: a namespace, its volumes and the targets on the hub; and beside it clusters with
//! what is in them, and their syncers.
//!
//! # What is left out, and why nothing is lost by it
//! - Claims and the registration of volumes, which is a create that nothing else rests on; and volumes that a cluster has made.
//! - Fences are decided and written in one step, by a guarded write of what was just read; a look at a lease may be late.
//! - What people are told of targets.
//! - That a driver fails: a fence is in force when it is recorded, and may be down as soon as it is begun to be taken down.

mod beginning;
mod deeds;
mod describe;
mod expected;
#[cfg(test)]
pub(crate) mod mutants;
mod names;
mod properties;
mod rank;
mod restore;
mod seen;
mod shape;
mod sight;
mod site;
mod survey;
#[cfg(test)]
mod tests;

use bowline_control::Verdict;
use bowline_explorer::Property;
use bowline_placements::{Id, Kind, Step, Wait};

pub(crate) use self::expected::EXPECTED;
use self::names::{PLACEMENT, VOLUMES, target_slot};
use self::restore::RULES;
use self::shape::{SHAPE, Shape, Thing};
use self::survey::Register;
use crate::catalogue::{BadSize, Entry, Size, SizeKey, Value, number};
use crate::harness::{
    Action, Bounds, Deed, FAULTS, Fault, Flat, Harness, KEYS, NODES, Note, Objects, State, System, kinds_of,
};
use crate::tiny::Tiny;

pub(crate) const PLACEMENTS: Entry = Entry {
    name: "placements",
    about: "a namespace and its volumes on clusters, moved, fenced, restored and deleted without two users of one volume, while things go wrong",
    sizes: &[
        number("targets", "clusters; 3 only with fresh=true", 2, (2, 3)),
        number("volumes", "volumes of the namespace", 1, (0, 2)),
        number("lag", "changes that the hub's cache may be behind", 0, (0, 3)),
        number("moves", "how often people want it elsewhere", 1, (0, 3)),
        number("deletes", "how often people delete the namespace, or its placement alone", 0, (0, 1)),
        number("cuts", "how often a syncer is cut off, comes back, or starts anew", 0, (0, 4)),
        number("fences", "how often people want a fence, say that it is in force, or want none", 0, (0, 4)),
        number("restores", "how often the hub is restored from what it was in the beginning", 0, (0, 1)),
        flag("behind", "nobody tells of it that the hub was restored"),
        flag("requested", "it begins with a fence that was asked for, and is not wanted any more"),
        flag("new", "it begins with a namespace that is nowhere yet"),
        flag("fresh", "syncers see everything as it is"),
        flag("apart", "syncers are shown every object by itself"),
        flag("chosen", "a target is chosen, and people drain targets"),
        flag("window", "it is moved in its window only, which opens again whenever people shut it"),
        flag("driver", "something can fence targets"),
        flag("enforces", "volumes enforce epochs, and who is not heard of is fenced by itself"),
        flag("stepwise", "everything that syncers do is a step of its own"),
    ],
    faults: kinds_of::<Town>(),
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Harness::new(town(size, SHAPE)?, bounds(size, budgets), RULES)))
    },
};

const fn flag(name: &'static str, about: &'static str) -> SizeKey {
    SizeKey { name, about, default: Value::Flag(false), range: (0, 0) }
}

fn bounds(size: &Size, faults: [u8; FAULTS]) -> Bounds {
    Bounds {
        instances: 1,
        workers: 1,
        lag: size.small("lag"),
        effects: 0,
        faults,
        people: BUDGETS.map(|key| size.small(key)),
    }
}

fn town(size: &Size, shape: Shape) -> Result<Town, BadSize> {
    let town = Town {
        shape,
        targets: size.small("targets"),
        volumes: size.small("volumes"),
        moves: size.small("moves") > 0,
        deletes: size.small("deletes") > 0,
        cuts: size.small("cuts"),
        fences: size.small("fences"),
        restores: size.small("restores") > 0,
        behind: size.flag("behind"),
        requested: size.flag("requested"),
        lags: size.small("lag") > 0,
        new: size.flag("new"),
        fresh: size.flag("fresh"),
        apart: size.flag("apart"),
        chosen: size.flag("chosen"),
        window: size.flag("window"),
        driver: size.flag("driver"),
        enforces: size.flag("enforces"),
        stepwise: size.flag("stepwise"),
    };
    let why = if town.targets == 3 && !town.fresh {
        "targets=3 needs fresh=true: a state has room for what two syncers have read"
    } else if town.behind && !town.restores {
        "behind=true says how it is restored: it needs restores=1"
    } else if town.new && town.restores {
        "restores=1 and new=true do not go together: there is nothing in the backup"
    } else {
        return Ok(town);
    };
    Err(BadSize::Impossible(why.to_owned()))
}

const KINDS: &[Kind] = &[Kind::Placement, Kind::Volume, Kind::Target];
const BUDGETS: [&str; 5] = ["moves", "deletes", "cuts", "fences", "restores"];

/// The protocol of placements, and who else is about.
#[derive(Clone, Copy)]
pub(crate) struct Town {
    shape: Shape,
    targets: u8,
    volumes: u8,
    moves: bool,
    deletes: bool,
    cuts: u8,
    fences: u8,
    restores: bool,
    behind: bool,
    requested: bool,
    lags: bool,
    new: bool,
    fresh: bool,
    apart: bool,
    chosen: bool,
    window: bool,
    driver: bool,
    enforces: bool,
    stepwise: bool,
}

impl Town {
    /// One in which nothing happens.
    fn blank(shape: Shape) -> Town {
        Town {
            shape,
            targets: 0,
            volumes: 0,
            moves: false,
            deletes: false,
            cuts: 0,
            fences: 0,
            restores: false,
            behind: false,
            requested: false,
            lags: false,
            new: false,
            fresh: false,
            apart: false,
            chosen: false,
            window: false,
            driver: false,
            enforces: false,
            stepwise: false,
        }
    }
}

impl System for Town {
    type Controller = Shape;
    type Outside = Register;

    const BUDGETS: &'static [&'static str] = &BUDGETS;

    const POINTS: &'static [&'static str] = &[
        "look",
        "report",
        "hold",
        "let go",
        "survey",
        "recover",
        "adopt",
        "desire",
        "release",
        "free",
        "fence off",
        "grant",
        "destroy",
        "grant for deletion",
        "discard",
        "dismiss",
    ];

    fn controller(&self) -> Shape {
        self.shape
    }

    fn kinds(&self) -> &'static [Kind] {
        KINDS
    }

    fn kind(slot: u8) -> u8 {
        match slot {
            PLACEMENT => 0,
            volume if volume <= VOLUMES => 1,
            _ => 2,
        }
    }

    fn wanted(_slot: u8) -> usize {
        names::WANTED
    }

    fn id(slot: u8) -> Id<u8, u8, u8> {
        names::id(slot)
    }

    fn slot(id: &Id<u8, u8, u8>) -> u8 {
        names::slot(id)
    }

    fn object(slot: u8, flat: Flat) -> Thing {
        names::object(slot, flat)
    }

    fn flat(object: &Thing) -> Flat {
        names::flat(object)
    }

    fn point(verdict: &Verdict<Step<Tiny>, Wait<Tiny>>) -> u8 {
        match verdict {
            Verdict::Look => 0,
            Verdict::Wait(_) | Verdict::Converged | Verdict::Failing(_) | Verdict::Stalled(_) => 1,
            Verdict::Do(step) => point_of(step),
        }
    }

    /// Only the survey is a call; and some things happen only if people, or others, do something.
    fn can_hit(&self, fault: Fault, point: usize) -> bool {
        let loses = self.fences > 0 || self.enforces && self.cuts > 0;
        let is_there = match Self::POINTS[point] {
            "hold" => self.new,
            "survey" => self.chosen || self.behind,
            "recover" => self.behind,
            "adopt" => self.restores,
            "fence off" => loses,
            "desire" => self.new || self.moves,
            "release" | "free" => self.moves || self.deletes,
            "grant" => self.new || self.moves || loses,
            "let go" => self.deletes,
            "destroy" | "discard" | "dismiss" => self.deletes && self.volumes > 0,
            "grant for deletion" => self.deletes && self.volumes > 0 && (self.moves || loses),
            _ => true,
        };
        // A clock jumps over what is waited for: without a lag that is a survey, and never a cache.
        let is_hit = match fault {
            Fault::Provider => Self::POINTS[point] == "survey",
            Fault::Clock => self.lags || Self::POINTS[point] == "survey",
            Fault::Drift => false,
            _ => true,
        };
        is_there && is_hit
    }

    fn deeds(&self, objects: &Objects, s: &State, _instances: u8, out: &mut Vec<Deed>) {
        for me in 1..=self.targets {
            self.by_syncer(objects, s, me, out);
            self.by_fences(objects, s, me, out);
        }
        self.by_people(objects, s, out);
    }

    fn objects(&self) -> Objects {
        self.at_first()
    }

    fn beginning(&self) -> [Note; KEYS] {
        [Note::default(), restore::backup(self)]
    }

    fn nodes(&self) -> [u64; NODES] {
        self.sites()
    }

    fn describe_node(node: u64) -> String {
        site::describe(node)
    }

    fn seen_outside(s: &State) -> Option<Note> {
        Some(survey::seen(s))
    }

    fn canonical(s: &mut State) {
        rank::normal(s);
    }

    fn uses(&self, slot: u8, _instances: u8) -> bool {
        slot <= self.volumes || (target_slot(1)..=target_slot(self.targets)).contains(&slot)
    }

    fn properties(&self) -> Vec<Property<Harness<Town>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        describe::describe(slot, flat)
    }

    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        properties::remembered(before, action, after)
    }
}

/// The number in [`System::POINTS`] of a step.
fn point_of(step: &Step<Tiny>) -> u8 {
    let name = match step {
        Step::Hold => "hold",
        Step::LetGo => "let go",
        Step::Survey => "survey",
        Step::Recover(_) => "recover",
        Step::Adopt(_) => "adopt",
        Step::Desire(_) => "desire",
        Step::Release(..) => "release",
        Step::Free(..) => "free",
        Step::FenceOff(..) => "fence off",
        Step::Grant(..) => "grant",
        Step::Destroy(..) => "destroy",
        Step::GrantForDeletion(..) => "grant for deletion",
        Step::Discard(_) => "discard",
        Step::Dismiss(_) => "dismiss",
        Step::Register(_) => unreachable!("nobody asks for volumes here"),
    };
    <Town as System>::POINTS.iter().position(|point| *point == name).unwrap_or(0) as u8
}

#[cfg(test)]
pub(crate) fn at(size: &str, faults: [u8; FAULTS], shape: Shape) -> Harness<Town> {
    at_by(size, faults, shape, RULES)
}

#[cfg(test)]
fn at_by(size: &str, faults: [u8; FAULTS], shape: Shape, rules: crate::harness::Rules) -> Harness<Town> {
    let size = PLACEMENTS.size(size).expect("a size that works");
    Harness::new(town(&size, shape).expect("a size that works"), bounds(&size, faults), rules)
}
