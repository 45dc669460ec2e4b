//! An object as somebody wants it.

use std::fmt;

use bowline_api::{GROUP, SYSTEM_NAMESPACE};
use serde_json::{Map, Value};

use crate::clean::clean;
use crate::fault::Fault;
use crate::held::held;
use crate::wave::Wave;
use crate::{MAX_OBJECT_BYTES, canonical};

/// What people say to the simulator of embedded clusters.
const SIMULATE: &str = "bowline.dev/simulate";

/// An object as somebody wants it: without what servers set in it, and small enough for them.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    api_version: String,
    kind: String,
    namespace: Option<String>,
    name: String,
    object: Value,
}

/// What an object is known by on a cluster. Without a namespace it is in `default`, if its kind has any: so that is taken for
/// the same, for a cluster has only one of them, whatever the kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// When it is its turn; it follows from what comes next.
    pub wave: Wave,
    /// The group; empty for the core kinds. An object is the same in all versions of it.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for `default`, and where there is none.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { group, kind, namespace, name, .. } = self;
        f.write_str(kind)?;
        if !group.is_empty() {
            write!(f, ".{group}")?;
        }
        f.write_str(" ")?;
        if !namespace.is_empty() {
            write!(f, "{namespace}/")?;
        }
        f.write_str(name)
    }
}

impl Manifest {
    /// Reads an object. What servers set (`status`, `uid`, `managedFields` and the like) is taken out.
    ///
    /// # Errors
    /// If it cannot be submitted; it says why, and what to do.
    pub fn new(object: Value) -> Result<Manifest, Fault> {
        let Value::Object(mut object) = object else { return Err(Fault::NotAnObject(what_is(&object))) };
        let api_version = api_version(&object)?;
        let kind = text(&object, "kind", "kind")?.ok_or(Fault::Missing("kind"))?;
        if let Some(source) = source(&api_version) {
            return Err(source);
        }
        let none = Map::new();
        let metadata = match object.get("metadata") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(metadata)) => metadata,
            Some(_) => return Err(Fault::Missing("metadata.name")),
        };
        let name = text(metadata, "name", "metadata.name")?.ok_or_else(|| {
            let generated = metadata.contains_key("generateName");
            if generated { Fault::GenerateName } else { Fault::Missing("metadata.name") }
        })?;
        let namespace = text(metadata, "namespace", "metadata.namespace")?;
        segment("metadata.name", &name)?;
        segment("metadata.namespace", namespace.as_deref().unwrap_or("default"))?;
        let is_kind = kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_kind {
            let wanted = "letters, digits and dashes, such as ConfigMap";
            return Err(Fault::Malformed { field: "kind", found: kind, wanted });
        }
        texts(metadata, "labels")?;
        texts(metadata, "annotations")?;
        owner(metadata)?;
        held(&api_version, &kind, &object)?;
        clean(&mut object);
        let manifest = Manifest { api_version, kind, namespace, name, object: Value::Object(object) };
        manifest.not_ours()?;
        match canonical::text(&manifest.object).len() {
            size if size > MAX_OBJECT_BYTES => Err(Fault::TooLarge(size)),
            _ => Ok(manifest),
        }
    }

    /// What belongs to Bowline is not for updates: they are applied with Bowline's rights, which are not those of whoever
    /// submitted them.
    fn not_ours(&self) -> Result<(), Fault> {
        let is_definition = self.wave() == Wave::Definitions;
        let defines_ours = is_definition && self.name.ends_with(&format!(".{GROUP}"));
        if self.group() == GROUP || defines_ours {
            return Err(Fault::OurKind);
        }
        self.no_marks()?;
        let is_namespace = self.wave() == Wave::Namespaces;
        let namespace = if is_namespace { Some(self.name.as_str()) } else { self.namespace() };
        if namespace == Some(SYSTEM_NAMESPACE) {
            return Err(Fault::OurNamespace(SYSTEM_NAMESPACE));
        }
        Ok(())
    }

    /// What Bowline reads on objects is said by Bowline alone.
    fn no_marks(&self) -> Result<(), Fault> {
        let metadata = &self.object["metadata"];
        for field in ["labels", "annotations"] {
            let Some(map) = metadata[field].as_object() else { continue };
            let is_ours = |key: &&String| key.starts_with(&format!("{GROUP}/")) && *key != SIMULATE;
            if let Some(key) = map.keys().find(is_ours) {
                return Err(Fault::OurMark { field: format!("metadata.{field}[{key:?}]") });
            }
        }
        Ok(())
    }

    /// Its group and version, as it is written.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// Its group; empty for the core kinds.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version of its group.
    pub fn version(&self) -> &str {
        self.api_version.split_once('/').map_or(&self.api_version, |(_, version)| version)
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Its namespace, if it says one. Whether its kind has namespaces only a server knows.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All of it.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// All of it.
    pub fn into_object(self) -> Value {
        self.object
    }

    /// When it is its turn.
    pub fn wave(&self) -> Wave {
        Wave::of(self.group(), &self.kind)
    }

    /// What it is known by.
    pub fn key(&self) -> Key {
        let namespace = self.namespace().filter(|namespace| *namespace != "default").unwrap_or_default();
        Key {
            wave: self.wave(),
            group: self.group().to_owned(),
            kind: self.kind.clone(),
            namespace: namespace.to_owned(),
            name: self.name.clone(),
        }
    }
}

