//! What a server says of itself, for those that look for it in its own objects.

use bowline_kernel::{Object, View};
use serde_json::{Value, json};

use super::{Action, Due};
use crate::document::Document;
use crate::key::{Key, Resource};
use crate::time::Moment;

/// A server, as others find it.
pub(crate) struct Itself<'a> {
    /// The certificate of who signs its clients' certificates.
    pub authority: &'a str,
    /// Its address as a service.
    pub address: String,
    /// Now.
    pub now: Moment,
}

/// What has to be done at start, when its namespaces are there.
pub(crate) fn due(view: &View<Document>, itself: &Itself<'_>) -> Vec<Due> {
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
        && others.any(|other| {
            let has_it = other.json().get("spec").is_some_and(|spec| spec["clusterIP"] == address);
            *other.key() != due.key && has_it
        })
}

fn look(view: &View<Document>, resource: Resource, wanted: Value) -> Option<Due> {
    let text = |name: &str| wanted["metadata"][name].as_str().unwrap_or_default();
    let key = Key::new(resource, text("namespace"), text("name"));
    // What is there is left alone: it is made once, and a restart writes nothing.
    let Value::Object(wanted) = wanted else { return None };
    view.get(&key).is_none().then_some(Due { key, action: Action::Create(wanted) })
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

/// Nothing runs behind the addresses of services, so the port is that of the service itself.
fn service(itself: &Itself<'_>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": "kubernetes", "namespace": "default",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "clusterIP": itself.address, "ipFamilyPolicy": "SingleStack",
            "sessionAffinity": "None", "type": "ClusterIP",
            "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 443 }],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::testing::view;

    fn itself() -> Itself<'static> {
        Itself { authority: "PEM", address: "127.200.0.1".into(), now: Moment::now() }
    }

    #[test]
    fn a_fresh_server_says_what_it_is_and_says_it_once() {
        let fresh = due(&view([]), &itself());
        assert_eq!(fresh.len(), 3);
        let made = fresh.into_iter().map(|due| match due.action {
            Action::Create(object) => Value::Object(object),
            other => panic!("{other:?}"),
        });
        assert_eq!(due(&view(made), &itself()), []);
    }

    #[test]
    fn who_has_the_address_keeps_it() {
        let mut other = service(&itself());
        other["metadata"]["name"] = "other".into();
        let due = due(&view([other]), &itself());
        assert!(due.iter().all(|due| due.key.resource.as_str() == "/configmaps"), "{due:?}");
    }
}
