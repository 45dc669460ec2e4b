//! Accounts on other clusters: whose they say they are, made, changed and taken away.

use std::sync::Arc;

use bowline_identities::plain::{Named, Plain};
use bowline_identities::{Holder, Published, Said};
use bowline_runtime::Mandate;
use http::Method;
use kube::Client;
use serde_json::{Value, json};

use super::wire::ROLE_ARN;
use crate::clusters::Embed;
use crate::updates::{Asked, Keeping, Targets, Trouble, Way, segment};

/// The annotations that say whose an account is: which hub's, and which identity's.
const HUB: &str = "bowline.dev/hub";
const IDENTITY: &str = "bowline.dev/identity";
/// The label by which people find what programs keep.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const MANAGER: &str = "bowline";
const MERGE: &str = "application/merge-patch+json";

/// An account, for an identity, on a cluster.
type Spot<'a> = (&'a Named, &'a str, &'a Named);

/// The other clusters.
pub(super) struct Abroad {
    targets: Targets,
    keeping: Keeping,
    /// Which hub this is.
    hub: String,
}

impl Abroad {
    pub(super) fn new(home: Client, embed: Option<Arc<dyn Embed>>, hub: String) -> Abroad {
        Abroad { targets: Targets::new(home.clone(), embed), keeping: Keeping::new(home), hub }
    }

    /// A cluster is gone.
    pub(super) fn forget(&self, cluster: &str) {
        self.targets.forget(cluster);
    }

    /// Which account is there.
    pub(super) async fn look(&self, spot: Spot<'_>, mandate: &Mandate) -> Said<Plain> {
        let client = match self.admitted(spot).await {
            Ok(client) => client,
            Err(said) => return said,
        };
        let way = Way { client: &client, mandate };
        match get(way, spot.2).await {
            Ok(found) => Said::Account(found.map(|found| self.published(spot.0, &found))),
            Err(trouble) => troubled(spot, &trouble),
        }
    }

    /// An account is made, or says from now on that it has this role.
    pub(super) async fn publish(
        &self,
        spot: Spot<'_>,
        role: &str,
        adopts: bool,
        mandate: &Mandate,
    ) -> Said<Plain> {
        let client = match self.admitted(spot).await {
            Ok(client) => client,
            Err(said) => return said,
        };
        let way = Way { client: &client, mandate };
        let done = match get(way, spot.2).await {
            Ok(None) => self.create(way, spot, role).await,
            Ok(Some(found)) => {
                let may_be_changed = match self.published(spot.0, &found).holder {
                    Holder::Itself => true,
                    Holder::Another(_) => false,
                    Holder::Others => adopts,
                };
                if !may_be_changed {
                    return Said::Exists;
                }
                match self.change(way, spot, role, &found).await {
                    Err(Trouble::Said { code: 404, words, .. }) => return Said::Outdated(words),
                    changed => changed,
                }
            }
            Err(trouble) => return troubled(spot, &trouble),
        };
        match done {
            Ok(_) => Said::Done,
            Err(Trouble::Said { code: 409, words, .. }) => Said::Outdated(words),
            Err(trouble) => troubled(spot, &trouble),
        }
    }

    /// An account goes, if it is the identity's. Who may not use the cluster any more may still take away what it has there.
    pub(super) async fn withdraw(&self, spot: Spot<'_>, mandate: &Mandate) -> Said<Plain> {
        let client = match self.reach(spot.1).await {
            Ok(client) => client,
            Err(said) => return said,
        };
        let way = Way { client: &client, mandate };
        let found = match get(way, spot.2).await {
            Ok(Some(found)) if self.published(spot.0, &found).holder == Holder::Itself => found,
            // What is somebody else's by now is not ours to take.
            Ok(_) => return Said::Missing,
            Err(trouble) => return troubled(spot, &trouble),
        };
        let meta = &found["metadata"];
        let only_this = json!({ "uid": meta["uid"], "resourceVersion": meta["resourceVersion"] });
        let body = json!({ "kind": "DeleteOptions", "apiVersion": "v1", "preconditions": only_this });
        let asked = Asked::new(Method::DELETE, path(spot.2)).body("application/json", &body);
        match asked.send(way).await {
            Ok(_) => Said::Done,
            Err(Trouble::Said { code: 404, .. }) => Said::Missing,
            Err(Trouble::Said { code: 409, words, .. }) => Said::Outdated(words),
            Err(trouble) => troubled(spot, &trouble),
        }
    }

