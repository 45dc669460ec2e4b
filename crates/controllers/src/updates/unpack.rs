//! Contents as they are packed.

use std::sync::Arc;

use bowline_updates::{Content, Wanted};
use serde_json::Value;

use super::names::{Place, Text, digest};

/// An object of a content.
pub(crate) struct Manifest {
    /// Objects of a wave are applied together.
    pub(crate) wave: u8,
    /// What it shall say.
    pub(crate) body: Value,
}

/// The objects that parts hold.
///
/// # Errors
/// If they are not those of the digest, or cannot be read.
pub(crate) fn unpack(of: &str, parts: &[Vec<u8>]) -> Result<Vec<Manifest>, String> {
    let text = parts.concat();
    if digest(&text) != of {
        return Err("its parts are not those of its digest".into());
    }
    let bodies: Vec<Value> = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    Ok(bodies.into_iter().map(|body| Manifest { wave: wave(&body), body }).collect())
}

fn wave(body: &Value) -> u8 {
    match body["kind"].as_str() {
        Some("CustomResourceDefinition") => 0,
        Some("Namespace") => 1,
        _ => 2,
    }
}

/// What these objects come to.
///
/// # Errors
/// If one has no name, or two have the same.
pub(crate) fn content(manifests: Vec<Manifest>) -> Result<Arc<Content<Text>>, String> {
    let mut content = Content::default();
    for (index, Manifest { wave, body }) in manifests.into_iter().enumerate() {
        let Some(place) = Place::of(&body) else {
            return Err(format!("object {} has no apiVersion, kind or name", index + 1));
        };
        let told = place.to_string();
        if content.0.insert(place, Wanted { wave, body }).is_some() {
            return Err(format!("{told} is in it twice"));
        }
    }
    Ok(Arc::new(content))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_content_is_read_from_its_parts_and_from_no_others() {
        let map =
            |name: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
        let packed = |objects: Value| objects.to_string().into_bytes();
        let read = |text: &[u8]| {
            let (head, tail) = text.split_at(3);
            unpack(&digest(text), &[head.to_vec(), tail.to_vec()]).and_then(content)
        };
        let two = read(&packed(json!([map("a"), map("b")]))).expect("a content");
        assert_eq!(two.0.len(), 2);
        let twice = read(&packed(json!([map("a"), map("a")])));
        assert_eq!(twice.unwrap_err(), "ConfigMap a is in it twice");
        assert!(read(&packed(json!([{ "kind": "Pod" }]))).is_err());
        assert!(unpack(&digest(b"other"), &[packed(json!([]))]).is_err());
    }
}
