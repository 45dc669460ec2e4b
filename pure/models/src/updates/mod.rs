//! The controller of `bowline-updates` in the harness: its stacks, updates and cluster on the hub, and a target cluster outside.

mod deeds;
mod expected;
mod memory;
#[cfg(test)]
pub(crate) mod mutants;
pub(crate) mod names;
mod properties;
mod shape;
mod show;
#[cfg(test)]
mod tests;
pub(crate) mod world;

use bowline_control::Verdict;
use bowline_explorer::Property;
use bowline_updates::{Id, Kind, Step, Wait};

pub(crate) use self::expected::EXPECTED;
use self::names::CLUSTER;
use self::shape::Thing;
pub(crate) use self::shape::{SHAPE, Shape};
use self::world::{Target, World};
use crate::catalogue::{Entry, Size, SizeKey, Value, number};
use crate::harness::{
    Action, Bounds, Deed, FAULTS, Fault, Flat, Harness, KEYS, Note, Objects, SHIPPED, State, System,
    kinds_of, padded,
};

pub(crate) const UPDATES_MODEL: Entry = Entry {
    name: "updates",
    about: "versions of a cluster's configuration: numbered, queued, applied, rolled back, while things go wrong",
    sizes: &[
        number("stacks", "stacks on one cluster", 1, (1, 2)),
        number("workers", "effects under way at a time", 1, (1, 2)),
        number("lag", "changes that a cache may be behind", 2, (0, 3)),
        number("requests", "how many updates people submit", 2, (1, 3)),
        number("contents", "how many contents they choose from", 2, (1, 3)),
        number("releases", "how often people release a version that failed", 0, (0, 2)),
        number("pauses", "how often people pause or resume a stack or the cluster", 0, (0, 2)),
        number("deletes", "how often people delete an update, a stack or the cluster", 0, (0, 2)),
        number(
            "turns",
            "how often the world changes: health, the way to the cluster, who may use it, an upgrade",
            0,
            (0, 2),
        ),
        SizeKey {
            name: "repairs",
            about: "what others have changed is put right",
            default: Value::Flag(false),
            range: (0, 0),
        },
        SizeKey {
            name: "discards",
            about: "updates that have ended are deleted, but for that of the last good version; with one stack",
            default: Value::Flag(false),
            range: (0, 0),
        },
    ],
    faults: kinds_of::<Team>(),
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Harness::new(team(size, SHAPE), bounds(size, budgets), SHIPPED)))
    },
};

fn bounds(size: &Size, faults: [u8; FAULTS]) -> Bounds {
    Bounds {
        instances: size.small("stacks"),
        workers: size.small("workers"),
        lag: size.small("lag"),
        effects: 0,
        faults,
        people: padded(BUDGETS.map(|key| size.small(key))),
    }
}

fn team(size: &Size, shape: Shape) -> Team {
    let stacks = size.small("stacks");
    Team {
        shape,
        stacks,
        contents: size.small("contents"),
        requests: size.small("requests"),
        deletes: size.small("deletes") > 0,
        repairs: size.flag("repairs"),
        // Of two stacks names of updates would be used again.
        discards: size.flag("discards") && stacks == 1,
    }
}

const KINDS: &[Kind] = &[Kind::Stack, Kind::Update, Kind::Cluster];
const BUDGETS: [&str; 5] = ["requests", "releases", "pauses", "deletes", "turns"];

/// The protocol of updates, and who else is about.
pub(crate) struct Team {
    shape: Shape,
    stacks: u8,
    contents: u8,
    requests: u8,
    deletes: bool,
    repairs: bool,
    discards: bool,
}

/// The number in [`System::POINTS`] from which on effects are calls, and one more that is.
const CALLS: usize = 18;
const FORGET: usize = 24;
const DISCARD: usize = 25;
const REPORT: u8 = 1;
const BEGIN: u8 = 12;
const WRITE: u8 = 21;
const MEND: u8 = 23;
/// Leave, begin, succeed, end rollback, write.
const RESTS_ON_A_LOOK: [u8; 5] = [10, 12, 16, 17, 21];
/// Those of them that happen to what is deleted.
const DELETIONS: [usize; 3] = [3, 6, FORGET];

impl System for Team {
    type Controller = Shape;
    type Outside = Target;

