//! What a server says of itself, for those that look for it in its own objects.

use bowline_kernel::{Object, View};
use serde_json::{Value, json};

use super::{Action, Due};
use crate::document::{Document, Json};
use crate::key::{Key, Resource};
use crate::time::Moment;

/// A server, as others find it.
pub struct Itself<'a> {
    /// The certificate of who signs its clients' certificates.
    pub authority: &'a str,
    /// Its address as a service.
    pub address: String,
    /// Where it listens.
    pub port: u16,
    /// Now.
    pub now: Moment,
}

/// What has to be done at start, when its namespaces are there.
pub fn due(view: &View<Document>, itself: &Itself<'_>) -> Vec<Due> {
    let maps = Resource::new("", "configmaps");
    let objects = [
        (maps.clone(), authentication(itself)),
        (maps, tracking(itself)),
        (Resource::new("", "services"), service(itself)),
    ];
    let due = objects.into_iter().filter_map(|(resource, wanted)| look(view, resource, wanted));
    due.filter(|due| !is_taken(view, due, &itself.address)).collect()
}

/// Whether somebody else has asked for the server's address, and has it: they keep it.
fn is_taken(view: &View<Document>, due: &Due, address: &str) -> bool {
    let services = view.collection(&Resource::new("", "services"));
    let mut others = services.into_iter().flat_map(|all| all.objects().values());
    due.key.resource.as_str() == "/services"
        && others.any(|other| *other.key() != due.key && other.json()["spec"]["clusterIP"] == address)
}

fn look(view: &View<Document>, resource: Resource, wanted: Value) -> Option<Due> {
    let text = |name: &str| wanted["metadata"][name].as_str().unwrap_or_default();
    let key = Key::new(resource, text("namespace"), text("name"));
    let action = match (view.get(&key), wanted) {
        (None, Value::Object(wanted)) => Action::Create(wanted),
        (Some(found), wanted) => Action::Replace(moved(found.json(), &wanted)?),
        (None, _) => return None,
    };
    Some(Due { key, action })
}

/// The service at the port where the server listens now, if it was at another.
fn moved(mut found: Json, wanted: &Value) -> Option<Json> {
    let ports = wanted["spec"].get("ports")?;
    if found.get("spec")?.get("ports") == Some(ports) {
        return None;
    }
    for name in ["apiVersion", "kind"] {
        found.insert(name.into(), wanted[name].clone());
    }
    found.get_mut("spec")?.as_object_mut()?.insert("ports".into(), ports.clone());
    Some(found)
}

/// By this, servers beside ours know our users.
fn authentication(itself: &Itself<'_>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "extension-apiserver-authentication", "namespace": "kube-system" },
        "data": { "client-ca-file": itself.authority },
    })
}

/// Since when the use of tokens in secrets would have been noted: controllers remove those that nobody uses.
fn tracking(itself: &Itself<'_>) -> Value {
    let now = itself.now.to_string();
    let today = now.split('T').next().unwrap_or_default();
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "kube-apiserver-legacy-service-account-token-tracking", "namespace": "kube-system",
        },
        "data": { "since": today },
    })
}

fn service(itself: &Itself<'_>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": "kubernetes", "namespace": "default",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "clusterIP": itself.address, "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None", "type": "ClusterIP",
            "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": itself.port }],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::testing::view;

    fn at(port: u16) -> Itself<'static> {
        Itself { authority: "PEM", address: "127.200.0.1".into(), port, now: Moment::now() }
    }

    #[test]
    fn a_fresh_server_says_what_it_is() {
        let due = due(&view([]), &at(1));
        assert!(due.iter().all(|due| matches!(due.action, Action::Create(_))));
        assert_eq!(due.len(), 3);
    }

    #[test]
    fn only_the_port_of_the_service_follows() {
        let known = || [authentication(&at(1)), tracking(&at(1)), service(&at(1))];
        assert_eq!(due(&view(known()), &at(1)), []);
        let due = due(&view(known()), &at(2));
        let [Due { action: Action::Replace(service), .. }] = &due[..] else { panic!("{due:?}") };
        assert_eq!(service["spec"]["ports"][0]["targetPort"], 2);
    }
}
