//! Finds where two transcripts differ.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::run::{Answer, Transcript};

/// A place where two answers differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The script.
    pub script: String,
    /// The step as the script calls it, if it does.
    pub step: Option<String>,
    /// The request, and the step's number.
    pub request: String,
    /// Where in the answer, like `/body/message`.
    pub place: String,
    /// What the first server says there; none if it says nothing.
    pub first: Option<Value>,
    /// What the second says there.
    pub second: Option<Value>,
}

/// All differences between what two servers answered to the same scripts.
pub fn compare(first: &[Transcript], second: &[Transcript]) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (first, second) in first.iter().zip(second) {
        let longest = first.answers.len().max(second.answers.len());
        for index in 0..longest {
            let (one, other) = (first.answers.get(index), second.answers.get(index));
            let Some(answer) = one.or(other) else { continue };
            let said = |answer: Option<&Answer>| answer.map(|answer| answer.said.clone());
            let mut found = Vec::new();
            walk("", said(one).as_ref(), said(other).as_ref(), &mut found);
            differences.extend(found.into_iter().map(|(place, first_value, second_value)| Difference {
                script: first.script.clone(),
                step: answer.step.clone(),
                request: answer.request.clone(),
                place,
                first: first_value,
                second: second_value,
            }));
        }
    }
    differences
}

type Found = Vec<(String, Option<Value>, Option<Value>)>;

fn walk(place: &str, first: Option<&Value>, second: Option<&Value>, found: &mut Found) {
    match (first, second) {
        (Some(first), Some(second)) if first == second => {}
        (Some(Value::Object(first)), Some(Value::Object(second))) => {
            let mut keys: Vec<_> = first.keys().chain(second.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                walk(&below(place, key), first.get(key), second.get(key), found);
            }
        }
        (Some(Value::Array(first)), Some(Value::Array(second))) => match (names(first), names(second)) {
            (Some(one), Some(other)) => by_name(place, &one, &other, found),
            _ => {
                for index in 0..first.len().max(second.len()) {
                    walk(&format!("{place}/{index}"), first.get(index), second.get(index), found);
                }
            }
        },
        _ => found.push((place.to_owned(), first.cloned(), second.cloned())),
    }
}

fn below(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// How the elements of a list call themselves, in their order.
type Named<'a> = Vec<(&'a str, &'a Value)>;

fn name(element: &Value) -> Option<&str> {
    let own = ["name", "version", "resource", "subresource"].into_iter().find_map(|key| element.get(key));
    own.or_else(|| element.pointer("/metadata/name")).and_then(Value::as_str)
}

/// The names of all elements, if each has one of its own.
fn names(list: &[Value]) -> Option<Named<'_>> {
    let named: Named<'_> =
        list.iter().map(|element| Some((name(element)?, element))).collect::<Option<_>>()?;
    let all: BTreeSet<_> = named.iter().map(|(name, _)| name).collect();
    (all.len() == named.len()).then_some(named)
}

/// One element that is missing is one difference, and no shift of all that come after it.
fn by_name(place: &str, first: &Named<'_>, second: &Named<'_>, found: &mut Found) {
    let find = |list: &Named<'_>, name: &str| {
        list.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).clone())
    };
    for (name, value) in first {
        walk(&below(place, name), Some(value), find(second, name).as_ref(), found);
    }
    for (name, value) in second.iter().filter(|(name, _)| find(first, name).is_none()) {
        walk(&below(place, name), None, Some(value), found);
    }
    let shared = |list: &Named<'_>, other: &Named<'_>| -> Vec<Value> {
        list.iter()
            .filter(|(name, _)| find(other, name).is_some())
            .map(|(name, _)| Value::from(*name))
            .collect()
    };
    let (one, other) = (shared(first, second), shared(second, first));
    if one != other {
        found.push((below(place, "order"), Some(Value::from(one)), Some(Value::from(other))));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn transcript(said: Value) -> Vec<Transcript> {
        let answer = Answer { step: Some("make".to_owned()), request: "1 GET /a".to_owned(), said };
        vec![Transcript { script: "s".to_owned(), answers: vec![answer] }]
    }

    #[test]
    fn equal_answers_do_not_differ() {
        let said = json!({"status": 200, "body": {"a": [1, {"b": null}]}});
        assert_eq!(compare(&transcript(said.clone()), &transcript(said)), []);
    }

    #[test]
    fn every_change_is_found_at_its_place() {
        let said = json!({"status": 200, "body": {"a": [1, {"b/c": null}]}});
        for (other, place) in [
            (json!({"status": 201, "body": {"a": [1, {"b/c": null}]}}), "/status"),
            (json!({"status": 200, "body": {"a": [1, {"b/c": 1}]}}), "/body/a/1/b~1c"),
            (json!({"status": 200, "body": {"a": [1, {}]}}), "/body/a/1/b~1c"),
            (json!({"status": 200, "body": {"a": [1]}}), "/body/a/1"),
            (json!({"status": 200, "body": "a"}), "/body"),
            (json!({"status": 200}), "/body"),
        ] {
            let found = compare(&transcript(said.clone()), &transcript(other.clone()));
            assert_eq!(found.len(), 1, "{other}");
            assert_eq!((found[0].place.as_str(), found[0].step.as_deref()), (place, Some("make")));
        }
    }

    #[test]
    fn elements_with_names_are_compared_by_them_and_their_order_counts() {
        let list = |names: &[(&str, i32)]| {
            let each = names.iter().map(|(name, data)| json!({"name": name, "data": data}));
            transcript(json!({"body": each.collect::<Vec<_>>()}))
        };
        let all = list(&[("a", 1), ("b/c", 2), ("d", 3)]);
        for (other, places) in [
            (list(&[("b/c", 2), ("d", 3)]), vec!["/body/a"]),
            (list(&[("a", 1), ("b/c", 0), ("d", 3), ("e", 4)]), vec!["/body/b~1c/data", "/body/e"]),
            (list(&[("d", 3), ("b/c", 2)]), vec!["/body/a", "/body/order"]),
            // A name twice is no name.
            (list(&[("a", 1), ("b/c", 2), ("b/c", 3)]), vec!["/body/2/name"]),
        ] {
            let found = compare(&all, &other);
            assert_eq!(found.iter().map(|difference| &difference.place).collect::<Vec<_>>(), places);
        }
    }

    #[test]
    fn an_answer_that_is_missing_is_found() {
        let mut short = transcript(json!(1));
        short[0].answers.clear();
        assert_eq!(compare(&transcript(json!(1)), &short).len(), 1);
    }
}
