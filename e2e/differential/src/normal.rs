//! Takes out of answers what differs between two servers by nature. All the rest is compared literally.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::quoted::sort_quoted;
use crate::text::{
    replace_digests, replace_quoted_versions, replace_times, replace_uuids, replace_versions,
    replace_volumes, secret, today,
};

/// Columns of tables that say how long ago something was.
const AGES: &[&str] = &["Age", "Last Seen", "First Seen", "Duration"];
/// The column with an address that the server chose.
const ADDRESS: &str = "Cluster-IP";

/// Things by the answer in which they were first seen, and which one of that they were: where one server says
/// more in one answer, those after it are still alike.
#[derive(Debug, Default)]
struct Names {
    known: BTreeMap<String, String>,
    last: (usize, usize),
}

impl Names {
    fn number(&mut self, text: &str, answer: usize) -> String {
        self.number_as(text, answer, |number| number)
    }

    fn number_as(&mut self, text: &str, answer: usize, name: impl Fn(String) -> String) -> String {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let (last, count) = self.last;
        self.last = (answer, if last == answer { count + 1 } else { 1 });
        let name = name(format!("{answer}.{}", self.last.1));
        self.known.insert(text.to_owned(), name.clone());
        name
    }
}

/// What stands in a column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Age,
    Address,
    Other,
}

/// Names for what one script has seen on one server: the same thing twice has the same name twice.
#[derive(Debug)]
pub(crate) struct Normal {
    authority: String,
    today: i64,
    /// The answer that is looked at.
    answer: usize,
    uids: Names,
    versions: Names,
    generated: Names,
    /// The columns of the last table.
    columns: Vec<Column>,
}

impl Normal {
    /// For a server at `host:port`.
    pub(crate) fn new(authority: &str) -> Self {
        Self {
            authority: authority.to_owned(),
            today: today(),
            answer: 0,
            uids: Names::default(),
            versions: Names::default(),
            generated: Names::default(),
            columns: Vec::new(),
        }
    }

    /// The next answer begins.
    pub(crate) fn begin(&mut self, answer: usize) {
        self.answer = answer;
    }

    /// A body.
    pub(crate) fn value(&mut self, body: &Value) -> Value {
        self.learn_generated(body);
        let mut body = self.walk("", body);
        sort_causes(&mut body);
        body
    }

    /// A text that is not JSON, or a header.
    pub(crate) fn text(&mut self, text: &str) -> String {
        if let Some(name) = secret(text) {
            return name.to_owned();
        }
        let (uids, answer) = (&mut self.uids, self.answer);
        let mut text = replace_uuids(text, |uuid| format!("<uid {}>", uids.number(uuid, answer)));
        for (name, replacement) in &self.generated.known {
            text = text.replace(name, replacement);
        }
        let text = text.replace(&self.authority, "<server>");
        let text = replace_quoted_versions(&replace_volumes(&replace_digests(&text)));
        let text = replace_versions(&replace_times(&text, self.today));
        sort_quoted("managedFields", &text, place_of_manager)
    }

