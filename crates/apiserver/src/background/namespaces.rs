//! Every namespace has a service account `default`, and the certificate by which its pods know the server.

use std::sync::Arc;

use bowline_kernel::{Object, Request, Version};
use serde_json::{Value, json};

use crate::api::Api;
use crate::document::{Document, Json};
use crate::key::{Key, NAMESPACES, Resource};
use crate::status::Status;
use crate::verbs::Write;

const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal \
                           endpoints such as the internal service IP or kubernetes.default.svc. No other usage is \
                           guaranteed across distributions of Kubernetes clusters.";

/// Furnishes namespaces as they come, and puts back what is taken from them.
pub(super) async fn run(api: Arc<Api>, authority: String) {
    let furniture = Furniture::new(&authority);
    let mut bells = [&*NAMESPACES, &furniture.account, &furniture.map].map(|resource| api.hub.bell(resource));
    let mut cursor = Version(0);
    loop {
        for bell in &mut bells {
            bell.mark_unchanged();
        }
        let (wanting, version) = furniture.look(&api, cursor);
        if let Err(status) = furniture.furnish(&api, wanting).await {
            tracing::warn!(error = status.message, "namespaces could not be furnished; will be tried again");
            tokio::time::sleep(super::REST).await;
            continue;
        }
        cursor = version;
        let [namespaces, accounts, maps] = &mut bells;
        let changed = tokio::select! {
            changed = namespaces.changed() => changed,
            changed = accounts.changed() => changed,
            changed = maps.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}

/// What every namespace has.
struct Furniture {
    account: Resource,
    map: Resource,
    objects: [Json; 2],
}

impl Furniture {
    fn new(authority: &str) -> Furniture {
        let account =
            json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "default" } });
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "kube-root-ca.crt",
                "annotations": { "kubernetes.io/description": DESCRIPTION },
            },
            "data": { "ca.crt": authority },
        });
        let object = |value| if let Value::Object(object) = value { object } else { Json::new() };
        Furniture {
            account: Resource::new("", "serviceaccounts"),
            map: Resource::new("", "configmaps"),
            objects: [object(account), object(map)],
        }
    }

    /// The namespaces that may lack something since `cursor`; all if that is too long ago.
    fn look(&self, api: &Api, cursor: Version) -> (Vec<String>, Version) {
        let view = api.hub.view();
        let mut names = Vec::new();
        for resource in [&*NAMESPACES, &self.account, &self.map] {
            match view.since(resource, cursor) {
                Ok(changes) => names.extend(changes.filter_map(|change| match resource == &*NAMESPACES {
                    true => (!change.removed).then(|| change.key.name.to_string()),
                    false => change.removed.then(|| change.key.namespace.to_string()),
                })),
                Err(_) => names.extend(
                    view.collection(&NAMESPACES)
                        .into_iter()
                        .flat_map(|all| all.objects().keys())
                        .map(|key| key.name.to_string()),
                ),
            }
        }
        names.sort_unstable();
        names.dedup();
        (names, view.version())
    }

    async fn furnish(&self, api: &Arc<Api>, namespaces: Vec<String>) -> Result<(), Status> {
        let mut requests = Vec::new();
        for namespace in &namespaces {
            let home = api.hub.ahead(&Key::namespace(namespace));
            if home.is_none_or(|home| home.meta().deletion.is_some()) {
                continue;
            }
            for (resource, object) in [&self.account, &self.map].into_iter().zip(&self.objects) {
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                let key = Key::new(resource.clone(), namespace, name);
                if api.hub.ahead(&key).is_none() {
                    requests.push(Request::Create(made(api, &key, object)?));
                }
            }
        }
        if requests.is_empty() {
            return Ok(());
        }
        // Who was faster has made the same.
        api.hub.perform_all(requests).await.map(drop).map_err(Status::from)
    }
}

fn made(api: &Arc<Api>, key: &Key, object: &Json) -> Result<Document, Status> {
    let write = Write {
        manager: "kube-controller-manager".to_owned(),
        ..Write::by_server(api, api.kind_of(key)?, key)
    };
    write.created(object.clone(), false)
}
