//! A view of a few objects, for tests.

use std::sync::Arc;

use bowline_kernel::{Version, View};
use serde_json::{Value, json};

use crate::document::{Counting, Document};
use crate::key::{Key, Resource};

/// A view of these objects, which have a kind and a name; their uid is made of both.
pub(super) fn view(objects: impl IntoIterator<Item = Value>) -> View<Document> {
    View::load(Version(1), objects.into_iter().map(document))
}

fn document(mut json: Value) -> Arc<Document> {
    let kind = json["kind"].as_str().unwrap_or_default().to_owned();
    let name = json["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let namespace = json["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
    let resource = super::bootstrap::resource_of(&kind)
        .unwrap_or_else(|| Resource::new("", &format!("{}s", kind.to_lowercase())));
    if json["metadata"]["uid"].is_null() {
        json["metadata"]["uid"] = json!(format!("uid-{name}"));
    }
    let json = json.as_object().expect("an object").clone();
    let key = Key::new(resource, &namespace, &name);
    Arc::new(Document::new(key, &json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata"))
}
