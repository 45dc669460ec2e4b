//! One version of a kind that a definition adds, compiled once.

use bowline_merge::{Cause, FieldError, FieldPath, Schema};
use serde_json::{Map, Value};

use super::cel::{Rules, not_checked};
use super::definition::text;
use super::embedded;
use super::scale::ScalePaths;
use crate::discovery::priority;
use crate::document::Json;

/// What a definition says of one version of its kind.
#[derive(Debug)]
pub(crate) struct Custom {
    group: String,
    version: String,
    kind: String,
    schema: Schema,
    /// The schema of the version that objects are stored in, if that is another.
    stored: Option<Schema>,
    status_schema: Option<Schema>,
    rules: Option<Rules>,
    /// Whether resources can be inside its objects.
    embeds: bool,
    /// Its definition goes.
    going: bool,
    unchanged: bool,
    has_status: bool,
    pub(super) scale: Option<ScalePaths>,
    selectable: Vec<String>,
    /// The version as it was written: OpenAPI documents and tables are made of it.
    declared: Value,
    deprecation: Option<String>,
}

/// What of an object a write is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The object itself.
    Main,
    /// Its status.
    Status,
}

/// What validation says.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// What is wrong with it.
    pub errors: Vec<FieldError>,
    /// What was wrong before, and is let be: for `Warning` headers.
    pub warnings: Vec<String>,
}

impl Custom {
    /// A version (`spec.versions[i]`) of a definition that was admitted.
    pub(crate) fn compile(crd: &Json, version: &Json) -> Custom {
        let empty = Map::new();
        let spec = crd.get("spec").and_then(Value::as_object).unwrap_or(&empty);
        let names = spec.get("names").and_then(Value::as_object).unwrap_or(&empty);
        let open_api = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema")).cloned();
        let schema = open_api.as_ref().map_or_else(Schema::anything, Schema::stored);
        let subresources = version.get("subresources");
        let list = |name: &str| version.get(name).and_then(Value::as_array).into_iter().flatten();
        let deprecated = version.get("deprecated").and_then(Value::as_bool) == Some(true);
        let (group, name, kind) = (text(spec, "group"), text(version, "name"), text(names, "kind"));
        let warning = version.get("deprecationWarning").and_then(Value::as_str).map(ToOwned::to_owned);
        Custom {
            group: group.to_owned(),
            version: name.to_owned(),
            kind: kind.to_owned(),
            status_schema: schema.property("status"),
            stored: stored(spec, name),
            schema,
            rules: open_api.as_ref().and_then(Rules::compile),
            going: super::lifecycle::is_going(crd),
            unchanged: is_unchanged(crd, spec),
            embeds: open_api.as_ref().is_some_and(embedded::has_any),
            has_status: subresources.and_then(|all| all.get("status")).is_some_and(Value::is_object),
            scale: subresources.and_then(|all| all.get("scale")).and_then(ScalePaths::of),
            selectable: list("selectableFields")
                .filter_map(|field| field.get("jsonPath").and_then(Value::as_str))
                .map(|path| path.strip_prefix('.').unwrap_or(path).to_owned())
                .collect(),
            declared: Value::Object(version.clone()),
            deprecation: deprecated.then(|| warning.unwrap_or_else(|| deprecation(spec, name))),
        }
    }

    /// The schema: how patches merge, who owns which field.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The version as it was written: `spec.versions[i]`.
    pub(crate) fn declared(&self) -> &Value {
        &self.declared
    }

    /// Whether validation evaluates rules, which may take a second.
    pub(crate) fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// The definition goes: nothing new is made, and discovery does not offer `create`, `update` and `patch`,
    /// though what is there can still be changed.
    pub(crate) fn is_going(&self) -> bool {
        self.going
    }

