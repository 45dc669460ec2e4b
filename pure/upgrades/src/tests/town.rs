//! A group, its members and its cluster, with agents that do at once what they are told.

use std::collections::{BTreeMap, BTreeSet};

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use super::Plain;
use crate::agent::{Act, Drain, Duties, Fence, Health, Known, Read, Software};
use crate::{
    Call, Cluster, Command, Desired, Epoch, Group, Member, Memory, Object, OnCrash, Partitions, Phase, Pulse,
    Reply, Rhythm, Snapshot, Status, Step, Told, Upgrades, Verb, Wait, Wish,
};

pub(super) struct Town {
    pub(super) group: Option<Group<Plain>>,
    pub(super) members: BTreeMap<&'static str, Member<Plain>>,
    pub(super) cluster: Option<Cluster<Plain>>,
    agents: BTreeMap<&'static str, Known<Plain>>,
    pub(super) lapsed: BTreeSet<&'static str>,
    /// The hub suspects itself: who has lapsed is only silent.
    pub(super) suspects: bool,
    memory: Memory<Plain>,
    pub(super) now: Millis,
    pub(super) steps: Vec<String>,
    /// What was told in each write of the group, and in which phase.
    pub(super) tellings: Vec<(Phase, String)>,
}

/// How often something is done until it leads nowhere.
const MOST: usize = 2_000;

impl Town {
    pub(super) fn new(members: &[&'static str], devices: &[&'static str]) -> Town {
        let wish = Wish {
            cluster: None,
            versions: vec!["v1", "v2", "v3"],
            version: None,
            automatic: true,
            soak: Some(Millis(0)),
            on_crash: OnCrash::NewVersion,
            most_unavailable: 1,
            partitions: Partitions { count: 1, size: 3 },
            devices: devices.to_vec(),
            interrupts: false,
            deadline: None,
            command: None,
        };
        let group = Group {
            name: "kv",
            uid: 1,
            version: Version(1),
            generation: 1,
            deleting: false,
            held: false,
            wish,
            status: Status::default(),
            told: None,
        };
        let mut town = Town {
            group: Some(group),
            members: BTreeMap::new(),
            cluster: None,
            agents: BTreeMap::new(),
            lapsed: BTreeSet::new(),
            suspects: false,
            memory: Memory::default(),
            now: Millis(1),
            steps: Vec::new(),
            tellings: Vec::new(),
        };
        members.iter().for_each(|member| town.join(member));
        town
    }

    pub(super) fn join(&mut self, name: &'static str) {
        let member = Member {
            name,
            group: "kv",
            uid: self.members.len() as u8 + 1,
            version: Version(1),
            generation: 1,
            deleting: false,
            held: false,
            desired: Desired::default(),
            report: None,
        };
        self.members.insert(name, member);
        self.agents.insert(name, agent());
    }

    pub(super) fn group(&self) -> &Group<Plain> {
        self.group.as_ref().expect("the group")
    }

    pub(super) fn status(&self) -> &Status<Plain> {
        &self.group().status
    }

    pub(super) fn wants(&mut self, version: &'static str) {
        let group = self.group.as_mut().expect("the group");
        group.wish.version = Some(version);
        group.generation += 1;
    }

    /// Commands something, and tells why it was refused.
    pub(super) fn command(&mut self, verb: Verb, member: Option<&'static str>) -> Option<String> {
        let group = self.group.as_mut().expect("the group");
        let ticket = group.wish.command.as_ref().map_or(1, |command| command.ticket + 1);
        group.wish.command = Some(Command { verb, member, ticket });
        group.generation += 1;
        self.settle();
        let answered = self.status().answered.clone().expect("an answer");
        assert_eq!(answered.ticket, ticket);
        answered.refused
    }

    fn snapshot(&self) -> Snapshot<Plain> {
        let group = self.group.iter().cloned().map(Object::Group);
        let members = self.members.values().cloned().map(Object::Member);
        let objects: Vec<_> =
            group.chain(members).chain(self.cluster.iter().cloned().map(Object::Cluster)).collect();
        controller().snapshot(&"kv", &objects.iter().collect::<Vec<_>>(), &self.memory)
    }

    /// Everything is done that can be, until all wait; what for is told.
    pub(super) fn settle(&mut self) -> Option<Wait<Plain>> {
        for _ in 0..MOST {
            let snapshot = self.snapshot();
            let moment = Moment { clock: self.now, wall: self.now, ..Moment::default() };
            match controller().decide(&snapshot, moment) {
                Decision::Do(step) => {
                    self.steps.push(step.to_string());
                    let effect = controller().effect(&snapshot, &step, moment);
                    self.carry(&step, effect);
                }
                Decision::Converged => return None,
                Decision::Wait { what, until } => {
                    if self.agents_act() {
                        continue;
                    }
                    let standing = Standing::Waiting(&what);
                    if let Some(write) = controller().report(&snapshot, standing, moment) {
                        self.write(write);
                        continue;
                    }
                    // A lease that has lapsed since is seen at the next look.
                    let until = until.expect("leases are looked at again");
                    assert!(until > self.now, "{what:?}: it would be decided again at once, for ever");
                    let seen: BTreeSet<_> = self.seen_lapsed();
                    if seen == self.lapsed || self.suspects {
                        return Some(what);
                    }
                    self.now = until;
                }
            }
        }
        panic!("it does not come to rest: {:?}", &self.steps[self.steps.len() - 20..])
    }

