//! What is not deleted, because others have something in it, or because nobody can say that they have not.

use bowline_updates::Whose;
use futures::future::BoxFuture;
use serde_json::Value;

use super::inspect::list;
use super::kinds::{Kinds, Served};
use super::look::Eyes;
use super::names::Place;
use super::together::all;
use super::unseen::Unseen;

/// Whether all others' objects in it would go with an object: then it is judged by the kinds that its server has now.
pub(crate) fn is_shared(place: &Place) -> bool {
    matches!(
        (place.group.as_str(), place.kind.as_str()),
        ("", "Namespace") | ("apiextensions.k8s.io", "CustomResourceDefinition")
    )
}

/// Whether somebody may use it.
pub(crate) fn is_claim(place: &Place) -> bool {
    place.group.is_empty() && place.kind == "PersistentVolumeClaim"
}

/// Why an object of ours must not be deleted, if it must not. What cannot be seen spares it: it may be somebody's.
pub(crate) async fn spared(
    eyes: &Eyes<'_>,
    kinds: &Result<Kinds, Unseen>,
    place: &Place,
    live: &Value,
) -> Option<String> {
    if !live["metadata"]["deletionTimestamp"].is_null() {
        return Some(
            "it is being deleted, and somebody holds it with a finalizer, or it needs time to end".into(),
        );
    }
    let judged = match (place.kind.as_str(), kinds) {
        _ if is_claim(place) => in_use(eyes, place).await,
        _ if !is_shared(place) => Ok(None),
        (_, Err(why)) => Err(why.clone()),
        ("Namespace", Ok(kinds)) => in_namespace(eyes, kinds, &place.name).await,
        (_, Ok(kinds)) => of_kind(eyes, kinds, live).await,
    };
    judged.unwrap_or_else(|why| Some(format!("what others have in it cannot be seen: {why}")))
}

/// Something in a namespace that neither we nor the cluster itself have made.
async fn in_namespace(eyes: &Eyes<'_>, kinds: &Kinds, namespace: &str) -> Result<Option<String>, Unseen> {
    let mut lists: Vec<BoxFuture<'_, Result<_, Unseen>>> = Vec::new();
    for served in kinds.in_namespaces() {
        lists.push(Box::pin(async move {
            let found = list(eyes.client, served, namespace, None).await?;
            Ok(found.iter().find(|object| is_of_others(eyes, served, object)).map(named))
        }));
    }
    let (mut found, mut unseen) = (Vec::new(), Vec::new());
    for one in all(lists).await {
        match one {
            Ok(other) => found.extend(other),
            Err(why) => unseen.push(why),
        }
    }
    if let Some(found) = found.into_iter().min() {
        return Ok(Some(format!("it holds {found}, which the stack did not make")));
    }
    unseen.into_iter().min_by_key(ToString::to_string).map_or(Ok(()), Err)?;
    absent(eyes, kinds).await
}

/// Kinds that another server has, which is away: what is of them is not even known by name.
async fn absent(eyes: &Eyes<'_>, kinds: &Kinds) -> Result<Option<String>, Unseen> {
    let any = Place {
        group: "apiregistration.k8s.io".into(),
        kind: "APIService".into(),
        namespace: String::new(),
        name: String::new(),
    };
    let Some(served) = kinds.preferred(&any) else { return Ok(None) };
    let away = |service: &&Value| {
        let conditions = service["status"]["conditions"].as_array();
        !conditions
            .is_some_and(|all| all.iter().any(|one| one["type"] == "Available" && one["status"] == "True"))
    };
    let services = list(eyes.client, served, "", None).await?;
    let away = services.iter().find(away);
    away.map_or(Ok(None), |service| Err(Unseen::Silent(format!("{} is not available", named(service)))))
}

fn is_of_others(eyes: &Eyes<'_>, served: &Served, object: &Value) -> bool {
    let meta = &object["metadata"];
    let name = meta["name"].as_str().unwrap_or_default();
    let is_of_cluster = matches!(
        (served.kind.as_str(), name),
        ("ConfigMap", "kube-root-ca.crt")
            | ("ServiceAccount", "default")
            | ("Event" | "Endpoints" | "EndpointSlice" | "Lease", _)
    );
    let is_owned = meta["ownerReferences"].as_array().is_some_and(|owners| !owners.is_empty());
    !is_of_cluster && !is_owned && eyes.actor.whose(object) != Whose::Ours
}

/// A pod that uses a volume.
async fn in_use(eyes: &Eyes<'_>, place: &Place) -> Result<Option<String>, Unseen> {
    let pods = Place { kind: "Pod".into(), ..place.clone() };
    let Some(served) = eyes.kinds.preferred(&pods) else { return Ok(None) };
    let pods = list(eyes.client, served, &place.namespace, None).await?;
    let uses = |pod: &&Value| {
        let volumes = pod["spec"]["volumes"].as_array();
        volumes.is_some_and(|all| {
            all.iter().any(|one| one["persistentVolumeClaim"]["claimName"] == place.name.as_str())
        })
    };
    Ok(pods.iter().find(uses).map(|pod| format!("{} still uses it", named(pod))))
}

