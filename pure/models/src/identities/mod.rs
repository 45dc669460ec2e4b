//! The controller of `bowline-identities` in the harness: its identities, accounts and tombstones on the hub, and AWS outside.

mod calls;
mod converged;
mod deeds;
mod expected;
mod memory;
#[cfg(test)]
pub(crate) mod mutants;
mod names;
mod properties;
mod shape;
#[cfg(test)]
mod tests;
mod world;

use bowline_control::Verdict;
use bowline_explorer::Property;
use bowline_identities::{Id, Kind, Step, Wait};

pub(crate) use self::expected::EXPECTED;
use self::names::TOMBSTONES;
pub(crate) use self::properties::{converges, is_ready, publishes_what_is_complete};
pub(crate) use self::shape::{SHAPE, Shape};
use self::shape::{SWEEPS, Thing};
use self::world::Cloud;
use crate::catalogue::{Entry, Size, SizeKey, Value, number};
use crate::harness::{
    Action, Bounds, Deed, FAULTS, Fault, Flat, Harness, KEYS, Note, Objects, SHIPPED, State, System,
    kinds_of, padded,
};

pub(crate) const IDENTITIES: Entry = Entry {
    name: "identities",
    about: "cloud permissions of service accounts: made, kept right and taken down in AWS, while things go wrong",
    sizes: &[
        number("instances", "identities", 1, (1, 2)),
        number("workers", "effects under way at a time", 1, (1, 3)),
        number("lag", "changes that a cache may be behind", 2, (0, 3)),
        number("creates", "how often people make an identity", 1, (1, 2)),
        number("edits", "how often people change what they want", 1, (0, 2)),
        number("deletes", "how often people delete an identity", 1, (0, 2)),
        number("turns", "how often somebody makes, or removes, something of the same name", 0, (0, 2)),
        flag("bad", "people may want what cannot be"),
        flag("bounded", "people may want a boundary, and take away the policy that is one"),
        flag("orphans", "people may want AWS to be left as it is at the end"),
        flag("adopts", "people may want what is somebody else's to be taken over"),
        flag(
            "anywhere",
            "it begins in every state that can be written down, and not with nothing; with one identity",
        ),
    ],
    faults: kinds_of::<Team>(),
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Harness::new(team(size, SHAPE), bounds(size, budgets), SHIPPED)))
    },
};

const fn flag(name: &'static str, about: &'static str) -> SizeKey {
    SizeKey { name, about, default: Value::Flag(false), range: (0, 0) }
}

fn bounds(size: &Size, faults: [u8; FAULTS]) -> Bounds {
    Bounds {
        instances: size.small("instances"),
        workers: size.small("workers"),
        lag: size.small("lag"),
        effects: 0,
        faults,
        people: padded(BUDGETS.map(|key| size.small(key))),
    }
}

fn team(size: &Size, shape: Shape) -> Team {
    let anywhere = size.flag("anywhere") && size.small("instances") == 1;
    Team {
        shape,
        deletes: size.small("deletes") > 0,
        edits: size.small("edits") > 0,
        again: size.small("creates") > 1,
        bad: size.flag("bad"),
        bounded: size.flag("bounded"),
        orphans: size.flag("orphans"),
        adopts: size.flag("adopts"),
        anywhere,
    }
}

const KINDS: &[Kind] = &[Kind::Identity, Kind::Account, Kind::Tombstone];
const BUDGETS: [&str; 4] = ["creates", "edits", "deletes", "turns"];

/// The protocol of identities, and who else is about.
pub(crate) struct Team {
    shape: Shape,
    deletes: bool,
    edits: bool,
    again: bool,
    bad: bool,
    bounded: bool,
    orphans: bool,
    adopts: bool,
    anywhere: bool,
}

/// The steps in the order of [`System::POINTS`], after a look at the hub and a report. The others do not happen here.
pub(crate) const STEPS_BY_POINT: [Step; 26] = [
    Step::Hold,
    Step::LetGo,
    Step::Intend,
    Step::Record,
    Step::Lapse,
    Step::Settle,
    Step::Bury,
    Step::Forget,
    Step::Swept,
    Step::PublishHere,
    Step::Look,
    Step::CreatePolicy,
    Step::CreatePolicyVersion,
    Step::DeletePolicyVersion,
    Step::TagPolicy,
    Step::DeletePolicy,
    Step::CreateRole,
    Step::UpdateAssumeRolePolicy,
    Step::TagRole,
    Step::AttachRolePolicy,
    Step::DetachRolePolicy,
    Step::DeleteRole,
    Step::PutRolePermissionsBoundary,
    Step::DeleteRolePermissionsBoundary,
    Step::DeleteRolePolicy,
    Step::Check,
];
/// The number in [`System::POINTS`] from which on effects are calls.
const CALLS: usize = 12;

