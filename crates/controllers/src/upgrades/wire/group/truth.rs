//! The one truth about a group.

use bowline_api::Epoch as ApiEpoch;
use bowline_api::upgrades::{
    AnsweredCommand, Counts, DeviceMaster, GroupMember, InHand, MemberState, Membership, NodeGroupStatus,
    UpgradeState,
};
use bowline_control::Millis;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Answered, Epoch, Hand, Mastery, Pair, Phase, Seat, SeatState, Status};
use serde_json::{Value, json};

use super::super::lists;
use super::{Fields, LONGEST};
use crate::drawing::{cut, put};
use crate::times::{millis, time};

/// `None` if it says what cannot be: nobody must take that for nothing.
pub(super) fn read(said: &NodeGroupStatus) -> Option<Status<Plain>> {
    let pair = match (&said.from_version, &said.target_version) {
        (Some(old), Some(new)) => Some(Pair { old: old.to_string(), new: new.to_string() }),
        (None, None) => None,
        _ => return None,
    };
    let failed = match (&said.failed_version, said.failed_generation) {
        (Some(version), Some(generation)) => Some((version.to_string(), u64::try_from(generation).ok()?)),
        (None, None) => None,
        _ => return None,
    };
    let of_version = |membership: &Membership| {
        Some((membership.version.to_string(), lists::read(&membership.partitions)?))
    };
    Some(Status {
        phase: phase(said.upgrade_state),
        serving: said.serving_version.as_ref().map(ToString::to_string),
        pair,
        attempt: said.attempt,
        seats: said.members.iter().map(|member| (member.name.to_string(), seat(member))).collect(),
        hand: said.in_hand.as_ref().map(hand),
        last: said.last_moved.as_ref().map(ToString::to_string),
        lists: said.memberships.iter().map(of_version).collect::<Option<_>>()?,
        devices: said.devices.iter().map(|device| (device.name.to_string(), mastery(device))).collect(),
        failed,
        forwarded: said.forwarded,
        since: said.last_progress_time.as_ref().map_or(Millis(0), millis),
        answered: said
            .command
            .as_ref()
            .map(|AnsweredCommand { id, refused }| Answered { ticket: id.clone(), refused: refused.clone() }),
    })
}

fn seat(member: &GroupMember) -> Seat<Plain> {
    Seat { uid: member.uid.clone(), version: member.version.to_string(), state: state(member.state) }
}

fn hand(InHand { member, to, moving }: &InHand) -> Hand<Plain> {
    Hand { member: member.to_string(), to: to.to_string(), moves: *moving }
}

fn mastery(device: &DeviceMaster) -> Mastery<Plain> {
    Mastery {
        master: device.master.as_ref().map(ToString::to_string),
        epoch: Epoch(device.epoch.0),
        leaves: device.leaving,
    }
}

/// How far an upgrade has come, and what the API calls it.
const PHASES: [(Phase, UpgradeState); 4] = [
    (Phase::Inactive, UpgradeState::Inactive),
    (Phase::Initialized, UpgradeState::Initialized),
    (Phase::Upgraded, UpgradeState::Upgraded),
    (Phase::RolledBack, UpgradeState::RolledBack),
];

fn phase(written: UpgradeState) -> Phase {
    PHASES.iter().find(|(_, other)| *other == written).map_or(Phase::Inactive, |(phase, _)| *phase)
}

pub(super) fn written(phase: Phase) -> UpgradeState {
    PHASES.iter().find(|(other, _)| *other == phase).map_or(UpgradeState::Inactive, |(_, written)| *written)
}

fn state(written: MemberState) -> SeatState {
    match written {
        MemberState::Present => SeatState::Present,
        MemberState::Crashed => SeatState::Crashed,
        MemberState::Lost => SeatState::Lost,
    }
}

fn written_state(state: SeatState) -> MemberState {
    match state {
        SeatState::Present => MemberState::Present,
        SeatState::Crashed => MemberState::Crashed,
        SeatState::Lost => MemberState::Lost,
    }
}

pub(super) fn draw(truth: &Status<Plain>, fields: &mut Fields) {
    let text = |text: &Option<String>| text.clone().map(Value::from);
    let pair = truth.pair.as_ref();
    put(fields, "upgradeState", Some(json!(written(truth.phase))));
    put(fields, "servingVersion", text(&truth.serving));
    put(fields, "fromVersion", pair.map(|pair| json!(pair.old)));
    put(fields, "targetVersion", pair.map(|pair| json!(pair.new)));
    put(fields, "attempt", Some(json!(truth.attempt)));
    let members: Vec<_> = truth.seats.iter().map(member).collect();
    put(fields, "members", (!members.is_empty()).then(|| json!(members)));
    put(fields, "inHand", truth.hand.as_ref().map(|hand| json!(in_hand(hand))));
    put(fields, "lastMoved", text(&truth.last));
    let memberships: Vec<_> = truth.lists.iter().map(membership).collect();
    put(fields, "memberships", (!memberships.is_empty()).then(|| json!(memberships)));
    let devices: Vec<_> = truth.devices.iter().map(master).collect();
    put(fields, "devices", (!devices.is_empty()).then(|| json!(devices)));
    put(fields, "failedVersion", truth.failed.as_ref().map(|(version, _)| json!(version)));
    put(fields, "failedGeneration", truth.failed.as_ref().map(|(_, generation)| json!(generation)));
    put(fields, "forwarded", truth.forwarded.then_some(Value::Bool(true)));
    let since = Some(truth.since).filter(|since| *since != Millis(0));
    put(fields, "lastProgressTime", since.map(|since| json!(time(since))));
    put(fields, "command", truth.answered.as_ref().map(|answered| json!(answer(answered))));
    put(fields, "counts", Some(json!(counts(truth))));
}

fn member((name, seat): (&String, &Seat<Plain>)) -> GroupMember {
    GroupMember {
        name: name.as_str().into(),
        uid: seat.uid.clone(),
        version: seat.version.as_str().into(),
        state: written_state(seat.state),
    }
}

fn in_hand(Hand { member, to, moves }: &Hand<Plain>) -> InHand {
    InHand { member: member.as_str().into(), to: to.as_str().into(), moving: *moves }
}

fn membership((version, partitions): (&String, &Vec<Vec<String>>)) -> Membership {
    Membership { version: version.as_str().into(), partitions: lists::drawn(partitions) }
}

fn master((name, mastery): (&String, &Mastery<Plain>)) -> DeviceMaster {
    DeviceMaster {
        name: name.as_str().into(),
        master: mastery.master.as_deref().map(Into::into),
        epoch: ApiEpoch(mastery.epoch.0),
        leaving: mastery.leaves,
    }
}

fn answer(Answered { ticket, refused }: &Answered<Plain>) -> AnsweredCommand {
    AnsweredCommand { id: ticket.clone(), refused: refused.as_deref().map(|why| cut(why, LONGEST)) }
}

/// They follow from the rest, and are for people.
fn counts(truth: &Status<Plain>) -> Counts {
    let of = |is: &dyn Fn(&Seat<Plain>) -> bool| {
        u32::try_from(truth.seats.values().filter(|seat| is(seat)).count()).unwrap_or(u32::MAX)
    };
    let (members, present) = (of(&|_| true), of(&|seat| seat.state == SeatState::Present));
    Counts {
        members,
        present,
        upgraded: truth.pair.as_ref().map_or(0, |pair| of(&|seat| seat.version == pair.new)),
        summary: format!("{present}/{members}"),
    }
}
