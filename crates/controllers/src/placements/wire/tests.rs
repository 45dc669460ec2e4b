use bowline_api::placements::{PlacementStatus, SyncTargetStatus, VolumeGrantSpec, VolumeGrantStatus};
use bowline_placements::{Claim, Fence, FenceState, FenceWish, Mood, Phase, Placement, Target, Told, Volume};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::drawn;
use super::*;

fn raw(kind: &str, namespace: Option<&str>, name: &str, rest: Value) -> DynamicObject {
    let mut object = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": kind,
        "metadata": { "name": name, "uid": "u", "resourceVersion": "7", "generation": 3, "finalizers": ["others"] },
    });
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = json!(namespace);
    }
    for (key, value) in rest.as_object().into_iter().flatten() {
        object[key.as_str()] = value.clone();
    }
    serde_json::from_value(object).expect("an object")
}

fn kept() -> Value {
    json!({ "foreign": { "kept": true } })
}

fn raw_placement() -> DynamicObject {
    raw("Placement", Some("shop"), "placement", json!({ "spec": { "target": "east" }, "status": kept() }))
}

fn raw_volume() -> DynamicObject {
    let spec = json!({ "namespace": "shop", "claim": "data.0", "sharing": "Owned" });
    raw("VolumeGrant", None, "shop.data.0", json!({ "spec": spec, "status": kept() }))
}

fn raw_target() -> DynamicObject {
    raw("SyncTarget", None, "east", json!({ "spec": { "cluster": "c" }, "status": kept() }))
}

fn at(second: i64) -> Time {
    Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
}

fn bare_placement() -> Placement<Plain> {
    placement::read(&raw_placement()).expect("a placement")
}

fn bare_volume() -> Volume<Plain> {
    volume::read(&raw_volume()).expect("a grant")
}

fn bare_target() -> Target<Plain> {
    target::read(&raw_target()).expect("a target")
}

/// Draws an object of the protocol, and sees that it comes back, that what we do not know of is kept, and that drawing it again
/// changes nothing.
fn comes_back(object: &Object<Plain>, kind: Kind, mut raw: DynamicObject) -> Result<(), TestCaseError> {
    PlacementWire.draw(object, &mut raw);
    PlacementWire.draw_status(object, &mut raw);
    prop_assert_eq!(PlacementWire.read(kind, &raw), Some(object.clone()));
    prop_assert_eq!(&raw.data["status"]["foreign"], &json!({ "kept": true }), "what we do not know is kept");
    let drawn = raw.clone();
    PlacementWire.draw(object, &mut raw);
    PlacementWire.draw_status(object, &mut raw);
    prop_assert_eq!(&raw, &drawn, "what is read and drawn again is the same");
    Ok(())
}

/// Whether nothing is said in a status that has no place there.
fn fits<T: serde::Serialize + serde::de::DeserializeOwned>(
    mut raw: DynamicObject,
    object: &Object<Plain>,
) -> Result<(), TestCaseError> {
    // What the server fills in.
    let filled =
        if matches!(object, Object::Placement(_)) { json!({ "phase": "Pending" }) } else { json!({}) };
    raw.data["status"] = filled;
    PlacementWire.draw_status(object, &mut raw);
    let read: Result<T, _> = serde_json::from_value(raw.data["status"].clone());
    let again = read.map(|status| json!(status)).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(again, raw.data["status"].clone());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_placement_comes_back(
        grant in drawn::grant(), told in drawn::told(3, true), held: bool, desired in prop::option::of(drawn::name()),
    ) {
        let object = Object::Placement(Placement { grant, told, held, desired, ..bare_placement() });
        comes_back(&object, Kind::Placement, raw_placement())?;
        fits::<PlacementStatus>(raw_placement(), &object)?;
    }

    #[test]
    fn every_grant_of_a_volume_comes_back(
        grant in drawn::grant(), described in drawn::described(), held: bool, unknown: bool, destroyed: bool,
        only in prop::option::of(drawn::name()),
    ) {
        let object = Object::Volume(Volume { grant, described, held, unknown, destroyed, only, ..bare_volume() });
        comes_back(&object, Kind::Volume, raw_volume())?;
        fits::<VolumeGrantStatus>(raw_volume(), &object)?;
    }

    #[test]
    fn every_target_comes_back(
        fence in drawn::fence(), told in drawn::told(3, false), held: bool, lapsed in drawn::lapsed(), report in drawn::report(),
        restore in 0..1_u64 << 53,
    ) {
        let object = Object::Target(Target { fence, told, held, lapsed, report, restore, ..bare_target() });
        comes_back(&object, Kind::Target, raw_target())?;
        fits::<SyncTargetStatus>(raw_target(), &object)?;
    }
}

