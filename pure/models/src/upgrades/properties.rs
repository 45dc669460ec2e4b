//! What is claimed of upgrades.

use bowline_explorer::Property;
use bowline_upgrades::{Command, Condition, Group, OnCrash, Phase, Seat, SeatState, Status, Verb};

use super::Team;
use super::ghost::{FAILED, FORCED};
use super::names::{self, CLUSTER, GROUP};
use super::node::{Life, Link, Node};
use super::shape::Shown;
use crate::harness::{Action, Harness, NODES, State, What};
use crate::tiny::Tiny;

type Claim = Property<Harness<Team>>;

pub(super) fn all() -> Vec<Claim> {
    let mut all = of_masters();
    all.extend(of_versions());
    all.extend(of_the_cluster());
    all.extend(of_rest());
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn of_masters() -> Vec<Claim> {
    vec![
        Property::always("OneMaster", |_, s: &State| {
            (0..usize::from(names::DEVICES)).all(|device| {
                nodes(s).filter(|(_, node)| node.is_alive() && node.acts[device] > 0).count() <= 1
            })
        })
        .about("two nodes never act for a device at once"),
        Property::always_step("MastersServe", |_, before: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|status| {
                let was = group_shown(after).status;
                let given =
                    |device: &u8, epoch| was.devices.get(device).is_none_or(|before| before.epoch != epoch);
                status.devices.iter().filter(|(device, mastery)| given(device, mastery.epoch)).all(
                    |(_, mastery)| {
                        let version = mastery
                            .master
                            .and_then(|master| status.seats.get(&master))
                            .map(|seat| seat.version);
                        version == was.serving
                            && mastery.master.is_some_and(|master| seems_to_work(before, &was, master))
                    },
                )
            })
        })
        .about("a device is given only to a member of the serving version that works, as far as is known"),
        Property::always_step("EpochsGrow", |_, before: &State, action: &Action, after: &State| {
            let (was, is) = (group(before).status, group(after).status);
            !matches!(action, Action::Carry(_))
                || is_gone(after)
                || was.devices.iter().all(|(device, mastery)| {
                    is.devices.get(device).is_some_and(|now| {
                        let is_given = now.master.is_some() && now.master != mastery.master;
                        now.epoch > mastery.epoch || !is_given && now.epoch == mastery.epoch
                    })
                })
        })
        .about("a device is given only in a greater epoch"),
    ]
}

fn of_versions() -> Vec<Claim> {
    vec![
        Property::always("AtMostTwoVersions", |_, s: &State| {
            let group = group(s);
            let versions = group.status.seats.values().filter(|seat| seat.state != SeatState::Lost);
            versions.into_iter().all(|seat| match &group.status.pair {
                Some(pair) => seat.version == pair.old || seat.version == pair.new,
                None => Some(seat.version) == group.status.serving,
            })
        })
        .about("members that are there have one of the two versions of the upgrade, or the one that serves"),
        Property::always("KeepsQuorum", |m: &Harness<Team>, s: &State| {
            m.system.interrupts || s.ghost & FORCED > 0 || keeps_quorum(m, s)
        })
        .about("every partition of the serving version has a quorum of members, those that were struck counted in; unless nobody of the other version worked any more"),
        Property::always_step("SwitchesOnlyIfItCan", |_, before: &State, action: &Action, after: &State| {
            decided(action, after).is_none_or(|status| {
                let was = group_shown(after).status;
                let (Some(from), Some(to)) = (was.serving, status.serving) else { return true };
                from == to || has_quorum(before, &status, to) || !some_seem_to_work(before, &status, from)
            })
        })
        .about("what serves changes only to a version that has a quorum of every partition; or if nobody of the one that served works, as far as is known"),
        Property::always_step("CrashRollsBack", |m: &Harness<Team>, _: &State, action: &Action, after: &State| {
            m.system.on_crash != OnCrash::NewVersion || decided(action, after).is_none_or(|status| {
                let was = group_shown(after).status;
                !new_version_crashes(&was, &status) || status.phase == Phase::RolledBack
            })
        })
        .about("that a node of the new version is lost, or crashes, is recorded in the write that rolls back; unless it was gone forward with"),
        Property::always_step("CommitsWhenAllAreThere", |_, before: &State, _: &Action, after: &State| {
            let (was, is) = (group(before).status, group(after).status);
            let ends = was.phase != Phase::Inactive && is.phase == Phase::Inactive;
            !ends || is.seats.values().all(|seat| {
                seat.state == SeatState::Lost || Some(seat.version) == is.serving
            })
        })
        .about("an upgrade ends only when everybody who is there has the version that stays"),
        Property::always_step("StaysFailed", |_, before: &State, _: &Action, after: &State| {
            let (was, is) = (group(before).status, group(after).status);
            let begins = was.phase == Phase::Inactive && is.phase == Phase::Initialized;
            !begins || before.ghost & FAILED == 0 || was.answered != is.answered
        })
        .about("what was rolled back does not begin again by itself until something else is wanted; a command is no such thing"),
        Property::always("CanGoBack", can_go_back)
            .about("until the commit it can be rolled back, whatever has happened by then"),
    ]
}

