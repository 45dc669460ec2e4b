//! Arbitrary objects of the protocol, for tests: whatever it can come to has to come back from JSON.

use bowline_control::Millis;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{
    Answered, Condition, Desired, Duty, Epoch, Hand, Lists, Mastery, Mood, Pair, Phase, Report, Seat,
    SeatState, Status, Told,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3})?"
}

fn version() -> impl Strategy<Value = String> {
    "v[0-9](\\.[0-9]{1,2})?"
}

/// In whole seconds, as objects have them.
fn time() -> impl Strategy<Value = Millis> {
    (0..4_000_000_000_u64).prop_map(|second| Millis(second * 1_000))
}

fn words() -> impl Strategy<Value = String> {
    "[a-zäß \"]{0,12}"
}

fn lists() -> impl Strategy<Value = Lists<Plain>> {
    vec(vec(name(), 0..4), 0..4)
}

fn epochs() -> impl Strategy<Value = Vec<(String, Epoch)>> {
    btree_map(name(), (0..1_u64 << 53).prop_map(Epoch), 0..4).prop_map(|epochs| epochs.into_iter().collect())
}

fn duties() -> impl Strategy<Value = Vec<Duty<Plain>>> {
    let duty = (0..1_u64 << 53, any::<bool>());
    btree_map(name(), duty, 0..4).prop_map(|duties| {
        let duty = |(device, (epoch, leaves))| Duty { device, epoch: Epoch(epoch), leaves };
        duties.into_iter().map(duty).collect()
    })
}

fn seat() -> impl Strategy<Value = Seat<Plain>> {
    let state = prop_oneof![Just(SeatState::Present), Just(SeatState::Crashed), Just(SeatState::Lost)];
    ("[0-9a-f]{4}", version(), state).prop_map(|(uid, version, state)| Seat { uid, version, state })
}

fn mastery() -> impl Strategy<Value = Mastery<Plain>> {
    (of(name()), 0..1_u64 << 53, any::<bool>()).prop_map(|(master, epoch, leaves)| Mastery {
        master,
        epoch: Epoch(epoch),
        leaves,
    })
}

/// Any truth about a group.
pub(super) fn status() -> impl Strategy<Value = Status<Plain>> {
    let pair = of((version(), version()).prop_map(|(old, new)| Pair { old, new }));
    let hand =
        of((name(), version(), any::<bool>()).prop_map(|(member, to, moves)| Hand { member, to, moves }));
    let answered =
        of(("[a-z0-9]{1,8}", of(words())).prop_map(|(ticket, refused)| Answered { ticket, refused }));
    let first = (prop::sample::select(Phase::ALL.to_vec()), of(version()), pair, 0..1_u64 << 53);
    let second = (btree_map(name(), seat(), 0..4), hand, of(name()));
    let third = (btree_map(version(), lists(), 0..3), btree_map(name(), mastery(), 0..4));
    let fourth = (of((version(), 0..1_u64 << 53)), any::<bool>(), time(), answered);
    (first, second, third, fourth).prop_map(|(first, second, third, fourth)| {
        let (phase, serving, pair, attempt) = first;
        let (seats, hand, last) = second;
        let (lists, devices) = third;
        let (failed, forwarded, since, answered) = fourth;
        Status {
            phase,
            serving,
            pair,
            attempt,
            seats,
            hand,
            last,
            lists,
            devices,
            failed,
            forwarded,
            since,
            answered,
        }
    })
}

/// Anything that people are told, of this generation.
pub(super) fn told(observed: u64) -> impl Strategy<Value = Option<Told<Plain>>> {
    let one = (prop::sample::select(Mood::ALL.to_vec()), words());
    of(one.prop_map(move |(mood, words)| Told { mood, words, observed }))
}

/// Anything that a member is to do.
pub(super) fn desired() -> impl Strategy<Value = Desired<Plain>> {
    (of(version()), any::<bool>(), any::<bool>(), duties(), lists()).prop_map(
        |(version, drains, fenced, devices, partitions)| Desired {
            version,
            drains,
            fenced,
            devices,
            partitions,
        },
    )
}

/// Anything that an agent says.
pub(super) fn report() -> impl Strategy<Value = Option<Report<Plain>>> {
    let condition = prop::sample::select(Condition::ALL.to_vec());
    let one = (0..1_u64 << 53, of(version()), condition, epochs(), epochs(), words());
    of(one.prop_map(|(observed, version, condition, devices, seen, words)| Report {
        observed,
        version,
        condition,
        devices,
        seen,
        words,
    }))
}