#[test]
fn a_new_grant_is_drawn_as_its_schema_wants_it() {
    let resource = ApiResource::erase::<VolumeGrant>(&());
    let mut raw = DynamicObject::new("shop.data.0", &resource);
    PlacementWire.draw(&Object::Volume(Volume { held: true, ..bare_volume() }), &mut raw);
    let spec: VolumeGrantSpec = serde_json::from_value(raw.data["spec"].clone()).expect("a spec");
    assert_eq!((spec.namespace.as_str(), spec.claim.as_str()), ("shop", "data.0"));
    assert_eq!(raw.metadata.finalizers, Some(vec![volume::FINALIZER.to_owned()]));
}

#[test]
fn a_namespace_has_one_placement_and_a_volume_one_grant() {
    let other = raw("Placement", Some("shop"), "other", json!({ "spec": {} }));
    assert_eq!(PlacementWire.read(Kind::Placement, &other), None);
    let spec = json!({ "namespace": "shop", "claim": "data" });
    assert_eq!(
        PlacementWire.read(Kind::Volume, &raw("VolumeGrant", None, "mine", json!({ "spec": spec }))),
        None
    );
    assert_eq!(PlacementWire.address(&Id::Placement("shop".into())).to_string(), "shop/placement");
    assert_eq!(
        PlacementWire.address(&Id::Claim("shop".into(), "shop.data.0".into())).to_string(),
        "shop/data.0"
    );
    assert_eq!(PlacementWire.address(&Id::Volume("shop.data.0".into())).to_string(), "shop.data.0");
}

#[test]
fn a_truth_that_cannot_be_read_is_none() {
    for (kind, mut raw) in
        [(Kind::Placement, raw_placement()), (Kind::Volume, raw_volume()), (Kind::Target, raw_target())]
    {
        for status in [json!({ "epoch": "odd" }), json!({ "users": [{}] }), json!({ "fence": "Odd" })] {
            let is_ours = match kind {
                Kind::Target => status.get("fence").is_some(),
                _ => status.get("fence").is_none(),
            };
            raw.data["status"] = status.clone();
            assert_eq!(PlacementWire.read(kind, &raw).is_none(), is_ours, "{kind:?} {status}");
        }
        raw.data["status"] = Value::Null;
        assert!(PlacementWire.read(kind, &raw).is_some());
    }
}

#[test]
fn claims_are_shared_if_one_of_their_modes_is() {
    let read = |modes: Value| {
        let raw =
            raw("PersistentVolumeClaim", Some("shop"), "data", json!({ "spec": { "accessModes": modes } }));
        let Some(Object::Claim(claim)) = PlacementWire.read(Kind::Claim, &raw) else { panic!("a claim") };
        claim
    };
    let Claim { volume, namespace, shared, .. } = read(json!(["ReadWriteOnce"]));
    assert_eq!((volume.as_str(), namespace.as_str(), shared), ("shop.data", "shop", false));
    assert!(!read(json!(["ReadWriteOncePod"])).shared && !read(Value::Null).shared);
    assert!(read(json!(["ReadWriteOnce", "ReadWriteMany"])).shared && read(json!(["ReadOnlyMany"])).shared);
}

