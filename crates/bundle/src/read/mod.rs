//! Manifests from where people have them.

mod documents;
mod files;
mod spots;
mod yaml;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::MAX_OBJECTS;
use crate::fault::{BadManifest, Fault, Place};
use crate::manifest::{Key, Manifest};

use self::documents::{Document, Origin};

/// Where manifests are.
pub enum Source<'a> {
    /// In a file, or in all files `*.yaml`, `*.yml` and `*.json` in a directory and below. Hidden ones are left out. A link is
    /// followed within the directory, and refused if it leads out of it: what is submitted is what is there.
    Path(&'a Path),
    /// In a stream, that people call by this name.
    Stream(&'a mut dyn Read, &'a str),
}

/// Reads all manifests, in the order of their files and in each from top to bottom.
///
/// A file has one or more documents of YAML, or of JSON; empty ones are passed over, and lists are taken apart.
///
/// # Errors
/// The first thing that is wrong: where it is, and what to do.
pub fn read(source: Source<'_>) -> Result<Vec<Manifest>, BadManifest> {
    let is_files = matches!(source, Source::Path(_));
    let nothing = if is_files { Fault::Nothing } else { Fault::NothingPiped };
    let (whole, texts) = files::texts(source)?;
    let mut found = Found { is_files, ..Found::default() };
    for text in texts {
        let text = text?;
        for document in documents::documents(&text.name, &text.text, text.is_json)? {
            found.take(document)?;
        }
    }
    if found.manifests.is_empty() {
        return Err(BadManifest::of_file(&whole, nothing));
    }
    Ok(found.manifests)
}

#[derive(Default)]
struct Found {
    manifests: Vec<Manifest>,
    places: BTreeMap<Key, Place>,
    /// Whether places are in files, not in a stream.
    is_files: bool,
}

impl Found {
    fn take(&mut self, document: Document<'_>) -> Result<(), BadManifest> {
        let Document { value, place, origin } = document;
        match value {
            Value::Null => Ok(()),
            Value::Object(map) if is_list(&map) => self.take_list(map, &place, &origin),
            value => self.take_object(value, place, &origin),
        }
    }

    /// Takes a list apart. The items of a list of one kind need not say the kind.
    fn take_list(
        &mut self,
        mut list: serde_json::Map<String, Value>,
        place: &Place,
        origin: &Origin<'_>,
    ) -> Result<(), BadManifest> {
        let items = match list.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let kind = list.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
        let kind = kind.filter(|kind| !kind.is_empty()).map(Value::from);
        for (index, mut item) in items.into_iter().enumerate() {
            if let (Some(item), Some(kind)) = (item.as_object_mut(), &kind) {
                item.entry("kind").or_insert_with(|| kind.clone());
                let version = list.get("apiVersion").cloned().unwrap_or_default();
                item.entry("apiVersion").or_insert(version);
            }
            let place = Place { item: place.item.or(Some(index + 1)), ..place.clone() };
            self.take(Document { value: item, place, origin: origin.item(index) })?;
        }
        Ok(())
    }

    fn take_object(&mut self, value: Value, place: Place, origin: &Origin<'_>) -> Result<(), BadManifest> {
        let hint = not_a_manifest(self.is_files.then_some(&place.file), &value);
        let manifest = match Manifest::new(value) {
            Ok(manifest) => manifest,
            Err(fault) => {
                let fault = hint.unwrap_or(fault);
                let spot = fault.field().and_then(|field| origin.field(field));
                return Err(BadManifest::new(place.at(spot), fault));
            }
        };
        let key = manifest.key();
        if let Some(first) = self.places.get(&key) {
            let fault = Fault::Twice { what: key.to_string(), first: first.clone() };
            return Err(BadManifest::new(place, fault));
        }
        if self.manifests.len() == MAX_OBJECTS {
            return Err(BadManifest::new(place, Fault::TooManyObjects));
        }
        self.places.insert(key, place);
        self.manifests.push(manifest);
        Ok(())
    }
}

/// Whether it is a list of objects, as `kubectl get` gives them: of any kinds, or of one.
fn is_list(map: &serde_json::Map<String, Value>) -> bool {
    let says = map.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
    says && matches!(map.get("items"), Some(Value::Array(_) | Value::Null))
}

/// What kustomize is told to do, and no object has at its top.
const KUSTOMIZE: [&str; 8] = [
    "bases",
    "components",
    "configMapGenerator",
    "generators",
    "patches",
    "patchesStrategicMerge",
    "resources",
    "secretGenerator",
];

/// What stands beside manifests, and what makes objects of it. It is known by the name of its file, and, as a stream has none, by
/// what it says.
fn not_a_manifest(file: Option<&String>, value: &Value) -> Option<Fault> {
    let (directory, name) = match file {
        Some(file) => file.rsplit_once('/').unwrap_or((".", file)),
        None => ("DIR", ""),
    };
    let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if version.starts_with("kustomize.config.k8s.io/") {
        return Some(Fault::kustomization(directory));
    }
    // What comes next need not say its kind, or has none.
    if value.get("kind").is_some() || value.get("metadata").is_some() {
        return None;
    }
    let is = |field: &str, is: fn(&Value) -> bool| value.get(field).is_some_and(is);
    // A values file may have fields of the same names, which are no lists.
    let is_kustomization = KUSTOMIZE.iter().any(|field| is(field, Value::is_array));
    let is_chart =
        matches!(version, "v1" | "v2") && ["name", "version"].iter().all(|field| is(field, Value::is_string));
    match name {
        "Chart.yaml" | "values.yaml" => Some(Fault::chart(directory)),
        name if files::is_kustomization(name) || is_kustomization => Some(Fault::kustomization(directory)),
        _ => is_chart.then(|| Fault::chart(directory)),
    }
}
