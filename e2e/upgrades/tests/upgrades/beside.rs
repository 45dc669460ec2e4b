//! A group on a cluster that updates change: one at a time.

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group};
use serde_json::{Value, json};

/// Who changes the cluster.
fn activity(bed: &Bed) -> Result<Value> {
    let cluster = bed.kubectl()?.ok("get cluster toy -o json", "")?;
    Ok(serde_json::from_str::<Value>(&cluster)?["status"]["activity"].clone())
}

/// Waits until it is changed so.
fn is_changed(bed: &Bed, what: &str, is: impl Fn(&Value) -> bool) -> Result<()> {
    until(what, || {
        let activity = activity(bed)?;
        Ok(if is(&activity) { Ok(()) } else { Err(activity.to_string()) })
    })
}

fn submit(bed: &Bed, object: &Value, options: &str) -> Result<()> {
    std::fs::write(bed.path("update.json"), object.to_string()).context("a file")?;
    let line = format!("update submit update.json --cluster toy {options}");
    bed.says(line.trim_end(), 0, &[]).map(drop)
}

/// A version that takes its whole time, and is rolled back.
fn never_ready() -> Value {
    let labels = json!({ "app": "web" });
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
        "spec": { "selector": { "matchLabels": labels }, "template": {
            "metadata": { "labels": labels, "annotations": { "bowline.dev/simulate": "never-ready" } },
            "spec": { "containers": [{ "name": "c", "image": "nginx" }] },
        } },
    })
}

/// Waits until some version is in this phase, and something says this.
fn update_is(bed: &Bed, phase: &str, words: &str) -> Result<()> {
    until(&format!("an update is {phase}, {words}"), || {
        let updates: Value = serde_json::from_str(&bed.kubectl()?.ok("get updates,stacks -o json", "")?)?;
        let all = updates["items"].as_array().cloned().unwrap_or_default();
        let is_so = all.iter().any(|one| one["status"]["phase"] == phase);
        let says = updates.to_string().contains(words);
        Ok(if is_so && says { Ok(()) } else { Err(updates.to_string()) })
    })
}

#[test]
fn no_update_is_applied_where_a_group_is_upgraded_and_no_group_is_upgraded_where_one_is() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    bed.says("cluster add toy --embedded --allow-all", 0, &["It is ready"])?;
    let on_toy = |name| {
        Group { devices: Vec::new(), partitions: None, ..Group::new(name) }.with(&json!({ "cluster": "toy" }))
    };
    let (first, other) = (on_toy("kv"), on_toy("other"));
    bed.serve(&first, 2)?;
    bed.serve(&other, 2)?;

    submit(&bed, &never_ready(), "--health-timeout 20s")?;
    is_changed(&bed, "an update is applied", |activity| activity["updates"].is_array())?;
    bed.says("upgrade init kv", 4, &["an update is under way on the cluster", "bowline update list"])?;
    // It begins by itself when that is over.
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    is_changed(&bed, "the group is on its cluster", |activity| {
        activity["upgrade"]["group"] == "kv" && activity["updates"].is_null()
    })?;

    bed.says("upgrade init other", 4, &["another group on the cluster is being upgraded"])?;
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "settings", "namespace": "default" } });
    submit(&bed, &map, "")?;
    update_is(&bed, "RolledBack", "the upgrade of its cluster to end")?;
    ensure!(activity(&bed)?["updates"].is_null(), "nothing is applied");

    bed.says("upgrade commit kv", 0, &[])?;
    bed.rests_at("kv", "v2")?;
    update_is(&bed, "Succeeded", "")?;
    is_changed(&bed, "all have left the cluster", Value::is_null)?;

    // Who goes in the middle of an upgrade leaves the cluster, too.
    bed.says("upgrade init other", 0, &["Initialized"])?;
    ensure!(activity(&bed)?["upgrade"]["group"] == "other", "it is on its cluster");
    bed.kubectl()?.ok("delete nodegroup other --timeout=60s", "")?;
    is_changed(&bed, "nobody is on the cluster", Value::is_null)
}
