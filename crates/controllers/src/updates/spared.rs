//! What is not deleted, because others have something in it.

use bowline_updates::Whose;
use futures::future::BoxFuture;
use serde_json::Value;

use super::kinds::Served;
use super::look::{Eyes, list};
use super::names::Place;
use super::together::try_all;
use super::unseen::Unseen;

/// Why an object of ours must not be deleted, if it must not.
///
/// # Errors
/// If it cannot be seen.
pub(crate) async fn spared(eyes: &Eyes<'_>, place: &Place, live: &Value) -> Result<Option<String>, Unseen> {
    if !live["metadata"]["deletionTimestamp"].is_null() {
        return Ok(Some(
            "it is being deleted, and somebody holds it with a finalizer, or it needs time to end".into(),
        ));
    }
    match (place.group.as_str(), place.kind.as_str()) {
        ("", "Namespace") => in_namespace(eyes, &place.name).await,
        ("", "PersistentVolumeClaim") => in_use(eyes, place).await,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => of_kind(eyes, live).await,
        _ => Ok(None),
    }
}

/// Something in a namespace that neither we nor the cluster itself have made.
async fn in_namespace(eyes: &Eyes<'_>, namespace: &str) -> Result<Option<String>, Unseen> {
    let mut all: Vec<BoxFuture<'_, Result<_, Unseen>>> = Vec::new();
    for served in eyes.kinds.in_namespaces() {
        all.push(Box::pin(async move {
            let found = list(eyes.client, served, namespace, None).await?;
            Ok(found.iter().find(|object| is_of_others(eyes, served, object)).map(named))
        }));
    }
    let found = try_all(all).await?.into_iter().flatten().min();
    Ok(found.map(|found| format!("it holds {found}, which the stack did not make")))
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
async fn of_kind(eyes: &Eyes<'_>, definition: &Value) -> Result<Option<String>, Unseen> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &definition["spec"];
    let any = Place {
        group: text(&spec["group"]),
        kind: text(&spec["names"]["kind"]),
        namespace: String::new(),
        name: String::new(),
    };
    let Some(served) = eyes.kinds.preferred(&any) else { return Ok(None) };
    let objects = list(eyes.client, served, "", None).await?;
    let others = objects.iter().find(|object| eyes.actor.whose(object) != Whose::Ours);
    Ok(others.map(|object| format!("there is {} of it, which the stack did not make", named(object))))
}

fn named(object: &Value) -> String {
    Place::of(object).map_or_else(|| "an object".into(), |place| place.to_string())
}
