//! Arbitrary objects of the protocol, for tests: whatever it can come to has to come back from JSON.

use bowline_api::placements::{AccessMode, PortableVolume, VolumeMode};
use bowline_control::Millis;
use bowline_placements::plain::Plain;
use bowline_placements::{
    By, Epoch, Fence, FenceState, Grant, Mood, Phase, Recovery, Said, TargetReport, Thing, Told, Use,
    UseState,
};
use proptest::collection::{btree_map, btree_set};
use proptest::option::of;
use proptest::prelude::*;

pub(super) fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3})?"
}

fn number() -> impl Strategy<Value = u64> {
    0..1_u64 << 53
}

fn epoch() -> impl Strategy<Value = Epoch> {
    number().prop_map(Epoch)
}

fn words() -> impl Strategy<Value = String> {
    "[a-zäß \"]{0,12}"
}

/// In whole seconds, as objects have them.
pub(super) fn lapsed() -> impl Strategy<Value = Option<Millis>> {
    of((0..4_000_000_000_u64).prop_map(|second| Millis(second * 1_000)))
}

fn its() -> impl Strategy<Value = Use> {
    let state = prop::sample::select(UseState::ALL.to_vec());
    let said = of(prop::sample::select(Said::ALL.to_vec()));
    (epoch(), epoch(), state, said).prop_map(|(epoch, fence, state, said)| Use { epoch, fence, state, said })
}

/// Any grant.
pub(super) fn grant() -> impl Strategy<Value = Grant<Plain>> {
    let recovery =
        (number(), btree_set(name(), 0..3)).prop_map(|(restore, awaits)| Recovery { restore, awaits });
    let all = (epoch(), btree_map(name(), its(), 0..4), of(recovery), number());
    all.prop_map(|(epoch, users, recovering, restore)| Grant { epoch, users, recovering, restore })
}

/// Any fence.
pub(super) fn fence() -> impl Strategy<Value = Fence> {
    let state = prop::sample::select(FenceState::ALL.to_vec());
    let by = prop::sample::select(By::ALL.to_vec());
    (state, epoch(), by).prop_map(|(state, epoch, by)| Fence { state, epoch, by })
}

/// Anything that people are told, of this generation. What is told of a target has no phase of its own.
pub(super) fn told(observed: u64, has_phase: bool) -> impl Strategy<Value = Option<Told<Plain>>> {
    let phases = if has_phase { Phase::ALL.to_vec() } else { vec![Phase::Granted] };
    let one = (prop::sample::select(phases), prop::sample::select(Mood::ALL.to_vec()), words());
    of(one.prop_map(move |(phase, mood, words)| Told { phase, mood, words, observed }))
}

/// Anything that a syncer says of its target.
pub(super) fn report() -> impl Strategy<Value = Option<TargetReport<Plain>>> {
    let thing = prop_oneof![
        name().prop_map(Thing::Namespace),
        (name(), name()).prop_map(|(namespace, claim)| Thing::Volume(format!("{namespace}.{claim}"))),
    ];
    let one = (epoch(), number(), number(), btree_map(thing, epoch(), 0..4), any::<bool>());
    of(one.prop_map(|(fence, tenure, restore, uses, ahead)| TargetReport {
        fence,
        tenure,
        restore,
        uses,
        ahead,
    }))
}

/// What any volume is, as text.
pub(super) fn described() -> impl Strategy<Value = Option<String>> {
    let modes = btree_set(0..4_usize, 0..3).prop_map(|all| {
        let modes = [
            AccessMode::ReadWriteOnce,
            AccessMode::ReadWriteOncePod,
            AccessMode::ReadWriteMany,
            AccessMode::ReadOnlyMany,
        ];
        all.into_iter().map(|one| modes[one]).collect::<Vec<_>>()
    });
    let attributes = btree_map(name(), words(), 0..3);
    let one = (name(), words(), of(name()), modes, any::<bool>(), of(name()), attributes);
    let volume =
        one.prop_map(|(driver, handle, class, access_modes, block, fs_type, attributes)| PortableVolume {
            driver,
            handle,
            size: "10Gi".to_owned(),
            class: class.map(Into::into),
            access_modes,
            mode: if block { VolumeMode::Block } else { VolumeMode::Filesystem },
            fs_type,
            secrets: attributes.clone(),
            attributes,
        });
    of(volume.prop_map(|volume| serde_json::to_string(&volume).expect("JSON")))
}
