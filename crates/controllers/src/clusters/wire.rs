//! What clusters look like as JSON.

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::updates::{Cluster as Resource, ClusterSpec, ClusterStatus, Endpoint, KubeconfigSecretRef};
use bowline_clusters::{Cluster, Finding, Found, Id, Names, Place, Status, Way};
use bowline_control::Version;
use bowline_runtime::{Address, Notice, Watched, Wire};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Text;

/// Where a kubeconfig is kept.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SecretKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) key: String,
}

impl Names for Text {
    type Name = String;
    type Uid = String;
    type Secret = SecretKey;
    type Text = String;
}

/// What holds an embedded cluster until its server is stopped.
pub(crate) const FINALIZER: &str = "bowline.dev/embedded-cluster";

/// Reads and writes clusters.
pub(crate) struct ClusterWire;

impl Wire for ClusterWire {
    type Object = Cluster<Text>;

    fn watched(&self) -> Vec<Watched<()>> {
        vec![Watched { kind: (), resource: ApiResource::erase::<Resource>(&()), namespaced: false }]
    }

    fn address(&self, id: &Id<String>) -> Address {
        Address { namespace: String::new(), name: id.0.clone() }
    }

    fn read(&self, (): (), raw: &DynamicObject) -> Option<Cluster<Text>> {
        let meta = &raw.metadata;
        let spec: ClusterSpec = serde_json::from_value(raw.data["spec"].clone()).ok()?;
        Some(Cluster {
            name: meta.name.clone()?,
            uid: meta.uid.clone()?,
            version: Version(meta.resource_version.as_deref()?.parse().ok()?),
            generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
            deleting: meta.deletion_timestamp.is_some(),
            held: meta.finalizers.iter().flatten().any(|finalizer| finalizer == FINALIZER),
            named: spec.allowed_namespaces.as_ref().is_some_and(|allowed| allowed.selector.is_none()),
            way: way(spec.kubeconfig_secret_ref),
            status: read_status(&raw.data["status"]),
            place: read_place(&raw.data["status"]),
            server: raw.data["status"]["serverId"].as_str().map(str::to_owned),
        })
    }

    fn draw(&self, cluster: &Cluster<Text>, raw: &mut DynamicObject) {
        let finalizers = raw.metadata.finalizers.get_or_insert_default();
        finalizers.retain(|finalizer| finalizer != FINALIZER);
        if cluster.held {
            finalizers.push(FINALIZER.into());
        }
    }

    fn draw_status(&self, cluster: &Cluster<Text>, raw: &mut DynamicObject) {
        let Some(status) = &cluster.status else { return };
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        draw_status(status, &mut raw.data["status"], &now);
        put(&mut raw.data["status"], "serverId", cluster.server.clone().map(Value::from));
    }

