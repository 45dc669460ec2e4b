//! A hub comes back older than its syncers.

use std::time::Duration;

use anyhow::Result;
use bowline_e2e_placements::{Bed, claim, deployment, object, stays};
use serde_json::json;

#[test]
fn a_hub_that_has_forgotten_everything_stops_nothing() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    // It knows of the targets, and of nothing that was ever placed.
    bed.backup("before")?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.restore("before")?;
    goes_on(&bed)?;
    bed.writes("east", 3)?;
    bed.clean().map(drop)
}

#[test]
fn a_hub_that_is_older_than_what_was_copied_removes_nothing() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.backup("before")?;
    bed.apply(&[object("v1", "ConfigMap", "shop", "later", &json!({ "data": { "a": "b" } }))])?;
    bed.apply(&[deployment("shop", "later", None)])?;
    let east = bed.at("east")?;
    bowline_e2e_up::until("it is copied", || {
        let said = east.run("-n shop get configmap/later deployment/later", "")?;
        Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
    })?;
    bed.restore("before")?;
    goes_on(&bed)?;
    east.ok("-n shop get configmap/later deployment/later", "")?;
    // What people say from now on holds.
    bed.apply(&[object("v1", "ConfigMap", "shop", "after", &json!({ "data": { "a": "b" } }))])?;
    bowline_e2e_up::until("it is copied", || {
        let said = east.run("-n shop get configmap/after", "")?;
        Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
    })?;
    bed.clean().map(drop)
}

/// The syncer has read the hub, and what runs is as it was.
fn goes_on(bed: &Bed) -> Result<()> {
    let east = bed.at("east")?;
    let before = east.ok("get pods,pvc,configmaps -n shop -o name", "")?;
    bed.has_returned("east")?;
    stays(Duration::from_secs(6), || {
        let now = east.ok("get pods,pvc,configmaps -n shop -o name", "")?;
        Ok(if now == before { Ok(()) } else { Err(format!("{before}{now}")) })
    })
}
