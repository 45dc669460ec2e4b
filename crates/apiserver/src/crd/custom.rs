//! One version of a kind that a definition adds, compiled once.

use serde_json::Value;

use crate::document::Json;
use crate::status::Status;

/// What a definition says of one version of its kind.
#[derive(Debug)]
pub struct Custom {
    /// The JSON of the version: `spec.versions[i]`.
    pub version: Value,
}

/// What of an object a write is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The object itself.
    Main,
    /// Its status.
    Status,
    /// Its scale.
    Scale,
}

/// What validation says.
#[derive(Debug, Default)]
pub struct Verdict {
    /// What is wrong with it.
    pub errors: Vec<bowline_merge::FieldError>,
    /// What was wrong before, and is let be: for `Warning` headers.
    pub warnings: Vec<String>,
}

impl Custom {
    /// A version (`spec.versions[i]`) of a definition.
    pub fn compile(_crd: &Json, _version: &Value) -> Custom {
        todo!()
    }

    /// Whether validation evaluates rules, which may take long.
    pub fn has_rules(&self) -> bool {
        todo!()
    }

    /// Drops what the schema does not name, and says where that was: `spec.x`.
    pub fn prune(&self, _object: &mut Value) -> Vec<String> {
        todo!()
    }

    /// Fills in defaults.
    pub fn default(&self, _object: &mut Value) {
        todo!()
    }

    /// What a write may not change is as it was: `status` or all else.
    pub fn prepare(&self, _object: &mut Value, _old: Option<&Value>, _part: Part) {
        todo!()
    }

    /// What is wrong with an object, which replaces `old`.
    pub fn validate(&self, _object: &Value, _old: Option<&Value>, _part: Part) -> Verdict {
        todo!()
    }

    /// The `Scale` of an object.
    pub fn scale(&self, _object: &Value) -> Result<Value, Status> {
        todo!()
    }

    /// Makes an object what its `Scale` says.
    pub fn with_scale(&self, _object: &mut Value, _scale: &Value) -> Result<(), Status> {
        todo!()
    }
}
