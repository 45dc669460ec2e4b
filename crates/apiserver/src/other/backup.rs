//! A copy of all objects, of one moment, while writers go on.

use std::sync::Arc;

use http::StatusCode;
use http::header::HeaderValue;
use tokio::sync::mpsc;

use crate::api::Api;
use crate::reply::{self, Reply};
use crate::status::{Details, Status};
use crate::store::backup::{self, Source};

/// Where it is. Only who may GET this path may have it, and that is nobody but administrators.
pub const PATH: &str = "/hub/backup";
/// So many pieces wait for a client that is slow.
const PIECES: usize = 4;

/// Streams a backup.
///
/// # Errors
/// If another one is under way.
pub(super) fn stream(api: &Api) -> Result<Reply, Status> {
    let permit = Arc::clone(&api.copying).try_acquire_owned().map_err(|_| {
        let message = "A backup is under way; try again when it is done.";
        Status::failure(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message)
            .of(Details { retry_after_seconds: 1, ..Details::default() })
    })?;
    let (version, objects) = {
        let view = api.hub.view();
        let all = view.collections().flat_map(|(_, all)| all.objects().values().cloned());
        (view.version(), all.collect::<Vec<_>>())
    };
    let copied = api.copied.clone();
    let (sender, receiver) = mpsc::channel(PIECES);
    tokio::task::spawn_blocking(move || {
        let source =
            Source { keyring: &copied.keyring, version, restores: copied.restores, objects: &objects };
        // Who does not listen any more wants no more.
        if let Err(error) = backup::write(&source, &mut |piece| sender.blocking_send(piece).is_ok()) {
            tracing::error!(%error, "a backup could not be made; its client is cut off");
        }
        drop(permit);
    });
    Ok(reply::stream(HeaderValue::from_static("application/octet-stream"), receiver))
}