fn of_the_cluster() -> Vec<Claim> {
    vec![
        Property::always("OneAtATime", |m: &Harness<Team>, s: &State| {
            let status = group(s).status;
            !m.system.cluster || status.phase == Phase::Inactive || upgrade_on_cluster(s) == Some(status.attempt)
        })
        .about("while a group is upgraded its cluster says so: no update is applied there, and nobody else is upgraded"),
        Property::always("LeavesTheCluster", |m: &Harness<Team>, s: &State| {
            let is_over = is_gone(s) || is_at_rest(m, s) && group(s).status.phase == Phase::Inactive;
            !is_over || upgrade_on_cluster(s).is_none()
        })
        .about("and when that is over it does not"),
    ]
}

fn of_rest() -> Vec<Claim> {
    vec![
        Property::always("MembersAgree", |m: &Harness<Team>, s: &State| !is_at_rest(m, s) || members_agree(m, s))
            .about("when nothing goes on, the nodes of a version know the same members of each partition, and these are not more than there may be"),
        Property::always("NoTrap", |m: &Harness<Team>, s: &State| !m.system.manual || !is_at_rest(m, s) || some_command(m, s))
            .about("when nothing goes on by itself, some command is accepted; but at the last version"),
        Property::always("Mastered", |m: &Harness<Team>, s: &State| {
            !is_at_rest(m, s) || group(s).deleting || !somebody_serves(s) || (0..m.system.devices).all(|device| has_master(s, device))
        })
        .about("when nothing goes on, every device has a master that acts, if anybody of the serving version works"),
        Property::always("StopsBeforeItGoes", |_, s: &State| {
            let truth = s.truth();
            nodes(s).all(|(number, node)| {
                let acts = node.acts.iter().any(|epoch| *epoch > 0);
                truth[usize::from(number)].is_some() || !node.is_alive() || node.link == Link::Lapsed && !acts
            })
        })
        .about("a member that is deleted is gone when its software has ended; or when its lease has lapsed, and it acts for nothing"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("Ends", |m: &Harness<Team>, s: &State| {
            m.system.manual || !m.system.deadline || group(s).status.phase == Phase::Inactive || is_excused(s)
        })
        .about("in the end there is no upgrade any more, if it goes on by itself; or nobody of either version works"),
        Property::eventually_always("DeletedGoes", |_, s: &State| {
            !s.truth().iter().flatten().any(|flat| flat.deleting)
        })
        .about("in the end what was deleted is gone"),
        Property::eventually_always("ComesToRest", |m: &Harness<Team>, s: &State| is_at_rest(m, s) || is_looking(s))
            .about("and then nothing is written any more, though leases are looked at for ever"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("Committed", |m: &Harness<Team>, s: &State| {
            let bounds = m.bounds();
            m.system.manual && bounds.people[0] < 8
                || m.system.sick & 2 > 0
                || m.system.nodes == 1 && !m.system.interrupts
                || m.system.is_too_small()
                || group(s).status.serving == Some(2) && group(s).status.phase == Phase::Inactive
        })
        .about("an upgrade is committed; or it cannot be"),
    ]
}

impl Team {
    /// Whether no member can be spared.
    fn is_too_small(&self) -> bool {
        let size = (self.partitions.size as usize).min(self.nodes.into());
        let spare = usize::from(self.nodes) - size;
        !self.interrupts && (self.nodes == 1 || self.partitions.count > 0 && spare == 0 && size <= 2)
    }
}

pub(crate) fn group(s: &State) -> Group<Tiny> {
    names::group_of(s.truth()[usize::from(GROUP)].unwrap_or(names::GONE))
}

fn is_gone(s: &State) -> bool {
    s.truth()[usize::from(GROUP)].is_none()
}

/// The attempt in which the group is on its cluster, if it is.
fn upgrade_on_cluster(s: &State) -> Option<u64> {
    let cluster = names::cluster_of(s.truth()[usize::from(CLUSTER)]?);
    cluster.upgrade.filter(|(group, _)| *group == GROUP).map(|(_, attempt)| attempt)
}

fn nodes(s: &State) -> impl Iterator<Item = (u8, Node)> {
    (1..).zip(s.nodes).filter(|(_, bits)| *bits != 0).map(|(number, bits)| (number, Node::of(bits)))
}

/// The status that was decided to be written, if it was just decided.
fn decided(action: &Action, after: &State) -> Option<Status<Tiny>> {
    let (Action::Turn(_) | Action::Wake(_) | Action::Jump(_)) = action else { return None };
    match after.keys[0].doing?.what {
        What::Write(post) if post.slot == GROUP => Some(names::group_of(post.object).status),
        _ => None,
    }
}

fn group_shown(s: &State) -> Group<Tiny> {
    names::group_of(s.shown[usize::from(GROUP)].unwrap_or(names::GONE))
}

/// Whether a member works, as far as the loop knows, and was not found out to be lost by this status.
fn seems_to_work(s: &State, status: &Status<Tiny>, number: u8) -> bool {
    let Some(seat) = status.seats.get(&number) else { return false };
    let member = s.shown[usize::from(number)].map(|flat| names::member_of(number, flat));
    let runs = member
        .and_then(|member| member.report)
        .is_some_and(|report| report.condition == Condition::Running && report.version == Some(seat.version));
    let is_live = s.keys[0].memory.body[usize::from(number) - 1] >> 4 == 1;
    runs && is_live && seat.state == SeatState::Present
}

fn some_seem_to_work(s: &State, status: &Status<Tiny>, version: u8) -> bool {
    let mut at = status.seats.iter().filter(|(_, seat)| seat.version == version);
    at.any(|(number, _)| seems_to_work(s, status, *number))
}

fn has_quorum(s: &State, status: &Status<Tiny>, version: u8) -> bool {
    let works = |number: &&u8| {
        status.seats.get(number).is_some_and(|seat| seat.version == version)
            && seems_to_work(s, status, **number)
    };
    let mut lists = status.lists.get(&version).into_iter().flatten();
    some_seem_to_work(s, status, version)
        && lists.all(|list| list.iter().filter(works).count() > list.len() / 2)
}

fn members_agree(m: &Harness<Team>, s: &State) -> bool {
    let (status, truth) = (group(s).status, s.truth());
    let most = m.system.partitions.size as usize;
    let knows = |(number, seat): (&u8, &Seat<Tiny>)| {
        let member = truth[usize::from(*number)].map(|flat| names::member_of(*number, flat));
        let lists = status.lists.get(&seat.version).cloned().unwrap_or_default();
        member.is_some_and(|member| member.desired.partitions == lists)
    };
    status.seats.iter().all(knows) && status.lists.values().flatten().all(|list| list.len() <= most)
}

fn new_version_crashes(was: &Status<Tiny>, is: &Status<Tiny>) -> bool {
    let Some(pair) = &was.pair else { return false };
    let is_under_way = matches!(was.phase, Phase::Initialized | Phase::Upgraded) && !was.forwarded;
    let struck = |(number, seat): (&u8, &Seat<Tiny>)| {
        let before = was.seats.get(number).map(|seat| seat.state);
        seat.version == pair.new && before == Some(SeatState::Present) && seat.state != SeatState::Present
    };
    is_under_way && is.seats.iter().any(struck)
}

fn keeps_quorum(m: &Harness<Team>, s: &State) -> bool {
    let status = group(s).status;
    let Some(serving) = status.serving else { return true };
    let in_hand = status.hand.as_ref().map(|hand| hand.member);
    let is_sick = m.system.sick >> (serving - 1) & 1 == 1;
    let counts = |number: &u8| {
        let is_there = status.seats.get(number).is_some_and(|seat| seat.version == serving);
        let was_struck = s.ghost >> (number - 1) & 1 == 1;
        is_there && in_hand != Some(*number) || was_struck || is_sick
    };
    let lists = status.lists.get(&serving);
    // Who was deleted has left its partitions, and was struck as well.
    let gone = (1..=m.system.nodes).filter(|number| !status.seats.contains_key(number)).count();
    let keeps = |list: &Vec<u8>| {
        let there = list.iter().filter(|number| counts(number)).count();
        there + gone > list.len() / 2
    };
    lists.into_iter().flatten().all(keeps)
}

/// Whether a look at the leases is all that is going on.
fn is_looking(s: &State) -> bool {
    let known = &s.keys[0];
    let only_looks = known.doing.is_none_or(|doing| matches!(doing.what, What::Call(_)));
    only_looks && s.pending.iter().flatten().flatten().next().is_none()
}

/// What is recorded of the group.
#[cfg(test)]
pub(crate) fn recorded(s: &State) -> Status<Tiny> {
    group(s).status
}

/// Whether nothing goes on by itself: the loop waits, and every agent that can does not have to do anything.
pub(crate) fn is_at_rest(m: &Harness<Team>, s: &State) -> bool {
    let known = &s.keys[0];
    let waits = known.due && !known.is_parked() && !known.trouble;
    let is_quiet = s.is_quiet() && waits && s.late.iter().all(Option::is_none);
    is_quiet && !may_have_to_look(s) && agents_rest(m, s)
}

/// Whether what is remembered of the leases is not how they stand.
fn may_have_to_look(s: &State) -> bool {
    let seen = super::leases::seen(s);
    let known = &s.keys[0].memory;
    (0..NODES).any(|place| seen.body[place] != known.body[place] >> 4)
}

fn agents_rest(m: &Harness<Team>, s: &State) -> bool {
    let truth = s.truth();
    nodes(s).all(|(number, node)| {
        let Some(flat) = truth[usize::from(number)] else { return true };
        let member = names::member_of(number, flat);
        let lags = node.link == Link::Up && u64::from(node.generation) != member.generation;
        let may_lapse = matches!(node.link, Link::Cut | Link::Down);
        let acts = node.link == Link::Up && (m.system.shape.act)(&node.known(&member)).is_ok();
        !lags && !may_lapse && !acts && node.software != Life::New
    })
}

fn works(s: &State, version: u8) -> bool {
    let status = group(s).status;
    (1..=NODES as u8).any(|number| works_at(s, &status, number, version))
}

fn works_at(s: &State, status: &Status<Tiny>, number: u8, version: u8) -> bool {
    let bits = s.nodes[usize::from(number) - 1];
    let seat = status.seats.get(&number);
    bits != 0
        && seat.is_some_and(|seat| seat.version == version && seat.state == SeatState::Present)
        && Node::of(bits).works_at(version)
}

/// Whether anybody who is not about to be moved works in the serving version.
fn somebody_serves(s: &State) -> bool {
    let status = group(s).status;
    let in_hand = status.hand.as_ref().map(|hand| hand.member);
    status.serving.is_some_and(|serving| {
        (1..=NODES as u8).any(|number| in_hand != Some(number) && works_at(s, &status, number, serving))
    })
}

fn has_master(s: &State, device: u8) -> bool {
    let status = group(s).status;
    let Some(mastery) = status.devices.get(&device) else { return false };
    nodes(s).any(|(number, node)| {
        mastery.master == Some(number)
            && node.is_alive()
            && u64::from(node.acts[usize::from(device)]) == mastery.epoch.0
    })
}

/// Whether an upgrade cannot end by itself: nobody works.
fn is_excused(s: &State) -> bool {
    let status = group(s).status;
    let Some(pair) = status.pair else { return true };
    !works(s, pair.old) && !works(s, pair.new)
}

fn can_go_back(m: &Harness<Team>, s: &State) -> bool {
    let group = group(s);
    let is_under_way = matches!(group.status.phase, Phase::Initialized | Phase::Upgraded);
    let rollback = Command { verb: Verb::Rollback, member: None, ticket: 0 };
    !is_under_way || group.deleting || is_accepted(m, &m.system.as_it_is(&s.truth(), s), &rollback)
}

fn some_command(m: &Harness<Team>, s: &State) -> bool {
    let group = group(s);
    if group.status.phase == Phase::Inactive || group.deleting {
        return true;
    }
    let snapshot = m.system.as_it_is(&s.truth(), s);
    Verb::ALL.into_iter().any(|verb| {
        let members = (1..=m.system.nodes).map(Some);
        let members: Vec<_> = if verb.is_about_a_member() { members.collect() } else { vec![None] };
        members.into_iter().any(|member| is_accepted(m, &snapshot, &Command { verb, member, ticket: 0 }))
    })
}

fn is_accepted(m: &Harness<Team>, snapshot: &Shown, command: &Command<Tiny>) -> bool {
    (m.system.shape.would)(snapshot, command).is_ok()
}
