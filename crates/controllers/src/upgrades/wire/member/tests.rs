use proptest::prelude::*;

use super::super::super::drawn;
use super::*;

fn raw() -> DynamicObject {
    let object = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "Member",
        "metadata": { "name": "kv-a-n1", "namespace": "team", "uid": "m", "resourceVersion": "7", "generation": 3,
            "finalizers": ["others"] },
        "spec": { "group": "kv", "desired": { "unknown": 1 } },
    });
    serde_json::from_value(object).expect("an object")
}

fn bare() -> Member<Plain> {
    read(&raw()).expect("a member")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_desired_and_what_is_reported_comes_back(desired in drawn::desired(), report in drawn::report(), held: bool) {
        let member = Member { desired, report, held, ..bare() };
        let mut raw = raw();
        draw(&member, &mut raw);
        draw_status(&member, &mut raw);
        prop_assert_eq!(read(&raw), Some(member.clone()));
        prop_assert_eq!(&raw.data["spec"]["desired"]["unknown"], &json!(1), "what we do not know is kept");
        let drawn = raw.clone();
        draw(&member, &mut raw);
        draw_status(&member, &mut raw);
        prop_assert_eq!(&raw, &drawn, "what is read and drawn again is the same");
    }

    #[test]
    fn what_is_drawn_fits_the_schema(desired in drawn::desired(), report in drawn::report()) {
        let mut raw = raw();
        raw.data["spec"] = json!({});
        let says = report.is_some();
        let member = Member { desired, report, ..bare() };
        draw(&member, &mut raw);
        draw_status(&member, &mut raw);
        let fail = |error: serde_json::Error| TestCaseError::fail(error.to_string());
        let spec: MemberSpec = serde_json::from_value(raw.data["spec"].clone()).map_err(fail)?;
        prop_assert_eq!(json!(spec), raw.data["spec"].clone());
        if says {
            let status: MemberStatus = serde_json::from_value(raw.data["status"].clone()).map_err(fail)?;
            prop_assert_eq!(json!(status), raw.data["status"].clone());
        }
    }
}

#[test]
fn a_member_is_named_after_its_group() {
    let member = bare();
    assert_eq!((member.name.as_str(), member.group.to_string().as_str()), ("a-n1", "team/kv"));
    for (group, expected) in [("kv-a", Some("n1")), ("kv-a-n1", None), ("other", None), ("k", None)] {
        let mut raw = raw();
        raw.data["spec"]["group"] = json!(group);
        assert_eq!(read(&raw).map(|member| member.name).as_deref(), expected, "{group}");
    }
}

#[test]
fn an_agent_that_has_not_said_what_it_has_seen_has_said_nothing() {
    for status in [
        Value::Null,
        json!({}),
        json!({ "phase": "Running" }),
        json!({ "observedGeneration": 1, "phase": "Odd" }),
        json!({ "observedGeneration": -1 }),
    ] {
        let mut raw = raw();
        raw.data["status"] = status.clone();
        assert_eq!(read(&raw), Some(bare()), "{status}");
    }
}

#[test]
fn what_is_desired_and_spoiled_is_nothing_and_so_written_again() {
    let mut raw = raw();
    raw.data["spec"]["desired"] = json!({ "version": "v1", "partitions": [{ "partition": 7 }] });
    assert_eq!(read(&raw).expect("a member").desired, Desired::default());
}

#[test]
fn every_condition_has_a_name_and_comes_back() {
    for one in Condition::ALL {
        assert_eq!(condition(phase(one)), one);
    }
}
