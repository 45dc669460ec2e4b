//! An object is deleted by hand: that is found, and told or put right.

use anyhow::{Result, ensure};
use bowline_e2e_up::until;
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, deployment, embedded, map};

fn condition(stack: &Value, kind: &str) -> Value {
    let all = stack["status"]["conditions"].as_array();
    let found = all.and_then(|all| all.iter().find(|condition| condition["type"] == kind));
    found.cloned().unwrap_or_default()
}

#[test]
fn what_is_deleted_by_hand_is_told_or_put_back() -> Result<()> {
    let place = start()?;
    let looked_after = |drift: &str| json!({ "drift": drift, "driftIntervalSeconds": 1 });
    let told = Team::new(&place, "default", "told", looked_after("Report"))?;
    let mended = Team::new(&place, "default", "mended", looked_after("Repair"))?;
    let content = |of: &str| [map(of, json!({ "v": "1" })), map(&format!("{of}-2"), json!({ "v": "1" }))];
    let first = told.submit(&content("told"))?;
    mended.ends(&mended.submit(&content("mended"))?, "Succeeded")?;
    told.ends(&first, "Succeeded")?;
    // Before they have left, whatever is not as it should be is put back: it may be what a lost worker sent late.
    told.leaves()?;
    mended.leaves()?;

    let cluster = embedded(&place, "toy")?;
    let toy = place.kubectl_of(&cluster)?;
    let whole = Server::of(&cluster)?.maps("default")?;
    toy.ok("delete configmap told mended", "")?;
    until("it is found", || {
        let drifted = condition(&told.stack()?, "Drifted");
        Ok(if drifted["status"] == "True" { Ok(()) } else { Err(drifted.to_string()) })
    })?;
    let message = "not as it should be: ConfigMap default/told";
    ensure!(condition(&told.stack()?, "Drifted")["message"] == message, "{}", told.stack()?);
    place.kubectl()?.says("get stack told", "", message)?;
    until("it is an event", || {
        let events = place.kubectl()?.ok("get events.events.k8s.io -o json", "")?;
        Ok(if events.contains("\"Drifted\"") { Ok(()) } else { Err(events) })
    })?;
    until("it is put back", || {
        let maps = Server::of(&cluster)?.maps("default")?;
        Ok(if maps.contains_key("mended") { Ok(()) } else { Err(format!("{maps:?}")) })
    })?;
    toy.complains("get configmap told", "", "not found")?;

    place.says(
        "update rollback --stack told --wait",
        0,
        &["Submitted the content of told/1 again", "told/2 Succeeded"],
    )?;
    ensure!(Server::of(&cluster)?.maps("default")? == whole);
    until("nothing has drifted any more", || {
        let drifted = condition(&told.stack()?, "Drifted");
        Ok(if drifted["status"] == "False" { Ok(()) } else { Err(drifted.to_string()) })
    })
}

#[test]
fn a_cluster_that_took_the_place_of_another_one_is_looked_at_and_not_taken_for_it() -> Result<()> {
    let place = start()?;
    let idle = Team::new(&place, "default", "idle", json!({}))?;
    let stuck = Team::new(&place, "default", "stuck", json!({ "timeoutSeconds": 600 }))?;
    idle.ends(&idle.submit(&[map("idle", json!({}))])?, "Succeeded")?;
    stuck.ends(&stuck.submit(&[map("stuck", json!({}))])?, "Succeeded")?;
    let half_way =
        stuck.submit(&[map("stuck", json!({ "a": "2" })), deployment("web", Some("never-ready"))])?;
    stuck.comes_to(&half_way, "Partial")?;
    idle.leaves()?;

    place.says("cluster remove toy --force", 0, &["goes with it", "is removed"])?;
    until("it is said that it cannot be put back", || {
        let phase = stuck.stack()?["status"]["phase"].clone();
        Ok(if phase == "Stalled" { Ok(()) } else { Err(phase.to_string()) })
    })?;
    place.says("cluster add toy --embedded --allow-all", 0, &["It is ready"])?;
    // The next look of its own would be after five minutes.
    until("what is not there is told", || {
        let drifted = condition(&idle.stack()?, "Drifted");
        Ok(if drifted["status"] == "True" { Ok(()) } else { Err(drifted.to_string()) })
    })?;
    let message = "not as it should be: ConfigMap default/idle";
    ensure!(condition(&idle.stack()?, "Drifted")["message"] == message, "{}", idle.stack()?);
    stuck.ends(&half_way, "RolledBack")?;
    idle.cluster()?.ok("get configmap stuck", "")?;
    place.says("update rollback --cluster toy --stack idle --wait", 0, &["idle/2 Succeeded"])?;
    idle.cluster()?.ok("get configmap idle", "")?;
    place.says(
        "update rollback --cluster other --stack idle",
        4,
        &["is on the cluster toy, not on other"],
    )?;
    Ok(())
}
