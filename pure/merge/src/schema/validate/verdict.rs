//! What the checks of one value found, and how many there were.

use crate::error::FieldError;
use crate::path::FieldPath;

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Failure {
    /// The error; its path is relative to what is validated, empty for that itself.
    error: FieldError,
    /// The validator's own words, by which it tells whether it said so before.
    message: String,
    /// It is about alternatives, not about a field: its path is that of the whole.
    whole: bool,
}

impl Failure {
    pub(super) fn worded(error: FieldError, message: String) -> Failure {
        Failure { error, message, whole: false }
    }

    /// None, or not all, of several schemas accept the value.
    pub(super) fn combined(message: String) -> Failure {
        Failure { error: FieldError::invalid("", "", message.clone()), message, whole: true }
    }

    /// The error, for what stands at a path.
    pub(super) fn at(self, at: &FieldPath<'_>) -> FieldError {
        let mut error = self.error;
        let name = error.path.strip_prefix('.').unwrap_or(&error.path);
        error.path = match at {
            _ if self.whole || name.is_empty() => at.to_string(),
            FieldPath::Root => name.to_owned(),
            at => format!("{at}.{name}"),
        };
        error
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) failures: Vec<Failure>,
    pub(super) checks: usize,
}

impl Verdict {
    pub(super) fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }

    /// Something was checked.
    pub(super) fn count(&mut self) {
        self.checks += 1;
    }

    pub(super) fn add(&mut self, failure: Failure) {
        if !self.failures.iter().any(|known| known.message == failure.message) {
            self.failures.push(failure);
        }
    }

    pub(super) fn merge(&mut self, other: Verdict) {
        self.checks += other.checks;
        other.failures.into_iter().for_each(|failure| self.add(failure));
    }
}
