//! A view of a few objects, and a directory, for tests.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use bowline_kernel::{Version, View};
use serde_json::{Value, json};

use crate::document::{Counting, Document};
use crate::hub::Hub;
use crate::key::{Key, Resource};
use crate::store::Directory;

/// A view of these objects, which have a kind and a name; their uid is made of both.
pub(super) fn view(objects: impl IntoIterator<Item = Value>) -> View<Document> {
    View::load(Version(1), objects.into_iter().map(document))
}

/// A hub of these objects.
pub(super) fn hub(objects: impl IntoIterator<Item = Value>) -> Hub {
    Hub::new(Version(1), objects.into_iter().map(document).collect(), Arc::default())
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

/// A directory of a hub that goes when this is dropped.
pub(crate) struct Temporary {
    directory: Option<Directory>,
    path: PathBuf,
}

impl Temporary {
    pub(crate) fn new(name: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("bowline-auth-{name}-{}", std::process::id()));
        // What a run that was killed left behind.
        let _ = fs::remove_dir_all(&path);
        Temporary { directory: Some(Directory::take(&path).expect("a directory")), path }
    }
}

impl Deref for Temporary {
    type Target = Directory;

    fn deref(&self) -> &Directory {
        self.directory.as_ref().expect("it is not dropped yet")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.directory = None;
        let _ = fs::remove_dir_all(&self.path);
    }
}
