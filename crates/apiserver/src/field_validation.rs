//! `fieldValidation=Strict|Warn|Ignore`: unknown and repeated fields.

use crate::status::Status;

/// What becomes of fields that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValidation {
    /// The request is refused.
    Strict,
    /// Warnings are sent.
    Warn,
    /// They are dropped.
    Ignore,
}

impl FieldValidation {
    /// The query parameter.
    ///
    /// # Errors
    /// If it is none of the three.
    pub fn parse(_parameter: Option<&str>) -> Result<FieldValidation, Status> {
        todo!()
    }

    /// What to make of unknown fields (`spec.x`) and of those that are there twice: warnings.
    ///
    /// # Errors
    /// Under `Strict`.
    pub fn judge(self, _repeated: &[String], _unknown: &[String]) -> Result<Vec<String>, Status> {
        todo!()
    }
}
