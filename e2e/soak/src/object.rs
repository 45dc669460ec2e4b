//! The objects that are written: each says which write it is from, in three places that have to agree.

use serde_json::{Value, json};

use crate::dice::mix;
use crate::log::{Key, Seen, Tag, Version, is_red};

/// Where they are.
pub const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The path of one.
pub fn path(key: Key) -> String {
    format!("{MAPS}/{}", name(key))
}

/// The name of one.
pub fn name(key: Key) -> String {
    format!("soak-{key}")
}

/// How much text a write leaves behind. Some of it is long, so that what watchers may still ask for is soon too much to keep.
fn length(tag: Tag) -> usize {
    let long = if mix(tag).is_multiple_of(40) { 150_000 } else { 0 };
    long + usize::try_from(mix(tag) % 2_000).unwrap_or(0)
}

/// What a write changes.
pub fn change(tag: Tag) -> Value {
    json!({
        "metadata": { "labels": { "colour": if is_red(tag) { "red" } else { "blue" } } },
        "data": { "tag": tag.to_string(), "text": "x".repeat(length(tag)) },
    })
}

/// A whole object, in the place of that of a version if there is one.
pub fn whole(key: Key, tag: Tag, guard: Option<Version>) -> Value {
    let mut object = change(tag);
    object["apiVersion"] = "v1".into();
    object["kind"] = "ConfigMap".into();
    object["metadata"]["name"] = name(key).into();
    if let Some(guard) = guard {
        object["metadata"]["resourceVersion"] = guard.to_string().into();
    }
    object
}

/// The version that something says to be of.
pub fn version(object: &Value) -> Option<Version> {
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

/// What an object is; `None` if it is none of ours.
///
/// # Errors
/// If it is a mixture of several writes.
pub fn read(object: &Value) -> Result<Option<(Key, Seen)>, String> {
    let name = object["metadata"]["name"].as_str().and_then(|name| name.strip_prefix("soak-"));
    let Some(key) = name.and_then(|number| number.parse().ok()) else { return Ok(None) };
    let tag = object["data"]["tag"].as_str().and_then(|tag| tag.parse().ok());
    let (Some(tag), Some(version)) = (tag, version(object)) else {
        return Err(format!("object {key} has no tag or no version"));
    };
    let text = object["data"]["text"].as_str().unwrap_or_default();
    let colour = if is_red(tag) { "red" } else { "blue" };
    if text.len() != length(tag) || object["metadata"]["labels"]["colour"] != colour {
        return Err(format!(
            "object {key} at version {version} has the tag {tag}, and the rest is not of that write"
        ));
    }
    Ok(Some((key, Seen { version, tag })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_says_which_write_it_is_from() {
        for tag in 1..500 {
            let object = whole(3, tag, Some(7));
            assert_eq!(read(&object), Ok(Some((3, Seen { version: 7, tag }))));
            let mut mixed = object.clone();
            mixed["data"]["text"] =
                format!("{}x", object["data"]["text"].as_str().unwrap_or_default()).into();
            assert!(read(&mixed).is_err());
            let mut mixed = object;
            mixed["metadata"]["labels"]["colour"] = "green".into();
            assert!(read(&mixed).is_err());
        }
        assert_eq!(read(&json!({ "metadata": { "name": "kube-root-ca.crt" } })), Ok(None));
        assert!((1..500).any(|tag| length(tag) > 100_000));
    }
}
