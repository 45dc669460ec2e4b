//! What agents do, what becomes of nodes, and what people command.

use std::collections::BTreeMap;

use bowline_control::{Controller, Millis};
use bowline_upgrades::agent::Act;
use bowline_upgrades::{Cluster, Command, Look, Member, Memory, Pulse, Verb};

use super::Team;
use super::names::{self, CLUSTER, GROUP, STRANGER};
use super::node::{Life, Link, Node, Seen};
use super::shape::Shown;
use crate::harness::{Deed, Edit, NODES, Objects, State, Who};
use crate::tiny::Tiny;

pub(super) const COMMANDS: u8 = 0;
pub(super) const CRASHES: u8 = 1;
pub(super) const CUTS: u8 = 2;
pub(super) const RETURNS: u8 = 3;
pub(super) const EDITS: u8 = 4;
const DELETIONS: u8 = 5;
const UPDATES: u8 = 6;

impl Team {
    /// What a node's agent does next, and what becomes of its software.
    pub(super) fn by_node(&self, number: u8, bits: u64, member: &Member<Tiny>, out: &mut Vec<Deed>) {
        let node = Node::of(bits);
        let mut may = |who, what, about| out.push(Deed { who, what, slot: number, about });
        let becomes = |after: Node| Edit::Node(number - 1, after.bits());
        let is_up = node.link == Link::Up;
        let next = node.holds_lease().then(|| (self.shape.act)(&node.known(member)));
        if let Some(Ok(Act::Report(report))) = &next
            && is_up
        {
            let after = Member { report: Some(report.clone()), ..member.clone() };
            may(Who::Runner, Edit::Replace(names::flat_member(&after)), "Report");
        }
        if let Some((after, about)) = self.local(&node, member) {
            may(Who::Runner, becomes(after), about);
        }
        if is_up && node.read == Seen::Since && u64::from(node.generation) != member.generation {
            let mut after = node.clone();
            after.reads(member);
            may(Who::Runner, becomes(self.settled(after, member)), "Notice");
        }
        self.to_node(&node, member, &mut |who, after, about| may(who, becomes(after), about));
    }

    /// What an agent does on its own node, or its software does; not what it tells the hub.
    fn local(&self, node: &Node, member: &Member<Tiny>) -> Option<(Node, &'static str)> {
        if node.software == Life::New {
            let software = if self.is_sick(node.version) { Life::Bad } else { Life::Good };
            return Some((Node { software, ..node.clone() }, "Probe"));
        }
        let act = (self.shape.act)(&node.known(member)).ok().filter(|_| node.holds_lease())?;
        match act {
            Act::Report(_) => None,
            Act::Read if node.link != Link::Up => None,
            act => Some((self.settled(node.after(&act, member), member), act_name(&act))),
        }
    }

    /// A node whose agent has done all that it can do there. Nobody sees what is in between, unless steps are apart.
    fn settled(&self, mut node: Node, member: &Member<Tiny>) -> Node {
        while !self.stepwise
            && let Some((after, _)) = self.local(&node, member)
        {
            node = after;
        }
        node
    }

    fn is_sick(&self, version: u8) -> bool {
        version > 0 && self.sick >> (version - 1) & 1 == 1
    }

