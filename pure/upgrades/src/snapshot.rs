//! What is known of a group.

use std::collections::BTreeMap;

use bowline_control::Millis;

use crate::effect::{Pulse, Reply};
use crate::member::Member;
use crate::object::Object;
use crate::state::{Cluster, Group, Names};

/// A group with its members and its cluster, and what was learned of their leases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The group, if it is there.
    pub group: Option<Group<N>>,
    /// Its members.
    pub members: BTreeMap<N::Member, Member<N>>,
    /// Its cluster, if it is there.
    pub cluster: Option<Cluster<N>>,
    /// What was learned.
    pub memory: Memory<N>,
}

/// What is remembered of a group until the next crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory<N: Names> {
    /// How the leases stand.
    pub look: Option<Look<N>>,
}

/// How the leases of a group stood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look<N: Names> {
    /// When.
    pub at: Millis,
    /// By member: which generation of it was known by then, and how its lease stood afterwards.
    pub leases: BTreeMap<N::Member, (u64, Pulse)>,
    /// The hub suspects itself.
    pub suspect: bool,
}

impl<N: Names> Default for Memory<N> {
    fn default() -> Memory<N> {
        Memory { look: None }
    }
}

impl<N: Names> Memory<N> {
    pub(crate) fn learn(&mut self, reply: Reply<N>, now: Millis) -> Result<(), String> {
        let Reply { to, said, suspect } = reply;
        let said = said.map_err(|why| format!("could not see how the leases stand: {why}"))?;
        let pulse = |(member, generation): (N::Member, u64)| {
            let pulse = said.get(&member).copied().unwrap_or(Pulse::Silent);
            (member, (generation, pulse))
        };
        self.look = Some(Look { at: now, leases: to.members.into_iter().map(pulse).collect(), suspect });
        Ok(())
    }
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(name: &N::Group, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        let mut this =
            Snapshot { group: None, members: BTreeMap::new(), cluster: None, memory: memory.clone() };
        for object in objects {
            match object {
                Object::Group(group) if group.name == *name => this.group = Some(group.clone()),
                Object::Member(member) if member.group == *name => {
                    this.members.insert(member.name.clone(), member.clone());
                }
                Object::Cluster(cluster) => this.cluster = Some(cluster.clone()),
                Object::Group(_) | Object::Member(_) => {}
            }
        }
        this
    }
}
