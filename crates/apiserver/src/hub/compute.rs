//! What takes long is computed off the async threads.

use std::panic::resume_unwind;
use std::sync::Arc;

use crate::document::{Document, Edit};
use crate::status::Status;

/// What is bigger than this, or changes something that is, is computed off the async threads: others are answered there.
pub(crate) const BIG_BYTES: usize = 64 * 1024;

/// Whether it takes long to change an object, however little.
pub(crate) fn is_big(object: &Document) -> bool {
    object.size() > BIG_BYTES
}

/// Computes a change; off the async threads if that takes long.
pub(crate) async fn compute(
    edit: &Edit,
    current: Option<Arc<Document>>,
    slow: bool,
) -> Result<Document, Status> {
    let slow = slow || current.as_deref().is_some_and(is_big);
    let edit = Arc::clone(edit);
    off_thread(slow, move || edit(current.as_deref())).await
}

/// Computes something; off the async threads if that takes long.
pub(crate) async fn off_thread<T: Send + 'static>(
    slow: bool,
    compute: impl FnOnce() -> T + Send + 'static,
) -> T {
    if !slow {
        return compute();
    }
    match tokio::task::spawn_blocking(compute).await {
        Ok(done) => done,
        Err(panic) => resume_unwind(panic.into_panic()),
    }
}
