//! `fieldValidation=Strict|Warn|Ignore`: fields that nobody knows, and fields that are there twice.

use bowline_merge::json::{self, Duplicate};
use bytes::Bytes;

use crate::warnings::Warnings;

/// What becomes of fields that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum FieldValidation {
    /// The request is refused.
    Strict,
    /// Warnings are sent.
    Warn,
    /// They are dropped.
    #[default]
    Ignore,
}

impl FieldValidation {
    /// What to make of what a strict reader says.
    ///
    /// # Errors
    /// Under `Strict`, if it says anything: why the request is refused.
    pub(crate) fn judge(self, odd: &[String], warnings: &Warnings) -> Result<(), String> {
        match self {
            FieldValidation::Strict if !odd.is_empty() => {
                return Err(format!("strict decoding error: {}", odd.join(", ")));
            }
            FieldValidation::Warn => warnings.extend(odd),
            FieldValidation::Strict | FieldValidation::Ignore => {}
        }
        Ok(())
    }
}

/// The text of an object, for what only the text says: fields that are there twice, and the order of fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// The text, as JSON.
    pub json: Bytes,
    /// The fields that are there twice.
    pub repeated: Vec<Duplicate>,
    /// What a strict reader of YAML says of it, before it is JSON.
    pub yaml: Option<String>,
}

impl Text {
    /// What a strict reader says, given the fields that the kind does not have: of a built-in kind in the order of the
    /// text, of others the unknown fields last.
    pub(crate) fn odd(&self, custom: bool, unknown: &[String]) -> Vec<String> {
        let mut odd: Vec<String> = self.yaml.iter().cloned().collect();
        if self.repeated.is_empty() && unknown.is_empty() {
            return odd;
        }
        if custom {
            odd.extend(self.repeated.iter().map(ToString::to_string));
            odd.extend(json::strict(b"", &[], unknown));
        } else {
            odd.extend(json::strict(&self.json, &self.repeated, unknown));
        }
        odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Text {
        let (_, repeated) = json::parse(json.as_bytes()).expect("it is JSON");
        Text { json: Bytes::copy_from_slice(json.as_bytes()), repeated, yaml: None }
    }

    /// As a real kube-apiserver 1.34.4 words it, for custom and for built-in kinds.
    #[test]
    fn odd_fields_are_refused_warned_of_or_dropped() {
        let text = text(r#"{"spec":{"x":1,"name":"a","name":"b"},"data":1}"#);
        let unknown = ["data".to_owned(), "spec.x".to_owned()];
        let (twice, data, x) =
            (r#"duplicate field "spec.name""#, r#"unknown field "data""#, r#"unknown field "spec.x""#);
        assert_eq!(text.odd(true, &unknown), [twice, data, x]);
        let odd = text.odd(false, &unknown);
        assert_eq!(odd, [x, twice, data]);
        let warnings = Warnings::default();
        let why = FieldValidation::Strict.judge(&odd, &warnings).expect_err("it is refused");
        assert_eq!(why, format!("strict decoding error: {x}, {twice}, {data}"));
        assert_eq!(FieldValidation::Ignore.judge(&odd, &warnings), Ok(()));
        assert_eq!(FieldValidation::Strict.judge(&[], &warnings), Ok(()));
        let mut headers = http::HeaderMap::new();
        warnings.write(&mut headers);
        assert!(headers.is_empty());
        assert_eq!(FieldValidation::Warn.judge(&odd, &warnings), Ok(()));
        warnings.write(&mut headers);
        assert_eq!(headers.len(), 3);
    }
}
