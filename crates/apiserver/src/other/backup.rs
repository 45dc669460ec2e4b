//! A copy of all objects, of one moment, while writers go on.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::HeaderValue;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::api::Api;
use crate::reply::{self, Reply};
use crate::status::{Details, Status};
use crate::store::backup::{self, Source};

/// Where it is. Only who may GET this path may have it, and that is nobody but administrators.
pub const PATH: &str = "/hub/backup";
/// So many pieces wait for a client that is slow.
const PIECES: usize = 4;
/// So long a client may take nothing. Others wait for their turn, and what was deleted since is kept for it.
const PATIENCE: Duration = Duration::from_secs(30);

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
    let wait = Handle::current();
    tokio::task::spawn_blocking(move || {
        let source =
            Source { keyring: &copied.keyring, version, restores: copied.restores, objects: &objects };
        let mut send = |piece| wait.block_on(is_taken(&sender, piece, PATIENCE));
        if let Err(error) = backup::write(&source, &mut send) {
            tracing::error!(%error, "a backup could not be made; its client is cut off");
        }
        drop(permit);
    });
    Ok(reply::stream(HeaderValue::from_static("application/octet-stream"), receiver))
}

/// Whether the client takes a piece: who does not listen any more wants no more.
async fn is_taken(sender: &mpsc::Sender<Bytes>, piece: Bytes, at_most: Duration) -> bool {
    matches!(tokio::time::timeout(at_most, sender.send(piece)).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_takes_nothing_is_not_waited_for() {
        let (sender, mut receiver) = mpsc::channel(1);
        let piece = Bytes::from_static(b"a piece");
        let short = Duration::from_millis(10);
        assert!(is_taken(&sender, piece.clone(), short).await);
        assert!(!is_taken(&sender, piece.clone(), short).await, "nobody takes it");
        assert_eq!(receiver.recv().await, Some(piece.clone()));
        assert!(is_taken(&sender, piece.clone(), PATIENCE).await);
        drop(receiver);
        assert!(!is_taken(&sender, piece, PATIENCE).await, "nobody is there");
    }
}
