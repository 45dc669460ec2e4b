//! What a person says of leases: that the hub may trust what it sees of them.
//!
//! It is said for all of them at once, and so on an object that is nobody's team's: the Lease of those who lead, which they watch anyway.

use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::upgrades::Member;
use bowline_runtime::{now, sentence};
use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::watch_object;
use kube::{Api, Client};

use super::Court;
use crate::LEASE;

impl Court {
    /// Hears what a person says, until somebody has enough.
    pub(crate) async fn listen(&self, client: &Client, stop: impl Future<Output = ()>) {
        tokio::select! {
            () = stop => {}
            () = self.hear(client) => {}
        }
    }

    async fn hear(&self, client: &Client) {
        let leases: Api<Lease> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
        let mut shown = watch_object(leases, LEASE).default_backoff().boxed();
        while let Some(event) = shown.next().await {
            match event {
                Ok(lease) => self.docket().hear(lease.as_ref().and_then(word), now().clock),
                Err(error) => {
                    let why = sentence(&error);
                    tracing::debug!(why, "the watch of the lease of those who lead begins again");
                }
            }
        }
    }
}

fn word(lease: &Lease) -> Option<&str> {
    let said = lease.metadata.annotations.as_ref()?.get(Member::TRUSTED)?.as_str();
    (!said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nothing_is_no_word() {
        let of = |metadata: Value| {
            let lease: Lease = serde_json::from_value(json!({ "metadata": metadata })).expect("a lease");
            word(&lease).map(str::to_owned)
        };
        assert_eq!(of(json!({ "annotations": { (Member::TRUSTED): "7" } })), Some("7".into()));
        assert_eq!(of(json!({ "annotations": { (Member::TRUSTED): "" } })), None);
        assert_eq!(of(json!({ "annotations": { "other": "7" } })), None);
        assert_eq!(of(json!({})), None);
    }
}
