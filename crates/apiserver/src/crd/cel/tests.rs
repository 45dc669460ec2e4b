//! Rules, judged by what the real server says of them.

use serde_json::Value as Json;

use super::admit;
use super::check::Scope;
use super::cost;
use super::declared::Declared;
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
        schema["properties"]["spec"]["x-kubernetes-validations"] =
            serde_json::json!([{"rule": case["rule"]}]);
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
            .map(|error| {
                format!("{} {}", error[0].as_str().unwrap_or(""), short(error[1].as_str().unwrap_or("")))
            })
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
    let scope = Scope::rule(Type::Dyn, Type::Dyn);
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
        Ok(Value::Int(number)) => ("value", number.to_string()),
        Ok(other) => ("value", format!("{other:?}")),
        Err(Failure::Error(why)) => ("error", why),
        Err(Failure::NoSuchOverload) => ("error", "no such overload".to_owned()),
        Err(Failure::TooExpensive) => ("error", "too expensive".to_owned()),
    }
}

/// Expressions that come to something else here, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("+01:00')) == '2020-01-01T00:00:00Z'", "moments do not remember the zone that they were written in"),
    ("America/New_York", "there is no database of time zones"),
    ("'a'.find('[')", "another library words what is wrong with a regular expression"),
    ("matches(dyn('['))", "another library words what is wrong with a regular expression"),
    ("[dyn(1), dyn('a')].isSorted()", "values that have no order are not sorted"),
];

#[test]
fn expressions_come_to_what_they_come_to_in_kubernetes() {
    let cases: Vec<(String, String, String)> = serde_json::from_str(EVALUATED).expect("captured");
    let mut wrong = Vec::new();
    for (source, kind, expected) in &cases {
        // Constants are folded there when a rule is compiled, and here when it is evaluated.
        let kind = if kind == "program" { "error" } else { kind.as_str() };
        if DIFFERENT.iter().any(|(part, _)| source.contains(part)) {
            continue;
        }
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
    let scope = Scope::rule(Type::list(Type::Int), Type::Dyn);
    let source = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))";
    let program = rules::compile(source, &scope).expect("a program");
    let list = Value::list((0..1000).map(Value::Int).collect());
    let (result, spent) = program.run(&list, None);
    assert!(matches!(result, Err(Failure::TooExpensive)), "{result:?}");
    assert!(spent < 1_100_000, "{spent}");
    // What is collected is not copied for every item.
    let program = rules::compile("self.map(x, x).filter(x, x >= 0).size() >= 0", &scope).expect("a program");
    let list = Value::list((0..20_000).map(Value::Int).collect());
    assert!(matches!(program.run(&list, None).0, Ok(Value::Bool(true))));
}

#[test]
fn what_is_too_deep_or_too_long_is_refused() {
    let compile = |source: &str| rules::compile(source, &Scope::rule(Type::Dyn, Type::Dyn)).map(|_| ());
    let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(compile(&nested(99)), Ok(()));
    assert!(compile(&nested(101)).is_err_and(|why| why.contains("expression recursion limit exceeded: 100")));
    assert_eq!(outcome(&format!("1{} > 0", "+1".repeat(240))), ("value", "true".to_owned()));
    assert_eq!(outcome(&format!("{}true", "!".repeat(98))), ("value", "true".to_owned()));
    assert!(compile(&"!".repeat(50_000)).is_err());
    assert!(compile(&"-".repeat(50_000)).is_err());
    assert!(compile(&"[".repeat(50_000)).is_err());
    assert!(compile(&"1+".repeat(20_000)).is_err());
    assert!(compile(&format!("1{}", "+1".repeat(20_000))).is_err());
    assert!(compile(&format!("true{}", "&&true".repeat(10_000))).is_ok());
    assert!(
        compile(&"x".repeat(100_001))
            .is_err_and(|why| why.contains("expression code point size exceeds limit"))
    );
    let copies = format!("optional.of(1){}", ".optMap(x, x)".repeat(40));
    assert!(compile(&copies).is_err());
}

/// Words and signs that rules are made of, some of them only half.
const PARTS: &str = "self . a ( ) [ ] { } , : ? 1 2u 1.5 'x' b'y' && || ! - + * / % == < in has all map exists filter x \
    null true \" ' \\ size format split matches optional of optMap transformMap duration é";

/// Whatever stands in a rule, it is judged, and nothing ends but the rule.
#[test]
fn no_text_is_too_odd() {
    let mut parts: Vec<&str> = PARTS.split(' ').collect();
    parts.extend([" ", "\n"]);
    let mut seed: u64 = 7;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % most
    };
    for _ in 0..20_000 {
        let length = next(14) + 1;
        let source: String = (0..length).map(|_| parts[next(parts.len())]).collect();
        outcome(&source);
    }
}

/// The most that each rule can cost, as Kubernetes estimates it.
#[test]
fn rules_cost_what_they_cost_in_kubernetes() {
    let captured: Json = serde_json::from_str(CAPTURED).expect("captured");
    let schema = &captured["schema"]["properties"]["spec"];
    let declared = Declared::of(schema, false).expect("a type");
    let mut wrong = Vec::new();
    for case in captured["cases"].as_array().expect("cases") {
        let Some(expected) = case["cost"].as_str() else { continue };
        let source = case["rule"].as_str().expect("a rule");
        let scope = Scope::rule(declared.kind(), declared.kind());
        let program = rules::compile(source, &scope).expect("a program");
        let found = cost::most(&program.expr, &program.checked, &declared);
        if found.to_string() != expected {
            wrong.push(format!("{source}\n  found {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
