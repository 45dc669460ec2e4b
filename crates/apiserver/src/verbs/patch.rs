//! Patches: what an object is after one.

use bowline_merge::FieldError;
use bowline_merge::json::{self, Duplicate};
use bowline_merge::strategic::{self, Fault};
use http::StatusCode;
use json_patch::PatchOperation;
use serde_json::{Map, Value};

use crate::builtin::{self, Mistyped, Touched};
use crate::kinds::Kind;
use crate::status::{Details, Status};
use crate::{admission, body};

mod budget;

use budget::Budget;

/// A patch that knows nothing of owners, as it was sent.
#[derive(Debug)]
pub(super) struct Patch {
    change: Change,
    /// What a strict reader says of the patch itself.
    pub odd: Vec<String>,
}

#[derive(Debug)]
enum Change {
    /// RFC 6902.
    Json(Vec<PatchOperation>),
    /// RFC 7396.
    Merge(Value),
    /// A merge that knows the lists of the kind.
    Strategic(Value),
}

/// The media types of patches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
    /// `application/apply-patch+yaml`: what somebody wants the object to be, as far as it is theirs.
    Apply,
}

const OPERATIONS: usize = 10_000;

impl Form {
    /// The form of a media type, for a kind that is built in or not.
    ///
    /// # Errors
    /// If it is none, or none for this kind.
    pub(super) fn of(media: &str, custom: bool) -> Result<Form, Status> {
        match media.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Ok(Form::Json),
            "application/merge-patch+json" => Ok(Form::Merge),
            "application/strategic-merge-patch+json" if !custom => Ok(Form::Strategic),
            "application/apply-patch+yaml" => Ok(Form::Apply),
            "application/strategic-merge-patch+json" => Err(unsupported(
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            )),
            _ => Err(unsupported("415: Unsupported Media Type").of(Details::default())),
        }
    }
}

fn unsupported(message: &str) -> Status {
    Status::failure(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message)
}

impl Patch {
    /// Reads a patch.
    ///
    /// # Errors
    /// If it is none.
    pub(super) fn parse(form: Form, bytes: &[u8]) -> Result<Patch, Status> {
        let bad = |why: String| match form {
            Form::Strategic => Status::bad_request(why),
            _ => Status::bad_request(format!("error decoding patch: {why}")),
        };
        let (value, repeated) = json::parse(bytes).map_err(|error| bad(error.to_string()))?;
        let mistaken = |value: &Value, wanted: &str| {
            bad(format!("json: cannot unmarshal {} into Go value of type {wanted}", body::sort(value)))
        };
        let repeated = repeated.iter().map(Duplicate::to_string);
        match (form, value) {
            (Form::Json, Value::Array(operations)) => {
                let odd = repeated.chain(unknown_fields(&operations)).map(|odd| format!("json patch {odd}"));
                let odd = odd.collect();
                Ok(Patch { change: Change::Json(read_operations(operations)?), odd })
            }
            (Form::Json, Value::Null) => Ok(Patch { change: Change::Json(Vec::new()), odd: Vec::new() }),
            (Form::Json, other) => Err(mistaken(&other, "[]handlers.jsonPatchOp")),
            (Form::Merge, Value::Null) => Err(Status::bad_request("Invalid JSON Patch")),
            (Form::Merge, value @ Value::Object(_)) => {
                Ok(Patch { change: Change::Merge(value), odd: repeated.collect() })
            }
            (Form::Strategic, Value::Null) => {
                Ok(Patch { change: Change::Strategic(Value::Object(Map::new())), odd: Vec::new() })
            }
            (Form::Strategic, value @ Value::Object(_)) => {
                Ok(Patch { change: Change::Strategic(value), odd: repeated.collect() })
            }
            (_, other) => Err(mistaken(&other, "map[string]interface {}")),
        }
    }

