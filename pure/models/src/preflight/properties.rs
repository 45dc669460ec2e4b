//! What is claimed of a plan, and what may come of it.

use bowline_explorer::Property;
use bowline_upgrades::{OnCrash, Phase, Seat, SeatState, Status};

use super::Preflight;
use super::course::Action;
use super::few::Few;
use super::state::State;

type Claim = Property<Preflight>;

/// Found if the upgrade can come to its end.
pub(super) const COMMITTED: &str = "Committed";
/// Found if it can end with the old version.
pub(super) const WENT_BACK: &str = "WentBack";
/// Found if it can come to wait for a person, though it goes on by itself.
pub(super) const NEEDS_A_PERSON: &str = "NeedsAPerson";
/// Found if a partition can be without a quorum, for whatever reason.
pub(super) const QUORUM_LOST: &str = "QuorumLost";
/// Found if it can be that nobody serves, for whatever reason.
pub(super) const NOBODY_SERVES: &str = "NobodyServes";

pub(super) fn all() -> Vec<Claim> {
    let mut all = of_service();
    all.extend(of_versions());
    all.extend(of_rest());
    all.extend(what_may_be());
    all
}

fn of_service() -> Vec<Claim> {
    vec![
        Property::always("OneMaster", |m: &Preflight, s: &State| {
            (0..).take(m.roster.devices.len()).all(|device: u16| {
                let acts = s.places.iter().filter(|place| place.acts().iter().any(|(held, _)| *held == device));
                acts.count() <= 1
            })
        })
        .about("two nodes never act for a device at once"),
        Property::always("KeepsQuorum", |_, s: &State| s.forced || keeps_quorum(s))
            .about("no partition of the version that serves is without a quorum because members are moved; crashes counted as if they were there"),
        Property::always("KeepsServing", |_, s: &State| s.forced || keeps_serving(s))
            .about("the version that serves is never without a node because members are moved; crashes counted as if they were there"),
        Property::always("Mastered", |m: &Preflight, s: &State| {
            !s.is_at_rest() || !somebody_serves(s) || m.wish.devices.iter().all(|device| has_master(s, *device))
        })
        .about("when nothing goes on, every device has a master, if anybody of the version that serves works"),
    ]
}

fn of_versions() -> Vec<Claim> {
    vec![
        Property::always("AtMostTwoVersions", |_, s: &State| {
            let mut there = s.status.seats.values().filter(|seat| seat.state != SeatState::Lost);
            there.all(|seat| match &s.status.pair {
                Some(pair) => seat.version == pair.old || seat.version == pair.new,
                None => Some(seat.version) == s.status.serving,
            })
        })
        .about("members that are there have one of the two versions of the upgrade, or the one that serves"),
        Property::always_step("SwitchesOnlyIfItCan", |_, before: &State, _: &Action, after: &State| {
            let (Some(from), Some(to)) = (before.status.serving, after.status.serving) else { return true };
            from == to || has_quorum(before, &after.status, to) || !some_seem_to_work(before, &after.status, from)
        })
        .about("what serves changes only to a version that has a quorum of every partition, or if nobody of the one that served works"),
        Property::always_step("CrashRollsBack", |m: &Preflight, before: &State, _: &Action, after: &State| {
            m.wish.on_crash != OnCrash::NewVersion
                || !new_version_crashes(&before.status, &after.status)
                || after.status.phase == Phase::RolledBack
        })
        .about("that a node with the new version crashes rolls back, unless it was gone forward with"),
        Property::always_step("CommitsWhenAllAreThere", |_, before: &State, _: &Action, after: &State| {
            let ends = before.status.phase != Phase::Inactive && after.status.phase == Phase::Inactive;
            let is_there = |seat: &Seat<Few>| {
                seat.state == SeatState::Lost || Some(seat.version) == after.status.serving
            };
            !ends || after.status.seats.values().all(is_there)
        })
        .about("it ends only when everybody who is there has the version that stays"),
    ]
}

fn of_rest() -> Vec<Claim> {
    vec![
        Property::always("NoTrap", |m: &Preflight, s: &State| {
            !s.is_at_rest() || s.status.phase == Phase::Inactive || m.some_command(s)
        })
        .about("when nothing goes on by itself before the end, some command is accepted"),
        Property::eventually_always("ComesToRest", |_, s: &State| s.is_at_rest())
            .about("in the end nothing goes on any more: the upgrade has ended, or waits for a person"),
    ]
}

