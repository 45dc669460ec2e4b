//! The decisions of `bowline-upgrades` in the harness: a group and its members on the hub, and nodes with agents and software
//! beside it.

mod beginning;
pub(crate) mod bits;
mod deeds;
mod describe;
mod expected;
mod ghost;
mod leases;
#[cfg(test)]
pub(crate) mod mutants;
pub(crate) mod names;
mod node;
mod properties;
mod rank;
mod shape;
#[cfg(test)]
mod tests;

use bowline_control::Verdict;
use bowline_explorer::Property;
use bowline_upgrades::{Id, Kind, OnCrash, Partitions, Step, Wait};

use self::deeds::{COMMANDS, EDITS};
pub(crate) use self::expected::EXPECTED;
use self::leases::Judge;
use self::names::{CLUSTER, GROUP};
use self::node::{Life, Node};
pub(crate) use self::properties::group;
#[cfg(test)]
pub(crate) use self::properties::{is_at_rest, recorded};
#[cfg(test)]
pub(crate) use self::shape::SHAPE as SHIPPED_SHAPE;
use self::shape::Thing;
pub(crate) use self::shape::{SHAPE, Shape};
use crate::catalogue::{Entry, Size, SizeKey, Value, number};
use crate::harness::{
    Action, Bounds, Deed, FAULTS, Fault, Flat, Harness, NODES, Note, Objects, SHIPPED, State, System,
    kinds_of, padded,
};
use crate::tiny::Tiny;

pub(crate) const UPGRADES: Entry = Entry {
    name: "upgrades",
    about: "the software of a group of nodes, upgraded in service: masters handed over, committed or rolled back, while things go wrong",
    sizes: &[
        number("nodes", "nodes in the group", 2, (1, 4)),
        number("lag", "changes that a cache may be behind", 0, (0, 3)),
        number("versions", "versions of the software", 2, (2, 3)),
        number("devices", "devices that need a master", 1, (0, 2)),
        number("partitions", "partitions", 0, (0, 2)),
        number("size", "members of a partition", 1, (1, 3)),
        number("commands", "how often people command something", 0, (0, 15)),
        number("crashes", "how often a node goes down, or its software cannot be kept alive", 0, (0, 3)),
        number("cuts", "how often an agent is cut off or starts anew, or software gets sick", 0, (0, 3)),
        number("returns", "how often what was struck comes back", 0, (0, 3)),
        number("edits", "how often people want another version", 0, (0, 2)),
        number("deletions", "how often people delete a member or the group", 0, (0, 2)),
        number("updates", "how often an update or another group is on the cluster", 0, (0, 2)),
        number("sick", "versions that never work: 1 for the first, 2 for the second, 3 for both", 0, (0, 7)),
        number("on-crash", "whose crash rolls back: 0 the new version's, 1 anybody's, 2 nobody's", 0, (0, 2)),
        flag("manual", "it is upgraded by command, and not by itself"),
        flag("wrong", "people may command what is refused"),
        flag("interrupts", "the service may be interrupted"),
        flag("stepwise", "everything that agents do is a step of its own"),
        flag("deadline", "an upgrade that does not go on goes back"),
        flag("cluster", "the group is on a cluster, which is changed by one at a time"),
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
        instances: 1,
        workers: 1,
        lag: size.small("lag"),
        effects: 0,
        faults,
        people: padded(BUDGETS.map(|key| size.small(key))),
    }
}

fn team(size: &Size, shape: Shape) -> Team {
    let cluster = size.flag("cluster");
    Team {
        shape: Shape { kinds: if cluster { KINDS } else { WITHOUT_CLUSTER }, ..shape },
        cluster,
        deletes: size.small("deletions") > 0,
        nodes: size.small("nodes"),
        versions: size.small("versions"),
        devices: size.small("devices"),
        partitions: Partitions { count: size.small("partitions").into(), size: size.small("size").into() },
        sick: size.small("sick"),
        on_crash: [OnCrash::NewVersion, OnCrash::Any, OnCrash::Never][usize::from(size.small("on-crash"))],
        crashes: size.small("crashes"),
        cuts: size.small("cuts"),
        returns: size.small("returns") > 0,
        edits: size.small("edits") > 0,
        lags: size.small("lag") > 0,
        manual: size.flag("manual"),
        wrong: size.flag("wrong"),
        interrupts: size.flag("interrupts"),
        stepwise: size.flag("stepwise"),
        deadline: size.flag("deadline"),
    }
}

const KINDS: &[Kind] = &[Kind::Group, Kind::Member, Kind::Cluster];
const WITHOUT_CLUSTER: &[Kind] = KINDS.split_at(2).0;
const BUDGETS: [&str; 7] = ["commands", "crashes", "cuts", "returns", "edits", "deletions", "updates"];

/// The protocol of upgrades, and who else is about.
pub(crate) struct Team {
    shape: Shape,
    nodes: u8,
    versions: u8,
    devices: u8,
    partitions: Partitions,
    sick: u8,
    on_crash: OnCrash,
    crashes: u8,
    cuts: u8,
    returns: bool,
    edits: bool,
    lags: bool,
    manual: bool,
    wrong: bool,
    interrupts: bool,
    stepwise: bool,
    deadline: bool,
    cluster: bool,
    deletes: bool,
}

impl System for Team {
    type Controller = Shape;
    type Outside = Judge;