    /// What happens to a node.
    fn to_node(&self, node: &Node, member: &Member<Tiny>, may: &mut dyn FnMut(Who, Node, &'static str)) {
        let down = |link| {
            let mut after = Node { link, ..node.clone() };
            after.ends();
            after.forgets();
            after
        };
        match node.link {
            Link::Up => {
                may(Who::Person(CRASHES), down(Link::Down), "GoDown");
                may(Who::Person(CUTS), Node { link: Link::Cut, ..node.clone() }, "CutOff");
                if node.read != Seen::Nothing {
                    let mut after = node.clone();
                    after.forgets();
                    may(Who::Person(CUTS), after, "RestartAgent");
                }
            }
            Link::Cut => {
                may(Who::Runner, self.lapsed(node, member), "Lapse");
                may(Who::Person(RETURNS), Node { link: Link::Up, ..node.clone() }, "ComeBack");
            }
            Link::Lapsed => {
                // What it had read before its lease lapsed was read before.
                let read = if node.read == Seen::Since { Seen::Before } else { node.read };
                may(Who::Person(RETURNS), Node { link: Link::Up, read, ..node.clone() }, "ComeBack");
            }
            Link::Down => {
                may(Who::Runner, down(Link::Gone), "Lapse");
                may(Who::Person(RETURNS), down(Link::Up), "ComeBack");
            }
            Link::Gone => may(Who::Person(RETURNS), down(Link::Up), "ComeBack"),
        }
        match node.software {
            Life::New | Life::Good | Life::Bad => {
                let acts = Default::default();
                let after = Node { software: Life::Failed, acts, drained: false, ..node.clone() };
                may(Who::Person(CRASHES), after, "Fail");
                if node.software == Life::Good {
                    may(Who::Person(CUTS), Node { software: Life::Bad, ..node.clone() }, "Sicken");
                }
                if node.software == Life::Bad && !self.is_sick(node.version) {
                    may(Who::Person(RETURNS), Node { software: Life::Good, ..node.clone() }, "Heal");
                }
            }
            Life::Failed => {
                may(Who::Person(RETURNS), Node { software: Life::New, ..node.clone() }, "StartAgain");
            }
            Life::Absent => {}
        }
    }

    /// The lease of a node that is cut off has lapsed: whatever its agent does by then is done.
    fn lapsed(&self, node: &Node, member: &Member<Tiny>) -> Node {
        let after = Node { link: Link::Lapsed, ..node.clone() };
        match (self.shape.act)(&after.known(member)) {
            Ok(act @ Act::Kill) => after.after(&act, member),
            _ => after,
        }
    }

    /// What people want, and command.
    pub(super) fn by_people(&self, objects: &Objects, s: &State, out: &mut Vec<Deed>) {
        let Some(flat) = objects[usize::from(GROUP)].filter(|flat| !flat.deleting) else { return };
        let group = names::group_of(flat);
        let mut may = |who, what, about| out.push(Deed { who, what, slot: GROUP, about });
        for version in group.wish.versions.iter().filter(|version| Some(**version) != group.wish.version) {
            let mut after = group.clone();
            after.wish.version = Some(*version);
            may(Who::Person(EDITS), Edit::Replace(names::flat_group(&after)), "Want");
        }
        let answered = group.status.answered.as_ref().map(|answered| answered.ticket);
        let is_pending = group.wish.command.as_ref().is_some_and(|command| Some(command.ticket) != answered);
        if is_pending {
            return;
        }
        let snapshot = self.as_it_is(objects, s);
        for verb in Verb::ALL {
            let members = 1..=self.nodes;
            let members = if verb.is_about_a_member() { members.map(Some).collect() } else { vec![None] };
            for member in members {
                let command = Command { verb, member, ticket: 1 - answered.unwrap_or(1) };
                if self.wrong || (self.shape.would)(&snapshot, &command).is_ok() {
                    let mut after = group.clone();
                    after.wish.command = Some(command);
                    may(Who::Person(COMMANDS), Edit::Replace(names::flat_group(&after)), verb_name(verb));
                }
            }
        }
    }

    /// What people delete.
    pub(super) fn deletions(objects: &Objects, out: &mut Vec<Deed>) {
        for slot in GROUP..CLUSTER {
            if objects[usize::from(slot)].is_some_and(|flat| !flat.deleting) {
                out.push(Deed { who: Who::Person(DELETIONS), what: Edit::Delete, slot, about: "Delete" });
            }
        }
    }

    /// Who else changes the cluster, or is upgraded on it: each only if nobody else is.
    pub(super) fn to_cluster(objects: &Objects, out: &mut Vec<Deed>) {
        let Some(flat) = objects[usize::from(CLUSTER)] else { return };
        let cluster = names::cluster_of(flat);
        let mut may = |who, after: Cluster<Tiny>, about| {
            let what = Edit::Replace(names::flat_cluster(&after));
            out.push(Deed { who, what, slot: CLUSTER, about });
        };
        match (cluster.updates, cluster.upgrade) {
            (false, None) => {
                may(Who::Person(UPDATES), Cluster { updates: true, ..cluster.clone() }, "Update");
                may(
                    Who::Person(UPDATES),
                    Cluster { upgrade: Some((STRANGER, 0)), ..cluster },
                    "UpgradeOther",
                );
            }
            (true, _) => may(Who::Runner, Cluster { updates: false, ..cluster }, "EndUpdate"),
            (_, Some((STRANGER, _))) => may(Who::Runner, Cluster { upgrade: None, ..cluster }, "EndOther"),
            (false, Some(_)) => {}
        }
    }

    /// What somebody would see who sees everything as it is.
    pub(super) fn as_it_is(&self, objects: &Objects, s: &State) -> Shown {
        let all: Vec<_> =
            (0..).zip(objects).filter_map(|(slot, flat)| Some(names::object(slot, (*flat)?))).collect();
        let mut leases = BTreeMap::new();
        for number in 1..=NODES as u8 {
            let (bits, flat) = (s.nodes[usize::from(number) - 1], objects[usize::from(number)]);
            let (true, Some(flat)) = (bits != 0, flat) else { continue };
            let pulse = match Node::of(bits).link {
                Link::Up | Link::Cut | Link::Down => Pulse::Live,
                Link::Lapsed | Link::Gone => Pulse::Lapsed,
            };
            leases.insert(number, (u64::from(flat.generation), pulse));
        }
        let look = Some(Look { at: Millis(0), leases, suspect: false });
        self.shape.snapshot(&0, &all.iter().collect::<Vec<_>>(), &Memory { look })
    }
}

fn act_name(act: &Act<Tiny>) -> &'static str {
    match act {
        Act::Read => "Read",
        Act::Fence(_) => "Fence",
        Act::Start(_) => "Start",
        Act::Drain => "Drain",
        Act::Tell(_) => "Tell",
        Act::Stop => "Stop",
        Act::Kill => "Kill",
        Act::Report(_) => "Report",
    }
}

fn verb_name(verb: Verb) -> &'static str {
    match verb {
        Verb::Initialize => "Initialize",
        Verb::Node => "Node",
        Verb::Run => "Run",
        Verb::Commit => "Commit",
        Verb::Rollback => "Rollback",
        Verb::Reset => "Reset",
        Verb::Forward => "Forward",
        Verb::Forget => "Forget",
    }
}
