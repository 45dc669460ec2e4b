//! Clusters: who looks at them, and starts and stops those that are embedded.

mod embed;
#[cfg(test)]
pub(crate) mod fuzz;
mod gauges;
mod look;
mod wire;

use std::sync::Arc;

use bowline_clusters::{Call, Cluster, Clusters, Finding, Found, Home, Place, Reply, Rhythm, Server, Way};
use bowline_control::Event;
use bowline_runtime::{Driver, Mandate, Manner, Outside, now, sentence};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};

pub use self::embed::{Embed, NotStarted, Running};
pub(crate) use self::gauges::Gauges;
use self::look::{finding, look};
pub use self::wire::EXPOSED;
use self::wire::{ClusterWire, SecretKey, Text};
use crate::hub::{Hub, Told};
use crate::kubeconfig;

/// Looks that may be under way: clusters that do not answer must not keep the others waiting.
pub(crate) const WORKERS: usize = 256;

/// Who was not asked which server it is: one of our own, or one that cannot be used.
const UNASKED: Told = (Server::Other, None);

/// What looks at clusters.
pub(crate) struct Eyes {
    /// The way to the home.
    pub(crate) client: Client,
    pub(crate) hub: Hub,
    pub(crate) embed: Option<Arc<dyn Embed>>,
    pub(crate) gauges: Gauges,
}

pub(crate) fn home(embed: Option<&Arc<dyn Embed>>) -> Home {
    if embed.is_some() { Home::Hub } else { Home::Elsewhere }
}

/// The controller of clusters, ready to be driven.
pub(crate) fn controller(home: Home) -> (Clusters<Text>, ClusterWire) {
    (Clusters::new(home, Rhythm::default()), ClusterWire)
}

/// How the controller of clusters is driven.
pub(crate) type ClusterDriver = Driver<Clusters<Text>, ClusterWire, Eyes>;

impl Outside<Clusters<Text>> for Eyes {
    async fn call(&self, call: Call<Text>, _: &Mandate) -> Reply<Text> {
        match call {
            Call::Look { name, uid, generation, way, began } => {
                let found = match way {
                    Way::Embedded => self.look_inside(&name, &uid, began).await.map(|found| (found, UNASKED)),
                    Way::Kubeconfig(secret) => self.look_there(&secret).await,
                };
                self.gauges.looked(&name, &uid, now().wall);
                match found {
                    Ok((finding, (server, known_by))) => {
                        Reply::Found { uid, generation, finding, server, known_by }
                    }
                    Err(why) => Reply::Failed(why),
                }
            }
            Call::Stop { name, uid } => match self.stop(&name, &uid).await {
                Ok(()) => Reply::Stopped(uid),
                Err(why) => Reply::Failed(why),
            },
        }
    }

    /// A look asks another server what it is; one at an embedded cluster may start it.
    fn only_reads(&self, call: &Call<Text>) -> bool {
        matches!(call, Call::Look { way: Way::Kubeconfig(_), .. })
    }

    fn asked(&self, call: &Call<Text>) -> String {
        match call {
            Call::Look { way: Way::Embedded, uid, .. } => format!("look at it inside the hub, uid {uid}"),
            Call::Look { way: Way::Kubeconfig(secret), generation, .. } => {
                let SecretKey { namespace, name, .. } = secret;
                format!("look at it by the Secret {namespace}/{name}, generation {generation}")
            }
            Call::Stop { uid, .. } => format!("stop it for good, uid {uid}"),
        }
    }

    fn heard(&self, reply: &Reply<Text>) -> String {
        match reply {
            Reply::Found { finding, .. } => format!("found {:?}: {}", finding.found, finding.words),
            Reply::Stopped(_) => "it is stopped".into(),
            Reply::Failed(why) => format!("failed: {why}"),
        }
    }

    fn sees(&self, event: &Event<Cluster<Text>>) {
        self.gauges.see(event);
    }
}

