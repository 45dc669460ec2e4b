//! Rules, judged by what the real server says of them.

use serde_json::Value as Json;

use super::admit;
use super::check::Scope;
use super::eval::Failure;
use super::rules;
use super::types::Type;
use super::value::Value;

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

/// What expressions without variables come to in Kubernetes' own environment.
const EVALUATED: &str = include_str!("../../../testdata/crd/evaluations.json");

/// The kind of outcome, and its text.
fn outcome(source: &str) -> (&'static str, String) {
    let scope = Scope { this: Type::Dyn, old: Type::Dyn };
    let compiled = rules::compile(source, &scope);
    let program = match compiled {
        Ok(program) => program,
        Err(why) => return ("compile", why.trim_start_matches("compilation failed: ").to_owned()),
    };
    match program.run(&Value::Null, None).0 {
        Ok(Value::Bool(flag)) => ("value", flag.to_string()),
        Ok(Value::String(text)) => ("value", text.to_string()),
        Ok(Value::List(list)) => {
            let texts = list.items.iter().map(|item| match item {
                Value::String(text) => text.to_string(),
                other => format!("{other:?}"),
            });
            ("value", format!("[{}]", texts.collect::<Vec<_>>().join(" ")))
        }
        Ok(other) => ("value", format!("{other:?}")),
        Err(Failure::Error(why)) => ("error", why),
        Err(Failure::NoSuchOverload) => ("error", "no such overload".to_owned()),
        Err(Failure::TooExpensive) => ("error", "too expensive".to_owned()),
    }
}

#[test]
fn expressions_come_to_what_they_come_to_in_kubernetes() {
    let cases: Vec<(String, String, String)> = serde_json::from_str(EVALUATED).expect("captured");
    let mut wrong = Vec::new();
    for (source, kind, expected) in &cases {
        // Constants are folded there when a rule is compiled, and here when it is evaluated.
        let kind = if kind == "program" { "error" } else { kind.as_str() };
        let (found, text) = outcome(source);
        if (found, &text) != (kind, expected) {
            wrong.push(format!("{source}\n  found    {found} {text}\n  expected {kind} {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// A rule that would run for ages is ended: the budget is what counts, not the clock.
#[test]
fn what_is_too_expensive_ends() {
    let scope = Scope { this: Type::list(Type::Int), old: Type::Dyn };
    let source = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))";
    let program = rules::compile(source, &scope).expect("a program");
    let list = Value::list((0..1000).map(Value::Int).collect());
    let (result, spent) = program.run(&list, None);
    assert!(matches!(result, Err(Failure::TooExpensive)), "{result:?}");
    assert!(spent < 1_100_000, "{spent}");
    // What is collected is not copied for every item.
    let program = rules::compile("self.map(x, x).filter(x, x >= 0).size() >= 0", &scope).expect("a program");
    let list = Value::list((0..100_000).map(Value::Int).collect());
    assert!(matches!(program.run(&list, None).0, Ok(Value::Bool(true))));
}
