use bowline_control::Millis;

use super::*;

fn raw() -> DynamicObject {
    let object = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
        "metadata": { "name": "reader", "namespace": "team", "uid": "u", "resourceVersion": "7", "generation": 3,
            "finalizers": ["others"] },
        "spec": { "policy": { "statement": [{ "resource": "*", "action": ["s3:*"] }] } },
    });
    serde_json::from_value(object).expect("an object")
}

fn at(second: i64) -> Time {
    Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
}

fn bare() -> Identity<Plain> {
    read(&raw()).expect("an identity")
}

fn named(name: &str) -> Named {
    Named { namespace: "team".into(), name: name.into() }
}

fn truths() -> Vec<Status<Plain>> {
    let intended = Status { intent: Some(Millis(5_000)), ..Status::default() };
    let complete = Status {
        policy: Some("arn:aws:iam::123456789012:policy/x".into()),
        role: Some("arn:aws:iam::123456789012:role/x".into()),
        complete: Some(Millis(9_000)),
        published: vec![(None, named("reader")), (Some("east".into()), named("other"))],
        ..intended.clone()
    };
    let ready = Status { ready: true, ..complete.clone() };
    vec![Status::default(), intended, complete, ready]
}

fn told() -> Vec<Option<Told<Plain>>> {
    let told = |mood| Told { mood, words: "why".to_owned(), observed: 3 };
    let all = Mood::ALL.into_iter().map(told);
    let silent = Told { mood: Mood::Well, words: String::new(), observed: 3 };
    all.chain([silent]).map(Some).chain([None]).collect()
}

#[test]
fn what_is_so_and_what_is_told_come_back() {
    let bare = bare();
    assert_eq!((bare.held, bare.told.clone(), bare.generation), (false, None, 3));
    for status in truths() {
        for told in told() {
            let identity =
                Identity { status: status.clone(), told: told.clone(), held: true, ..bare.clone() };
            let mut raw = raw();
            draw(&identity, &mut raw);
            draw_status(&identity, &mut raw, &at(5));
            assert_eq!(read(&raw), Some(identity.clone()));
            let drawn = raw.clone();
            draw(&identity, &mut raw);
            draw_status(&identity, &mut raw, &at(9));
            assert_eq!(raw, drawn, "what is read and drawn again is the same");
            draw(&bare, &mut raw);
            assert_eq!(raw.metadata.finalizers, Some(vec!["others".to_owned()]));
        }
    }
}

#[test]
fn all_four_conditions_are_there_with_the_rest_of_the_status() {
    let mut raw = raw();
    let told = Some(Told { mood: Mood::Well, words: "the role is x".into(), observed: 3 });
    let status = truths().pop().expect("one");
    draw_status(&Identity { status, told, ..bare() }, &mut raw, &at(5));
    let said = &raw.data["status"];
    let conditions = said["conditions"].as_array().expect("conditions");
    let told: Vec<_> = conditions.iter().map(|one| (one["type"].as_str(), one["status"].as_str())).collect();
    let expected = [("Complete", "True"), ("Ready", "True"), ("Synced", "True"), ("Stalled", "False")];
    assert_eq!(told, expected.map(|(kind, is)| (Some(kind), Some(is))));
    assert_eq!((&said["message"], &said["observedGeneration"]), (&json!("the role is x"), &json!(3)));
    assert_eq!(said["roleArn"], "arn:aws:iam::123456789012:role/x");
    assert_eq!(said["published"], json!([{ "name": "reader" }, { "cluster": "east", "name": "other" }]));
}

#[test]
fn what_was_told_of_another_generation_or_spoiled_since_is_told_again() {
    let mut raw = raw();
    let told = Some(Told { mood: Mood::Stalled, words: "why".into(), observed: 3 });
    let status = truths().remove(1);
    let identity = Identity { status: status.clone(), told, ..bare() };
    draw_status(&identity, &mut raw, &at(5));
    let mut edited = raw.clone();
    edited.metadata.generation = Some(4);
    let read_again = read(&edited).expect("an identity");
    assert_eq!((read_again.told, read_again.status), (None, status.clone()));
    let mut spoiled = raw.clone();
    spoiled.data["status"]["conditions"][0]["status"] = json!("True");
    let read_again = read(&spoiled).expect("an identity");
    assert_eq!((read_again.told, read_again.status), (None, status));
}

/// `kubectl wait --for=condition=Ready` believes no condition of an older generation.
#[test]
fn an_edit_that_has_not_arrived_is_not_said_to_be_ready() {
    let mut raw = raw();
    let status = truths().pop().expect("one");
    let told = |mood, observed| Some(Told { mood, words: "why".into(), observed });
    let show = |raw: &mut DynamicObject, generation, mood| {
        raw.metadata.generation = i64::try_from(generation).ok();
        let identity =
            Identity { generation, status: status.clone(), told: told(mood, generation), ..bare() };
        draw_status(&identity, raw, &at(5));
        let read_again = read(raw).expect("an identity");
        assert_eq!(read_again.told, identity.told, "what is read and drawn again is the same");
        let conditions = raw.data["status"]["conditions"].as_array().expect("conditions");
        let of = |one: &Value| (one["status"] == "True", one["observedGeneration"].as_u64());
        conditions.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(show(&mut raw, 3, Mood::Well)[..2], [(true, Some(3)), (true, Some(3))]);
    for mood in [Mood::Stalled, Mood::Failing, Mood::Waiting] {
        let shown = show(&mut raw, 4, mood);
        assert_eq!(shown[..2], [(true, Some(3)), (true, Some(3))], "it is so of what was before");
        assert_eq!(shown[2..], [(false, Some(4)), (mood == Mood::Stalled, Some(4))]);
    }
    assert_eq!(show(&mut raw, 4, Mood::Well)[..2], [(true, Some(4)), (true, Some(4))]);
    assert_eq!(
        show(&mut raw, 4, Mood::Failing)[..2],
        [(true, Some(4)), (true, Some(4))],
        "nobody has edited it"
    );
}

#[test]
fn a_truth_that_cannot_be_read_is_not_taken_for_none() {
    let mut raw = raw();
    raw.data["status"] = json!({ "published": "x" });
    assert_eq!(read(&raw), None);
    raw.data["status"] = Value::Null;
    assert_eq!(read(&raw), Some(bare()));
}