fn api_version(object: &Map<String, Value>) -> Result<String, Fault> {
    let field = "apiVersion";
    let found = text(object, field, field)?.ok_or(Fault::Missing(field))?;
    let parts: Vec<_> = found.split('/').collect();
    if parts.len() > 2 || parts.iter().any(|part| part.is_empty()) {
        return Err(Fault::Malformed {
            field,
            found,
            wanted: "a version such as v1, or a group and a version such as apps/v1",
        });
    }
    Ok(found)
}

/// Files that stand beside manifests, and are none. Where they are, only their reader knows.
fn source(api_version: &str) -> Option<Fault> {
    api_version.starts_with("kustomize.config.k8s.io/").then(|| Fault::kustomization("DIR"))
}

/// A name that can stand in a path, which no server could tell from something else otherwise.
fn segment(field: &'static str, name: &str) -> Result<(), Fault> {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '/' | '%' | '?' | '#');
    if matches!(name, "." | "..") || name.len() > 253 || name.chars().any(is_odd) {
        let wanted = "at most 253 characters, not . or .., and without / % ? # and blanks";
        return Err(Fault::Malformed { field, found: name.to_owned(), wanted });
    }
    Ok(())
}

/// A text that is not empty.
fn text(map: &Map<String, Value>, key: &str, field: &str) -> Result<Option<String>, Fault> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        Some(other) => Err(Fault::NotText { field: field.to_owned(), found: what_is(other) }),
    }
}

/// Labels and annotations are texts; YAML makes truths and numbers of what looks like it.
fn texts(metadata: &Map<String, Value>, field: &'static str) -> Result<(), Fault> {
    let Some(Value::Object(map)) = metadata.get(field) else { return Ok(()) };
    let wrong = map.iter().find(|(_, value)| !value.is_string());
    wrong.map_or(Ok(()), |(key, value)| {
        Err(Fault::NotText { field: format!("metadata.{field}[{key:?}]"), found: what_is(value) })
    })
}

fn owner(metadata: &Map<String, Value>) -> Result<(), Fault> {
    let owners = metadata.get("ownerReferences").and_then(Value::as_array);
    let Some(owner) = owners.and_then(|owners| owners.first()) else { return Ok(()) };
    let of = |field: &str| owner[field].as_str().unwrap_or("?").to_owned();
    Err(Fault::Owned(format!("{} {}", of("kind"), of("name"))))
}

