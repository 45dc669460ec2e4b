//! Events, of whichever group.

use serde_json::Value;

use super::{Object, text_of};

pub(super) fn of(object: &Object<'_>) -> Vec<Value> {
    let moment = |names: &[&str]| names.iter().find_map(|name| object.ago(object.text(name)));
    let unknown = || "<unknown>".to_owned();
    let first = moment(&["firstTimestamp", "deprecatedFirstTimestamp", "eventTime"]).unwrap_or_else(unknown);
    let last = moment(&["lastTimestamp", "deprecatedLastTimestamp"]).unwrap_or_else(|| first.clone());
    let (last, count) = match object.at("series") {
        Some(series) => {
            let observed = object.ago(text_of(series, "lastObservedTime")).unwrap_or_else(unknown);
            (observed, series.get("count").and_then(Value::as_i64).unwrap_or(0))
        }
        None => (last, (object.number("count") + object.number("deprecatedCount")).max(1)),
    };
    let about = if object.at("regarding").is_some() { "regarding" } else { "involvedObject" };
    let about = |name: &str| object.text(&format!("{about}.{name}"));
    let target = match about("name") {
        "" => about("kind").to_lowercase(),
        name => format!("{}/{name}", about("kind").to_lowercase()),
    };
    let either = |one: &str, other: &str| object.text_or(one, object.text(other));
    vec![
        last.into(),
        object.text("type").into(),
        object.text("reason").into(),
        target.into(),
        about("fieldPath").into(),
        source(object).into(),
        either("message", "note").trim().into(),
        first.into(),
        count.into(),
        object.name(),
    ]
}

fn source(object: &Object<'_>) -> String {
    let first = |names: [&str; 4]| {
        names.into_iter().map(|name| object.text(name)).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let component = first([
        "source.component",
        "deprecatedSource.component",
        "reportingComponent",
        "reportingController",
    ]);
    match first(["source.host", "deprecatedSource.host", "reportingInstance", ""]) {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    }
}