impl Eyes {
    async fn look_inside(&self, name: &str, uid: &str, began: bool) -> Result<Finding<String>, String> {
        match self.embed()?.start(name, uid, began).await {
            Err(NotStarted::Failed(why)) => {
                Ok(finding(Found::DoesNotStart, format!("it does not start: {why}"), None))
            }
            Err(NotStarted::Lost { directory, runs }) => {
                Ok(finding(Found::Lost, lost(&directory, runs), None))
            }
            Ok(Running { client, server, kubeconfig }) => {
                let place = Some(Place { server, kubeconfig: Some(kubeconfig) });
                let mut found = Finding { place, ..look(&client, None).await };
                if found.found == Found::Usable {
                    found.words = "it runs inside the hub; its workloads are simulated".into();
                }
                Ok(found)
            }
        }
    }

    /// What is found by a kubeconfig, and which server it leads to.
    async fn look_there(&self, secret: &SecretKey) -> Result<(Finding<String>, Told), String> {
        let SecretKey { namespace, name, key } = secret;
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), namespace);
        let there = secrets
            .get_opt(name)
            .await
            .map_err(|error| format!("the Secret {namespace}/{name} cannot be read: {}", sentence(&error)))?;
        let Some(there) = there else {
            let words =
                format!("there is no Secret {namespace}/{name}: make it, or change kubeconfigSecretRef");
            return Ok((finding(Found::NoKubeconfig, words, None), UNASKED));
        };
        let data = there.data.unwrap_or_default();
        let Some(text) = data.get(key) else {
            let words = format!("the Secret {namespace}/{name} has no key {key:?}");
            return Ok((finding(Found::NoKubeconfig, words, None), UNASKED));
        };
        let bad = |why: &dyn std::fmt::Display| {
            let words = format!("the kubeconfig in the Secret {namespace}/{name} cannot be used: {why}");
            Ok((finding(Found::BadKubeconfig, words, None), UNASKED))
        };
        let kubeconfig = String::from_utf8_lossy(&text.0);
        let kubeconfig = match kubeconfig::read(&kubeconfig).and_then(|read| kubeconfig::harmless(&read)) {
            Ok(kubeconfig) => kubeconfig,
            Err(why) => return bad(&why),
        };
        let place = kubeconfig::server(&kubeconfig).map(|server| Place { server, kubeconfig: None });
        let caller = kubeconfig::caller(&kubeconfig);
        let client = match bowline_runtime::client_of(kubeconfig, "the kubeconfig", Manner::Once).await {
            Ok(client) => client,
            Err(why) => return bad(&why),
        };
        let found = Finding { place, ..look(&client, caller.as_ref()).await };
        if !found.found.is_ready() {
            return Ok((found, UNASKED));
        }
        let server = self.hub.is_at(&client).await;
        let server = server.map_err(|error| {
            format!("which server it is, and whether it is this hub, is not known: {}", sentence(&error))
        })?;
        Ok((found, server))
    }

    async fn stop(&self, name: &str, uid: &str) -> Result<(), String> {
        self.embed()?.stop(name, uid).await
    }

    /// Who runs embedded clusters. Elsewhere it is not decided to look at one, nor to stop one.
    fn embed(&self) -> Result<&dyn Embed, String> {
        self.embed.as_deref().ok_or_else(|| "it does not run here".into())
    }
}

fn lost(directory: &str, runs: bool) -> String {
    if runs {
        format!(
            "its directory {directory} was taken away while it runs: all that it holds is lost when the hub ends. If it was \
             moved, end the hub and put it back. If not, who has a copy of its kubeconfig, which was in it, can still save what \
             it holds; then remove it and add it again (`bowline cluster remove`)"
        )
    } else {
        format!(
            "its directory {directory} is gone, and with it all that it held. Put it back, or remove it and add it again \
             (`bowline cluster remove`)"
        )
    }
}