/// An object of a kind that is not ours.
async fn of_kind(eyes: &Eyes<'_>, kinds: &Kinds, definition: &Value) -> Result<Option<String>, Unseen> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &definition["spec"];
    let any = Place {
        group: text(&spec["group"]),
        kind: text(&spec["names"]["kind"]),
        namespace: String::new(),
        name: String::new(),
    };
    // What is stored of a kind stays, served or not.
    let Some(served) = kinds.preferred(&any) else {
        return Err(Unseen::Wrong("its kind is not served now".into()));
    };
    let objects = list(eyes.client, served, "", None).await?;
    let others = objects.iter().find(|object| eyes.actor.whose(object) != Whose::Ours);
    Ok(others.map(|object| format!("there is {} of it, which the stack did not make", named(object))))
}

fn named(object: &Value) -> String {
    Place::of(object).map_or_else(|| "an object".into(), |place| place.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake::{ALL, Fake, Has, actor, discovered, kinds};
    use super::super::keeping::Keeping;
    use super::*;

    const NAMESPACE: Has<'_> = ("v1", "Namespace", "namespaces", false, ALL);
    const THING: Has<'_> = ("g/v1", "Thing", "things", true, ALL);
    const DEFINITION: Has<'_> =
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false, ALL);
    /// What the cluster had when it was asked first.
    const BEFORE: &[Has<'_>] = &[NAMESPACE, DEFINITION];

    /// Why the server spares an object that the stack has made, and does not want any more.
    async fn judged(
        kind: &str,
        has: &'static [Has<'static>],
        answer: fn(&str) -> (u16, Value),
    ) -> Option<String> {
        let server = Fake::new(move |asked| discovered(asked, has).unwrap_or_else(|| answer(&asked.what)));
        let (kinds, actor, keeping) = (kinds(BEFORE).await, actor(), Keeping::new(server.client.clone()));
        let eyes =
            Eyes { client: server.way(), kinds: &kinds, actor: &actor, keeping: &keeping, album: None };
        let group = if kind == "Namespace" { "" } else { "apiextensions.k8s.io" };
        let place =
            Place { group: group.into(), kind: kind.into(), namespace: String::new(), name: "x".into() };
        let live =
            json!({ "metadata": { "name": "x" }, "spec": { "group": "g", "names": { "kind": "Thing" } } });
        let sights = eyes.unwanted(vec![(&place, &live, None)]).await;
        sights[0].1.live.clone().expect("it is there").spared
    }

    fn items(all: &Value) -> (u16, Value) {
        (200, json!({ "items": all }))
    }

    #[tokio::test]
    async fn what_others_made_of_a_kind_that_came_later_is_seen() {
        let others = |_: &str| items(&json!([{ "metadata": { "name": "theirs", "namespace": "b" } }]));
        let told = Some("there is Thing b/theirs of it, which the stack did not make".to_owned());
        assert_eq!(judged("CustomResourceDefinition", &[DEFINITION, THING], others).await, told);
        let told = Some("it holds Thing b/theirs, which the stack did not make".to_owned());
        assert_eq!(judged("Namespace", &[NAMESPACE, THING], others).await, told);
        let ours = |_: &str| {
            items(&json!([{ "metadata": {
                "name": "ours", "namespace": "b",
                "labels": { "bowline.dev/stack-uid": "1" }, "annotations": { "bowline.dev/stack": "a/shop", "bowline.dev/object": "Thing.g/b/ours" },
            } }]))
        };
        assert_eq!(judged("CustomResourceDefinition", &[DEFINITION, THING], ours).await, None);
        assert_eq!(judged("Namespace", &[NAMESPACE, THING], ours).await, None);
    }

    #[tokio::test]
    async fn a_definition_whose_kind_nobody_serves_is_spared() {
        let told = judged("CustomResourceDefinition", BEFORE, |_| items(&json!([]))).await;
        assert_eq!(
            told.as_deref(),
            Some("what others have in it cannot be seen: its kind is not served now")
        );
    }

    #[tokio::test]
    async fn what_cannot_be_listed_spares_and_the_rest_is_told() {
        for code in [503, 403] {
            let answer: fn(&str) -> (u16, Value) = match code {
                503 => |_| (503, json!({ "message": "no endpoints" })),
                _ => |_| (403, json!({ "message": "no endpoints" })),
            };
            for kind in ["Namespace", "CustomResourceDefinition"] {
                let told = judged(kind, &[NAMESPACE, DEFINITION, THING], answer).await;
                let words = "what others have in it cannot be seen: things cannot be listed: no endpoints";
                assert_eq!(told.as_deref(), Some(words), "{kind} {code}");
            }
        }
    }

    #[tokio::test]
    async fn kinds_that_are_away_spare_a_namespace_and_what_is_no_object_does_not() {
        const SERVICE: Has<'_> = ("apiregistration.k8s.io/v1", "APIService", "apiservices", false, ALL);
        const METRICS: Has<'_> = ("metrics.k8s.io/v1", "PodMetrics", "pods", true, &["get", "list"]);
        let away = |what: &str| {
            assert_eq!(what, "GET /apis/apiregistration.k8s.io/v1/apiservices");
            items(&json!([{ "metadata": { "name": "v1.g" } }]))
        };
        let words = "what others have in it cannot be seen: APIService v1.g is not available";
        assert_eq!(judged("Namespace", &[NAMESPACE, SERVICE], away).await.as_deref(), Some(words));
        let there = |what: &str| {
            assert_eq!(what, "GET /apis/apiregistration.k8s.io/v1/apiservices", "metrics are no objects");
            items(
                &json!([{ "metadata": { "name": "v1.g" }, "status": { "conditions": [{ "type": "Available", "status": "True" }] } }]),
            )
        };
        assert_eq!(judged("Namespace", &[NAMESPACE, SERVICE, METRICS], there).await, None);
    }
}
