//! Admission of definitions.

use bowline_merge::FieldError;

use crate::document::Json;

/// Fills in defaults, as any reader sees them.
pub fn default(_crd: &mut Json) {
    todo!()
}

/// A definition as it is kept at first: no status but the stored version.
pub fn prepare_create(_crd: &mut Json) {
    todo!()
}

/// An update does not change the status, but for a new stored version.
pub fn prepare_update(_crd: &mut Json, _old: &Json) {
    todo!()
}

/// What is wrong with a new definition.
pub fn validate_create(_crd: &Json) -> Vec<FieldError> {
    todo!()
}

/// What is wrong with a definition that replaces `old`.
pub fn validate_update(_crd: &Json, _old: &Json) -> Vec<FieldError> {
    todo!()
}

/// What is wrong with the status of a definition.
pub fn validate_status(_crd: &Json, _old: &Json) -> Vec<FieldError> {
    todo!()
}

/// What to warn of: `unrecognized format "x"`.
pub fn warnings(_crd: &Json, _old: Option<&Json>) -> Vec<String> {
    todo!()
}
