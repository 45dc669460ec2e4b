//! In which fields an object is otherwise than its server would have it. Values are not told: they may be secret.

use serde_json::{Map, Value};

use super::marks::{is_same, plain, read};

/// How many fields are named at most.
const SOME: usize = 5;
/// The longest name of a field, in characters.
const LONGEST: usize = 120;

/// Whether an object is as its server would have it. What is ours is so only when its fields are ours as applied ones are: who made
/// it may have been lost before that was said.
pub(crate) fn fits(live: &Value, tried: &Value, is_ours: bool) -> bool {
    is_same(live, tried) && !(is_ours && read(live).is_raw)
}

/// The fields in which an object differs from what its server makes of what is wanted, for people: the first ones, and how many
/// more there are.
pub(crate) fn differing(live: &Value, tried: &Value) -> String {
    let mut found = Vec::new();
    compare("", &plain(live), &plain(tried), &mut found);
    let more = found.len().saturating_sub(SOME);
    let some = found.iter().take(SOME).map(|path| cut(path)).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{some} and {more} more") } else { some }
}

/// Both are what a server says, and no deeper than servers let objects be.
fn compare(path: &str, live: &Value, tried: &Value, found: &mut Vec<String>) {
    match (live, tried) {
        _ if live == tried => {}
        (Value::Object(live), Value::Object(tried)) => {
            let new = tried.keys().filter(|key| !live.contains_key(*key));
            for key in live.keys().chain(new) {
                let below = field(path, key);
                compare(&below, &at(live, key), &at(tried, key), found);
            }
        }
        (Value::Array(live), Value::Array(tried)) if live.len() == tried.len() => {
            for (index, (live, tried)) in live.iter().zip(tried).enumerate() {
                compare(&format!("{path}[{}]", item(live, index)), live, tried, found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

fn at(fields: &Map<String, Value>, key: &str) -> Value {
    fields.get(key).cloned().unwrap_or(Value::Null)
}

/// A field below another one; a name that could be taken for several is put apart.
fn field(path: &str, key: &str) -> String {
    match key {
        _ if key.contains(['.', '/']) => format!("{path}[{key}]"),
        _ if path.is_empty() => key.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

/// What an item of a list is called, if it has a name.
fn item(item: &Value, index: usize) -> String {
    item.get("name").and_then(Value::as_str).map_or_else(|| index.to_string(), ToOwned::to_owned)
}

fn cut(path: &str) -> String {
    match path.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_named_and_values_are_not() {
        let web = |image: &str, size: u64| json!({ "name": "web", "image": image, "size": size });
        let live = json!({
            "metadata": { "labels": { "example.org/team": "a" }, "resourceVersion": "1" }, "data": { "password": "old", "gone": "x" },
            "spec": { "containers": [web("a", 1)], "ports": [1, 2], "args": ["x"] }, "status": { "ready": 1 },
        });
        let tried = json!({
            "metadata": { "labels": { "example.org/team": "b" }, "resourceVersion": "2" }, "data": { "password": "new" },
            "spec": { "containers": [web("b", 1)], "ports": [1, 3], "args": ["x", "y"] },
        });
        let told = differing(&live, &tried);
        let first = "data.gone, data.password, metadata.labels[example.org/team], spec.args, spec.containers[web].image";
        assert_eq!(told, format!("{first} and 1 more"));
        assert_eq!(differing(&live, &live), "");
        assert_eq!(differing(&json!({ "ports": [1, 2] }), &json!({ "ports": [1, 3] })), "ports[1]");
        let added = json!({ "spec": { "replicas": 3 } });
        assert_eq!(differing(&json!({ "spec": {} }), &added), "spec.replicas");
    }

    #[test]
    fn names_have_an_end() {
        let long = "ä".repeat(LONGEST + 1);
        assert_eq!(differing(&json!({ long.as_str(): 1 }), &json!({})).chars().count(), LONGEST + 1);
    }
}
