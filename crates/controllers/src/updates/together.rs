//! Requests to one cluster that are under way together, but not too many.

use futures::future::BoxFuture;
use futures::{StreamExt, TryStreamExt, stream};

/// Requests that may be under way to one cluster, for one stack.
pub(crate) const AT_ONCE: usize = 16;

/// Waits for all, in any order.
pub(crate) async fn all<T>(work: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    stream::iter(work).buffer_unordered(AT_ONCE).collect().await
}

/// Waits for all, in any order, or for the first that fails.
///
/// # Errors
/// Those of the first.
pub(crate) async fn try_all<T, E>(work: Vec<BoxFuture<'_, Result<T, E>>>) -> Result<Vec<T>, E> {
    stream::iter(work).buffer_unordered(AT_ONCE).try_collect().await
}
