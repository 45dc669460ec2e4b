//! What is said of models, held against some of them.

use bowline_models::{Entry, catalogue};

use super::faults::Plan;
use super::request;

/// A few models, of all sorts: they differ in their words only.
fn some() -> impl Iterator<Item = &'static Entry> {
    catalogue().iter().step_by(6)
}

/// Holds a size against models.
pub(crate) fn size(text: &str) -> Result<(), String> {
    some().for_each(|entry| drop(request::size(entry, text)));
    Ok(())
}

/// Holds budgets of faults against models.
pub(crate) fn faults(text: &str) -> Result<(), String> {
    some().for_each(|entry| drop(Plan::read(entry, Some(text))));
    Ok(())
}