    /// The names that the server has made up: what follows `generateName` is random.
    pub(crate) fn learn_generated(&mut self, value: &Value) {
        let metadata = &value["metadata"];
        if let (Some(prefix), Some(name)) = (metadata["generateName"].as_str(), metadata["name"].as_str())
            && name.len() > prefix.len()
            && name.starts_with(prefix)
        {
            self.generated.number_as(name, self.answer, |number| format!("{prefix}<generated {number}>"));
        }
        let parts: Vec<&Value> = match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(entries) => entries.values().collect(),
            _ => return,
        };
        for part in parts {
            self.learn_generated(part);
        }
    }

    fn walk(&mut self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(entries) => self.object(entries),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.walk(key, item)).collect()),
            Value::String(text) => Value::String(self.string(key, text)),
            Value::Number(number) if ["nodePort", "healthCheckNodePort"].contains(&key) => {
                Value::from(if number.as_u64() == Some(0) { "0" } else { "<port>" })
            }
            other => other.clone(),
        }
    }

    fn object(&mut self, entries: &Map<String, Value>) -> Value {
        let kind = entries.get("kind").and_then(Value::as_str).unwrap_or_default();
        if kind == "Table" {
            self.learn_columns(entries);
        }
        let mut result = Map::new();
        for (key, value) in entries {
            let walked = match key.as_str() {
                // The version of a list is that of the whole store, which others write to as well.
                "metadata" if kind.ends_with("List") || kind == "Table" => list_metadata(value),
                "cells" => self.cells(value),
                "managedFields" => in_order(self.walk(key, value)),
                _ => self.walk(key, value),
            };
            result.insert(self.text(key), walked);
        }
        Value::Object(result)
    }

    fn string(&mut self, key: &str, text: &str) -> String {
        match key {
            "resourceVersion" if !["", "0"].contains(&text) => {
                format!("<version {}>", self.versions.number(text, self.answer))
            }
            "continue" if !text.is_empty() => "<continue>".to_owned(),
            "clusterIP" | "clusterIPs" if !["", "None"].contains(&text) => "<address>".to_owned(),
            _ => self.text(text),
        }
    }

    /// Later tables of a watch have no columns: they are as in the first.
    fn learn_columns(&mut self, table: &Map<String, Value>) {
        let Some(columns) = table.get("columnDefinitions").and_then(Value::as_array) else { return };
        let kind = |column: &Value| {
            if column["type"] == "date" || AGES.iter().any(|name| column["name"] == *name) {
                Column::Age
            } else if column["name"] == ADDRESS {
                Column::Address
            } else {
                Column::Other
            }
        };
        if !columns.is_empty() {
            self.columns = columns.iter().map(kind).collect();
        }
    }

    fn cells(&mut self, cells: &Value) -> Value {
        let Value::Array(cells) = cells else { return cells.clone() };
        let columns = self.columns.clone();
        let walked = cells.iter().enumerate().map(|(index, cell)| {
            let column = columns.get(index).copied().unwrap_or(Column::Other);
            // An age that is not known is something else than an age, and so is an address that is none.
            let is_known = cell.as_str().is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
            match column {
                Column::Age if is_known => Value::from("<age>"),
                Column::Address if is_known => Value::from("<address>"),
                _ => self.walk("cell", cell),
            }
        });
        Value::Array(walked.collect())
    }
}

/// Several faults come in the order of a Go map, which is chance. The message repeats all of them.
fn sort_causes(status: &mut Value) {
    let Some(causes) = status["details"]["causes"].as_array() else { return };
    let mut causes = causes.clone();
    let texts = |causes: &[Value]| {
        let text = |key: &Value| key.as_str().unwrap_or_default().to_owned();
        let each =
            causes.iter().map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"])));
        format!("[{}]", each.collect::<Vec<_>>().join(", "))
    };
    let before = texts(&causes);
    causes.sort_by_key(|cause| [cause["field"].to_string(), cause["message"].to_string()]);
    let message = status["message"].as_str().unwrap_or_default().replace(&before, &texts(&causes));
    // If the message says it in other words, it stays as it is, and so do they.
    if causes.len() > 1 && message != status["message"] {
        status["message"] = Value::from(message);
        status["details"]["causes"] = Value::Array(causes);
    }
}

/// The server sorts them by their times, and whether two writes fall into the same second is chance.
fn in_order(mut managers: Value) -> Value {
    if let Value::Array(entries) = &mut managers {
        entries.sort_by_key(place_of_manager);
    }
    managers
}

fn place_of_manager(manager: &Value) -> [String; 4] {
    ["operation", "manager", "subresource", "apiVersion"].map(|key| manager[key].to_string())
}

