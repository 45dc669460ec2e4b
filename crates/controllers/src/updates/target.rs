//! The ways to clusters.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_api::updates::{AllowedNamespaces, Cluster, KubeconfigSecretRef};
use bowline_clusters::Server;
use bowline_runtime::{Manner, REQUEST};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, ResourceExt};

use super::kinds::Kinds;
use super::unseen::Unseen;
use crate::clusters::Embed;
use crate::hub::{Hub, Told};
use crate::kubeconfig;

/// How long a cluster of this process may take to run: after a start of `bowline up` they are started one after the other.
const STARTING: Duration = Duration::from_secs(5);

/// Reaches clusters, and remembers how.
pub(crate) struct Targets {
    home: Client,
    hub: Hub,
    embed: Option<Arc<dyn Embed>>,
    known: Mutex<BTreeMap<String, Known>>,
    /// Who is being asked for its kinds: those who come meanwhile wait for the same answer.
    asked: Mutex<BTreeMap<Rests, WeakShared<Question>>>,
}

/// What the way to a cluster rests on: its uid, its generation, and the version of its kubeconfig.
type Rests = (String, Option<i64>, Option<String>);

type Question = BoxFuture<'static, Result<Arc<Kinds>, Unseen>>;

/// A question that is under way, for all who want to know. When nobody waits for the answer any more, it is not asked any more.
type Asking = Shared<Question>;

/// A cluster that was reached.
#[derive(Clone)]
pub(crate) struct Known {
    /// What the way to it rests on: when that is another, so is the way.
    rests_on: Rests,
    pub(crate) client: Client,
    kinds: Option<Arc<Kinds>>,
    /// The namespaces that may use it.
    pub(crate) allowed: Option<AllowedNamespaces>,
    /// Which server it is, and whether it may be the hub itself; if nobody could see that: why.
    server: Result<Told, String>,
}

impl Known {
    /// Which Cluster it is, of all that had its name.
    pub(crate) fn uid(&self) -> &str {
        let (uid, ..) = &self.rests_on;
        uid
    }

    /// How often what is wanted of it had changed when it was reached.
    pub(crate) fn generation(&self) -> u64 {
        let (_, generation, _) = &self.rests_on;
        u64::try_from(generation.unwrap_or(0)).unwrap_or(0)
    }

    /// Why the stacks of a namespace may not be here, if so: on the hub itself they are its administrators.
    pub(crate) fn closed_to(&self, namespace: &str) -> Option<String> {
        let mut named = self.allowed.iter().flat_map(|allowed| &allowed.names);
        match &self.server {
            Ok((Server::Other, _)) => None,
            Ok((Server::Hub | Server::Unsaid, _)) => (!named.any(|name| name.as_str() == namespace)).then(|| {
                format!(
                    "is this hub itself, or cannot be told from it, and does not name the namespace {namespace} among those that may \
                     use it"
                )
            }),
            Err(why) => Some(format!("cannot be asked which server it is: {why}")),
        }
    }

    /// Whether the way to it leads to the server that the Cluster is, as far as both are known: what was seen and done there was
    /// seen and done on that one.
    fn leads_to(&self, cluster: &Cluster) -> Result<(), Unseen> {
        let there = self.server.as_ref().ok().and_then(|(_, there)| there.as_deref());
        is_its_own(cluster, there)
    }
}

impl Targets {
    pub(crate) fn new(home: Client, embed: Option<Arc<dyn Embed>>) -> Targets {
        let hub = Hub::new(home.clone());
        Targets { home, hub, embed, known: Mutex::default(), asked: Mutex::default() }
    }

    /// The Cluster of this name, as the home has it.
    pub(crate) async fn cluster(&self, name: &str) -> Result<Cluster, Unseen> {
        let clusters: Api<Cluster> = Api::all(self.home.clone());
        let found = of_home(clusters.get_opt(name)).await;
        let found =
            found.map_err(|why| why.told(|why| format!("the Cluster {name} cannot be read: {why}")))?;
        found.ok_or_else(|| Unseen::Wrong(format!("there is no Cluster {name}")))
    }

