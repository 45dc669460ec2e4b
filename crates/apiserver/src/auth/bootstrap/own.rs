//! What a server says of itself, for those that look for it in its own objects.

use bowline_kernel::{Object, View};
use serde_json::{Value, json};

use super::{Action, Due};
use crate::document::Document;
use crate::key::{Key, Resource};
use crate::store::Restores;
use crate::time::Moment;

/// A server, as others find it.
pub(crate) struct Itself<'a> {
    /// The certificate of who signs its clients' certificates.
    pub authority: &'a str,
    /// Its address as a service.
    pub address: String,
    /// Now.
    pub now: Moment,
    /// How often its objects came from a backup.
    pub restores: Restores,
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
    let due = due.filter(|due| !is_taken(view, due, &itself.address));
    due.chain(restored(view, itself)).collect()
}

/// That the objects came from a backup, for all who remember more than these: what they know may be newer.
fn restored(view: &View<Document>, itself: &Itself<'_>) -> Option<Due> {
    let Restores { times, last_s, version } = itself.restores;
    if times == 0 {
        return None;
    }
    let at = Moment::at_unix_s(i64::try_from(last_s).unwrap_or(i64::MAX)).to_string();
    let data = json!({ "times": times.to_string(), "at": at, "version": version.to_string() });
    let wanted = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "bowline-restored", "namespace": "kube-system" },
        "data": data,
    });
    let key = Key::new(Resource::new("", "configmaps"), "kube-system", "bowline-restored");
    let Value::Object(wanted) = wanted else { return None };
    // It may have been in the backup: then it tells of an earlier time.
    match view.get(&key).map(|found| found.json()) {
        None => Some(Due { key, action: Action::Create(wanted) }),
        Some(mut found) if found.get("data") != wanted.get("data") => {
            found.insert("data".into(), data);
            Some(Due { key, action: Action::Replace(found) })
        }
        Some(_) => None,
    }
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
        Itself {
            authority: "PEM",
            address: "127.200.0.1".into(),
            now: Moment::now(),
            restores: Restores::default(),
        }
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
    fn a_restored_server_says_so_until_it_says_what_is_true() {
        let restores = |times| Restores { times, last_s: 60, version: 1_000_000 };
        let at =
            |times, view: &View<Document>| restored(view, &Itself { restores: restores(times), ..itself() });
        assert_eq!(at(0, &view([])), None);
        let Some(Action::Create(first)) = at(1, &view([])).map(|due| due.action) else {
            panic!("it is made")
        };
        let said = json!({ "times": "1", "at": "1970-01-01T00:01:00Z", "version": "1000000" });
        assert_eq!(first["data"], said);
        let there = view([Value::Object(first)]);
        assert_eq!(at(1, &there), None);
        let again = at(2, &there).map(|due| due.action);
        assert!(matches!(again, Some(Action::Replace(found)) if found["data"]["times"] == "2"));
    }

    #[test]
    fn who_has_the_address_keeps_it() {
        let mut other = service(&itself());
        other["metadata"]["name"] = "other".into();
        let due = due(&view([other]), &itself());
        assert!(due.iter().all(|due| due.key.resource.as_str() == "/configmaps"), "{due:?}");
    }
}
