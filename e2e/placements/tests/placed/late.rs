//! A request of a syncer that was paused with it on its way comes when somebody else, or itself, has stopped what it is about.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_hub::Kubectl;
use bowline_e2e_placements::{Bed, deployment, stays};
use bowline_e2e_up::until;
use serde_json::{Value, json};

/// The request by which a syncer has made a copy, to be sent once more.
fn request(cluster: &Kubectl) -> Result<String> {
    let copy: Value = serde_json::from_str(&cluster.ok("-n shop get deployment web -o json", "")?)?;
    let meta = ["name", "namespace", "labels", "annotations"];
    let meta: serde_json::Map<_, _> =
        meta.iter().map(|name| ((*name).to_owned(), copy["metadata"][*name].clone())).collect();
    ensure!(meta["labels"]["bowline.dev/target"] == "east", "{meta:?}");
    let sent =
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": copy["spec"] });
    Ok(sent.to_string())
}

fn sends(cluster: &Kubectl, request: &str) -> Result<bowline_e2e_hub::Said> {
    cluster.run("apply --server-side --force-conflicts --field-manager=bowline-syncer -f -", request)
}

/// What makes pods, and pods.
fn runs(cluster: &Kubectl) -> Result<Result<(), String>> {
    let runs = cluster.run("-n shop get deployments,pods -o name", "")?.out;
    Ok(if runs.is_empty() { Ok(()) } else { Err(runs) })
}

#[test]
fn what_comes_too_late_is_stopped_though_the_hub_is_away() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    // Who may be replaced by somebody else stops by itself, and nothing else keeps what has no volume from running twice.
    bed.volumes().enforce()?;
    bed.says("place target add east --cluster east --enforces-epochs", 0, &[])?;
    bed.place("shop", "east", &[deployment("shop", "web", None)])?;
    bed.is_up("shop", "east")?;
    let east = bed.at("east")?;
    until("it runs", || Ok(if runs(&east)?.is_err() { Ok(()) } else { Err(String::new()) }))?;
    let late = request(&east)?;
    bed.road("east").close();
    until("it stops by itself", || runs(&east))?;
    let said = sends(&east, &late)?;
    ensure!(said.code == 0, "{said:?}");
    until("what came late is stopped", || runs(&east))?;
    stays(Duration::from_secs(2), || runs(&east))?;
    bed.says("place fence east", 0, &[])?;
    bed.fence_is("east", "Fenced")?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.road("east").open();
    bed.is_clear_of("east", "shop")?;
    // Where it was cleared away there is no place for it any more.
    let said = sends(&east, &late)?;
    ensure!(said.code != 0 && said.err.contains("not found"), "{said:?}");
    bed.clean().map(drop)
}
