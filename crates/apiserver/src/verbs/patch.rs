//! The four kinds of patches: what an object is after one.

use http::StatusCode;
use json_patch::PatchOperation;
use serde_json::Value;

use crate::body::{Body, sort};
use crate::status::{Details, Status};

mod budget;

use budget::Budget;

/// A patch, as it was sent.
#[derive(Debug)]
pub enum Patch {
    /// RFC 6902.
    Json(Vec<PatchOperation>),
    /// RFC 7396.
    Merge(Value),
    /// A merge that knows the lists of the kind.
    Strategic(Value),
    /// What somebody wants the object to be, as far as it is theirs.
    Apply(Body),
}

/// The media types of patches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
    /// `application/apply-patch+yaml`
    Apply,
}

const OPERATIONS: usize = 10_000;

impl Form {
    /// The form of a media type, for a kind that is built in or not.
    ///
    /// # Errors
    /// If it is none, or none for this kind.
    pub fn of(media: &str, custom: bool) -> Result<Form, Status> {
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
    pub fn parse(form: Form, body: &[u8]) -> Result<Patch, Status> {
        if form == Form::Apply {
            return crate::body::applied(body).map(Patch::Apply);
        }
        let undecodable = |why: String| Status::bad_request(format!("error decoding patch: {why}"));
        let (value, _) = bowline_merge::json::parse(body).map_err(|error| undecodable(error.to_string()))?;
        let object = |value: Value, target: &str| match value {
            Value::Object(_) => Ok(value),
            other => Err(undecodable(format!(
                "json: cannot unmarshal {} into Go value of type {target}",
                sort(&other)
            ))),
        };
        match form {
            Form::Json => json_patch(value).map(Patch::Json),
            Form::Merge => object(value, "map[string]interface {}").map(Patch::Merge),
            Form::Strategic | Form::Apply => object(value, "map[string]interface {}").map(Patch::Strategic),
        }
    }
}

fn json_patch(value: Value) -> Result<Vec<PatchOperation>, Status> {
    let Value::Array(mut operations) = value else {
        return Err(Status::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            sort(&value)
        )));
    };
    if operations.len() > OPERATIONS {
        let message = format!(
            "The allowed maximum operations in a JSON patch is {OPERATIONS}, got {}",
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

/// Performs a JSON patch.
///
/// # Errors
/// If it does not fit the object.
pub fn apply_json(object: &mut Value, operations: &[PatchOperation]) -> Result<(), Status> {
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