impl System for Team {
    type Controller = Shape;
    type Outside = Cloud;

    const BUDGETS: &'static [&'static str] = &BUDGETS;

    const POINTS: &'static [&'static str] = &[
        "look",
        "report",
        "hold",
        "let go",
        "intend",
        "record",
        "lapse",
        "settle",
        "bury",
        "forget",
        "swept",
        "publish",
        "look there",
        "create policy",
        "create version",
        "delete version",
        "tag policy",
        "delete policy",
        "create role",
        "update trust",
        "tag role",
        "attach",
        "detach",
        "delete role",
        "put boundary",
        "delete boundary",
        "delete inline",
        "check",
    ];

    fn controller(&self) -> Shape {
        self.shape
    }

    fn kinds(&self) -> &'static [Kind] {
        KINDS
    }

    fn kind(slot: u8) -> u8 {
        names::kind(slot).min(2)
    }

    fn wanted(slot: u8) -> usize {
        if names::kind(slot) == 0 { 1 } else { crate::harness::BODY }
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
            Verdict::Do(step) => {
                let known = (2..).zip(STEPS_BY_POINT).find(|(_, known)| known == step);
                let Some((point, _)) = known else { unreachable!("{step:?} does not happen here") };
                point
            }
        }
    }

    /// Only what is outside fails as a provider does; and some things happen only if people, or others, do something.
    fn can_hit(&self, fault: Fault, point: usize) -> bool {
        let name = Self::POINTS[point];
        let is_there = match name {
            "let go" | "bury" | "delete policy" | "delete role" | "swept" => self.deletes,
            "create version" => self.edits,
            "tag policy" | "tag role" => self.again || self.adopts,
            "forget" => self.again,
            "put boundary" | "delete boundary" | "check" => self.bounded,
            _ => true,
        };
        is_there && (fault != Fault::Provider || point >= CALLS)
    }

    fn deeds(&self, objects: &Objects, s: &State, instances: u8, out: &mut Vec<Deed>) {
        for key in 0..instances {
            self.to_identity(objects, key, out);
            self.to_account(objects, key, out);
            self.to_world(s, key, out);
        }
    }

    fn beginnings(&self) -> Vec<(Objects, [Note; KEYS])> {
        if self.anywhere { deeds::anywhere() } else { vec![(self.objects(), self.beginning())] }
    }

    fn each_uid_in(slot: u8, flat: &mut Flat, visit: &mut dyn FnMut(u8, &mut u8)) {
        names::each_uid_in(slot, flat, visit);
    }

    fn uses(&self, slot: u8, instances: u8) -> bool {
        names::is_used(slot) && names::instance(slot) < instances
    }

    fn properties(&self) -> Vec<Property<Harness<Team>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        names::describe(slot, flat)
    }

    /// Who tries again what did not work, or looks what became of a write, has not waited for long.
    fn ages(s: &State, key: u8) -> bool {
        let known = &s.keys[usize::from(key)];
        !known.trouble && !known.is_parked()
    }

    /// The last sweep is a day after the end: nothing arrives any more that was sent before. Who lives beside a tombstone
    /// forgets it then.
    fn outlasts(s: &State, key: u8) -> bool {
        let tombstone = s.shown[usize::from(TOMBSTONES + key)];
        let lives = s.shown[usize::from(key)].is_some();
        let is_last = |flat: Flat| lives || names::tombstone_of(key, flat).sweeps + 1 == SWEEPS;
        Team::ages(s, key) && tombstone.is_some_and(is_last)
    }

    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        properties::remembered(self.anywhere, before, action, after)
    }
}

pub(crate) fn at(
    size: &str,
    faults: [u8; FAULTS],
    shape: Shape,
    rules: crate::harness::Rules,
) -> Harness<Team> {
    let size = IDENTITIES.size(size).unwrap_or_else(|why| unreachable!("{size}: {why}"));
    Harness::new(team(&size, shape), bounds(&size, faults), rules)
}