    /// The way to a cluster.
    pub(crate) async fn reach(&self, name: &str) -> Result<Known, Unseen> {
        let cluster = self.cluster(name).await?;
        let uid = cluster.metadata.uid.clone().unwrap_or_default();
        let generation = cluster.metadata.generation;
        let allowed = cluster.spec.allowed_namespaces.clone();
        match &cluster.spec.kubeconfig_secret_ref {
            None => {
                let client = self.embedded(name, &uid).await;
                let client = client
                    .ok_or_else(|| Unseen::Wrong(format!("the cluster {name} does not run here now")))?;
                // The server of a life before is another one, and its kinds are the same.
                let kinds =
                    self.remembered(name, |known| known.rests_on.0 == uid).and_then(|known| known.kinds);
                let rests_on = (uid, generation, None);
                Ok(self.remember(
                    name,
                    Known { rests_on, client, kinds, allowed, server: Ok((Server::Other, None)) },
                ))
            }
            Some(secret) => {
                let secret = self.secret(secret).await?;
                let rests_on = (uid, generation, secret.version);
                // What led to another server may lead to its own again: behind an address there is one now and another one then.
                let is_it = |known: &Known| known.rests_on == rests_on && known.leads_to(&cluster).is_ok();
                if let Some(known) = self.remembered(name, is_it) {
                    return Ok(known);
                }
                let client = client(&secret.text).await;
                let client = client.map_err(|why| {
                    Unseen::Wrong(format!("the kubeconfig of the cluster {name} cannot be used: {why}"))
                })?;
                let server = self.hub.is_at(&client).await.map_err(|why| Unseen::from(why).to_string());
                let known = Known { rests_on, client, kinds: None, allowed, server };
                // Who only looks may do so; it is asked again before anything is written.
                let known = if known.server.is_err() { known } else { self.remember(name, known) };
                known.leads_to(&cluster).map(|()| known)
            }
        }
    }

    /// The way to a cluster of this process. One that was just started again runs in a moment.
    async fn embedded(&self, name: &str, uid: &str) -> Option<Client> {
        let embed = self.embed.as_ref()?;
        let ends = Instant::now() + STARTING;
        loop {
            match embed.client(name, uid) {
                None if Instant::now() < ends => tokio::time::sleep(STARTING / 50).await,
                found => return found,
            }
        }
    }

    /// The kinds that a cluster serves; they are asked for again if `is_enough` says no.
    pub(crate) async fn kinds(
        &self,
        name: &str,
        known: &Known,
        is_enough: impl Fn(&Kinds) -> bool,
    ) -> Result<Arc<Kinds>, Unseen> {
        if let Some(kinds) = known.kinds.as_ref().filter(|kinds| is_enough(kinds)) {
            return Ok(Arc::clone(kinds));
        }
        let (asking, is_new) = self.ask(name, known);
        let kinds = self.answered(name, known, asking).await?;
        if is_new || is_enough(&kinds) {
            return Ok(kinds);
        }
        // Somebody else had asked before: what is missing may have come since.
        let (asking, _) = self.ask(name, known);
        self.answered(name, known, asking).await
    }

    /// The question for the kinds of a cluster, and whether nobody had asked it.
    fn ask(&self, name: &str, known: &Known) -> (Asking, bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asking) = asked.get(&known.rests_on).and_then(WeakShared::upgrade) {
            return (asking, false);
        }
        let (cluster, client) = (name.to_owned(), known.client.clone());
        let asking = async move { kinds_of(&cluster, &client).await.map(Arc::new) };
        let asking = asking.boxed().shared();
        if let Some(asking) = asking.downgrade() {
            asked.insert(known.rests_on.clone(), asking);
        }
        (asking, true)
    }

    async fn answered(&self, name: &str, known: &Known, asking: Asking) -> Result<Arc<Kinds>, Unseen> {
        let answer = asking.clone().await;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        // Who hears it first tells the others; a question that comes later is another one.
        let current = asked.get(&known.rests_on).and_then(WeakShared::upgrade);
        if current.is_some_and(|current| current.ptr_eq(&asking)) {
            asked.remove(&known.rests_on);
            if let Ok(kinds) = &answer {
                self.remember(name, Known { kinds: Some(Arc::clone(kinds)), ..known.clone() });
            }
        }
        answer
    }

    /// A cluster is gone.
    pub(crate) fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    fn remembered(&self, name: &str, is_it: impl Fn(&Known) -> bool) -> Option<Known> {
        self.lock().get(name).filter(|known| is_it(known)).cloned()
    }

    fn remember(&self, name: &str, known: Known) -> Known {
        self.lock().insert(name.to_owned(), known.clone());
        known
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn secret(&self, secret: &KubeconfigSecretRef) -> Result<Kubeconfig, Unseen> {
        let KubeconfigSecretRef { namespace, name, key } = secret;
        let secrets: Api<Secret> = Api::namespaced(self.home.clone(), namespace.as_str());
        let found = of_home(secrets.get_opt(name.as_str())).await;
        let found = found
            .map_err(|why| why.told(|why| format!("the Secret {namespace}/{name} cannot be read: {why}")))?;
        let found = found.ok_or_else(|| Unseen::Wrong(format!("there is no Secret {namespace}/{name}")))?;
        let text = found.data.as_ref().and_then(|data| data.get(key));
        let text =
            text.ok_or_else(|| Unseen::Wrong(format!("the Secret {namespace}/{name} has no key {key:?}")))?;
        Ok(Kubeconfig {
            text: String::from_utf8_lossy(&text.0).into_owned(),
            version: found.metadata.resource_version,
        })
    }
}

