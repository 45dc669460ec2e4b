//! JSON with one entry a line, so that a difference between two versions can be read.

use std::collections::BTreeMap;

use serde_json::Value;

/// A part of a document.
pub(super) enum Part {
    /// One line.
    One(Value),
    /// A line for each.
    List(Vec<Value>),
    /// A line for each, by name.
    Map(BTreeMap<String, Value>),
}

/// The whole, with its parts in this order.
pub(super) fn document(parts: &[(&str, Part)]) -> String {
    let parts: Vec<_> =
        parts.iter().map(|(name, part)| format!("{}: {}", Value::from(*name), text(part))).collect();
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

fn text(part: &Part) -> String {
    let block = |open: char, lines: Vec<String>, close: char| {
        if lines.is_empty() {
            format!("{open}{close}")
        } else {
            format!("{open}\n{}\n{close}", lines.join(",\n"))
        }
    };
    match part {
        Part::One(value) => value.to_string(),
        Part::List(values) => block('[', values.iter().map(Value::to_string).collect(), ']'),
        Part::Map(values) => {
            let lines = values.iter().map(|(name, value)| format!("{}: {value}", Value::from(name.as_str())));
            block('{', lines.collect(), '}')
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_entry_has_a_line_and_the_whole_is_json() -> serde_json::Result<()> {
        let text = document(&[
            ("version", Part::One(json!("v1"))),
            ("list", Part::List(vec![json!({"b": 1, "a": 2}), json!([])])),
            ("none", Part::List(vec![])),
            (
                "map",
                Part::Map(BTreeMap::from([("k".to_owned(), json!({})), ("a\"".to_owned(), json!(null))])),
            ),
        ]);
        let lines = "{\n\"version\": \"v1\",\n\"list\": [\n{\"a\":2,\"b\":1},\n[]\n],\n\"none\": [],\n\
                     \"map\": {\n\"a\\\"\": null,\n\"k\": {}\n}\n}\n";
        assert_eq!(text, lines);
        serde_json::from_str::<Value>(&text).map(drop)
    }
}
