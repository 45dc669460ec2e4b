//! The kinds that a definition adds.

use std::sync::Arc;

use crate::document::Json;
use crate::kinds::Kind;

/// The kinds of a definition that is established: its served versions, the most important first.
pub fn kinds(_crd: &Json) -> Vec<Arc<Kind>> {
    todo!()
}
