//! Definitions, judged by what the real server says of them.

use serde_json::{Value, json};

use super::*;

/// What a real kube-apiserver 1.34.4 says of new definitions.
const CAPTURED: &str = include_str!("../../../testdata/crd/definitions.json");

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn shown(errors: &[FieldError]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for error in errors {
        shown.push(format!("{} {} {}", error.reason(), error.path, error.message()));
    }
    shown
}

fn told(case: &Value) -> Vec<String> {
    let causes = case["causes"].as_array().cloned().unwrap_or_default();
    let told = causes.iter().map(|cause| {
        format!("{} {} {}", text_of(cause, "reason"), text_of(cause, "field"), text_of(cause, "message"))
    });
    // The rest of the metadata is validated by those who store the object.
    let ours = |error: &String| {
        !error.contains(" metadata.") || error.contains("spec.names.plural") || error.contains("api-approved")
    };
    told.filter(ours).collect()
}

#[test]
fn new_definitions_are_judged_as_by_kubernetes() {
    let captured: Value = serde_json::from_str(CAPTURED).expect("captured");
    let mut wrong = Vec::new();
    let cases = captured["cases"].as_array().expect("cases");
    for case in cases {
        let name = text_of(case, "name");
        let mut crd = case["crd"].as_object().expect("a definition").clone();
        // A difference on purpose, and a name that is made up by those who store the object.
        if name.starts_with("conversion webhook") || name == "generateName only" {
            continue;
        }
        default(&mut crd);
        prepare_create(&mut crd);
        let errors = validate_create(&crd);
        let (found, expected) = (shown(&errors), told(case));
        let mut same = found == expected;
        if expected.is_empty() && case["code"] == 201 {
            let mut sent = crd["spec"].clone();
            let mut kept = case["spec"].clone();
            for spec in [&mut sent, &mut kept] {
                spec.as_object_mut().expect("a spec").remove("preserveUnknownFields");
            }
            same = same && sent == kept && crd["status"] == case["status"];
        }
        let warned: Vec<String> =
            warnings(&crd, None).iter().map(|text| crate::warnings::header(text)).collect();
        let warned = if case["code"] == 201 { warned } else { Vec::new() };
        if !same || json!(warned) != *case.get("warnings").unwrap_or(&json!([])) {
            wrong.push(format!(
                "{name}\n found    {found:#?} {warned:?}\n expected {expected:#?}\n {}",
                crd["status"]
            ));
        }
    }
    assert!(cases.len() > 70);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn webhooks_are_refused_clearly() {
    let mut crd = json!({"metadata": {"name": "as.x.dev"}, "spec": {"group": "x.dev", "scope": "Cluster",
        "names": {"plural": "as", "kind": "A"},
        "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "https://x.dev"}}},
        "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
    let crd = crd.as_object_mut().expect("a definition");
    default(crd);
    prepare_create(crd);
    assert_eq!(
        shown(&validate_create(crd)),
        [
            "FieldValueForbidden spec.conversion.strategy Forbidden: this server calls no conversion webhooks; use None and \
          keep the versions alike"
        ]
    );
}

/// What the same server says of definitions that replace others.
const UPDATES: &str = include_str!("../../../testdata/crd/updates.json");

#[test]
fn updates_of_definitions_are_judged_as_by_kubernetes() {
    let captured: Value = serde_json::from_str(UPDATES).expect("captured");
    let cases = captured["cases"].as_array().expect("cases");
    let mut wrong = Vec::new();
    for case in cases {
        let old = case["old"].as_object().expect("a definition");
        let mut crd = case["crd"].as_object().expect("a definition").clone();
        default(&mut crd);
        let errors = if case["sub"] == "status" {
            prepare_status(&mut crd, old);
            validate_status(&crd)
        } else {
            prepare_update(&mut crd, old);
            validate_update(&crd, old)
        };
        let (found, expected) = (shown(&errors), told(case));
        let kept = case["code"] == 422 || (crd["spec"] == case["spec"] && crd["status"] == case["status"]);
        let warned: Vec<String> =
            warnings(&crd, Some(old)).iter().map(|text| crate::warnings::header(text)).collect();
        if found != expected || !kept || json!(warned) != *case.get("warnings").unwrap_or(&json!([])) {
            let name = text_of(case, "name");
            wrong.push(format!(
                "{name}\n found    {found:#?} {warned:?}\n expected {expected:#?}\n {}",
                crd["status"]
            ));
        }
    }
    assert!(cases.len() > 20);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
