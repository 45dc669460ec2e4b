//! `fieldValidation=Strict|Warn|Ignore`: fields that nobody knows, and fields that are there twice.

use http::StatusCode;

use crate::status::{Cause, Details, Status};

/// What becomes of fields that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FieldValidation {
    /// The request is refused.
    Strict,
    /// Warnings are sent.
    Warn,
    /// They are dropped.
    #[default]
    Ignore,
}

impl FieldValidation {
    /// The query parameter of a request with these options: `CreateOptions`, `UpdateOptions`, `PatchOptions`.
    ///
    /// # Errors
    /// If it is none of the three.
    pub fn parse(parameter: Option<&str>, options: &str) -> Result<FieldValidation, Status> {
        match parameter.unwrap_or_default() {
            "" | "Warn" => Ok(FieldValidation::Warn),
            "Strict" => Ok(FieldValidation::Strict),
            "Ignore" => Ok(FieldValidation::Ignore),
            other => {
                let other = serde_json::Value::from(other);
                let message = format!(
                    "Unsupported value: {other}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""
                );
                let cause = Cause {
                    reason: "FieldValueNotSupported".to_owned(),
                    message: message.clone(),
                    field: "fieldValidation".to_owned(),
                };
                let text = format!("{options}.meta.k8s.io \"\" is invalid: fieldValidation: {message}");
                let status = Status::failure(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", text);
                Err(status.of(Details {
                    group: "meta.k8s.io".to_owned(),
                    kind: options.to_owned(),
                    causes: vec![cause],
                    ..Details::default()
                }))
            }
        }
    }

    /// What to make of fields that are there twice and of those that nobody knows, by their paths: texts for
    /// `Warning` headers. `kind` and `version` are those of the object.
    ///
    /// # Errors
    /// Under `Strict`, if there are any.
    pub fn judge(self, found: &Oddities, kind: &str, version: &str) -> Result<Vec<String>, Status> {
        let texts = found.texts();
        match self {
            FieldValidation::Strict if !texts.is_empty() => {
                let message = format!(
                    "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {}",
                    texts.join(", ")
                );
                Err(Status::bad_request(message))
            }
            FieldValidation::Warn => Ok(texts),
            FieldValidation::Strict | FieldValidation::Ignore => Ok(Vec::new()),
        }
    }
}

/// Fields that should not be there.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Oddities {
    /// The paths of fields that are there twice, in the order of the text.
    pub repeated: Vec<String>,
    /// The paths of fields that nobody knows, sorted.
    pub unknown: Vec<String>,
}

impl Oddities {
    fn texts(&self) -> Vec<String> {
        let repeated = self
            .repeated
            .iter()
            .map(|path| format!("duplicate field {}", serde_json::Value::from(path.as_str())));
        let unknown = self
            .unknown
            .iter()
            .map(|path| format!("unknown field {}", serde_json::Value::from(path.as_str())));
        repeated.chain(unknown).collect()
    }
}

/// A `Warning` header.
pub fn warning(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("299 - \"{text}\"")
}