    fn seen_lapsed(&self) -> BTreeSet<&'static str> {
        let look = self.memory.look.iter().flat_map(|look| &look.leases);
        look.filter(|(_, (_, pulse))| *pulse == Pulse::Lapsed).map(|(member, _)| *member).collect()
    }

    fn carry(&mut self, step: &Step<Plain>, effect: Effect<Object<Plain>, Call<Plain>>) {
        match effect {
            Effect::Write(write) => self.write(write),
            Effect::Call(call) => {
                let pulse = |member: &&'static str| match self.lapsed.contains(member) {
                    true if self.suspects => Pulse::Silent,
                    true => Pulse::Lapsed,
                    false => Pulse::Live,
                };
                let said = call.members.keys().map(|member| (*member, pulse(member))).collect();
                let reply = Reply { to: call, said: Ok(said), suspect: self.suspects };
                let moment = Moment { clock: self.now, ..Moment::default() };
                controller().learn(&mut self.memory, step, reply, moment).expect("what was learned");
            }
            Effect::Look(_) => unreachable!("only the loop looks"),
        }
    }

    fn write(&mut self, write: Write<Object<Plain>>) {
        match write {
            Write::Status { after: Object::Group(after), .. } => {
                let words = after.told.as_ref().map(|told| told.words.clone()).unwrap_or_default();
                self.tellings.push((after.status.phase, words));
                self.group = Some(after);
            }
            Write::Change { after: Object::Group(after), .. } => {
                self.group = Some(after).filter(|group| group.held || !group.deleting);
            }
            Write::Change { after: Object::Member(mut after), before: Object::Member(before) } => {
                after.generation += u64::from(after.desired != before.desired);
                self.members.insert(after.name, after.clone());
                if after.deleting && !after.held {
                    self.members.remove(after.name);
                }
            }
            Write::Status { after: Object::Cluster(after), .. } => self.cluster = Some(after),
            other => unreachable!("nobody writes {other:?}"),
        }
    }

    /// Every agent that holds its lease does one thing.
    fn agents_act(&mut self) -> bool {
        let mut acted = false;
        for (name, agent) in &mut self.agents {
            let Some(member) = self.members.get_mut(name) else { continue };
            agent.tenure = (!self.lapsed.contains(name)).then_some(agent.tenure.unwrap_or(1));
            agent.reported.clone_from(&member.report);
            if agent.read.as_ref().is_some_and(|read| read.generation != member.generation)
                && agent.tenure.is_some()
            {
                agent.read = None;
            }
            let Ok(act) = agent.act(self.now) else { continue };
            acted = true;
            match act {
                Act::Read => {
                    let (generation, desired) = (member.generation, member.desired.clone());
                    agent.learn(Read { tenure: agent.tenure, generation, desired });
                }
                Act::Fence(true) => agent.fence = Fence::Until(self.now),
                Act::Fence(false) => agent.fence = Fence::Open,
                Act::Start(version) => {
                    agent.software = Software::Runs { version, health: Health::Good };
                    agent.drain = Drain::Not;
                }
                Act::Drain => agent.drain = Drain::Done,
                Act::Tell(duties) => agent.told = duties,
                Act::Stop | Act::Kill => {
                    (agent.software, agent.told) = (Software::Absent, Duties::default());
                }
                Act::Report(report) => member.report = Some(report),
            }
        }
        acted
    }

    pub(super) fn told(&self) -> &Told<Plain> {
        self.group().told.as_ref().expect("something is told")
    }

    /// Who acts for a device.
    pub(super) fn acts_for(&self, device: &str) -> Vec<&'static str> {
        let acts = |agent: &Known<Plain>| agent.told.devices.iter().any(|(acts, _)| *acts == device);
        self.agents.iter().filter(|(_, agent)| acts(agent)).map(|(name, _)| *name).collect()
    }

    pub(super) fn has_seen(&mut self, member: &str, device: &'static str, epoch: Epoch) {
        self.agents.get_mut(member).expect("an agent").seen.insert(device, epoch);
    }

    /// The software of a member cannot be kept alive.
    pub(super) fn fails(&mut self, member: &str) {
        let agent = self.agents.get_mut(member).expect("an agent");
        if let Software::Runs { version, .. } = agent.software {
            let how = String::new();
            agent.software = Software::Died { version, is_due: false, has_failed: true, how };
        }
    }

    /// The probe of a member's software is not good any more.
    pub(super) fn sickens(&mut self, member: &str) {
        if let Software::Runs { health, .. } = &mut self.agents.get_mut(member).expect("an agent").software {
            *health = Health::Bad;
        }
    }

    pub(super) fn runs(&self, member: &str) -> Option<&'static str> {
        match self.agents[member].software {
            Software::Runs { version, .. } => Some(version),
            _ => None,
        }
    }
}

pub(super) fn agent() -> Known<Plain> {
    Known {
        tenure: Some(1),
        read: None,
        software: Software::Absent,
        fence: Fence::Open,
        drain: Drain::Not,
        told: Duties::default(),
        deaf_until: None,
        seen: BTreeMap::new(),
        reported: None,
    }
}

fn controller() -> Upgrades<Plain> {
    Upgrades::new(Rhythm::default())
}
