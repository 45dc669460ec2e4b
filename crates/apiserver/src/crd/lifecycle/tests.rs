//! Histories of definitions, as they went on a real kube-apiserver 1.34.4.

use serde_json::json;

use super::*;

fn moment(text: &str) -> Moment {
    Moment::parse(text).expect("a moment")
}

fn crd(plural: &str, names: &Value) -> Json {
    let mut crd = json!({"metadata": {"name": format!("{plural}.x.dev")}, "spec": {"group": "x.dev", "names": names,
        "versions": [{"name": "v1", "served": true, "storage": true}]}});
    let mut crd = std::mem::take(crd.as_object_mut().expect("a definition"));
    super::super::definition::prepare_create(&mut crd);
    crd
}

/// Takes all steps until nothing is left to do; how many there were.
fn settle(definitions: &mut [Json], objects: usize) -> usize {
    let now = moment("2026-01-01T00:00:00Z");
    let mut steps = 0;
    loop {
        let all: Vec<&Json> = definitions.iter().collect();
        let due = all.iter().position(|crd| matches!(look(crd, &all, objects, now), Some(Next::Status(_))));
        let Some(due) = due else { return steps };
        let Some(Next::Status(status)) = look(all[due], &all, objects, now) else { return steps };
        definitions[due].insert("status".into(), Value::Object(status));
        steps += 1;
        assert!(steps < 10, "it never ends");
    }
}

fn conditions(crd: &Json) -> Vec<String> {
    let list = crd["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let show = |condition: &Value| {
        let text = |name: &str| condition[name].as_str().unwrap_or_default().to_owned();
        format!("{} {} {} {}", text("type"), text("status"), text("reason"), text("message"))
    };
    list.iter().map(show).collect()
}

const ACCEPTED: [&str; 2] = [
    "NamesAccepted True NoConflicts no conflicts found",
    "Established True InitialNamesAccepted the initial names have been accepted",
];

fn things() -> Json {
    let names = json!({"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
        "shortNames": ["ct"], "categories": ["all"]});
    crd("things", &names)
}

fn others() -> Json {
    let names = json!({"plural": "others", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
        "shortNames": ["ct", "co"]});
    crd("others", &names)
}

#[test]
fn names_are_accepted_and_nothing_is_left_to_do() {
    let mut all = [things()];
    assert_eq!(settle(&mut all, 0), 1);
    assert_eq!(conditions(&all[0]), ACCEPTED);
    assert_eq!(all[0]["status"]["acceptedNames"], all[0]["spec"]["names"]);
    assert_eq!(all[0]["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(settle(&mut all, 0), 0);
}

#[test]
fn names_of_others_are_not_given_until_they_are_free() {
    let mut all = [things(), others()];
    settle(&mut all, 0);
    assert_eq!(
        conditions(&all[1]),
        [
            "NamesAccepted False ListKindConflict \"ThingList\" is already in use",
            "Established False NotAccepted not all names are accepted",
        ]
    );
    assert_eq!(all[1]["status"]["acceptedNames"], json!({"plural": "others", "kind": ""}));
    // A short name gets free: it is given, the rest is not.
    all[0]["spec"]["names"]["shortNames"] = json!(["cx"]);
    settle(&mut all, 0);
    assert_eq!(conditions(&all[0]), ACCEPTED);
    assert_eq!(
        all[1]["status"]["acceptedNames"],
        json!({"plural": "others", "kind": "", "shortNames": ["ct", "co"]})
    );
    let mut left = [all[1].clone()];
    settle(&mut left, 0);
    assert_eq!(conditions(&left[0]), ACCEPTED);
    assert_eq!(left[0]["status"]["acceptedNames"], left[0]["spec"]["names"]);
}

#[test]
fn objects_go_before_their_definition() {
    let now = moment("2026-01-01T00:00:00Z");
    let mut all = [things()];
    settle(&mut all, 1);
    begin_deletion(&mut all[0], now);
    all[0]["metadata"]["finalizers"] = json!([FINALIZER]);
    let pending = "Terminating True InstanceDeletionPending CustomResourceDefinition marked for deletion; \
                   CustomResource deletion will begin soon";
    assert_eq!(conditions(&all[0])[2], pending);
    all[0]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    settle(&mut all, 1);
    let going = "Terminating True InstanceDeletionInProgress CustomResource deletion is in progress";
    assert_eq!(conditions(&all[0])[2], going);
    assert_eq!(look(&all[0], &[], 1, now), Some(Next::DeleteObjects));
    let Some(Next::Finish(status)) = look(&all[0], &[], 0, now) else { panic!("it does not end") };
    all[0].insert("status".into(), Value::Object(status));
    assert_eq!(conditions(&all[0])[2], "Terminating False InstanceDeletionCompleted removed all instances");
}

#[test]
fn what_was_never_established_goes_at_once() {
    let now = moment("2026-01-01T00:00:00Z");
    let mut all = [things(), others()];
    settle(&mut all, 0);
    begin_deletion(&mut all[1], now);
    all[1]["metadata"]["finalizers"] = json!([FINALIZER]);
    all[1]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let Some(Next::Finish(status)) = look(&all[1], &[], 7, now) else { panic!("it does not end") };
    all[1].insert("status".into(), Value::Object(status));
    assert_eq!(conditions(&all[1])[2], "Terminating False NeverEstablished resource was never established");
}

#[test]
fn a_condition_keeps_its_time_while_its_status_stays() {
    let mut all = [things()];
    settle(&mut all, 0);
    all[0]["spec"]["names"]["categories"] = json!(["more"]);
    let later = moment("2027-01-01T00:00:00Z");
    let Some(Next::Status(status)) = look(&all[0], &[&all[0].clone()], 0, later) else {
        panic!("nothing to do")
    };
    assert_eq!(status["conditions"][0]["lastTransitionTime"], "2026-01-01T00:00:00Z");
    assert_eq!(status["acceptedNames"]["categories"], json!(["more"]));
}
