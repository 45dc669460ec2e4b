//! What becomes of definitions after they are written.

use crate::document::Json;
use crate::time::Moment;

/// What has to be done next about a definition.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// Its status becomes this.
    Status(Json),
    /// Delete all its objects, then look again.
    DeleteObjects,
    /// Its status becomes this, and its finalizer goes.
    Finish(Json),
}

/// Marks a definition that somebody deletes: finalizer and condition.
pub fn begin_deletion(_crd: &mut Json, _now: Moment) {
    todo!()
}

/// What has to be done about `crd`, if anything. `others` are all definitions; `objects` is how many of its
/// objects there are.
pub fn look(_crd: &Json, _others: &[&Json], _objects: usize, _now: Moment) -> Option<Next> {
    todo!()
}
