//! Which server it is that a client leads to, and whether it is the hub itself: the one that has the Clusters.
//!
//! A server is known by the uid of a namespace that every server has, and no two have alike: by whatever address it is reached. Who may
//! not read that is told from it by what it serves.

use std::sync::{Mutex, PoisonError};

use bowline_api::updates::{Cluster, ClusterStatus};
use bowline_clusters::Server;
use bowline_runtime::REQUEST;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client, Resource as _};

/// The namespace by whose uid a server is known.
pub const KNOWN_BY: &str = "kube-system";

/// What a server is to the hub, and what it is known by, if it says so.
pub(crate) type Told = (Server, Option<String>);

/// The hub, as it is told from other servers.
pub(crate) struct Hub {
    client: Client,
    /// What it is known by, once that was asked.
    uid: Mutex<Option<Mark>>,
}

impl Hub {
    pub(crate) fn new(client: Client) -> Hub {
        Hub { client, uid: Mutex::default() }
    }

    /// Which server this client leads to. Where it may not be asked, one that has Clusters too, or does not say whether it has,
    /// may be the hub: credentials that read little may write much.
    ///
    /// # Errors
    /// If one of them does not answer.
    pub(crate) async fn is_at(&self, client: &Client) -> Result<Told, kube::Error> {
        let there = uid(client).await?;
        let server = match (&there, &self.uid().await?) {
            (Mark::None, _) => Server::Other,
            (Mark::Uid(there), Mark::Uid(here)) if there == here => Server::Hub,
            (Mark::Uid(_), Mark::Uid(_)) => Server::Other,
            _ if has_clusters(client).await? => Server::Unsaid,
            _ => Server::Other,
        };
        Ok((server, there.told()))
    }

    async fn uid(&self) -> Result<Mark, kube::Error> {
        let known = self.uid.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let asked = uid(&self.client).await?;
        if let Mark::Uid(_) = &asked {
            *self.uid.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked.clone());
        }
        Ok(asked)
    }
}

/// What a server is known by.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    Uid(String),
    /// It has no such namespace: every hub has.
    None,
    /// It does not tell us.
    Unsaid,
}

impl Mark {
    /// What is told of it. Any server can be registered, and says what it likes: what is no uid is none.
    pub(crate) fn told(self) -> Option<String> {
        match self {
            Mark::Uid(uid) => Some(uid).filter(|uid| uid.len() <= ClusterStatus::LONGEST_SERVER_ID),
            Mark::None | Mark::Unsaid => None,
        }
    }
}

/// Asks a server.
pub(crate) async fn uid(client: &Client) -> Result<Mark, kube::Error> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    match in_time(namespaces.get_opt(KNOWN_BY)).await {
        Ok(found) => Ok(found.and_then(|found| found.metadata.uid).map_or(Mark::None, Mark::Uid)),
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(Mark::Unsaid),
        Err(error) => Err(error),
    }
}

/// Whether a server has Clusters, or does not say so. Whoever is known to a server may see what it serves, unless somebody has
/// taken that away.
async fn has_clusters(client: &Client) -> Result<bool, kube::Error> {
    match in_time(client.list_api_group_resources(&Cluster::api_version(&()))).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => Err(error),
    }
}

async fn in_time<T>(asked: impl Future<Output = Result<T, kube::Error>>) -> Result<T, kube::Error> {
    let asked = tokio::time::timeout(REQUEST, asked).await;
    asked.unwrap_or_else(|late| Err(kube::Error::Service(Box::new(late))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        let told = |server, uid: &str| (server, Some(uid.to_owned()));
        assert_eq!(hub.is_at(&server("1").client).await.expect("an answer"), told(Server::Hub, "1"));
        assert_eq!(hub.is_at(&server("2").client).await.expect("an answer"), told(Server::Other, "2"));
        assert_eq!(home.heard().len(), 1, "who it is does not change");
    }

    #[tokio::test]
    async fn who_may_not_ask_which_server_it_is_is_at_the_hub_if_that_serves_what_a_hub_does() {
        let hub = Hub::new(server("1").client);
        let with = |code: u16| {
            let resources = json!({ "groupVersion": "bowline.dev/v1alpha1", "resources": [] });
            let answer = if code == 200 { resources } else { json!({ "kind": "Status", "code": code }) };
            Fake::new(move |asked| match asked.what.as_str() {
                "GET /apis/bowline.dev/v1alpha1" => (code, answer.clone()),
                _ => (403, json!({ "kind": "Status", "code": 403 })),
            })
        };
        for (code, is) in [(200, Server::Unsaid), (403, Server::Unsaid), (404, Server::Other)] {
            assert_eq!(hub.is_at(&with(code).client).await.expect("an answer"), (is, None), "{code}");
        }
        assert!(hub.is_at(&with(500).client).await.is_err());
        let blind = Hub::new(with(200).client);
        for (code, is) in [(200, Server::Unsaid), (404, Server::Other)] {
            let known = blind.is_at(&with(code).client).await.expect("an answer");
            assert_eq!(known, (is, None), "who may not ask at home knows no better");
        }
    }

    #[tokio::test]
    async fn who_has_no_such_namespace_is_another_and_who_does_not_answer_is_asked_again() {
        let hub = Hub::new(server("1").client);
        let refused = |code: u16| Fake::new(move |_| (code, json!({ "kind": "Status", "code": code })));
        let nameless = json!({ "metadata": { "name": KNOWN_BY } });
        for other in [Fake::new(|_| missing()), Fake::new(move |_| (200, nameless.clone()))] {
            assert_eq!(hub.is_at(&other.client).await.expect("an answer"), (Server::Other, None));
        }
        let long = json!({ "metadata": { "name": KNOWN_BY, "uid": "u".repeat(254) } });
        let odd = Fake::new(move |_| (200, long.clone()));
        assert_eq!(hub.is_at(&odd.client).await.expect("an answer"), (Server::Other, None));
        for silent in [refused(500), Fake::silent()] {
            assert!(hub.is_at(&silent.client).await.is_err());
        }
        let away = Hub::new(Fake::silent().client);
        assert!(away.is_at(&server("1").client).await.is_err(), "nobody knows whether it is the hub");
    }
}
