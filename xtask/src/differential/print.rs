//! Says what differs, so that a person sees what to do about it.

use std::collections::BTreeMap;
use std::fmt::Write;

use bowline_differential::Difference;
use serde_json::Value;

use crate::log::Log;

/// Where a status code is, and what it is about.
const STATUS: &str = "/status";
const MESSAGE: &str = "/body/message";

/// All of them, request by request, and a line for each script.
pub(super) fn differences(log: &mut Log, differences: &[Difference]) {
    let mut scripts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for same in differences.chunk_by(|one, other| one.script == other.script && one.request == other.request)
    {
        log.line(request(same));
        let (requests, places) = scripts.entry(&same[0].script).or_default();
        *requests += 1;
        *places += same.len();
    }
    for (script, (requests, places)) in scripts {
        log.line(format!("{script}: {requests} requests are answered otherwise, in {places} places"));
    }
}

/// What differs in the answers to one request. With another status all the rest is another, too: what was said
/// is enough then.
fn request(differences: &[Difference]) -> String {
    let first = &differences[0];
    let step = first.step.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let mut text = format!("{}{step}: {}", first.script, first.request);
    let another_status = differences.iter().any(|difference| difference.place == STATUS);
    let shown: Vec<_> = differences
        .iter()
        .filter(|difference| !another_status || [STATUS, MESSAGE].contains(&difference.place.as_str()))
        .collect();
    for difference in &shown {
        let _ = write!(text, "\n{}", place(difference));
    }
    if shown.len() < differences.len() {
        let _ = write!(text, "\n  and {} places more", differences.len() - shown.len());
    }
    text
}

fn place(difference: &Difference) -> String {
    let value =
        |value: &Option<Value>| value.as_ref().map_or_else(|| "(nothing)".to_owned(), Value::to_string);
    let (first, second) = (value(&difference.first), value(&difference.second));
    let same = first.chars().zip(second.chars()).take_while(|(one, other)| one == other).count();
    let (first, second) = (around(&first, same), around(&second, same));
    format!("  {}\n    real:  {first}\n    other: {second}", difference.place)
}

/// A long text from a little before the place where it begins to differ.
fn around(text: &str, differs_at: usize) -> String {
    const BEFORE: usize = 60;
    const LENGTH: usize = 400;
    let skipped = if text.chars().count() > LENGTH { differs_at.saturating_sub(BEFORE) } else { 0 };
    let shown: String = text.chars().skip(skipped).take(LENGTH).collect();
    let (before, after) = (skipped > 0, skipped + shown.chars().count() < text.chars().count());
    format!("{}{shown}{}", if before { "…" } else { "" }, if after { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn difference(request: &str, place: &str) -> Difference {
        let (first, second) = (Some(json!("a")), None);
        Difference {
            script: "s".to_owned(),
            step: None,
            request: request.to_owned(),
            place: place.to_owned(),
            first,
            second,
        }
    }

    #[test]
    fn with_another_status_only_that_and_the_message_are_shown() {
        let mut log = Log::quiet();
        differences(
            &mut log,
            &[
                difference("1 GET /a", "/body/message"),
                difference("1 GET /a", "/body/x"),
                difference("1 GET /a", "/status"),
                difference("2 GET /b", "/body/x"),
            ],
        );
        let expected = "s: 1 GET /a\n  /body/message\n    real:  \"a\"\n    other: (nothing)\n  /status\n    real:  \"a\"\n    \
                        other: (nothing)\n  and 1 places more\ns: 2 GET /b\n  /body/x\n    real:  \"a\"\n    other: \
                        (nothing)\ns: 2 requests are answered otherwise, in 4 places\n";
        assert_eq!(log.kept(), expected);
    }

    #[test]
    fn long_texts_are_shown_from_where_they_differ() {
        let text = format!("{}y{}", "x".repeat(1000), "z".repeat(1000));
        let shown = around(&text, 1000);
        assert!(shown.starts_with("…x") && shown.contains("xyz") && shown.ends_with("z…"), "{shown}");
        assert_eq!(around("short", 3), "short");
    }
}
