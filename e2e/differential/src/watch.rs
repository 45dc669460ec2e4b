//! What a watch says: the events of each object, in their order.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bowline_realkube::{Line, Stream};
use serde_json::{Value, json};

use crate::normal::Normal;

/// Nothing for so long is the end.
pub(crate) const QUIET: Duration = Duration::from_secs(1);
/// A watch that is never quiet is left.
const LIMIT: Duration = Duration::from_secs(20);
const END_OF_LIST: &str = "k8s.io/initial-events-end";

/// Reads until it is quiet, or has ended.
pub(crate) fn collect(stream: &mut Stream, quiet: Duration, fold: bool, normal: &mut Normal) -> Value {
    let mut events = Vec::new();
    let limit = Instant::now() + LIMIT;
    let end = loop {
        match stream.line(quiet) {
            Ok(Line::Text(text)) => events.push(serde_json::from_str(&text).unwrap_or(Value::String(text))),
            Ok(Line::Quiet) => break "quiet".to_owned(),
            Ok(Line::End) => break "ended".to_owned(),
            Err(error) => break format!("broken: {error}"),
        }
        if Instant::now() > limit {
            break "never quiet".to_owned();
        }
    };
    let mut said = by_object(&events, fold, normal);
    said["end"] = Value::from(end);
    said
}

/// Between objects there is no order that a client could rely on, so each stands for itself.
fn by_object(events: &[Value], fold: bool, normal: &mut Normal) -> Value {
    let mut objects: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    let mut initial = None;
    for event in events {
        if event["type"] == "BOOKMARK" {
            // Bookmarks come when the server likes, but for the one that ends the list.
            if event["object"]["metadata"]["annotations"].get(END_OF_LIST).is_some() {
                initial = Some(objects.len());
            }
            continue;
        }
        objects.entry(key(event)).or_default().push(event);
    }
    // Names that the server made up are in the keys as well.
    for event in objects.values().flatten() {
        normal.learn_generated(&event["object"]);
    }
    let mut said = BTreeMap::new();
    for (key, events) in objects {
        let kinds: Vec<_> = events.iter().map(|event| event["type"].clone()).collect();
        let key = normal.text(&key);
        let object = |event: &Value, normal: &mut Normal| normal.value(&event["object"]);
        let value = if fold {
            let mut kinds = kinds;
            kinds.dedup();
            json!({"types": kinds, "last": events.last().map(|event| object(event, normal))})
        } else {
            let each = events.iter().zip(kinds);
            Value::Array(
                each.map(|(event, kind)| json!({"type": kind, "object": object(event, normal)})).collect(),
            )
        };
        said.insert(key, value);
    }
    let mut said = json!({"events": said});
    if let Some(count) = initial {
        said["objects before the end of the list"] = Value::from(count);
    }
    said
}

/// The kind and name of what an event is about.
fn key(event: &Value) -> String {
    let object = &event["object"];
    let of = if object["kind"] == "Table" { &object["rows"][0]["object"] } else { object };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &of["metadata"];
    format!("{} {}/{}", text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, name: &str, data: i32) -> Value {
        json!({"type": kind, "object": {"kind": "ConfigMap", "metadata": {"name": name, "namespace": "n"}, "data": data}})
    }

    #[test]
    fn events_are_grouped_and_bookmarks_but_the_last_of_the_list_are_dropped() {
        let end = json!({"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {"annotations": {END_OF_LIST: "true"}}}});
        let other = json!({"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {}}});
        let events = [
            event("ADDED", "b", 1),
            event("ADDED", "a", 1),
            end,
            other,
            event("MODIFIED", "b", 2),
            event("MODIFIED", "b", 3),
        ];
        let said = by_object(&events, false, &mut Normal::new("h:1"));
        assert_eq!(said["objects before the end of the list"], 2);
        assert_eq!(said["events"]["ConfigMap n/b"].as_array().map(Vec::len), Some(3));
        assert_eq!(said["events"]["ConfigMap n/a"][0]["type"], "ADDED");
        let folded = by_object(&events, true, &mut Normal::new("h:1"));
        let b = &folded["events"]["ConfigMap n/b"];
        assert_eq!((&b["types"], &b["last"]["data"]), (&json!(["ADDED", "MODIFIED"]), &json!(3)));
    }
}