    const BUDGETS: &'static [&'static str] = &BUDGETS;

    const POINTS: &'static [&'static str] = &[
        "look",
        "report",
        "leases",
        "found",
        "enroll",
        "lose",
        "return",
        "crash",
        "recover",
        "pardon",
        "tell",
        "release",
        "give",
        "refuse",
        "initialize",
        "take",
        "move",
        "join",
        "run",
        "commit",
        "roll back",
        "switch back",
        "fail over",
        "forward",
        "reset",
        "forget",
        "drop",
        "dismiss",
        "let go",
        "enter",
        "give up",
        "leave",
    ];

    fn controller(&self) -> Shape {
        self.shape
    }

    fn kinds(&self) -> &'static [Kind] {
        self.shape.kinds
    }

    fn kind(slot: u8) -> u8 {
        match slot {
            GROUP => 0,
            CLUSTER => 2,
            _ => 1,
        }
    }

    fn wanted(slot: u8) -> usize {
        match slot {
            GROUP => names::GROUP_WANTED,
            CLUSTER => 0,
            _ => names::MEMBER_WANTED,
        }
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

    /// Only the look at the leases is a call; and some things happen only if people, or others, do something.
    fn can_hit(&self, fault: Fault, point: usize) -> bool {
        let goes_back = self.deadline || self.manual;
        let strikes = self.crashes + self.cuts > 0;
        let is_there = match Self::POINTS[point] {
            "found" | "enroll" => false,
            "lose" => strikes,
            "return" => strikes && self.returns,
            "crash" => self.crashes > 0,
            "recover" => self.crashes > 0 && self.returns,
            "roll back" | "switch back" => goes_back,
            "fail over" => strikes && goes_back,
            "reset" => goes_back || strikes,
            "forward" | "forget" => goes_back && strikes,
            "refuse" => self.wrong,
            "pardon" => self.edits && (goes_back || strikes),
            "drop" | "dismiss" | "let go" => self.deletes,
            "enter" | "leave" => self.cluster,
            "give up" => self.cluster && (self.edits || strikes),
            _ => true,
        };
        // A clock jumps over what is waited for: without a lag that is a lease, and never a cache.
        let is_hit = match fault {
            Fault::Provider => Self::POINTS[point] == "leases",
            Fault::Clock => self.lags || Self::POINTS[point] == "leases",
            Fault::Drift => false,
            _ => true,
        };
        is_there && is_hit
    }

    fn deeds(&self, objects: &Objects, s: &State, _instances: u8, out: &mut Vec<Deed>) {
        for number in 1..=self.nodes {
            let (bits, flat) = (s.nodes[usize::from(number) - 1], objects[usize::from(number)]);
            if let Some(flat) = flat {
                self.by_node(number, bits, &names::member_of(number, flat), out);
            }
        }
        if s.people[usize::from(COMMANDS)] + s.people[usize::from(EDITS)] > 0 {
            self.by_people(objects, s, out);
        }
        Team::deletions(objects, out);
        Team::to_cluster(objects, out);
    }

    fn objects(&self) -> Objects {
        let mut objects = Objects::default();
        objects[usize::from(GROUP)] = Some(names::flat_group(&self.group()));
        for number in 1..=self.nodes {
            objects[usize::from(number)] = Some(names::flat_member(&self.member(number)));
        }
        objects[usize::from(CLUSTER)] = self.cluster.then_some(Flat { version: 2, ..names::FREE });
        objects
    }

    fn nodes(&self) -> [u64; NODES] {
        let mut nodes = [0; NODES];
        for number in 1..=self.nodes {
            let member = self.member(number);
            let mut node = Node { software: Life::Good, version: 1, ..Node::blank() };
            node.reads(&member);
            for duty in &member.desired.devices {
                node.acts[usize::from(duty.device)] = duty.epoch.0 as u8;
            }
            nodes[usize::from(number) - 1] = node.bits();
        }
        nodes
    }

    fn describe_node(node: u64) -> String {
        node::describe(node)
    }

    fn seen_outside(s: &State) -> Option<Note> {
        Some(leases::seen(s))
    }

    fn canonical(s: &mut State) {
        rank::rank(s);
    }

    fn uses(&self, slot: u8, _instances: u8) -> bool {
        slot <= self.nodes || slot == CLUSTER && self.cluster
    }

    fn properties(&self) -> Vec<Property<Harness<Team>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        describe::describe(slot, flat)
    }

    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        ghost::remembered(before, action, after)
    }
}

/// The number in [`System::POINTS`] of a step.
fn point_of(step: &Step<Tiny>) -> u8 {
    let name = match step {
        Step::Look => "leases",
        Step::Found => "found",
        Step::Enroll(_) => "enroll",
        Step::Lose(_) => "lose",
        Step::Return(_) => "return",
        Step::Crash(_) => "crash",
        Step::Recover(_) => "recover",
        Step::Pardon => "pardon",
        Step::Tell(_) => "tell",
        Step::Release => "release",
        Step::Give => "give",
        Step::Refuse => "refuse",
        Step::Initialize => "initialize",
        Step::Take(_) => "take",
        Step::Move => "move",
        Step::Join => "join",
        Step::Run => "run",
        Step::Commit => "commit",
        Step::Rollback => "roll back",
        Step::SwitchBack => "switch back",
        Step::FailOver => "fail over",
        Step::Forward => "forward",
        Step::Reset => "reset",
        Step::Forget(_) => "forget",
        Step::Drop(_) => "drop",
        Step::Dismiss(_) => "dismiss",
        Step::LetGo => "let go",
        Step::Enter => "enter",
        Step::GiveUp => "give up",
        Step::Leave => "leave",
        Step::Hold => unreachable!("the group is held from the beginning"),
    };
    <Team as System>::POINTS.iter().position(|point| *point == name).unwrap_or(0) as u8
}

pub(crate) fn at(
    size: &str,
    faults: [u8; FAULTS],
    shape: Shape,
    rules: crate::harness::Rules,
) -> Harness<Team> {
    let size = UPGRADES.size(size).unwrap_or_else(|why| unreachable!("{size}: {why}"));
    Harness::new(team(&size, shape), bounds(&size, faults), rules)
}
