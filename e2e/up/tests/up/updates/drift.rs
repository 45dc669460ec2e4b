//! An object is deleted by hand: that is found, and told or put right.

use anyhow::{Result, ensure};
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, deployment, embedded, map};

fn condition(stack: &Value, kind: &str) -> Value {
    let all = stack["status"]["conditions"].as_array();
    let found = all.and_then(|all| all.iter().find(|condition| condition["type"] == kind));
    found.cloned().unwrap_or_default()
}

/// Waits until an Event of a stack says this.
fn is_told(place: &Place, stack: &str, reason: &str, note: &str) -> Result<()> {
    let home = Server::of(&place.kubeconfig())?;
    until(&format!("{stack} is told to be {reason}"), || {
        let all = home.items("/apis/events.k8s.io/v1/namespaces/default/events")?;
        let is_it = |event: &Value| {
            let says = event["note"].as_str().is_some_and(|said| said.contains(note));
            event["regarding"]["name"] == stack && event["reason"] == reason && says
        };
        Ok(if all.iter().any(is_it) { Ok(()) } else { Err(format!("{all:?}")) })
    })
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
    let message = "not as it should be: ConfigMap default/told (it is not there)";
    ensure!(condition(&told.stack()?, "Drifted")["message"] == message, "{}", told.stack()?);
    place.kubectl()?.says("get stack told", "", message)?;
    is_told(&place, "told", "Drifted", message)?;
    until("it is put back", || {
        let maps = Server::of(&cluster)?.maps("default")?;
        Ok(if maps.contains_key("mended") { Ok(()) } else { Err(format!("{maps:?}")) })
    })?;
    toy.complains("get configmap told", "", "not found")?;
    // What was put right was named before that, and is told to be over; another time is told in other words.
    let gone = "not as it should be: ConfigMap default/mended (it is not there); it is put right";
    is_told(&place, "mended", "Drifted", gone)?;
    is_told(&place, "mended", "Repaired", "is put right")?;
    toy.ok("patch configmap mended-2 --type=merge -p {\"data\":{\"v\":\"2\"}}", "")?;
    let changed = "not as it should be: ConfigMap default/mended-2 (data.v); it is put right";
    is_told(&place, "mended", "Drifted", changed)?;
    is_told(&place, "mended", "Drifted", gone)?;
    until("that is put back too", || {
        let maps = Server::of(&cluster)?.maps("default")?;
        Ok(if maps["mended-2"] == json!({ "v": "1" }) { Ok(()) } else { Err(format!("{maps:?}")) })
    })?;
    let counted = Server::of(&place.kubeconfig())?.text("/metrics")?;
    for line in
        ["bowline_update_drift_total{result=\"found\"}", "bowline_update_drift_total{result=\"repaired\"}"]
    {
        ensure!(counted.contains(line), "{counted}");
    }

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
    let message = "not as it should be: ConfigMap default/idle (it is not there)";
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

/// The interval means what it says, also in the half minute after a version and after a repair.
#[test]
fn what_drifts_just_after_a_version_is_put_right_within_the_interval() -> Result<()> {
    let place = start()?;
    let spec = json!({ "drift": "Repair", "driftIntervalSeconds": 1 });
    let team = Team::new(&place, "default", "shop", spec)?;
    team.ends(&team.submit(&[map("settings", json!({ "v": "1" }))])?, "Succeeded")?;
    let (cluster, toy) = (embedded(&place, "toy")?, team.cluster()?);
    for _ in 0..2 {
        toy.ok("patch configmap settings --type=merge -p {\"data\":{\"v\":\"2\"}}", "")?;
        until("it is put back", || {
            let maps = Server::of(&cluster)?.maps("default")?;
            Ok(if maps["settings"] == json!({ "v": "1" }) { Ok(()) } else { Err(format!("{maps:?}")) })
        })?;
        let activity =
            Server::of(&place.kubeconfig())?.read("/apis/bowline.dev/v1alpha1/clusters/toy")?["status"]
                .take();
        ensure!(activity["activity"]["updates"][0]["stack"] == "shop", "it has not left yet: {activity}");
    }
    Ok(())
}