/// What a value is, in words.
pub(crate) fn what_is(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(object: Value) -> String {
        Manifest::new(object).expect_err("it is refused").to_string()
    }

    #[test]
    fn what_kubectl_gets_can_be_submitted() {
        let got = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {
                "name": "web", "namespace": "shop", "generateName": "web-", "uid": "1", "resourceVersion": "2", "generation": 3,
                "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{}], "selfLink": "/x", "ownerReferences": [],
                "annotations": {"deployment.kubernetes.io/revision": "4", "mine": "kept"}, "labels": {}, "finalizers": ["a/b"],
            },
            "spec": {"replicas": 2.0, "share": 0.5}, "status": {"replicas": 2},
        });
        let manifest = Manifest::new(got).expect("it can be used");
        let wanted = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop", "annotations": {"mine": "kept"}, "finalizers": ["a/b"]},
            "spec": {"replicas": 2, "share": 0.5},
        });
        assert_eq!(manifest.object(), &wanted);
        assert_eq!((manifest.group(), manifest.version(), manifest.kind()), ("apps", "v1", "Deployment"));
        assert_eq!((manifest.namespace(), manifest.name()), (Some("shop"), "web"));
        assert_eq!(manifest.key().to_string(), "Deployment.apps shop/web");
        let again = Manifest::new(manifest.object().clone());
        assert_eq!(again.as_ref(), Ok(&manifest), "it is as it should be");
    }

    #[test]
    fn the_default_namespace_is_where_objects_without_one_are() {
        let config = |metadata: Value| {
            Manifest::new(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}))
                .expect("a manifest")
        };
        let (none, default) =
            (config(json!({"name": "a"})), config(json!({"name": "a", "namespace": "default"})));
        assert_eq!(none.key(), default.key());
        assert_ne!(none.key(), config(json!({"name": "a", "namespace": "other"})).key());
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(refused(json!([1])), "it is a list, not an object with apiVersion, kind and metadata");
        assert!(
            refused(json!({"kind": "Pod", "metadata": {"name": "a"}})).starts_with("it has no apiVersion")
        );
        assert!(
            refused(json!({"apiVersion": "v1", "metadata": {"name": "a"}})).starts_with("it has no kind")
        );
        for metadata in [json!(null), json!({}), json!("a"), json!({"name": ""}), json!({"name": null})] {
            let said = refused(json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata}));
            assert!(said.starts_with("it has no metadata.name"), "{said}");
        }
        let generated = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}});
        assert!(refused(generated).contains("Give it a metadata.name"));
    }

    #[test]
    fn what_has_the_wrong_form_is_named() {
        let with = |metadata: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata});
        assert_eq!(
            refused(with(json!({"name": 5}))),
            "metadata.name is a number, and has to be a text: put it in quotes"
        );
        assert!(
            refused(with(json!({"name": "a", "labels": {"on": true}})))
                .starts_with("metadata.labels[\"on\"] is true or false")
        );
        assert!(
            refused(with(json!({"name": "a", "annotations": {"n": 1}})))
                .starts_with("metadata.annotations[\"n\"]")
        );
        for version in ["a/b/c", "/v1", "apps/"] {
            let said = refused(json!({"apiVersion": version, "kind": "Pod", "metadata": {"name": "a"}}));
            assert!(said.starts_with(&format!("apiVersion is {version:?}")), "{said}");
        }
        let owned = json!({"name": "a", "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1"}]});
        assert!(refused(with(owned)).starts_with("it belongs to the ReplicaSet web-1"));
        let kustomization = json!({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"});
        assert!(refused(kustomization).contains("kubectl kustomize DIR"));
    }

    #[test]
    fn what_is_ours_is_refused() {
        let stack = json!({"apiVersion": "bowline.dev/v1alpha1", "kind": "Stack", "metadata": {"name": "a"}});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "stacks.bowline.dev"},
        });
        for ours in [stack, definition] {
            assert!(refused(ours).contains("Bowline's own kinds"));
        }
        let within = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "bowline-system"}});
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bowline-system"}});
        for ours in [within, namespace] {
            assert!(refused(ours).contains("Use another namespace"));
        }
        let named = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bowline-system"}});
        assert!(Manifest::new(named).is_ok());
    }

    #[test]
    fn our_marks_are_left_out_or_refused() {
        let with = |metadata: Value| {
            let mut object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata});
            object["metadata"]["name"] = json!("a");
            object
        };
        let got = with(json!({
            "labels": {"bowline.dev/stack-uid": "1", "app": "web"},
            "annotations": {
                "bowline.dev/stack": "a/b", "bowline.dev/attempt": "3", "bowline.dev/object": "Pod a",
                "bowline.dev/simulate": "failed",
            },
        }));
        let wanted =
            with(json!({"labels": {"app": "web"}, "annotations": {"bowline.dev/simulate": "failed"}}));
        assert_eq!(Manifest::new(got).expect("what kubectl gets of ours").object(), &wanted);
        for (field, key) in [("labels", "bowline.dev/placement"), ("annotations", "bowline.dev/anything")] {
            let said = refused(with(json!({field: {key: "x"}})));
            assert!(
                said.starts_with(&format!("metadata.{field}[{key:?}] is one of Bowline's own marks")),
                "{said}"
            );
        }
        assert!(Manifest::new(with(json!({"labels": {"bowline.development/x": "y"}}))).is_ok());
    }

    #[test]
    fn names_that_no_server_could_tell_from_a_path_are_refused() {
        let named = |name: &str, namespace: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}});
        for wrong in [".", "..", "a/b", "../x", "a\nb", "a b", "a%2fb", "a?b=c"] {
            let said = refused(named(wrong, "default"));
            assert!(
                said.starts_with(&format!("metadata.name is {wrong:?}, and has to be at most")),
                "{said}"
            );
            assert!(refused(named("a", wrong)).starts_with("metadata.namespace is"), "{wrong}");
        }
        assert!(Manifest::new(named("system:node", "default")).is_ok(), "roles are called so");
        let odd = json!({"apiVersion": "v1", "kind": "Config\nMap", "metadata": {"name": "a"}});
        assert!(refused(odd).starts_with("kind is \"Config\\nMap\", and has to be letters"));
    }

    #[test]
    fn what_no_server_takes_is_refused() {
        let with = |size: usize| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y".repeat(size)}});
        let around = canonical::text(&with(0)).len();
        assert!(Manifest::new(with(MAX_OBJECT_BYTES - around)).is_ok());
        assert_eq!(
            Manifest::new(with(MAX_OBJECT_BYTES - around + 1)),
            Err(Fault::TooLarge(MAX_OBJECT_BYTES + 1))
        );
    }
}
