//! Those who make halves ready: what a kubelet is to pods.

use futures::StreamExt;
use kube::api::{Patch, PatchParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::kinds::Half;

/// Makes every half ready that is not, for ever.
pub async fn make_ready(client: Client) {
    let all: Api<Half> = Api::all(client.clone());
    let halves = watcher(all, watcher::Config::default()).default_backoff().applied_objects();
    halves
        .for_each_concurrent(16, |half| async {
            let Ok(half) = half else { return };
            if half.status.as_ref().is_some_and(|status| status.ready)
                || half.metadata.deletion_timestamp.is_some()
            {
                return;
            }
            let api: Api<Half> = Api::namespaced(client.clone(), &half.namespace().unwrap_or_default());
            let ready = Patch::Merge(json!({ "status": { "ready": true } }));
            // A half that is gone meanwhile need not be ready; any other comes again.
            let _ = api.patch_status(&half.name_any(), &PatchParams::default(), &ready).await;
        })
        .await;
}