    /// What becomes of an object.
    ///
    /// # Errors
    /// If the patch does not fit it.
    pub(super) fn apply(&self, kind: &Kind, object: &Value) -> Result<Value, Status> {
        let mut object = object.clone();
        match &self.change {
            Change::Json(operations) => apply_operations(&mut object, operations)?,
            Change::Merge(patch) => json_patch::merge(&mut object, patch),
            Change::Strategic(patch) => {
                object = strategic::patch(&admission::schema(kind), &object, patch).map_err(|error| {
                    let message = error.to_string();
                    match error.fault {
                        Fault::BadRequest => Status::bad_request(message),
                        Fault::Unprocessable => unprocessable(),
                        Fault::Internal => Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", message),
                    }
                })?;
            }
        }
        Ok(object)
    }

    /// Whether it changes the fields of a struct; else it changes a text.
    pub(super) fn is_strategic(&self) -> bool {
        matches!(self.change, Change::Strategic(_))
    }

    /// The text of what it has made of an object.
    pub(super) fn text(&self, kind: &Kind, patched: &Value) -> String {
        match &self.change {
            Change::Json(operations) => {
                let paths = operations.iter().flat_map(|operation| {
                    [Some(operation.path().as_str()), from(operation)].into_iter().flatten()
                });
                let names = paths.map(|path| path.split('/').skip(1).collect());
                builtin::patched(kind, patched, &Touched::by_paths(names))
            }
            Change::Merge(patch) => builtin::patched(kind, patched, &Touched::by_merge(patch)),
            Change::Strategic(_) => patched.to_string(),
        }
    }

    /// The patch makes something of an object that cannot be read.
    pub(super) fn refused(&self, kind: &Kind, patched: &Value, why: &str) -> Status {
        let text = match &self.change {
            _ if kind.is_secret() => "(a Secret is not shown)".to_owned(),
            Change::Strategic(patch) => strategic::shown(patch),
            _ => self.text(kind, patched),
        };
        Status::invalid_as("", "", "", &[FieldError::invalid("patch", text, why)])
    }

    /// The same for a value of a wrong type.
    pub(super) fn mistyped(&self, kind: &Kind, patched: &Value, mistyped: &Mistyped) -> Status {
        match self.change {
            Change::Strategic(_) => self.refused(kind, patched, &mistyped.patched),
            _ => self.refused(kind, patched, &mistyped.to_string()),
        }
    }
}

fn from(operation: &PatchOperation) -> Option<&str> {
    match operation {
        PatchOperation::Move(operation) => Some(operation.from.as_str()),
        PatchOperation::Copy(operation) => Some(operation.from.as_str()),
        _ => None,
    }
}

fn unknown_fields(operations: &[Value]) -> impl Iterator<Item = String> {
    let operations = operations
        .iter()
        .enumerate()
        .filter_map(|(index, operation)| Some(operation.as_object()?.keys().map(move |name| (index, name))));
    operations
        .flatten()
        .filter(|(_, name)| !["op", "path", "from", "value"].contains(&name.as_str()))
        .map(|(index, name)| format!("unknown field \"[{index}].{name}\""))
}

fn read_operations(mut operations: Vec<Value>) -> Result<Vec<PatchOperation>, Status> {
    if operations.len() > OPERATIONS {
        let message = format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is {OPERATIONS}, got {}",
            operations.len()
        );
        return Err(Status::failure(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge", message));
    }
    // An operation without a value means null; the library wants it said.
    for operation in &mut operations {
        if let Value::Object(fields) = operation
            && matches!(fields.get("op").and_then(Value::as_str), Some("test" | "add" | "replace"))
        {
            fields.entry("value").or_insert(Value::Null);
        }
    }
    serde_json::from_value(Value::Array(operations)).map_err(|_| unprocessable())
}

/// The patch does not fit the object. The real server says no more than this.
fn unprocessable() -> Status {
    let message = "the server rejected our request due to an error in our request";
    Status::failure(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).of(Details::default())
}

fn apply_operations(object: &mut Value, operations: &[PatchOperation]) -> Result<(), Status> {
    let mut budget = Budget::default();
    for operation in operations {
        if !budget.allows(object, operation) {
            return Err(unprocessable());
        }
        if let PatchOperation::Test(test) = operation
            && test.value.is_null()
            && object.pointer(test.path.as_str()).is_none()
        {
            // Kubernetes takes what is not there for null, and clients rely on it.
            continue;
        }
        json_patch::patch(object, std::slice::from_ref(operation)).map_err(|_| unprocessable())?;
    }
    Ok(())
}
