//! What is printed as it was parsed: amounts, moments, versions, sets of fields, JSON, YAML, the built-in kinds.

use std::fmt::{Debug, Display};

use base64::Engine;
use bowline_fuzz::{Target, same};
use bowline_merge::fields::FieldSet;
use bowline_merge::json;
use serde_json::Value;

use crate::builtin::testing::well_typed;
use crate::document::{Json, version};
use crate::negotiate::{as_yaml, indented};
use crate::quantity::Quantity;
use crate::time::{Micros, Moment};
use crate::{protobuf, yaml};

const VALUE: &str = r#"{"a":[1,-2,1.5,1e30,0.1,true,null,"yes","1","~","","\u0000é\n x","- a: b"],"01":{"b":{}},"n":9007199254740993}"#;

pub(crate) fn targets() -> Vec<Target> {
    let moments = ["2026-11-16T02:11:58Z", "1969-12-31T23:59:59.999999-02:30", "-000001-01-01T00:00:00Z"];
    vec![
        Target::new(
            "quantity-printed",
            ["100m", "1.5Gi", "-1e3", "0.000000001", "9223372036854775807", "1E", "+.5k"],
            |input| printed(input, Quantity::parse),
        ),
        Target::new("moment-printed", moments, |input| printed(input, Moment::parse)),
        Target::new("micros-printed", moments, |input| printed(input, Micros::parse)),
        Target::new("version-printed", ["0", "17", "18446744073709551615"], |input| printed(input, version)),
        Target::new(
            "fields-printed",
            [r#"{"f:a":{".":{},"f:b":{}},"k:{\"n\":\"x\",\"p\":1}":{},"v:1":{},"i:0":{}}"#],
            |input| {
                let Some(value) = value(input) else { return Ok(()) };
                let Ok(set) = FieldSet::from_json(&value) else { return Ok(()) };
                let text = set.to_json();
                let again = FieldSet::from_json(&text).ok();
                same(set, &text.to_string(), again)
            },
        ),
        Target::new("json-printed", [VALUE], |input| {
            let Some(value) = value(input) else { return Ok(()) };
            let text = value.to_string();
            let again = json::parse(&indented(text.as_bytes())).ok().map(|(value, _)| value);
            same(value, &text, again)
        }),
        Target::new("yaml-printed", [VALUE], |input| {
            let Some(value) = value(input) else { return Ok(()) };
            let Some(text) = as_yaml(value.to_string().as_bytes()) else { return Ok(()) };
            let again = yaml::parse(&text).ok();
            same(value, &text, again)
        }),
        Target::new("kinds", cases().into_iter().map(|(_, json)| Value::Object(json).to_string()), |input| {
            match value(input) {
                Some(Value::Object(json)) => shaped_once(json),
                _ => Ok(()),
            }
        }),
        Target::new("kinds-protobuf", cases().into_iter().map(|(proto, _)| proto), |input| {
            protobuf::read(input).map_or(Ok(()), shaped_once)
        }),
    ]
}

/// Sees that what a text is read as is printed as a text that is read as the same.
fn printed<T: PartialEq + Debug + Display>(input: &[u8], parse: fn(&str) -> Option<T>) -> Result<(), String> {
    let Some(read) = parse(&String::from_utf8_lossy(input)) else { return Ok(()) };
    let text = read.to_string();
    let again = parse(&text);
    same(read, &text, again)
}

fn value(input: &[u8]) -> Option<Value> {
    json::parse(input).ok().map(|(value, _)| value)
}

/// What was brought into the form of its kind is in it.
fn shaped_once(json: Json) -> Result<(), String> {
    let Some(shaped) = well_typed(json) else { return Ok(()) };
    let text = Value::Object(shaped.clone()).to_string();
    let again = well_typed(shaped.clone());
    same(shaped, &text, again)
}

/// Bodies of real clients and servers, in protobuf and in JSON.
fn cases() -> Vec<(Vec<u8>, Json)> {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../protobuf/testdata.json")).expect("JSON");
    let engine = base64::engine::general_purpose::STANDARD;
    let case = |case: Value| {
        let proto = engine.decode(case["proto"].as_str().expect("a text")).expect("it is base64");
        (proto, case["json"].as_object().expect("an object").clone())
    };
    cases.into_iter().map(case).collect()
}
