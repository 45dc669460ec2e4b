//! Rules, judged by what the real server says of them.

use serde_json::Value as Json;

use super::admit;

/// What a real kube-apiserver 1.34.4 says of rules.
const CAPTURED: &str = include_str!("../../../testdata/crd/rules.json");

fn print(rule: &Json) -> String {
    rule["rule"].to_string()
}

/// The error without the rule in it, which Go prints in full.
fn short(message: &str) -> &str {
    message.split_once("}: ").map_or(message, |(_, rest)| rest)
}

#[test]
fn rules_are_let_in_and_refused_as_by_kubernetes() {
    let captured: Json = serde_json::from_str(CAPTURED).expect("captured");
    let mut wrong = Vec::new();
    let cases = captured["cases"].as_array().expect("cases");
    for case in cases {
        let mut schema = captured["schema"].clone();
        schema["properties"]["spec"]["x-kubernetes-validations"] = serde_json::json!([{"rule": case["rule"]}]);
        let mut errors = Vec::new();
        admit(&schema, "spec.validation.openAPIV3Schema", false, &print, &mut errors);
        let found: Vec<_> = errors
            .iter()
            .map(|error| {
                let message = error.message();
                let prefix = format!("Invalid value: {}: ", case["rule"]);
                format!("{} {}", error.path, message.strip_prefix(&prefix).unwrap_or(&message))
            })
            .collect();
        let expected: Vec<_> = case["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|error| format!("{} {}", error[0].as_str().unwrap_or(""), short(error[1].as_str().unwrap_or(""))))
            .collect();
        if found != expected {
            wrong.push(format!("{}\n  found    {found:#?}\n  expected {expected:#?}", case["rule"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
