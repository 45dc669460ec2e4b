//! Whether a server is the hub itself: the one that has the Clusters.
//!
//! It is known by the uid of a namespace that every server has, and no two have alike: by whatever address it is reached.

use std::sync::{Mutex, PoisonError};

use bowline_runtime::REQUEST;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client};

/// The namespace that a server is known by.
pub(crate) const KNOWN_BY: &str = "kube-system";

/// The hub, as it is told from other servers.
pub(crate) struct Hub {
    client: Client,
    /// What it is known by, once that was asked.
    uid: Mutex<Option<String>>,
}

impl Hub {
    pub(crate) fn new(client: Client) -> Hub {
        Hub { client, uid: Mutex::default() }
    }

    /// Whether this client leads to it. Who may not even ask there which server it is, is taken for somebody who leads elsewhere.
    ///
    /// # Errors
    /// If one of them does not answer.
    pub(crate) async fn is_at(&self, client: &Client) -> Result<bool, kube::Error> {
        let Some(there) = uid(client).await? else { return Ok(false) };
        Ok(self.uid().await?.is_some_and(|here| here == there))
    }

    async fn uid(&self) -> Result<Option<String>, kube::Error> {
        let known = self.uid.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if known.is_some() {
            return Ok(known);
        }
        let asked = uid(&self.client).await?;
        self.uid.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&asked);
        Ok(asked)
    }
}

/// What a server is known by; nothing if whoever asks may not know.
pub(crate) async fn uid(client: &Client) -> Result<Option<String>, kube::Error> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let asked = tokio::time::timeout(REQUEST, namespaces.get_opt(KNOWN_BY)).await;
    match asked.unwrap_or_else(|late| Err(kube::Error::Service(Box::new(late)))) {
        Ok(found) => Ok(found.and_then(|found| found.metadata.uid)),
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::updates::{Fake, missing};

    fn server(uid: &'static str) -> Fake {
        Fake::new(move |asked| {
            assert_eq!(asked.what, "GET /api/v1/namespaces/kube-system");
            (200, json!({ "metadata": { "name": KNOWN_BY, "uid": uid } }))
        })
    }

    #[tokio::test]
    async fn a_server_is_the_hub_if_it_has_the_same_namespace_and_not_one_of_its_name() {
        let home = server("1");
        let hub = Hub::new(home.client.clone());
        assert!(hub.is_at(&server("1").client).await.expect("an answer"));
        assert!(!hub.is_at(&server("2").client).await.expect("an answer"));
        assert_eq!(home.heard().len(), 1, "who it is does not change");
    }

    #[tokio::test]
    async fn who_does_not_say_which_server_it_is_is_another_and_who_does_not_answer_is_asked_again() {
        let hub = Hub::new(server("1").client);
        let refused = |code: u16| Fake::new(move |_| (code, json!({ "kind": "Status", "code": code })));
        assert!(!hub.is_at(&refused(403).client).await.expect("an answer"));
        assert!(!hub.is_at(&Fake::new(|_| missing()).client).await.expect("an answer"));
        assert!(
            !hub.is_at(&Fake::new(|_| (200, json!({ "metadata": Value::Null }))).client)
                .await
                .is_ok_and(|is| is)
        );
        for silent in [refused(500), Fake::silent()] {
            assert!(hub.is_at(&silent.client).await.is_err());
        }
        let away = Hub::new(Fake::silent().client);
        assert!(away.is_at(&server("1").client).await.is_err(), "nobody knows whether it is the hub");
    }
}
