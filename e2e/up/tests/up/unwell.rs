//! What `controllers` say of themselves while something keeps them from their work.

use std::fs;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Role, Scratch, bowline};
use bowline_e2e_up::{Controllers, run, until};
use serde_json::{Value, json};

/// What the controllers need, but for the clusters.
const RIGHTS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: limited}
rules:
- {apiGroups: ['', coordination.k8s.io, apiextensions.k8s.io, events.k8s.io], resources: ['*'], verbs: ['*']}
- {apiGroups: [bowline.dev], resources: [bundles, stacks, updates, releases], verbs: ['*']}
";

#[test]
fn who_may_not_list_is_told_once_and_in_words() -> Result<()> {
    let scratch = Scratch::new("forbidden")?;
    let hub = Hub::start(&scratch.join("data"))?;
    let kubectl = Kubectl::new(&hub, scratch.join("kubectl-cache"))?;
    kubectl.ok("apply -f -", RIGHTS)?;
    kubectl.ok("create clusterrolebinding limited --clusterrole=limited --user=limited", "")?;
    let limited = scratch.join("limited.kubeconfig");
    fs::write(&limited, acting_as(&hub, "limited")?)?;
    let controllers = Controllers::start(&limited)?;
    until("it has tried often", || {
        let (refused, said) = (refusals(&hub)?, controllers.said());
        let is_told = said.contains("clusters cannot be listed");
        Ok(if refused >= 4 && is_told { Ok(()) } else { Err(format!("refused {refused} times: {said}")) })
    })?;
    let said = controllers.said();
    let told: Vec<_> = said.lines().filter(|line| line.contains("clusters")).collect();
    ensure!(told.len() == 1, "it is told once: {said}");
    for expected in [
        "clusters cannot be listed: clusters.bowline.dev is forbidden",
        "\"limited\"",
        "examples/kubernetes/bowline.yaml",
    ] {
        ensure!(told[0].contains(expected), "{expected:?} is not in {said}");
    }
    ensure!(!said.contains("Status {") && !said.contains("Some("), "it is told in words: {said}");
    let waits = controllers.page("/readyz")?;
    ensure!(
        waits.contains("listed yet for clusters") && waits.contains("clusters cannot be listed"),
        "{waits}"
    );

    kubectl.ok("create clusterrolebinding limited-no-more --clusterrole=cluster-admin --user=limited", "")?;
    is_ready(&controllers)
}

#[test]
fn who_may_not_do_anything_is_refused_with_one_error() -> Result<()> {
    let scratch = Scratch::new("nobody")?;
    let hub = Hub::start(&scratch.join("data"))?;
    let nobody = scratch.join("nobody.kubeconfig");
    fs::write(&nobody, acting_as(&hub, "nobody")?)?;
    let line = format!("controllers --health-listen 127.0.0.1:0 --kubeconfig {}", nobody.display());
    let said = run(&line, None, &scratch.join(""))?;
    let expected = "Have somebody install them who may: bowline crds | kubectl apply -f -";
    ensure!(said.code == 4 && said.err.contains(expected), "{said:#?}");
    ensure!(said.err.lines().count() == 1 && said.err.starts_with("error: "), "{said:#?}");
    // The kinds are not all: there has to be a place for the lease.
    let kubectl = Kubectl::new(&hub, scratch.join("kubectl-cache"))?;
    let role = "create clusterrole kinds --verb=* --resource=customresourcedefinitions.apiextensions.k8s.io";
    kubectl.ok(role, "")?;
    kubectl.ok("create clusterrolebinding kinds --clusterrole=kinds --user=nobody", "")?;
    let said = run(&line, None, &scratch.join(""))?;
    let expected = "error: the controllers cannot run: Namespace bowline-system cannot be installed: ";
    ensure!(said.code == 4 && said.err.contains(expected), "{said:#?}");
    Ok(())
}

#[test]
fn who_cannot_ask_for_its_lease_is_not_ready() -> Result<()> {
    let scratch = Scratch::new("away")?;
    let data = scratch.join("data");
    let hub = Hub::start(&data)?;
    let address = hub.client().authority().to_owned();
    let leads = Controllers::start(hub.kubeconfig())?;
    is_ready(&leads)?;
    let waits = Controllers::start(hub.kubeconfig())?;
    is_ready(&waits)?;
    hub.kill()?;
    for controllers in [&leads, &waits] {
        until("it says that it cannot act", || {
            let said = controllers.page("/readyz")?;
            let expected = "their Lease bowline-system/bowline-controllers cannot be had: ";
            Ok(if said.contains(expected) { Ok(()) } else { Err(said) })
        })?;
        ensure!(controllers.page("/livez")? == "ok", "nothing is gained by starting it again");
    }
    let _hub = Hub::start_at(bowline(), Role::Hub, &data, &address)?;
    is_ready(&leads)?;
    is_ready(&waits)
}

fn is_ready(controllers: &Controllers) -> Result<()> {
    until("it is ready", || {
        let said = controllers.page("/readyz")?;
        Ok(if said == "ok" { Ok(()) } else { Err(said) })
    })
}

/// The administrator's kubeconfig, of somebody else.
fn acting_as(hub: &Hub, name: &str) -> Result<String> {
    let mut config: Value = serde_json::from_str(&fs::read_to_string(hub.kubeconfig())?)?;
    config["users"][0]["user"]["as"] = json!(name);
    Ok(config.to_string())
}

/// How often the hub has refused somebody.
fn refusals(hub: &Hub) -> Result<u64> {
    const REFUSED: &str = "bowline_hub_requests_total{method=\"GET\",code=\"403\"} ";
    let (_, counts) = hub.page("/metrics")?;
    let line = counts.lines().find_map(|line| line.strip_prefix(REFUSED));
    line.map_or(Ok(0), |count| count.parse().context("a number"))
}
