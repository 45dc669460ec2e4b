//! Who is master of what is shown in objects of its own, for readers.

use anyhow::Result;
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group};
use serde_json::{Value, json};

/// The devices that have an object, with its master and epoch.
fn shown(bed: &Bed) -> Result<Vec<Value>> {
    let read: Value = serde_json::from_str(&bed.kubectl()?.ok("get devices -o json", "")?)?;
    let devices = read["items"].as_array().cloned().unwrap_or_default();
    let line = |device: &Value| {
        json!([device["metadata"]["name"], device["status"]["master"], device["status"]["epoch"]])
    };
    Ok(devices.iter().map(line).collect())
}

/// The same, by what the group says: that is the truth.
fn true_of(bed: &Bed) -> Result<Vec<Value>> {
    let status = bed.status("kv")?;
    let devices = status["devices"].as_array().cloned().unwrap_or_default();
    let name = |device: &Value| format!("kv-{}", device["name"].as_str().unwrap_or_default());
    Ok(devices.iter().map(|device| json!([name(device), device["master"], device["epoch"]])).collect())
}

/// Waits until so many are shown, all with a master, and as they are.
fn are_shown(bed: &Bed, count: usize) -> Result<()> {
    until("each device says who is its master", || {
        let (is, should) = (shown(bed)?, true_of(bed)?);
        let masters = is.iter().all(|device| device[1].is_string());
        Ok(if is == should && is.len() == count && masters {
            Ok(())
        } else {
            Err(format!("{is:?} {should:?}"))
        })
    })
}

fn devices_are_shown_and_put_right(kind: Kind) -> Result<()> {
    let mut bed = Bed::start(kind)?;
    // Two members could not be upgraded if they were a quorum only together.
    let group = Group { partitions: None, ..Group::new("kv") };
    bed.serve(&group, 2)?;
    are_shown(&bed, 4)?;
    let kubectl = bed.kubectl()?;
    kubectl.says("get devices", "", "n1")?;
    kubectl.ok("delete device kv-kv-0", "")?;
    are_shown(&bed, 4)?;
    let wrong = json!({ "status": { "master": "nobody", "epoch": 999 } });
    kubectl.ok(&format!("patch device kv-kv-1 --subresource=status --type=merge -p {wrong}"), "")?;
    are_shown(&bed, 4)?;
    // Its master is another one, and later there is one device less.
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    bed.says("upgrade commit kv", 0, &[])?;
    bed.rests_at("kv", "v2")?;
    are_shown(&bed, 4)?;
    let fewer = json!({ "spec": { "devices": &group.devices[..3] } });
    kubectl.ok(&format!("patch nodegroup kv --type=merge -p {fewer}"), "")?;
    are_shown(&bed, 3)
}

#[test]
fn devices_of_the_hub_are_shown_and_put_right() -> Result<()> {
    devices_are_shown_and_put_right(Kind::Embedded)
}

#[test]
fn devices_of_a_real_kubernetes_are_shown_and_put_right() -> Result<()> {
    devices_are_shown_and_put_right(Kind::Kubernetes)
}
