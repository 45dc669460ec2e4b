//! A hub comes back older than its syncers.

use std::time::Duration;

use anyhow::{Result, ensure};
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

/// The epoch of a namespace's volume.
fn epoch(bed: &Bed) -> Result<u64> {
    Ok(bed.kubectl()?.ok("get volumegrant shop.data -o jsonpath={.status.epoch}", "")?.parse()?)
}

fn placed() -> Result<Bed> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    Ok(bed)
}

fn waits_for(bed: &Bed, what: &str) -> Result<()> {
    bowline_e2e_up::until(&format!("it waits for {what}"), || {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains(what) { Ok(()) } else { Err(message) })
    })
}

#[test]
fn after_a_backup_that_is_older_than_a_move_who_really_uses_a_volume_keeps_it() -> Result<()> {
    let mut bed = placed()?;
    bed.backup("before")?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.writes("west", 3)?;
    let pods = bed.at("west")?.ok("get pods -n shop -o name", "")?;
    let mut last = epoch(&bed)?;
    // Who really has it is not heard of: nothing is granted to who had it then, though it is there.
    bed.road("west").close();
    let said = bed.restore("before")?;
    ensure!(said.contains("is fenced: east, west."), "{said}");
    bed.has_reported("east")?;
    waits_for(&bed, "west to report what it uses, because the hub was restored")?;
    stays(Duration::from_secs(4), || {
        let status = bed.placement("shop")?;
        let at_east = bed.at("east")?.ok("get pods -A -o name", "")?;
        let is_open = status["recovering"]["awaits"].as_array().is_some_and(|awaits| awaits.len() == 2);
        Ok(if is_open && !at_east.contains("web") { Ok(()) } else { Err(format!("{status}{at_east}")) })
    })?;
    bed.writes("west", 3)?;
    // That it is silent is no reason to forbid a person to say where it is.
    bowline_e2e_up::until("west is known to be silent", || {
        let since = bed.kubectl()?.ok("get synctarget west -o jsonpath={.status.lapsedSince}", "")?;
        Ok(if since.is_empty() { Err("it is not".to_owned()) } else { Ok(()) })
    })?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.road("west").open();
    bed.is_up("shop", "west")?;
    ensure!(bed.at("west")?.ok("get pods -n shop -o name", "")? == pods, "it was stopped");
    ensure!(epoch(&bed)? > last, "epochs do not go on above");
    bed.says("place history shop/data", 0, &["The hub was restored"])?;
    // The same backup once more, after another move.
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 3)?;
    last = epoch(&bed)?;
    bed.restore("before")?;
    bed.is_up("shop", "east")?;
    ensure!(epoch(&bed)? > last, "epochs do not go on above");
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.writes("west", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == 1 && verdict.moves == 3, "{verdict}");
    Ok(())
}

#[test]
fn a_fence_that_the_backup_does_not_know_of_is_not_taken_for_open() -> Result<()> {
    let mut bed = placed()?;
    bed.backup("before")?;
    bed.road("east").close();
    bed.volumes().fence("east", true)?;
    bed.says("place fence east --confirmed", 0, &[])?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.writes("west", 3)?;
    bed.backup("fenced")?;
    bed.restore("before")?;
    bed.says("place move shop --to west", 0, &[])?;
    // It still runs there, and is kept out.
    waits_for(&bed, "east to report what it uses")?;
    bed.writes("west", 3)?;
    bed.road("east").open();
    bed.is_up("shop", "west")?;
    bed.is_clear_of("east", "shop")?;
    // One that knows of it does not believe that it is in force: a person has to say so again, or the target that it has stopped.
    bed.restore("fenced")?;
    bed.is_up("shop", "west")?;
    let fence = bed.kubectl()?.ok("get synctarget east -o jsonpath={.status.fence}", "")?;
    ensure!(fence == "Requested", "{fence}");
    bed.says("place unfence east", 0, &[])?;
    bowline_e2e_up::until("it is let in again", || {
        let status = bed.kubectl()?.ok("get synctarget east -o jsonpath={.status.fence}", "")?;
        Ok(if status == "None" { Ok(()) } else { Err(status) })
    })?;
    bed.volumes().fence("east", false)?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == 1 && verdict.moves == 2, "{verdict}");
    Ok(())
}
