//! Finds where two transcripts differ.

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
                let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                walk(&place, first.get(key), second.get(key), found);
            }
        }
        (Some(Value::Array(first)), Some(Value::Array(second))) => {
            for index in 0..first.len().max(second.len()) {
                walk(&format!("{place}/{index}"), first.get(index), second.get(index), found);
            }
        }
        _ => found.push((place.to_owned(), first.cloned(), second.cloned())),
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
    fn an_answer_that_is_missing_is_found() {
        let mut short = transcript(json!(1));
        short[0].answers.clear();
        assert_eq!(compare(&transcript(json!(1)), &short).len(), 1);
    }
}