    const BUDGETS: &'static [&'static str] = &BUDGETS;

    const POINTS: &'static [&'static str] = &[
        "look",
        "report",
        "hold",
        "let go",
        "take over",
        "number",
        "cancel",
        "judge",
        "show",
        "enter",
        "leave",
        "start",
        "begin",
        "fail",
        "back out",
        "record",
        "succeed",
        "end rollback",
        "fetch",
        "store",
        "look there",
        "write",
        "stall",
        "mend",
        "forget",
        "discard",
    ];

    fn controller(&self) -> Shape {
        self.shape
    }

    fn kinds(&self) -> &'static [Kind] {
        KINDS
    }

    fn kind(slot: u8) -> u8 {
        match slot {
            CLUSTER => 2,
            slot if names::update_at(slot).is_some() => 1,
            _ => 0,
        }
    }

    fn wanted(_slot: u8) -> usize {
        1
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

    fn point(verdict: &Verdict<Step, Wait>) -> u8 {
        match verdict {
            Verdict::Look => 0,
            Verdict::Wait(_) | Verdict::Converged | Verdict::Failing(_) | Verdict::Stalled(_) => 1,
            Verdict::Do(step) => match step {
                Step::Hold => 2,
                Step::LetGo => 3,
                Step::TakeOver => 4,
                Step::Number => 5,
                Step::Cancel => 6,
                Step::Judge(..) => 7,
                Step::Show(_) => 8,
                Step::Enter => 9,
                Step::Leave => 10,
                Step::Start(_) => 11,
                Step::Begin(_) => 12,
                Step::Fail(..) => 13,
                Step::BackOut(_) => 14,
                Step::Record(_) => 15,
                Step::Succeed => 16,
                Step::Restored => 17,
                Step::Fetch(_) => 18,
                Step::Store(_) => 19,
                Step::Look(_) => 20,
                Step::Write(_) => 21,
                Step::Stall(_) => 22,
                Step::Mend => 23,
                Step::Forget => 24,
                Step::Discard(_) => 25,
            },
        }
    }

    /// Only what is outside fails as a provider does; and nobody lets a stack go, or takes an update back, that is not deleted.
    fn can_hit(&self, fault: Fault, point: usize) -> bool {
        let is_call = (CALLS..CALLS + 4).contains(&point) || point == FORGET;
        let is_there = (self.deletes || !DELETIONS.contains(&point)) && (self.discards || point != DISCARD);
        is_there && (fault != Fault::Provider || is_call)
    }

    fn beginning(&self) -> [Note; KEYS] {
        // The second content does not become healthy.
        [world::beginning(1 << 2); KEYS]
    }

    fn objects(&self) -> Objects {
        let mut objects = Objects::default();
        for key in 0..self.stacks {
            objects[usize::from(key)] =
                Some(Flat { uid: 1, version: 2, ..names::stack(self.repairs, self.discards) });
        }
        objects[usize::from(CLUSTER)] = Some(Flat { uid: 1, version: 2, ..names::FREE });
        objects
    }

    fn deeds(&self, objects: &Objects, s: &State, instances: u8, out: &mut Vec<Deed>) {
        for key in 0..instances {
            self.to_stack(objects, s.people[0], key, out);
            self.to_world(World::of(&s.outside[usize::from(key)]), key, out);
        }
        Team::to_cluster(objects, out);
    }

    fn uses(&self, slot: u8, instances: u8) -> bool {
        slot == CLUSTER || names::update_at(slot).map_or(slot, |(stack, _)| stack) < instances
    }

    fn properties(&self) -> Vec<Property<Harness<Team>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        show::describe(slot, flat)
    }

    fn forget_epoch(slot: u8, flat: &mut Flat) {
        names::forget_epoch(slot, flat);
    }

    /// Who tries again what did not work, or looks what became of a write, has not waited for long.
    fn ages(s: &State, key: u8) -> bool {
        let known = &s.keys[usize::from(key)];
        !known.trouble && !known.is_parked()
    }

    /// A look is old when a version has had its time to become healthy, or when nothing can be on its way any more: the first
    /// takes longer, so both are taken for the second.
    fn outlasts(s: &State, key: u8) -> bool {
        Team::ages(s, key) && memory::has_looked(&s.keys[usize::from(key)].memory)
    }

    fn canonical(s: &mut State) {
        count_attempts_anew(s);
        forget_what_nobody_names(s);
    }

    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        properties::remembered(before, action, after)
    }
}

/// Attempts are compared and counted on, nothing else: the one that is shown is 0.
fn count_attempts_anew(s: &mut State) {
    let mut shifts = [0; KEYS];
    for (key, shift) in shifts.iter_mut().enumerate() {
        let shown = s.shown[key].map_or(0, |flat| flat.body[names::ATTEMPT]);
        *shift = (names::ROUND - shown) % names::ROUND;
    }
    s.each_flat(|slot, flat| names::shift_attempts(slot, flat, shifts));
    for (known, shift) in s.keys.iter_mut().zip(shifts) {
        memory::shift_attempt(&mut known.memory, shift);
    }
    s.asks().for_each(|ask| world::set_attempt(ask, shifts[usize::from(ask.key)]));
}

/// What is in safe keeping and nobody names is as good as gone.
fn forget_what_nobody_names(s: &mut State) {
    let mut named = [0u16; KEYS];
    s.each_flat(|slot, flat| {
        if let Some(named) = named.get_mut(usize::from(slot)) {
            *named |= 1 << (names::inventory_of(flat) & 15);
        }
    });
    for (known, named) in s.keys.iter().zip(&mut named) {
        for inventory in memory::remembered(&known.memory) {
            *named |= 1 << (inventory & 15);
        }
    }
    for (outside, named) in s.outside.iter_mut().zip(named) {
        let world = World::of(outside);
        *outside = World { kept: world.kept & named, ..world }.note();
    }
}

pub(crate) fn at(
    size: &str,
    faults: [u8; FAULTS],
    shape: Shape,
    rules: crate::harness::Rules,
) -> Harness<Team> {
    let size = UPDATES_MODEL.size(size).unwrap_or_else(|why| unreachable!("{size}: {why}"));
    Harness::new(team(&size, shape), bounds(&size, faults), rules)
}
