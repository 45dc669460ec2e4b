//! Bowline's kinds and roles, deleted and changed while it runs: it says so, and puts them back.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_hub::Kubectl;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

const CLUSTERS: &str = "crd clusters.bowline.dev";

#[test]
fn what_is_deleted_or_changed_is_put_back_on_the_hub() -> Result<()> {
    let place = story(Kind::Embedded)?;
    let kubectl = place.kubectl()?;
    kubectl.ok("delete clusterrole bowline-edit", "")?;
    is_back(&kubectl, "clusterrole bowline-edit", |role| role["rules"].is_array())?;
    kubectl.ok("patch clusterrole bowline-edit --type=merge -p {\"rules\":[]}", "")?;
    is_back(&kubectl, "clusterrole bowline-edit", |role| !role["rules"][0].is_null())
}

#[test]
fn what_is_deleted_or_changed_is_put_back_on_kubernetes() -> Result<()> {
    story(Kind::Kubernetes).map(drop)
}

fn story(kind: Kind) -> Result<Place> {
    let place = Place::start(kind)?;
    place.is_ready()?;
    let kubectl = place.kubectl()?;
    let columns = |crd: &Value| crd["spec"]["versions"][0]["additionalPrinterColumns"].is_array();
    let patch = r#"[{"op":"remove","path":"/spec/versions/0/additionalPrinterColumns"}]"#;
    kubectl.ok(&format!("patch crd stacks.bowline.dev --type=json -p {patch}"), "")?;
    is_back(&kubectl, "crd stacks.bowline.dev", columns)?;

    // A definition is deleted, and somebody holds an object of its kind: it goes when the object does.
    let held = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster",
        "metadata": { "name": "held", "finalizers": ["example.dev/hold"] },
        "spec": { "kubeconfigSecretRef": { "name": "nothing" } },
    });
    kubectl.ok("apply -f -", &held.to_string())?;
    place.stands("held", "NoKubeconfig")?;
    let before = read(&kubectl, CLUSTERS)?["metadata"]["uid"].clone();
    kubectl.ok(&format!("delete {CLUSTERS} --wait=false"), "")?;
    until("it says that the kind goes", || {
        let said = place.page("/readyz")?;
        let expected = "the CustomResourceDefinition clusters.bowline.dev is being deleted";
        Ok(if said.contains(expected) { Ok(()) } else { Err(said) })
    })?;
    kubectl.ok("patch clusters.bowline.dev held --type=merge -p {\"metadata\":{\"finalizers\":null}}", "")?;
    is_back(&kubectl, CLUSTERS, |crd| crd["metadata"]["uid"] != before)?;
    place.is_ready()?;

    // Who watches the kind has found it again.
    let (code, expected) = match kind {
        Kind::Embedded => (0, "It is ready"),
        Kind::Kubernetes => (1, "this is another home"),
    };
    place.says("cluster add toy --embedded --timeout 120s", code, &[expected])?;
    Ok(place)
}

/// Waits until a thing is there, and as it should be.
fn is_back(kubectl: &Kubectl, what: &str, is_right: impl Fn(&Value) -> bool) -> Result<()> {
    until(&format!("{what} is back"), || {
        let there = read(kubectl, what)?;
        let is_whole = !there.is_null() && there["metadata"]["deletionTimestamp"].is_null();
        Ok(if is_whole && is_right(&there) { Ok(()) } else { Err(there.to_string()) })
    })
}

/// A thing as it is; null if it is not there.
fn read(kubectl: &Kubectl, what: &str) -> Result<Value> {
    let text = kubectl.ok(&format!("get {what} -o json --ignore-not-found"), "")?;
    Ok(if text.is_empty() { Value::Null } else { serde_json::from_str(&text)? })
}

/// To apply costs a server much more than to look: what is as it should be is not applied again.
#[test]
fn what_is_there_is_not_applied_again() -> Result<()> {
    let place = Place::start(Kind::Embedded)?.live_again()?;
    place.is_ready()?;
    let counts = place.page("/metrics")?;
    ensure!(counts.contains("bowline_hub_requests_total{method=\"GET\""), "requests are counted: {counts}");
    ensure!(!counts.contains("bowline_hub_requests_total{method=\"PATCH\""), "{counts}");

    let place = Place::start(Kind::Kubernetes)?;
    place.is_ready()?;
    let applied = || {
        let counts = place.kubectl()?.ok("get --raw /metrics", "")?;
        let is_it = |line: &&str| {
            line.starts_with("apiserver_request_total{")
                && line.contains("verb=\"APPLY\"")
                && line.contains("resource=\"customresourcedefinitions\"")
        };
        let counts =
            counts.lines().filter(is_it).filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
        anyhow::Ok(counts.sum::<u64>())
    };
    let before = applied()?;
    ensure!(before == 14, "each kind is applied once: {before}");
    let second = bowline_e2e_up::Controllers::start(&place.kubeconfig())?;
    until("a second one is ready", || {
        let said = second.page("/readyz")?;
        Ok(if said == "ok" { Ok(()) } else { Err(said) })
    })?;
    ensure!(applied()? == before, "nobody applies what is there");
    Ok(())
}