#[test]
fn all_that_is_wanted_is_read() {
    let mut raw = raw_target();
    raw.metadata.labels =
        Some([("zone".to_owned(), "a".to_owned()), ("bare".to_owned(), String::new())].into());
    raw.data["spec"] = json!({
        "cluster": "c", "unschedulable": true, "drain": true, "taints": [{ "key": "gpu" }], "evictAfterSeconds": 7,
        "capacity": { "namespaces": 9 }, "enforcesEpochs": true, "fencing": { "hook": { "name": "f" } },
    });
    let wish = target::read(&raw).expect("a target").wish;
    assert_eq!((wish.cordoned, wish.drains, wish.enforces, wish.driver), (true, true, true, true));
    assert_eq!((wish.capacity, wish.evicts), (Some(9), Some(bowline_control::Millis(7_000))));
    assert_eq!(wish.labels, ["bare".to_owned(), "zone=a".to_owned()].into());
    assert_eq!((wish.taints, wish.fence), (["gpu".to_owned()].into(), FenceWish::Open));
    for (confirmed, wished) in [(false, FenceWish::Fenced), (true, FenceWish::Confirmed)] {
        raw.data["spec"]["fence"] =
            json!({ "by": "anna", "at": "2026-01-01T00:00:00Z", "confirmed": confirmed });
        assert_eq!(target::read(&raw).expect("a target").wish.fence, wished);
    }
    let mut raw = raw_placement();
    let tolerations = json!([{ "key": "gpu" }]);
    raw.data["spec"] =
        json!({ "targetSelector": { "matchLabels": { "zone": "a" } }, "tolerations": tolerations });
    let wish = placement::read(&raw).expect("a placement").wish;
    assert_eq!((wish.pinned, wish.selector), (None, ["zone=a".to_owned()].into()));
    assert_eq!(wish.tolerations, ["gpu".to_owned()].into());
    assert_eq!((wish.window, wish.now_to), (None, None));
    for (said, window) in [
        (json!({ "from": "22:00", "to": "04:30" }), Window { days: 0, opens: 22 * 60, minutes: 6 * 60 + 30 }),
        (
            json!({ "days": ["Monday", "Sunday"], "from": "00:05", "to": "00:06" }),
            Window { days: 1 | 1 << 6, opens: 5, minutes: 1 },
        ),
    ] {
        raw.data["spec"] = json!({ "target": "west", "moveNowTo": "west", "moveWindow": said });
        let wish = placement::read(&raw).expect("a placement").wish;
        assert_eq!((wish.window, wish.now_to.as_deref()), (Some(window), Some("west")));
    }
    // What the schema does not take is not taken for no window.
    raw.data["spec"] = json!({ "moveWindow": { "from": "24:00", "to": "01:00" } });
    assert_eq!(placement::read(&raw), None);
    assert_eq!(bare_placement().wish.pinned.as_deref(), Some("east"));
}

#[test]
fn a_fence_is_remembered_with_who_wanted_it() {
    let mut raw = raw_target();
    raw.data["spec"]["fence"] = json!({ "by": "anna", "at": "2026-01-01T00:00:00Z", "confirmed": true });
    let fenced = |state, epoch| Target {
        fence: Fence { state, epoch: bowline_placements::Epoch(epoch), ..Fence::default() },
        ..bare_target()
    };
    target::draw_status(&fenced(FenceState::Requested, 0), &mut raw, &at(1));
    target::draw_status(&fenced(FenceState::Fenced, 1), &mut raw, &at(2));
    target::draw_status(&fenced(FenceState::Fenced, 1), &mut raw, &at(3));
    let history = raw.data["status"]["history"].as_array().cloned().expect("a history");
    let told: Vec<_> =
        history.iter().map(|one| (one["fence"].clone(), one["request"]["by"].clone())).collect();
    assert_eq!(told, [(json!("Requested"), json!("anna")), (json!("Fenced"), json!("anna"))]);
}

