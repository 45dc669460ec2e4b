use bowline_control::Millis;
use bowline_upgrades::{Answered, Mood, Pair, Phase, Seat, SeatState, Status, Told};
use proptest::prelude::*;
use serde_json::json;

use super::super::super::drawn;
use super::*;

fn raw() -> DynamicObject {
    let object = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup",
        "metadata": { "name": "kv", "namespace": "team", "uid": "u", "resourceVersion": "7", "generation": 3,
            "finalizers": ["others"] },
        "spec": { "versions": [{ "name": "v1", "command": ["kv"] }, { "name": "v2", "command": ["kv2"] }] },
        "status": { "upgradeState": "Inactive", "unknown": { "kept": true } },
    });
    serde_json::from_value(object).expect("an object")
}

fn at(second: i64) -> Time {
    Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
}

fn bare() -> Group<Plain> {
    read(&raw()).expect("a group")
}

fn with(status: Status<Plain>, mood: Mood, words: &str) -> Group<Plain> {
    Group { status, told: Some(Told { mood, words: words.into(), observed: 3 }), ..bare() }
}

fn upgraded() -> Status<Plain> {
    let seat = |version: &str, state| Seat { uid: "u".into(), version: version.into(), state };
    Status {
        phase: Phase::Upgraded,
        serving: Some("v2".into()),
        pair: Some(Pair { old: "v1".into(), new: "v2".into() }),
        attempt: 4,
        seats: [
            ("n1".into(), seat("v2", SeatState::Present)),
            ("n2".into(), seat("v2", SeatState::Lost)),
            ("n3".into(), seat("v1", SeatState::Present)),
        ]
        .into(),
        since: Millis(5_000),
        ..Status::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_truth_and_all_that_is_told_comes_back(status in drawn::status(), told in drawn::told(3), held: bool) {
        let group = Group { status, told, held, ..bare() };
        let mut raw = raw();
        draw(&group, &mut raw);
        draw_status(&group, &mut raw, &at(5));
        prop_assert_eq!(read(&raw), Some(group.clone()));
        prop_assert_eq!(&raw.data["status"]["unknown"], &json!({ "kept": true }), "what we do not know is kept");
        let drawn = raw.clone();
        draw(&group, &mut raw);
        draw_status(&group, &mut raw, &at(9));
        prop_assert_eq!(&raw, &drawn, "what is read and drawn again is the same");
        draw(&bare(), &mut raw);
        prop_assert_eq!(raw.metadata.finalizers, Some(vec!["others".to_owned()]));
    }

    #[test]
    fn what_is_drawn_fits_the_schema(status in drawn::status(), told in drawn::told(3)) {
        let mut raw = raw();
        raw.data["status"] = json!({});
        draw_status(&Group { status, told, ..bare() }, &mut raw, &at(5));
        let read: Result<NodeGroupStatus, _> = serde_json::from_value(raw.data["status"].clone());
        let again = read.map(|status| json!(status)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again, raw.data["status"].clone(), "nothing is said that has no place");
    }
}

#[test]
fn a_new_group_has_said_nothing() {
    let group = bare();
    assert_eq!((group.status, group.told, group.held, group.generation), (Status::default(), None, false, 3));
    assert_eq!(group.name.to_string(), "team/kv");
}

#[test]
fn a_truth_that_cannot_be_read_is_none() {
    for status in [
        json!({ "upgradeState": "Odd" }),
        json!({ "targetVersion": "v2" }),
        json!({ "failedVersion": "v2" }),
        json!({ "memberships": [{ "version": "v1", "partitions": [{ "partition": 1, "members": ["n1"] }] }] }),
    ] {
        let mut raw = raw();
        raw.data["status"] = status.clone();
        assert_eq!(read(&raw), None, "{status}");
    }
    let mut raw = raw();
    raw.data["status"] = Value::Null;
    assert_eq!(read(&raw), Some(bare()));
}

#[test]
fn what_is_told_and_spoiled_is_told_again_and_the_truth_stays() {
    let group = with(upgraded(), Mood::Waiting, "why");
    let mut raw = raw();
    draw_status(&group, &mut raw, &at(5));
    for (pointer, value) in [
        ("/status/conditions/0/message", json!("other")),
        ("/status/conditions/2/status", json!("Unknown")),
        ("/status/message", json!("other")),
        ("/status/observedGeneration", json!(2)),
        ("/status/conditions", json!([])),
    ] {
        let mut spoiled = raw.clone();
        *spoiled.data.pointer_mut(pointer).expect("a field") = value;
        let read = read(&spoiled).expect("a group");
        assert_eq!((read.told, read.status), (None, upgraded()), "{pointer}");
    }
}

#[test]
fn a_condition_of_somebody_else_stays() {
    let mut raw = raw();
    let theirs = json!({ "type": "Watched", "status": "True", "reason": "Theirs", "message": "m",
        "lastTransitionTime": "2026-01-01T00:00:00Z" });
    raw.data["status"]["conditions"] = json!([theirs]);
    let group = with(upgraded(), Mood::Well, "");
    draw_status(&group, &mut raw, &at(5));
    assert_eq!(raw.data["status"]["conditions"][0], theirs);
    assert_eq!(read(&raw), Some(group));
}

#[test]
fn that_the_hub_suspects_itself_is_a_condition_until_it_does_not() {
    let mut raw = raw();
    let mut suspect = |words: &str| {
        draw_status(&with(upgraded(), Mood::Waiting, words), &mut raw, &at(5));
        let conditions = raw.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().find(|one| one["type"] == "HubSuspect").map(|one| one["status"].clone())
    };
    assert_eq!(suspect("waits for something else"), None, "nobody was ever in doubt");
    assert_eq!(
        suspect(&format!("waits for {}", bowline_upgrades::Wait::<Plain>::Trust)),
        Some(json!("True"))
    );
    assert_eq!(suspect("waits for something else"), Some(json!("False")));
}

fn conditions(group: &Group<Plain>) -> Vec<(String, bool)> {
    let mut raw = raw();
    draw_status(group, &mut raw, &at(5));
    let all = raw.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
    all.iter()
        .map(|one| (one["type"].as_str().unwrap_or_default().to_owned(), one["status"] == "True"))
        .collect()
}

#[test]
fn a_group_is_ready_when_all_is_well_and_nothing_is_under_way() {
    let of = |phase: Phase, mood: Mood| {
        let all = conditions(&with(Status { phase, ..upgraded() }, mood, "why"));
        assert_eq!(
            all.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(),
            ["Ready", "Reconciling", "Stalled"]
        );
        all.iter().map(|(_, is)| *is).collect::<Vec<_>>()
    };
    assert_eq!(of(Phase::Inactive, Mood::Well), [true, false, false]);
    assert_eq!(of(Phase::Inactive, Mood::Waiting), [false, true, false]);
    assert_eq!(of(Phase::Upgraded, Mood::Well), [false, true, false]);
    assert_eq!(of(Phase::Upgraded, Mood::Failing), [false, true, false]);
    for phase in Phase::ALL {
        assert_eq!(of(phase, Mood::Stalled), [false, false, true]);
    }
}

#[test]
fn that_a_person_is_asked_is_a_reason_for_programs() {
    let of = |words: &str| {
        let mut raw = raw();
        draw_status(&with(upgraded(), Mood::Waiting, words), &mut raw, &at(5));
        let all = raw.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        all.into_iter().map(|one| one["reason"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for phase in Phase::ALL {
        let asked = of(&format!("waits for {}", bowline_upgrades::Wait::<Plain>::Person(phase)));
        assert_eq!(asked, ["Waiting", "AwaitsCommand", "Waiting"], "{phase:?}");
    }
    let healthy = bowline_upgrades::Wait::<Plain>::Healthy("n1".into(), "v2".into());
    assert_eq!(of(&format!("waits for {healthy}")), ["Waiting"; 3]);
}

#[test]
fn nobody_is_left_without_a_message_and_numbers_are_counted() {
    let mut raw = raw();
    draw_status(&with(upgraded(), Mood::Well, ""), &mut raw, &at(5));
    let said = &raw.data["status"];
    assert_eq!(said["message"], "v2 serves; until the commit there is a way back to v1");
    assert_eq!(said["counts"], json!({ "members": 3, "present": 2, "upgraded": 2, "summary": "2/3" }));
    assert_eq!(said["lastProgressTime"], "1970-01-01T00:00:05Z");
    for phase in Phase::ALL {
        for pair in [None, upgraded().pair] {
            draw_status(&with(Status { phase, pair, ..upgraded() }, Mood::Well, ""), &mut raw, &at(5));
            assert!(raw.data["status"]["message"].as_str().is_some_and(|message| !message.is_empty()));
        }
    }
}

#[test]
fn what_becomes_of_an_upgrade_is_told_once() {
    let phase = |phase| Group { status: Status { phase, ..upgraded() }, ..bare() };
    let of = |before: &Group<Plain>, after: &Group<Plain>| {
        notices(before, after).into_iter().map(|notice| (notice.reason, notice.good)).collect::<Vec<_>>()
    };
    let news = |reason: &str, good| vec![(reason.to_owned(), good)];
    assert_eq!(of(&phase(Phase::Inactive), &phase(Phase::Initialized)), news("Initialized", true));
    assert_eq!(of(&phase(Phase::Initialized), &phase(Phase::Upgraded)), news("Upgraded", true));
    assert_eq!(of(&phase(Phase::Upgraded), &phase(Phase::Inactive)), news("Committed", true));
    assert_eq!(of(&phase(Phase::Upgraded), &phase(Phase::RolledBack)), news("RolledBack", false));
    assert_eq!(of(&phase(Phase::RolledBack), &phase(Phase::Inactive)), news("Reset", true));
    for one in Phase::ALL {
        assert!(of(&phase(one), &phase(one)).is_empty(), "{one:?}");
    }
}

#[test]
fn a_crash_that_rolls_back_in_the_same_write_is_told_with_it_and_before_it() {
    let mut crashed = Status { phase: Phase::RolledBack, ..upgraded() };
    crashed.seats.get_mut("n1").expect("n1").state = SeatState::Crashed;
    let group = |status: Status<Plain>| Group { status, ..bare() };
    let told = notices(&group(upgraded()), &group(crashed));
    let told: Vec<_> = told.iter().map(|notice| (notice.reason.as_str(), notice.note.as_str())).collect();
    let expected = [
        ("MemberCrashed", "n1: its software died more often than it is started again"),
        ("RolledBack", "members go back from v2 to v1"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn who_is_lost_what_is_refused_and_what_needs_a_person_is_told_once() {
    let of = |before: &Status<Plain>, after: &Status<Plain>| {
        let group = |status: &Status<Plain>| Group { status: status.clone(), ..bare() };
        let told = notices(&group(before), &group(after));
        told.into_iter().map(|notice| (notice.reason, notice.note)).collect::<Vec<_>>()
    };
    let mut found = upgraded();
    found.seats.values_mut().for_each(|seat| seat.state = SeatState::Present);
    let mut crashed = upgraded();
    crashed.seats.values_mut().for_each(|seat| seat.state = SeatState::Crashed);
    assert_eq!(of(&found, &upgraded()), [("MemberLost".to_owned(), "n2: its lease has lapsed".to_owned())]);
    assert!(of(&upgraded(), &upgraded()).is_empty());
    assert!(of(&upgraded(), &found).is_empty(), "who comes back is no warning");
    assert_eq!(of(&upgraded(), &crashed).remove(0).0, "MemberCrashed");
    let answered = |refused: Option<&str>| Status {
        answered: Some(Answered { ticket: "t".into(), refused: refused.map(Into::into) }),
        ..upgraded()
    };
    assert_eq!(of(&upgraded(), &answered(Some("no"))), [("CommandRefused".to_owned(), "no".to_owned())]);
    assert!(of(&answered(Some("no")), &answered(Some("no"))).is_empty());
    assert!(of(&upgraded(), &answered(None)).is_empty());
    let stalled = with(upgraded(), Mood::Stalled, "why");
    let told = notices(&with(upgraded(), Mood::Waiting, "why"), &stalled).remove(0);
    assert_eq!((told.reason.as_str(), told.note.as_str()), ("NeedsAttention", "why"));
    assert!(notices(&stalled, &stalled).is_empty());
}
