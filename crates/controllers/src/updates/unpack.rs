//! Contents as they are packed.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowline_bundle::unpack_copy;
use bowline_updates::{Content, Wanted};
use serde_json::{Value, json};

use super::names::{Place, Text};

/// What the objects come to that parts hold.
///
/// # Errors
/// If they are not those of the digest, or cannot be read.
pub(crate) fn content(of: &str, parts: &[Vec<u8>]) -> Result<Arc<Content<Text>>, String> {
    let manifests = unpack_copy(&of.into(), parts).map_err(|error| error.to_string())?;
    let mut content = Content::default();
    for manifest in manifests {
        let wave = manifest.wave() as u8;
        let body = as_kept(manifest.into_object());
        let Some(place) = Place::of(&body) else {
            return Err("an object has no apiVersion, kind or name".into());
        };
        let told = place.to_string();
        // A version of a group says nothing about which object it is: to the bundle these are two, and to a cluster one.
        if content.0.insert(place, Wanted { wave, body }).is_some() {
            return Err(format!("{told} is in it twice"));
        }
    }
    Ok(Arc::new(content))
}

/// A Secret as its server keeps it. Who applies `stringData` owns that, and not the `data` that comes of it, which stays whoever's it
/// was: nobody could give it back.
fn as_kept(mut body: Value) -> Value {
    if body["apiVersion"] != "v1" || body["kind"] != "Secret" || !body["stringData"].is_object() {
        return body;
    }
    let texts = body["stringData"].take();
    let Some(fields) = body.as_object_mut() else { return body };
    fields.remove("stringData");
    let data = fields.entry("data").or_insert_with(|| json!({}));
    if data.is_null() {
        *data = json!({});
    }
    for (key, text) in texts.as_object().into_iter().flatten() {
        // Servers take nothing for an empty text, and of both the text.
        data[key] = STANDARD.encode(text.as_str().unwrap_or_default()).into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use bowline_bundle::{Manifest, pack};

    fn packed(objects: &[Value]) -> (String, Vec<Vec<u8>>) {
        let manifests = objects.iter().map(|object| Manifest::new(object.clone()).expect("a manifest"));
        let packed = pack(&manifests.collect::<Vec<_>>()).expect("a bundle");
        (packed.spec.digest.as_str().to_owned(), packed.parts.into_iter().map(|part| part.bytes).collect())
    }

    #[test]
    fn a_secret_says_its_values_as_they_are_kept() {
        let secret = |more: Value| {
            let mut secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } });
            secret.as_object_mut().expect("an object").extend(more.as_object().expect("fields").clone());
            secret
        };
        for (said, kept) in [
            (json!({ "stringData": { "a": "1", "b": null } }), json!({ "data": { "a": "MQ==", "b": "" } })),
            (
                json!({ "data": { "a": "Mg==", "c": "Mw==" }, "stringData": { "a": "1" } }),
                json!({ "data": { "a": "MQ==", "c": "Mw==" } }),
            ),
            (json!({ "data": null, "stringData": {} }), json!({ "data": {} })),
            (json!({ "data": { "a": "MQ==" } }), json!({ "data": { "a": "MQ==" } })),
        ] {
            assert_eq!(as_kept(secret(said)), secret(kept));
        }
        let other = json!({ "apiVersion": "g/v1", "kind": "Secret", "stringData": { "a": "1" } });
        assert_eq!(as_kept(other.clone()), other);
    }

    #[test]
    fn a_content_is_read_from_its_parts_and_from_no_others() {
        let map =
            |name: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
        let (digest, parts) = packed(&[map("a"), map("b")]);
        assert_eq!(content(&digest, &parts).expect("a content").0.len(), 2);
        let (other, _) = packed(&[map("c")]);
        assert!(content(&other, &parts).is_err());
        assert!(content(&digest, &[]).is_err());
    }
}