/// Whether this is the server that a Cluster is, as far as both are known.
///
/// # Errors
/// If it is another one.
pub(crate) fn is_its_own(cluster: &Cluster, there: Option<&str>) -> Result<(), Unseen> {
    let own = cluster.status.as_ref().and_then(|status| status.server_id.as_deref());
    match (own, there) {
        (Some(own), Some(there)) if own != there => {
            let name = cluster.name_any();
            Err(Unseen::Wrong(format!(
                "the credentials lead to another server than the one that the cluster {name} is: see `bowline cluster show {name}`"
            )))
        }
        _ => Ok(()),
    }
}

struct Kubeconfig {
    text: String,
    version: Option<String>,
}

/// A client of what a kubeconfig says; no program is run for it, and no file read.
pub(crate) async fn client(text: &str) -> Result<Client, String> {
    let read = kubeconfig::read(text).and_then(|read| kubeconfig::harmless(&read));
    let read = read.map_err(|why| why.to_string())?;
    bowline_runtime::client_of(read, "it", Manner::Once).await.map_err(|why| why.to_string())
}

/// The kinds that a cluster says it serves.
pub(crate) async fn kinds_of(name: &str, client: &Client) -> Result<Kinds, Unseen> {
    let asked = of_home(Kinds::of(client)).await;
    asked.map_err(|why| why.told(|why| format!("the cluster {name} does not say its kinds: {why}")))
}

/// Waits for a server, but not for ever.
pub(crate) async fn of_home<T>(asked: impl Future<Output = Result<T, kube::Error>>) -> Result<T, Unseen> {
    match tokio::time::timeout(REQUEST, asked).await {
        Ok(answer) => answer.map_err(Unseen::from),
        Err(_) => Err(Unseen::Silent(format!("no answer within {} s", REQUEST.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake::Fake;
    use super::*;

    #[tokio::test]
    async fn a_way_leads_to_the_server_that_the_cluster_is_or_nowhere() {
        let cluster = |status| {
            let object = json!({ "metadata": { "name": "prod" }, "spec": { "kubeconfigSecretRef": { "name": "s" } }, "status": status });
            serde_json::from_value::<Cluster>(object).expect("a cluster")
        };
        let known = |server| Known {
            rests_on: ("u".into(), Some(1), None),
            client: Fake::silent().client,
            kinds: None,
            allowed: None,
            server,
        };
        let other = |id: Option<&str>| Ok((Server::Other, id.map(str::to_owned)));
        for (own, there, leads) in [
            (json!({ "serverId": "8" }), other(Some("8")), true),
            (json!({ "serverId": "8" }), other(Some("9")), false),
            (json!({ "serverId": "8" }), Ok((Server::Hub, Some("9".to_owned()))), false),
            // What is not known is taken for the same.
            (json!({ "serverId": "8" }), other(None), true),
            (json!({ "serverId": "8" }), Err("no answer".to_owned()), true),
            (json!({}), other(Some("9")), true),
            (json!(null), other(Some("9")), true),
        ] {
            let found = known(there.clone()).leads_to(&cluster(own.clone()));
            assert_eq!(found.is_ok(), leads, "{own} {there:?}");
            if let Err(why) = found {
                assert!(why.to_string().contains("another server"), "{why}");
                assert!(why.to_string().contains("`bowline cluster show prod`"), "{why}");
            }
        }
    }

    /// The address is the same, and so are the credentials: nobody else says that it is its own again.
    #[tokio::test]
    async fn a_way_that_led_to_another_server_is_asked_again() {
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{ "name": "c", "cluster": { "server": "http://127.0.0.1:1" } }],
            "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "c" } }],
            "users": [{ "name": "c", "user": {} }],
        });
        let kubeconfig = k8s_openapi::ByteString(kubeconfig.to_string().into_bytes());
        let home = Fake::new(move |asked| match asked.what.as_str() {
            "GET /apis/bowline.dev/v1alpha1/clusters/prod" => {
                let metadata = json!({ "name": "prod", "uid": "u", "generation": 1 });
                let spec = json!({ "kubeconfigSecretRef": { "name": "s" } });
                (200, json!({ "metadata": metadata, "spec": spec, "status": { "serverId": "8" } }))
            }
            _ => {
                let metadata = json!({ "name": "s", "resourceVersion": "5" });
                (200, json!({ "metadata": metadata, "data": { "kubeconfig": kubeconfig } }))
            }
        });
        let targets = Targets::new(home.client.clone(), None);
        let there = |id: &str| Ok((Server::Other, Some(id.to_owned())));
        let reached = async |server: Result<Told, String>| {
            let rests_on = ("u".into(), Some(1), Some("5".into()));
            let client = Fake::silent().client;
            targets.remember("prod", Known { rests_on, client, kinds: None, allowed: None, server });
            targets.reach("prod").await.expect("a way").server
        };
        assert_eq!(reached(there("8")).await, there("8"), "what is known is not asked for");
        assert!(reached(there("9")).await.is_err(), "nobody answers there now");
    }
}