fn what_may_be() -> Vec<Claim> {
    vec![
        Property::sometimes(COMMITTED, |m: &Preflight, s: &State| {
            s.begun && s.status.phase == Phase::Inactive && s.status.serving == Some(m.to)
        })
        .about("every node that is there has the new version, and it is committed"),
        Property::sometimes(WENT_BACK, |m: &Preflight, s: &State| {
            s.begun && s.status.phase == Phase::Inactive && s.status.serving != Some(m.to)
        })
        .about("every node that is there has the old version again"),
        Property::sometimes(NEEDS_A_PERSON, |m: &Preflight, s: &State| {
            m.wish.automatic && s.begun && s.status.phase != Phase::Inactive && s.is_at_rest()
        })
        .about("it waits for a person before its end"),
        Property::sometimes(QUORUM_LOST, |_, s: &State| {
            s.begun && margin(s).is_some_and(|margin| margin < 0)
        })
        .about("a partition of the version that serves is without a quorum for a moment, or longer"),
        Property::sometimes(NOBODY_SERVES, |_, s: &State| s.begun && serving(s) == 0)
            .about("nobody of the version that serves works for a moment, or longer"),
    ]
}

/// A member of the version that serves, who is not being moved. Who has crashed counts: that is nothing that the plan does.
fn counts(s: &State, member: u16) -> bool {
    let seat = s.status.seats.get(&member);
    let is_there = seat.is_some_and(|seat| Some(seat.version) == s.status.serving);
    let in_hand = s.status.hand.as_ref().is_some_and(|hand| hand.member == member);
    is_there && !in_hand || s.place(member).struck
}

pub(super) fn keeps_quorum(s: &State) -> bool {
    let has_quorum =
        |list: &Vec<u16>| list.iter().filter(|member| counts(s, **member)).count() > list.len() / 2;
    lists(s).iter().all(has_quorum)
}

pub(super) fn keeps_serving(s: &State) -> bool {
    s.status.seats.keys().any(|member| counts(s, *member))
}

/// The partitions of the version that serves.
fn lists(s: &State) -> &[Vec<u16>] {
    let lists = s.status.serving.and_then(|serving| s.status.lists.get(&serving));
    lists.map_or(&[], Vec::as_slice)
}

/// Whether a member does its work in the version that serves.
fn serves(s: &State, member: u16) -> bool {
    let place = s.place(member);
    place.works() && place.runs.is_some() && place.runs == s.status.serving
}

/// How many do their work in the version that serves.
pub(super) fn serving(s: &State) -> usize {
    s.status.seats.keys().filter(|member| serves(s, **member)).count()
}

/// How many more than its quorum the weakest partition has; less than none, if it has no quorum. Nothing, without partitions.
pub(super) fn margin(s: &State) -> Option<i32> {
    let margin = |list: &Vec<u16>| {
        let works = list.iter().filter(|member| serves(s, **member)).count();
        works as i32 - (list.len() / 2 + 1) as i32
    };
    lists(s).iter().map(margin).min()
}

/// How many do not work, in whatever version.
pub(super) fn unavailable(s: &State) -> usize {
    s.status.seats.keys().filter(|member| !s.place(**member).works()).count()
}

/// How many devices nobody acts for.
pub(super) fn masterless(m: &Preflight, s: &State) -> usize {
    m.wish.devices.iter().filter(|device| !has_master(s, **device)).count()
}

fn has_master(s: &State, device: u16) -> bool {
    let Some(mastery) = s.status.devices.get(&device) else { return false };
    mastery.master.is_some_and(|master| s.place(master).acts().contains(&(device, mastery.epoch)))
}

/// Whether anybody who is not about to be moved works in the version that serves, and the hub knows.
fn somebody_serves(s: &State) -> bool {
    let in_hand = s.status.hand.as_ref().map(|hand| hand.member);
    let is_present = |seat: &Seat<Few>| seat.state == SeatState::Present;
    let mut seats =
        s.status.seats.iter().filter(|(member, seat)| in_hand != Some(**member) && is_present(seat));
    seats.any(|(member, seat)| Some(seat.version) == s.status.serving && serves(s, *member))
}

fn seems_to_work(s: &State, status: &Status<Few>, member: u16, version: u16) -> bool {
    let seat = status.seats.get(&member);
    seat.is_some_and(|seat| seat.version == version && seat.state == SeatState::Present)
        && s.place(member).seems_to_work(version)
}

fn some_seem_to_work(s: &State, status: &Status<Few>, version: u16) -> bool {
    status.seats.keys().any(|member| seems_to_work(s, status, *member, version))
}

fn has_quorum(s: &State, status: &Status<Few>, version: u16) -> bool {
    let works = |member: &&u16| seems_to_work(s, status, **member, version);
    let mut lists = status.lists.get(&version).into_iter().flatten();
    some_seem_to_work(s, status, version)
        && lists.all(|list| list.iter().filter(works).count() > list.len() / 2)
}

fn new_version_crashes(was: &Status<Few>, is: &Status<Few>) -> bool {
    let Some(pair) = &was.pair else { return false };
    let is_under_way = matches!(was.phase, Phase::Initialized | Phase::Upgraded) && !was.forwarded;
    let struck = |(member, seat): (&u16, &Seat<Few>)| {
        let before = was.seats.get(member).map(|seat| seat.state);
        seat.version == pair.new && before == Some(SeatState::Present) && seat.state != SeatState::Present
    };
    is_under_way && is.seats.iter().any(struck)
}
