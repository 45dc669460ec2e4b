//! The scale of objects: how many there are, and how many there shall be.

use bowline_merge::FieldError;
use serde_json::{Map, Value, json};

use super::custom::{Custom, Part};
use crate::status::Status;

/// Where in an object its scale is.
#[derive(Debug)]
pub(super) struct ScalePaths {
    wanted: String,
    found: String,
    selector: Option<String>,
}

impl ScalePaths {
    pub(super) fn of(scale: &Value) -> Option<ScalePaths> {
        let path = |name: &str| scale.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
        let selector = path("labelSelectorPath").filter(|path| !path.is_empty());
        Some(ScalePaths { wanted: path("specReplicasPath")?, found: path("statusReplicasPath")?, selector })
    }

    /// What is wrong with the numbers of an object.
    pub(super) fn validate(&self, object: &Value, part: Part, errors: &mut Vec<FieldError>) {
        if part == Part::Main {
            replicas(object, &self.wanted, errors);
        }
        replicas(object, &self.found, errors);
        if let Some(path) = &self.selector
            && let Err(why) = selector(object, path)
        {
            errors.push(FieldError::invalid(path, "", why));
        }
    }
}

fn replicas(object: &Value, path: &str, errors: &mut Vec<FieldError>) {
    match number(object, path) {
        Err(why) => errors.push(FieldError::invalid(path, 0, why)),
        Ok(Some(count)) if count < 0 => {
            errors.push(FieldError::invalid(path, count, "should be a non-negative integer"));
        }
        Ok(Some(count)) if count > i64::from(i32::MAX) => {
            let why = format!("should be less than or equal to {}", i32::MAX);
            errors.push(FieldError::invalid(path, count, why));
        }
        Ok(_) => {}
    }
}

/// What stands at a path, in dots.
fn at<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let mut value = object;
    let names: Vec<&str> = path.trim_start_matches('.').split('.').collect();
    for (depth, name) in names.iter().enumerate() {
        let Value::Object(fields) = value else {
            let whole = names[..=depth].join(".");
            let (shown, kind) = go(value);
            return Err(format!(
                ".{whole} accessor error: {shown} is of the type {kind}, expected map[string]interface{{}}"
            ));
        };
        match fields.get(*name) {
            Some(inner) => value = inner,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

fn number(object: &Value, path: &str) -> Result<Option<i64>, String> {
    match at(object, path)? {
        None => Ok(None),
        Some(Value::Number(number)) if number.is_i64() => Ok(number.as_i64()),
        Some(other) => Err(wrong(path, other, "int64")),
    }
}

fn selector(object: &Value, path: &str) -> Result<String, String> {
    match at(object, path)? {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(wrong(path, other, "string")),
    }
}

fn wrong(path: &str, value: &Value, wanted: &str) -> String {
    let (shown, kind) = go(value);
    format!("{path} accessor error: {shown} is of the type {kind}, expected {wanted}")
}

/// A value and its type, as Go prints them.
fn go(value: &Value) -> (String, &'static str) {
    match value {
        Value::Null => ("<nil>".to_owned(), "<nil>"),
        Value::Bool(flag) => (flag.to_string(), "bool"),
        Value::Number(number) if number.is_i64() => (number.to_string(), "int64"),
        Value::Number(number) => (number.as_f64().unwrap_or_default().to_string(), "float64"),
        Value::String(text) => (text.clone(), "string"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| go(item).0).collect();
            (format!("[{}]", items.join(" ")), "[]interface {}")
        }
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}:{}", go(value).0)).collect();
            (format!("map[{}]", fields.join(" ")), "map[string]interface {}")
        }
    }
}

/// A scale says this if the object does not say how many there shall be.
const UNSET: i64 = i32::MIN as i64;

impl Custom {
    /// The `Scale` of an object.
    ///
    /// # Errors
    /// If the object has no replicas, or something else where they should be.
    pub(crate) fn scale(&self, object: &Value) -> Result<Value, Status> {
        let (scale, found) = self.scale_or_unset(object).map_err(Status::internal)?;
        if !found {
            let path = self.scale.as_ref().map_or("", |scale| &scale.wanted);
            return Err(Status::internal(format!("the spec replicas field {path:?} does not exist")));
        }
        Ok(scale)
    }

    /// The same to be patched: one that is not set says so by an impossible number.
    ///
    /// # Errors
    /// If there is something else where numbers should be.
    pub(crate) fn scale_to_patch(&self, object: &Value) -> Result<Value, Status> {
        let (mut scale, found) = self.scale_or_unset(object).map_err(Status::internal)?;
        if !found {
            scale["spec"]["replicas"] = UNSET.into();
        }
        Ok(scale)
    }

    fn scale_or_unset(&self, object: &Value) -> Result<(Value, bool), String> {
        let Some(paths) = &self.scale else { return Err("there is no scale".to_owned()) };
        let wanted = number(object, &paths.wanted)?;
        let found = number(object, &paths.found)?.unwrap_or(0);
        let selector = paths.selector.as_deref().map_or(Ok(String::new()), |path| selector(object, path))?;
        let mut metadata = Map::new();
        for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
            if let Some(value) = object.get("metadata").and_then(|metadata| metadata.get(name)) {
                metadata.insert(name.to_owned(), value.clone());
            }
        }
        let mut spec = Map::new();
        if let Some(wanted) = wanted.filter(|wanted| *wanted != 0) {
            spec.insert("replicas".into(), wanted.into());
        }
        let mut status = json!({"replicas": found});
        if !selector.is_empty() {
            status["selector"] = selector.into();
        }
        let scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec,
            "status": status});
        Ok((scale, wanted.is_some()))
    }

    /// Makes an object what its `Scale` says. The version that the scale names, if any, is what the writer
    /// believes of the object.
    ///
    /// # Errors
    /// If the scale does not say how many there shall be, or the object has no place for it.
    pub(crate) fn with_scale(&self, object: &mut Value, scale: &Value) -> Result<(), Status> {
        let Some(paths) = &self.scale else { return Err(Status::no_such_path()) };
        let wanted = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
        if wanted == UNSET {
            let why = format!("the spec replicas field {:?} cannot be empty", paths.wanted);
            return Err(Status::bad_request(why));
        }
        let mut place = &mut *object;
        let names: Vec<&str> = paths.wanted.trim_start_matches('.').split('.').collect();
        for name in &names {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(fields) = place else {
                let why =
                    format!("value cannot be set because {} is not a map[string]interface{{}}", paths.wanted);
                return Err(Status::internal(why));
            };
            place = fields.entry(*name).or_insert(Value::Null);
        }
        *place = wanted.into();
        if let Some(version) = scale.pointer("/metadata/resourceVersion").and_then(Value::as_str)
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
            && !version.is_empty()
        {
            metadata.insert("resourceVersion".into(), version.into());
        }
        Ok(())
    }

    /// The path of the replicas in an object: who set the scale owns that field.
    pub(crate) fn replicas_path(&self) -> Option<&str> {
        self.scale.as_ref().map(|scale| scale.wanted.as_str())
    }
}
