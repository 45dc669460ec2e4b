//! Objects, judged by what the real server says of them.

use serde_json::{Map, Value};

use super::*;

/// What a real kube-apiserver 1.34.4 says of objects: of new ones, and of those that replace others.
const CAPTURED: &str = include_str!("../../../testdata/crd/objects.json");

struct Found {
    errors: Vec<String>,
    warnings: Vec<String>,
    object: Value,
}

/// What the server does with an object, metadata aside.
fn write(custom: &Custom, case: &Value) -> Found {
    let part = if case["sub"] == "status" { Part::Status } else { Part::Main };
    let mut old = case.get("old").cloned();
    let mut object = case["object"].clone();
    custom.prune(&mut object);
    custom.default(&mut object);
    if let Some(old) = &mut old {
        custom.read(old);
    }
    custom.prepare(&mut object, old.as_ref(), part);
    let verdict = custom.validate(&object, old.as_ref(), part);
    let mut warnings = verdict.warnings;
    warnings.extend(finalizer_warnings(&object, old.as_ref()));
    let errors =
        verdict.errors.iter().map(|error| format!("{} {} {}", error.reason(), error.path, error.message()));
    Found { errors: errors.collect(), warnings, object }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn expected_errors(case: &Value) -> Vec<String> {
    let causes = case["causes"].as_array().cloned().unwrap_or_default();
    let told = causes.iter().map(|cause| {
        let reason = text(cause, "reason");
        format!("{reason} {} {}", text(cause, "field"), text(cause, "message"))
    });
    // Names and labels are validated by those who store the object.
    let told =
        told.filter(|error| error.split(' ').nth(1).is_none_or(|field| !field.starts_with("metadata")));
    told.collect()
}

#[test]
fn objects_are_judged_as_by_kubernetes() {
    let captured: Value = serde_json::from_str(CAPTURED).expect("captured");
    let mut wrong = Vec::new();
    let mut judged = 0;
    for case in captured["cases"].as_array().expect("cases") {
        // Others read the text of a request: syntax, fields there twice, unknown fields, its version.
        // A fraction that whole numbers must be multiples of is cut to zero there, and told as an error of the schema.
        if case["note"] == "whole number"
            || case["code"] == 400
            || case["note"] == "odd fieldValidation"
            || case["object"].is_string()
        {
            continue;
        }
        judged += 1;
        let crd = captured["kinds"][text(case, "kind")].as_object().expect("a definition");
        let version = crd["spec"]["versions"][0].as_object().expect("a version");
        let custom = Custom::compile(crd, version);
        let mut found = write(&custom, case);
        let mut expected = expected_errors(case);
        found.errors.sort();
        expected.sort();
        let mut same = found.errors == expected;
        if same && expected.is_empty() && case["code"] != 422 {
            let stored = |value: &Value| -> Map<String, Value> {
                let fields = value.as_object().cloned().unwrap_or_default();
                fields.into_iter().filter(|(name, _)| name != "metadata").collect()
            };
            same = stored(&found.object) == stored(&case["answer"]);
        }
        let mut warned: Vec<String> =
            found.warnings.iter().map(|text| crate::field_validation::warning(text)).collect();
        let mut warnings: Vec<String> = case["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|warning| !warning.contains("unknown field"))
            .map(ToOwned::to_owned)
            .collect();
        warned.sort();
        warnings.sort();
        if !same || warned != warnings {
            wrong.push(format!(
                "{} {} {}\n found {:#?} {warned:#?} {}\n expected {expected:#?} {warnings:#?} {}",
                text(case, "verb"),
                text(case, "kind"),
                text(case, "note"),
                found.errors,
                found.object,
                case["answer"]
            ));
        }
    }
    assert!(judged > 120, "{judged}");
    assert!(wrong.is_empty(), "{} of {judged} differ:\n{}", wrong.len(), wrong.join("\n"));
}
