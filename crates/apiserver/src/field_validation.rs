//! `fieldValidation=Strict|Warn|Ignore`: fields that nobody knows, and fields that are there twice.

use crate::status::Status;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// As a real kube-apiserver 1.34.4 words it, for custom and for built-in kinds.
    #[test]
    fn odd_fields_are_refused_warned_of_or_dropped() {
        let found = Oddities {
            repeated: vec!["metadata.name".to_owned(), "spec.name".to_owned()],
            unknown: vec!["spec.list[0].x".to_owned(), "spec.x".to_owned()],
        };
        let texts = [
            r#"duplicate field "metadata.name""#,
            r#"duplicate field "spec.name""#,
            r#"unknown field "spec.list[0].x""#,
            r#"unknown field "spec.x""#,
        ];
        let refused = FieldValidation::Strict.judge(&found, "Widget", "v1").expect_err("it is refused");
        let message = format!(
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: {}",
            texts.join(", ")
        );
        assert_eq!((refused.code, refused.reason, refused.message), (400, "BadRequest", message));
        assert_eq!(
            FieldValidation::Warn.judge(&found, "Widget", "v1").ok(),
            Some(texts.map(ToOwned::to_owned).to_vec())
        );
        assert_eq!(FieldValidation::Ignore.judge(&found, "Widget", "v1").ok(), Some(Vec::new()));
        let nothing = Oddities::default();
        assert_eq!(FieldValidation::Strict.judge(&nothing, "Widget", "v1").ok(), Some(Vec::new()));
        assert_eq!(warning(texts[3]), r#"299 - "unknown field \"spec.x\"""#);
    }
}
