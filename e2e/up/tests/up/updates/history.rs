//! What is left of what has ended.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use bowline_e2e_up::until;
use serde_json::json;

use super::start;
use super::team::{Team, map};

#[test]
fn the_newest_updates_are_left_and_that_of_the_last_good_version() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({ "historyLimit": 1, "timeoutSeconds": 1 }))?;
    team.ends(&team.submit(&[map("settings", json!({ "v": "1" }))])?, "Succeeded")?;
    let good = team.submit(&[map("settings", json!({ "v": "2" }))])?;
    team.ends(&good, "Succeeded")?;
    let mut last = String::new();
    for version in ["3", "4", "5"] {
        // What no server takes fails before it changes anything.
        last = team.submit(&[json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "settings" }, "odd": version,
        })])?;
        team.ends(&last, "Failed")?;
    }
    let left: BTreeSet<_> = [good, last].into();
    until("the others are deleted", || {
        let updates = team.updates()?;
        let names = updates.iter().filter_map(|update| update["metadata"]["name"].as_str());
        let names: BTreeSet<_> = names.map(ToOwned::to_owned).collect();
        Ok(if names == left { Ok(()) } else { Err(format!("{names:?}")) })
    })?;
    until("and what they wanted with them", || {
        let bundles = team.home()?.items("/apis/bowline.dev/v1alpha1/namespaces/default/bundles")?;
        Ok(if bundles.len() == 2 { Ok(()) } else { Err(format!("{bundles:?}")) })
    })?;
    // A rollback does not need them.
    let toy = team.cluster()?;
    toy.ok("delete configmap settings", "")?;
    place.says("update rollback --stack shop --wait", 0, &["Succeeded"])?;
    let said = toy.ok("get configmap settings -o jsonpath={.data.v}", "")?;
    ensure!(said == "2", "{said}");
    Ok(())
}

/// Who copies an object copies its marks.
#[test]
fn a_copy_of_an_object_is_its_makers() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({ "drift": "Repair", "driftIntervalSeconds": 1 }))?;
    team.ends(&team.submit(&[map("settings", json!({ "v": "1" }))])?, "Succeeded")?;
    let toy = team.cluster()?;
    let mut copy: serde_json::Value = serde_json::from_str(&toy.ok("get configmap settings -o json", "")?)?;
    copy["metadata"]["name"] = json!("mine");
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
        copy["metadata"].as_object_mut().map(|fields| fields.remove(field));
    }
    toy.ok("create -f -", &copy.to_string())?;
    team.ends(&team.submit(&[map("settings", json!({ "v": "2" }))])?, "Succeeded")?;
    // It is left also by the look that comes after the last write.
    team.leaves()?;
    toy.says("get configmap mine -o jsonpath={.data.v}", "", "1").map(drop)
}
