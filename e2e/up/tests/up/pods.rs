//! The example for Kubernetes: a real kube-apiserver takes it, and the controllers run with what it gives them, and no more.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Controllers, as_the_example, run, until};
use serde_json::Value;

const ME: &str = "system:serviceaccount:bowline-system:bowline";

#[test]
fn the_example_gives_the_controllers_what_they_need() -> Result<()> {
    let home = Home::start(Kind::Kubernetes)?;
    let kubectl = home.kubectl()?;
    let kubeconfig = as_the_example(&home)?;
    until("its pods are let in", || {
        let pods = kubectl.ok("get pods -n bowline-system -o name", "")?;
        Ok(if pods.lines().count() == 2 { Ok(()) } else { Err(pods) })
    })?;

    let controllers = Controllers::start(&kubeconfig)?;
    until("they are ready", || {
        let said = controllers.page("/readyz")?;
        Ok(if said == "ok" { Ok(()) } else { Err(said) })
    })?;

    let target = Hub::start(&home.path("target"))?;
    let bowline = |line: &str| run(line, Some(&home.kubeconfig()), &home.path(""));
    let added = bowline(&format!("cluster add prod --kubeconfig {}", target.kubeconfig().display()))?;
    ensure!(added.code == 0 && added.err.contains("It is ready"), "{added:#?}");
    let removed = bowline("cluster remove prod")?;
    ensure!(removed.code == 0, "{removed:#?}");
    kubectl.ok("delete crd stacks.bowline.dev", "")?;
    until("it is put back", || {
        let there = kubectl.ok("get crd stacks.bowline.dev --ignore-not-found -o name", "")?;
        Ok(if there.is_empty() { Err("it is gone".into()) } else { Ok(()) })
    })?;
    let said = controllers.said();
    ensure!(said.contains("it is put back") && !said.contains("forbidden"), "{said}");

    for line in [
        "list secrets -n default",
        "create secrets -n default",
        "update secrets -n bowline-system",
        "update clusterroles",
        "delete crd/stacks.bowline.dev",
        "patch crd/others.example.dev",
        "create clusters.bowline.dev",
    ] {
        let said = kubectl.run(&format!("auth can-i {line} --as={ME}"), "")?;
        ensure!(said.code == 1 && said.out.trim() == "no", "{line}: {said:#?}");
    }
    let may = kubectl.ok(&format!("auth can-i get secrets -n bowline-system --as={ME}"), "")?;
    ensure!(may.trim() == "yes", "{may}");
    every_kind_is_named()
}

fn every_kind_is_named() -> Result<()> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kubernetes/bowline.yaml");
    let example = std::fs::read_to_string(example)?;
    let said = run("crds -o json", None, Path::new("."))?;
    let crds: Value = serde_json::from_str(&said.out)?;
    for crd in crds["items"].as_array().context("a list")? {
        let name = crd["metadata"]["name"].as_str().context("a name")?;
        ensure!(example.contains(&format!("- {name}\n")), "the example does not name {name}");
    }
    Ok(())
}