    /// What is found is told when it is another thing than before; that the same is told in other words is none.
    fn notice(&self, before: &Cluster<Text>, after: &Cluster<Text>) -> Option<Notice> {
        let Finding { found, words, .. } = &after.status.as_ref()?.finding;
        let was = before.status.as_ref().map(|status| status.finding.found);
        (was != Some(*found)).then(|| Notice {
            good: found.is_ready(),
            reason: reason(*found).as_str().to_owned(),
            action: "Look",
            note: words.clone(),
        })
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

fn way(secret: Option<KubeconfigSecretRef>) -> Way<SecretKey> {
    match secret {
        None => Way::Embedded,
        Some(KubeconfigSecretRef { namespace, name, key }) => {
            Way::Kubeconfig(SecretKey { namespace: namespace.to_string(), name: name.to_string(), key })
        }
    }
}

/// What was found, in a word that does not change.
static REASONS: [(Found, Reason); 15] = [
    (Found::Usable, Reason::new("Usable")),
    (Found::Limited, Reason::new("LimitedPermissions")),
    (Found::NotReady, Reason::new("ServerNotReady")),
    (Found::Unauthorized, Reason::new("Unauthorized")),
    (Found::TooOld, Reason::new("ServerTooOld")),
    (Found::Silent, Reason::new("NoAnswer")),
    (Found::NoKubeconfig, Reason::new("NoKubeconfig")),
    (Found::BadKubeconfig, Reason::new("BadKubeconfig")),
    (Found::DoesNotStart, Reason::new("DoesNotStart")),
    (Found::Lost, Reason::new("DataLost")),
    (Found::NotHere, Reason::new("NotInThisHome")),
    (Found::Failing, Reason::new("Failing")),
    (Found::Stalled, Reason::new("Stalled")),
    (Found::Exposed, EXPOSED),
    (Found::OtherServer, Reason::new("OtherServer")),
];

/// Why the hub itself cannot be used as a cluster: it does not name those who may.
pub const EXPOSED: Reason = Reason::new("HubExposed");

fn reason(found: Found) -> Reason {
    let known = REASONS.iter().find(|(other, _)| *other == found);
    known.map_or(Reason::new("Unknown"), |(_, reason)| reason.clone())
}

/// Where the server is, whatever else is said: that an embedded cluster was started once must not be forgotten because somebody
/// has edited the rest.
fn read_place(status: &Value) -> Option<Place<String>> {
    let endpoint = status.get("endpoint").filter(|endpoint| !endpoint.is_null())?;
    let text = |field: &str| endpoint[field].as_str().map(str::to_owned);
    Some(Place { server: text("server").unwrap_or_default(), kubeconfig: text("kubeconfig") })
}

/// The status as the protocol knows it: nothing, unless all of it is what we would write.
fn read_status(raw: &Value) -> Option<Status<String>> {
    let status: ClusterStatus = serde_json::from_value(raw.clone()).ok()?;
    let ready = status.conditions.get(&ConditionType::READY)?;
    let (found, _) = REASONS.iter().find(|(_, reason)| *reason == ready.reason)?;
    let finding = Finding {
        found: *found,
        words: ready.message.clone(),
        release: status.version.clone(),
        place: status.endpoint.clone().map(|Endpoint { server, kubeconfig }| Place { server, kubeconfig }),
    };
    let status_as_read = Status { finding, observed: u64::try_from(status.observed_generation?).ok()? };
    // Somebody who changed the other condition, or its status, finds it put right.
    let mut again = raw.clone();
    draw_status(&status_as_read, &mut again, &ready.last_transition_time);
    (again == *raw).then_some(status_as_read)
}

/// Says it in the conditions, and leaves alone what others say there.
fn draw_status(status: &Status<String>, raw: &mut Value, now: &Time) {
    let Status { finding: Finding { found, words, release, place }, observed } = status;
    let generation = i64::try_from(*observed).ok();
    let mut conditions: Conditions = serde_json::from_value(raw["conditions"].clone()).unwrap_or_default();
    let truth = |is: Option<bool>| match is {
        Some(true) => Truth::True,
        Some(false) => Truth::False,
        None => Truth::Unknown,
    };
    let said =
        |kind, is| Judgement::new(kind, truth(is), reason(*found), words.clone()).of_generation(generation);
    conditions.set(said(ConditionType::REACHABLE, found.answers()), now);
    conditions.set(said(ConditionType::READY, Some(found.is_ready())), now);
    if !raw.is_object() {
        *raw = json!({});
    }
    raw["conditions"] = json!(conditions);
    raw["observedGeneration"] = json!(generation);
    let endpoint = place.clone().map(|Place { server, kubeconfig }| json!(Endpoint { server, kubeconfig }));
    put(raw, "version", release.clone().map(Value::from));
    put(raw, "endpoint", endpoint);
}

fn put(raw: &mut Value, field: &str, value: Option<Value>) {
    let Some(fields) = raw.as_object_mut() else { return };
    match value {
        Some(value) => drop(fields.insert(field.to_owned(), value)),
        None => drop(fields.remove(field)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(spec: &Value) -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster",
            "metadata": { "name": "prod", "uid": "u", "resourceVersion": "7", "generation": 3,
                "finalizers": ["others"], "labels": { "x": "y" } },
            "spec": spec,
            "status": { "activity": { "upgrade": { "namespace": "a", "group": "b", "attempt": 1 } } },
        });
        serde_json::from_value(object).expect("an object")
    }

    fn statuses() -> impl Iterator<Item = Status<String>> {
        let at = |kubeconfig| Some(Place { server: "https://here".into(), kubeconfig });
        let places = [None, at(None), at(Some("/there".into()))];
        Found::ALL.into_iter().flat_map(move |found| {
            places.clone().map(|place| {
                let finding = Finding { found, words: "why".into(), release: Some("v1.34.4".into()), place };
                Status { finding, observed: 3 }
            })
        })
    }

    #[test]
    fn every_status_comes_back_and_others_keep_theirs() {
        for status in statuses() {
            let mut raw = raw(&json!({ "embedded": {} }));
            let cluster = ClusterWire.read((), &raw).expect("a cluster");
            let server = status.finding.place.as_ref().map(|place| place.server.clone());
            let drawn = Cluster { status: Some(status.clone()), server: server.clone(), ..cluster };
            ClusterWire.draw_status(&drawn, &mut raw);
            let read = ClusterWire.read((), &raw).expect("a cluster");
            assert_eq!((&read.place, &read.server), (&status.finding.place, &server));
            assert_eq!(read.status, Some(status));
            assert_eq!(raw.data["status"]["activity"]["upgrade"]["group"], "b");
            let drawn = raw.clone();
            ClusterWire.draw_status(&read, &mut raw);
            ClusterWire.draw(&read, &mut raw);
            assert_eq!(raw, drawn, "what is read and drawn again is the same");
        }
    }

    #[test]
    fn a_status_that_somebody_spoiled_is_none() {
        let mut raw = raw(&json!({ "embedded": {} }));
        let cluster = ClusterWire.read((), &raw).expect("a cluster");
        let status = statuses().find(|status| status.finding.place.is_some()).expect("a status");
        let place = status.finding.place.clone();
        let server = Some("8".to_owned());
        ClusterWire
            .draw_status(&Cluster { status: Some(status), server: server.clone(), ..cluster }, &mut raw);
        for (pointer, value) in [
            ("/status/conditions/0/status", json!("False")),
            ("/status/conditions/0/message", json!("other")),
            ("/status/conditions/1/reason", json!("Other")),
            ("/status/conditions", json!([])),
        ] {
            let mut spoiled = raw.clone();
            *spoiled.data.pointer_mut(pointer).expect("a field") = value;
            let read = ClusterWire.read((), &spoiled).expect("a cluster");
            assert_eq!(read.status, None, "{pointer}");
            assert_eq!(read.place, place, "where it was started is known: {pointer}");
            assert_eq!(read.server, server, "and so is which server it is: {pointer}");
        }
    }

    #[test]
    fn what_is_new_is_told_once_with_the_words_of_the_status() {
        let bare = ClusterWire.read((), &raw(&json!({ "embedded": {} }))).expect("a cluster");
        let all: Vec<_> = statuses().map(|status| Cluster { status: Some(status), ..bare.clone() }).collect();
        for after in &all {
            let Finding { found, words, .. } = &after.status.as_ref().expect("a status").finding;
            let first = ClusterWire.notice(&bare, after).expect("it is new");
            let drawn = {
                let mut raw = raw(&json!({ "embedded": {} }));
                ClusterWire.draw_status(after, &mut raw);
                raw.data["status"]["conditions"].clone()
            };
            assert!(drawn.as_array().expect("conditions").iter().all(|told| told["reason"] == first.reason));
            assert_eq!((first.good, &first.note), (found.is_ready(), words));
            for before in &all {
                let was = before.status.as_ref().expect("a status").finding.found;
                assert_eq!(ClusterWire.notice(before, after).is_some(), was != *found);
            }
        }
    }

    #[test]
    fn who_may_use_it_is_named_or_not() {
        for (allowed, named) in [
            (json!({ "names": ["a"] }), true),
            (json!({ "selector": {} }), false),
            (json!({ "selector": { "matchLabels": { "team": "a" } } }), false),
            (Value::Null, false),
        ] {
            let spec = json!({ "kubeconfigSecretRef": { "name": "prod" }, "allowedNamespaces": allowed });
            assert_eq!(ClusterWire.read((), &raw(&spec)).expect("a cluster").named, named, "{allowed}");
        }
    }

    #[test]
    fn a_kubeconfig_is_where_the_spec_says() {
        let cluster = ClusterWire.read((), &raw(&json!({ "kubeconfigSecretRef": { "name": "prod" } })));
        let secret =
            SecretKey { namespace: "bowline-system".into(), name: "prod".into(), key: "kubeconfig".into() };
        assert_eq!(cluster.expect("a cluster").way, Way::Kubeconfig(secret));
    }
}
