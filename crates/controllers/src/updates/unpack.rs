//! Contents as they are packed.

use std::sync::Arc;

use bowline_bundle::unpack_copy;
use bowline_updates::{Content, Wanted};

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
        let body = manifest.into_object();
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

#[cfg(test)]
mod tests {
    use bowline_bundle::{Manifest, pack};
    use serde_json::{Value, json};

    use super::*;

    fn packed(objects: &[Value]) -> (String, Vec<Vec<u8>>) {
        let manifests = objects.iter().map(|object| Manifest::new(object.clone()).expect("a manifest"));
        let packed = pack(&manifests.collect::<Vec<_>>()).expect("a bundle");
        (packed.spec.digest.as_str().to_owned(), packed.parts.into_iter().map(|part| part.bytes).collect())
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