    /// Whether objects are stored just as they are read: there is one version, and its schema has never changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.unchanged
    }

    /// Whether `status` has a path of its own.
    pub(crate) fn has_status(&self) -> bool {
        self.has_status
    }

    /// Whether `scale` has a path of its own.
    pub(crate) fn has_scale(&self) -> bool {
        self.scale.is_some()
    }

    /// The fields by which objects can be selected, beside name and namespace: `spec.name`.
    pub(crate) fn selectable(&self) -> &[String] {
        &self.selectable
    }

    /// What readers and writers of the version are warned of.
    pub(crate) fn deprecation(&self) -> Option<&str> {
        self.deprecation.as_deref()
    }

    /// Drops what the schema does not name, and says where that was: `spec.x`.
    pub(crate) fn prune(&self, object: &mut Value) -> Vec<String> {
        self.schema.prune(object)
    }

    /// Fills in defaults.
    pub(crate) fn default(&self, object: &mut Value) {
        self.schema.default(object);
    }

    /// An object that was stored, as this version reads it: with the defaults of the version that it is stored in, and
    /// without what this version does not name. Versions have no other conversion.
    pub(crate) fn read(&self, object: &mut Value) {
        if let Value::Object(fields) = object {
            fields.insert("apiVersion".into(), format!("{}/{}", self.group, self.version).into());
            fields.insert("kind".into(), self.kind.as_str().into());
        }
        self.stored.as_ref().unwrap_or(&self.schema).default(object);
        self.schema.prune(object);
    }

    /// An object that was written in this version, as it is stored: without what the stored version does not name.
    pub(crate) fn store(&self, object: &mut Value) {
        if let Some(stored) = &self.stored {
            stored.prune(object);
        }
    }

    /// What a write may not change is as it was: the status, or all but the status and who manages what.
    pub(crate) fn prepare(&self, object: &mut Value, old: Option<&Value>, part: Part) {
        let (Some(old), Part::Status) = (old, part) else {
            let before = old.and_then(|old| old.get("status"));
            if let (true, Value::Object(fields)) = (self.has_status, object) {
                match before {
                    Some(status) => fields.insert("status".into(), status.clone()),
                    None => fields.remove("status"),
                };
            }
            return;
        };
        let status = object.get("status").cloned();
        let managed = object.pointer("/metadata/managedFields").cloned();
        *object = old.clone();
        let Value::Object(fields) = object else { return };
        match status {
            Some(status) => fields.insert("status".into(), status),
            None => fields.remove("status"),
        };
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            match managed {
                Some(managed) => metadata.insert("managedFields".into(), managed),
                None => metadata.remove("managedFields"),
            };
        }
    }

    /// What is wrong with an object that replaces `old`, its metadata aside. If it is of the wrong type
    /// altogether, only that is told.
    pub(crate) fn validate(&self, object: &Value, old: Option<&Value>, part: Part) -> Verdict {
        let mut verdict = Verdict { errors: self.wrong_type(object), warnings: Vec::new() };
        if !verdict.errors.is_empty() {
            return verdict;
        }
        let errors = &mut verdict.errors;
        match (part, &self.status_schema) {
            (Part::Main, _) => self.main(object, old, errors),
            (Part::Status, schema) => {
                let before = old.and_then(|old| old.get("status"));
                if let (Some(status), Some(schema)) = (object.get("status"), schema) {
                    errors.extend(schema.validate_update(&FieldPath::Root.field("status"), status, before));
                }
            }
        }
        if let Some(scale) = &self.scale {
            scale.validate(object, part, errors);
        }
        if let Some(rules) = &self.rules {
            if verdict.errors.iter().any(blocks_rules) {
                verdict.errors.push(not_checked());
            } else {
                rules.check(object, old, &mut verdict);
            }
        }
        verdict
    }

    fn main(&self, object: &Value, old: Option<&Value>, errors: &mut Vec<FieldError>) {
        errors.extend(self.schema.validate_update(&FieldPath::Root, object, old));
        if let (true, Some(schema)) = (self.embeds, self.declared.pointer("/schema/openAPIV3Schema")) {
            embedded::check(object, schema, errors);
        }
    }

    fn wrong_type(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let mut same = |field: &str, wanted: &str| {
            let found = object.get(field).and_then(Value::as_str).unwrap_or_default();
            if found != wanted {
                errors.push(FieldError::invalid(field, found, format!("must be {wanted}")));
            }
        };
        same("kind", &self.kind);
        same("apiVersion", &format!("{}/{}", self.group, self.version));
        errors
    }
}

/// The schema of the version that is stored, if it is not `version`.
fn stored(spec: &Json, version: &str) -> Option<Schema> {
    let versions = spec.get("versions")?.as_array()?;
    let stored =
        versions.iter().find(|version| version.get("storage").and_then(Value::as_bool) == Some(true))?;
    if stored.get("name").and_then(Value::as_str) == Some(version) {
        return None;
    }
    Some(stored.pointer("/schema/openAPIV3Schema").map_or_else(Schema::anything, Schema::stored))
}

/// After these errors rules would see values of other types than they were written for.
fn blocks_rules(error: &FieldError) -> bool {
    matches!(
        error.kind,
        Cause::NotSupported | Cause::Required | Cause::TooLong | Cause::TooMany | Cause::TypeInvalid
    )
}

/// Whether a definition has one version, as it was first written.
fn is_unchanged(crd: &Json, spec: &Json) -> bool {
    let generation =
        crd.get("metadata").and_then(|metadata| metadata.get("generation")).and_then(Value::as_u64);
    let versions = spec.get("versions").and_then(Value::as_array).map_or(0, Vec::len);
    generation.is_none_or(|generation| generation == 1) && versions == 1
}

/// What is said of a version that is deprecated, if its definition says nothing.
fn deprecation(spec: &Map<String, Value>, version: &str) -> String {
    let (group, kind) = (text(spec, "group"), spec["names"]["kind"].as_str().unwrap_or_default());
    let said = format!("{group}/{version} {kind} is deprecated");
    let flag = |other: &Value, name: &str| other.get(name).and_then(Value::as_bool) == Some(true);
    let versions = spec.get("versions").and_then(Value::as_array).into_iter().flatten();
    let newer = versions
        .filter(|other| flag(other, "served") && !flag(other, "deprecated"))
        .filter_map(|other| other.get("name").and_then(Value::as_str))
        .filter(|other| priority::compare(other, version).is_lt());
    match newer.min_by(|a, b| priority::compare(a, b)) {
        Some(newest) => format!("{said}; use {group}/{newest} {kind}"),
        None => said,
    }
}

/// What writers are warned of: finalizers that nobody can tell whose they are.
pub(crate) fn finalizer_warnings(object: &Value, old: Option<&Value>) -> Vec<String> {
    let names = |object: &Value| -> Vec<String> {
        let list = object.pointer("/metadata/finalizers").and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    };
    let known = old.map(names).unwrap_or_default();
    let mut added: Vec<String> = names(object).into_iter().filter(|name| !known.contains(name)).collect();
    added.sort();
    added.dedup();
    let standard = ["orphan", "foregroundDeletion", "kubernetes"];
    added.retain(|name| !name.contains('/') && !standard.contains(&name.as_str()));
    let warn = |name: String| {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        format!(
            "metadata.finalizers: {}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with \
             other finalizer writers",
            Value::from(name)
        )
    };
    added.into_iter().map(warn).collect()
}

#[cfg(test)]
mod tests;