fn list_metadata(metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    for (key, name) in [("resourceVersion", "<version of the store>"), ("continue", "<continue>")] {
        if let Some(value) = metadata.get_mut(key)
            && value.as_str().is_some_and(|text| !text.is_empty())
        {
            *value = Value::from(name);
        }
    }
    metadata
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn normal() -> Normal {
        Normal { today: 20_773, ..Normal::new("127.0.0.1:4321") }
    }

    #[test]
    fn the_same_thing_twice_has_the_same_name_twice() {
        let mut normal = normal();
        let (a, b) = ("0a1b2c3d-0000-1111-2222-0123456789ab", "0a1b2c3d-0000-1111-2222-0123456789ac");
        let object = |uid: &str, version: &str| json!({"metadata": {"uid": uid, "resourceVersion": version}});
        let expect = |uid: &str, version: &str| json!({"metadata": {"uid": uid, "resourceVersion": version}});
        normal.begin(1);
        assert_eq!(normal.value(&object(a, "17")), expect("<uid 1.1>", "<version 1.1>"));
        normal.begin(2);
        assert_eq!(normal.value(&object(b, "18")), expect("<uid 2.1>", "<version 2.1>"));
        assert_eq!(normal.value(&object(a, "17")), expect("<uid 1.1>", "<version 1.1>"));
        assert_eq!(normal.text(&format!("not {b}")), "not <uid 2.1>");
    }

    #[test]
    fn managers_are_in_one_order_and_ids_are_replaced_in_names_too() {
        let uid = "0a1b2c3d-0000-1111-2222-0123456789ab";
        let object = json!({"managedFields": [{"manager": "b"}, {"manager": "a", "fieldsV1": {format!("k:{uid}"): {}}}]});
        let expected =
            json!({"managedFields": [{"manager": "a", "fieldsV1": {"k:<uid 0.1>": {}}}, {"manager": "b"}]});
        assert_eq!(normal().value(&object), expected);
    }

    #[test]
    fn managers_are_in_one_order_in_what_a_message_quotes_too() {
        let said = |managers: [Value; 2]| {
            let object = json!({"metadata": {"name": "d", "managedFields": managers}, "spec": {}});
            json!({"message": format!("cannot be handled as a Deployment: {:?}: no", object.to_string())})
        };
        let (a, b) = (json!({"manager": "a", "time": "2026-11-16T02:17:27Z"}), json!({"manager": "b"}));
        let sorted = normal().value(&said([a.clone(), b.clone()]));
        assert_eq!(normal().value(&said([b.clone(), a.clone()])), sorted);
        let other = json!({"manager": "a", "time": "2026-11-16T02:17:28Z", "operation": "Update"});
        assert_ne!(normal().value(&said([b, other])), sorted);
    }

    #[test]
    fn lists_have_the_version_of_the_store() {
        let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "5", "continue": "abc", "remainingItemCount": 3}});
        let expected = json!({"kind": "PodList", "metadata": {
            "resourceVersion": "<version of the store>", "continue": "<continue>", "remainingItemCount": 3}});
        assert_eq!(normal().value(&list), expected);
    }

    #[test]
    fn faults_are_in_one_order_in_the_list_and_in_the_message() {
        let cause = |field: &str| json!({"field": field, "message": "bad"});
        let status = |order: &str, causes: Value| json!({"message": format!("x is invalid: [{order}]"), "details": {"causes": causes}});
        let (ab, ba) = ("a: bad, b: bad", "b: bad, a: bad");
        let sorted = status(ab, json!([cause("a"), cause("b")]));
        assert_eq!(normal().value(&status(ba, json!([cause("b"), cause("a")]))), sorted);
        assert_eq!(normal().value(&sorted), sorted);
    }

    #[test]
    fn generated_names_are_known_everywhere() {
        let mut normal = normal();
        let made =
            json!({"metadata": {"generateName": "a-", "name": "a-x7k2p"}, "message": "a-x7k2p is there"});
        let expected = json!({"metadata": {"generateName": "a-", "name": "a-<generated 0.1>"}, "message": "a-<generated 0.1> is there"});
        assert_eq!(normal.value(&made), expected);
        assert_eq!(normal.text("/api/a-x7k2p"), "/api/a-<generated 0.1>");
    }

    #[test]
    fn ages_are_known_by_their_column_also_in_later_tables() {
        let mut normal = normal();
        let first = json!({"kind": "Table", "columnDefinitions": [{"name": "Name", "type": "string"}, {"name": "Age", "type": "string"}],
            "rows": [{"cells": ["5s", "5s"]}]});
        assert_eq!(normal.value(&first)["rows"][0]["cells"], json!(["5s", "<age>"]));
        let later =
            json!({"kind": "Table", "columnDefinitions": null, "rows": [{"cells": ["a", "<unknown>"]}]});
        assert_eq!(normal.value(&later)["rows"][0]["cells"], json!(["a", "<unknown>"]));
    }

    #[test]
    fn what_a_script_wrote_is_compared_literally() {
        let own = json!({"spec": {"renewTime": "2020-01-01T00:00:00.000000Z", "clusterIP": "None", "port": 80}, "items": null});
        assert_eq!(normal().value(&own), own);
    }
}