    /// The way to a cluster.
    pub(super) async fn reach(&self, cluster: &str) -> Result<Client, Said<Plain>> {
        let known = self.targets.reach(cluster).await;
        known.map(|known| known.client).map_err(|why| Said::Failed(why.into()))
    }

    /// The way to a cluster, for an identity that may use it.
    async fn admitted(&self, (identity, name, _): Spot<'_>) -> Result<Client, Said<Plain>> {
        let namespace = &identity.namespace;
        let known = self.targets.reach(name).await.map_err(|why| Said::Failed(why.into()))?;
        if !self.keeping.is_allowed(known.allowed.as_ref(), namespace).await.map_err(Said::Failed)? {
            return Err(Said::Refused(format!(
                "spec.clusters: the cluster {name} does not let the namespace {namespace} use it: have it added to its \
                 spec.allowedNamespaces, or take the cluster off the list"
            )));
        }
        if let Some(why) = known.closed_to(namespace) {
            return Err(Said::Refused(format!(
                "spec.clusters: the cluster {name} {why}: take the cluster off the list"
            )));
        }
        Ok(known.client)
    }

    fn published(&self, identity: &Named, found: &Value) -> Published<Plain> {
        let said = |key: &str| found["metadata"]["annotations"][key].as_str();
        let other = said(IDENTITY).and_then(|of| of.split_once('/')).filter(|_| said(HUB) == Some(&self.hub));
        let holder = match other {
            Some((namespace, name)) if (namespace, name) == (&identity.namespace, &identity.name) => {
                Holder::Itself
            }
            Some((namespace, name)) => {
                Holder::Another(Named { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            None => Holder::Others,
        };
        Published { holder, role: said(ROLE_ARN).map(str::to_owned) }
    }

    fn annotations(&self, identity: &Named, role: &str) -> Value {
        json!({ HUB: self.hub, IDENTITY: identity.to_string(), ROLE_ARN: role })
    }

    async fn create(&self, way: Way<'_>, spot: Spot<'_>, role: &str) -> Result<(bool, Value), Trouble> {
        let (identity, _, Named { namespace, name }) = spot;
        let body = json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {
                "name": name, "namespace": namespace, "labels": { MANAGED_BY: MANAGER },
                "annotations": self.annotations(identity, role),
            },
        });
        let path = format!("/api/v1/namespaces/{}/serviceaccounts", segment(namespace));
        let asked = Asked::new(Method::POST, path).with("fieldManager", MANAGER);
        asked.body("application/json", &body).send(way).await
    }

    /// Only as it was seen: it may have become somebody else's.
    async fn change(
        &self,
        way: Way<'_>,
        (identity, _, account): Spot<'_>,
        role: &str,
        found: &Value,
    ) -> Result<(bool, Value), Trouble> {
        let meta = &found["metadata"];
        let body = json!({ "metadata": {
            "uid": meta["uid"], "resourceVersion": meta["resourceVersion"],
            "annotations": self.annotations(identity, role),
        } });
        let asked = Asked::new(Method::PATCH, path(account)).with("fieldManager", MANAGER);
        asked.body(MERGE, &body).send(way).await
    }
}

fn path(Named { namespace, name }: &Named) -> String {
    format!("/api/v1/namespaces/{}/serviceaccounts/{}", segment(namespace), segment(name))
}

/// The account as its server has it, if it is there.
async fn get(way: Way<'_>, account: &Named) -> Result<Option<Value>, Trouble> {
    match Asked::new(Method::GET, path(account)).send(way).await {
        Ok((_, found)) => Ok(Some(found)),
        Err(Trouble::Said { code: 404, .. }) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

fn troubled((_, cluster, account): Spot<'_>, trouble: &Trouble) -> Said<Plain> {
    match trouble {
        // Accounts that are made lack nothing but their namespace.
        Trouble::Said { code: 404, .. } => Said::Refused(format!(
            "the cluster {cluster} has no namespace {}: make it there",
            account.namespace
        )),
        Trouble::Said { words, .. } => Said::Refused(format!("the cluster {cluster} refuses it: {words}")),
        Trouble::Open(words) | Trouble::Silence(words) => {
            Said::Failed(format!("the cluster {cluster} does not say that it is done: {words}"))
        }
    }
}

#[cfg(test)]
mod tests;