#[test]
fn what_is_told_and_spoiled_is_told_again_and_the_truth_stays() {
    let told = Told { phase: Phase::Moving, mood: Mood::Waiting, words: "why".into(), observed: 3 };
    let placement = Placement { told: Some(told), desired: Some("west".into()), ..bare_placement() };
    let mut raw = raw_placement();
    placement::draw_status(&placement, &mut raw, &at(5));
    for (pointer, value) in [
        ("/status/conditions/0/message", json!("other")),
        ("/status/conditions/2/status", json!("Unknown")),
        ("/status/message", json!("other")),
        ("/status/observedGeneration", json!(2)),
        ("/status/conditions", json!([])),
    ] {
        let mut spoiled = raw.clone();
        *spoiled.data.pointer_mut(pointer).expect("a field") = value;
        let read = placement::read(&spoiled).expect("a placement");
        assert_eq!((read.told, read.desired), (None, placement.desired.clone()), "{pointer}");
    }
}

#[test]
fn one_that_is_where_it_is_to_be_is_ready() {
    let of = |phase, mood| {
        let told = Told { phase, mood, words: "why".into(), observed: 3 };
        let placement = Placement { told: Some(told), desired: Some("west".into()), ..bare_placement() };
        let mut raw = raw_placement();
        placement::draw_status(&placement, &mut raw, &at(5));
        let all = raw.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        all.iter().map(|one| one["status"] == "True").collect::<Vec<_>>()
    };
    assert_eq!(of(Phase::Granted, Mood::Well), [true, false, false]);
    assert_eq!(of(Phase::Moving, Mood::Waiting), [false, true, false]);
    assert_eq!(of(Phase::Fencing, Mood::Stalled), [false, false, true]);
    assert_eq!(of(Phase::Pending, Mood::Well), [false, false, false]);
}

#[test]
fn what_becomes_of_it_is_told_once() {
    let of = |before: &Object<Plain>, after: &Object<Plain>| {
        PlacementWire.notice(before, after).map(|notice| (notice.reason, notice.good))
    };
    let news = |reason: &str, good| Some((reason.to_owned(), good));
    let with = |status: Value| {
        let mut raw = raw_placement();
        raw.data["status"] = status;
        PlacementWire.read(Kind::Placement, &raw).expect("a placement")
    };
    let user =
        |state: &str, said: Value| json!([{ "target": "east", "epoch": 1, "state": state, "said": said }]);
    let nobody = with(json!({ "epoch": 1 }));
    let granted = with(json!({ "epoch": 1, "users": user("Granted", Value::Null) }));
    let released = with(json!({ "epoch": 1, "users": user("Releasing", json!("Released")) }));
    assert_eq!(of(&nobody, &with(json!({ "epoch": 1, "desired": "east" }))), news("Placed", true));
    assert_eq!(of(&nobody, &granted), news("Granted", true));
    assert_eq!(of(&released, &nobody), news("Released", true));
    assert_eq!(of(&granted, &nobody), news("Fenced", false));
    assert_eq!(of(&granted, &released), None);
    let fenced =
        |state| Object::Target(Target { fence: Fence { state, ..Fence::default() }, ..bare_target() });
    assert_eq!(of(&fenced(FenceState::Open), &fenced(FenceState::Requested)), news("FenceRequested", false));
    assert_eq!(of(&fenced(FenceState::Requested), &fenced(FenceState::Fenced)), news("Fenced", false));
    assert_eq!(of(&fenced(FenceState::Unfencing), &fenced(FenceState::Open)), news("Unfenced", true));
    let lost = Object::Target(Target { lapsed: Some(bowline_control::Millis(1)), ..bare_target() });
    assert_eq!(of(&Object::Target(bare_target()), &lost), news("Lost", false));
    assert_eq!(of(&lost, &Object::Target(bare_target())), news("Returned", true));
    assert_eq!(of(&lost, &lost), None);
}
