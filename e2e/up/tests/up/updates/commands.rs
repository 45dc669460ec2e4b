//! The commands as people type them.

use std::fs;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};

use super::team::{Team, deployment, map};

const APP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n";

/// Puts manifests into a directory of the test.
fn write(place: &Place, name: &str, text: &str) -> Result<()> {
    let path = place.path(name);
    fs::create_dir_all(path.parent().context("it is in a directory")?)?;
    Ok(fs::write(path, text)?)
}

#[test]
fn versions_are_submitted_shown_released_and_paused_as_people_type_it() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add prod --embedded", 0, &["It is ready"])?;
    write(&place, "app/settings.yaml", APP)?;
    write(&place, "app/more/web.json", &deployment("web", None).to_string())?;
    write(&place, "broken/settings.yaml", &APP.replace("blue", "red"))?;
    write(&place, "broken/web.json", &deployment("web", Some("never-ready")).to_string())?;

    let submitted = ["Submitted 2 objects", "to the stack prod in default", "prod/1 Succeeded"];
    place.says("update submit ./app --cluster prod --wait", 0, &submitted)?;
    let broken = "update submit ./broken --cluster prod --health-timeout 2s --wait";
    place.says(
        broken,
        1,
        &["prod/2 RolledBack: it did not become healthy within 2 s: Deployment default/web: "],
    )?;
    what_happened_is_shown(&place)?;

    // What was rolled back is not taken again, until somebody says so.
    place.says(
        broken,
        4,
        &["prod/3 Rejected", "version 2 failed with the same content", "release version 2"],
    )?;
    place.says("update release 3", 4, &["the content of prod/3 is not quarantined", "what is: prod/2"])?;
    place.says("update release 2", 0, &["is not quarantined any more", "Submit it again"])?;
    place.says(broken, 1, &["prod/4 RolledBack"])?;
    let again = "Submitted the content of prod/1 again to the stack prod";
    place.says("update rollback --cluster prod --wait", 0, &[again, "prod/5 Succeeded"])?;
    it_is_paused_and_resumed(&place)?;

    let settings = APP.replace("blue", "green");
    place.fed("update submit - --cluster prod --wait", &settings, 0, &["1 object", "prod/7 Succeeded"])?;
    let toy = Team::again_on(&place, "prod", "default", "prod").cluster()?;
    toy.says("get configmap settings -o jsonpath={.data.colour}", "", "green")?;
    toy.complains("get deployment web", "", "not found")
}

fn what_happened_is_shown(place: &Place) -> Result<()> {
    let shown = place.says(
        "update show 2",
        0,
        &[
            "Phase:    RolledBack",
            "Message:  it did not become healthy within 2 s: Deployment default/web",
            "Plan:     0 to create, 2 to change, 0 to delete (sha256:",
        ],
    )?;
    let (_, timeline) = shown.split_once("Timeline:").context("a timeline")?;
    let steps = ["it was submitted", "Processing: it is being planned", "RolledBack: "];
    let at = steps.map(|step| timeline.find(step));
    ensure!(at.iter().all(Option::is_some) && at.is_sorted(), "in this order: {steps:?} in {timeline}");
    let listed = place.says("update list", 0, &[])?;
    let lines: Vec<_> = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    ensure!(lines[0] == ["STACK", "VERSION", "PHASE", "PROGRESS", "AGE", "MESSAGE"], "{listed}");
    ensure!(lines[1].starts_with(&["prod", "1", "Succeeded", "2/2"]), "{listed}");
    ensure!(lines[2].starts_with(&["prod", "2", "RolledBack"]), "{listed}");

    let got = place.kubectl()?.ok("get stacks,updates -A", "")?;
    let rows: Vec<_> = got.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    let of_stacks = ["NAMESPACE", "NAME", "CLUSTER", "PHASE", "APPLIED", "LASTGOOD", "MESSAGE", "AGE"];
    ensure!(
        rows[0] == of_stacks
            && rows[1].starts_with(&["default", "stack.bowline.dev/prod", "prod", "Idle", "1", "1"]),
        "{got}"
    );
    let of_updates = ["NAMESPACE", "NAME", "STACK", "VERSION", "PHASE", "PROGRESS", "MESSAGE", "AGE"];
    ensure!(rows.iter().any(|row| *row == of_updates), "{got}");
    ensure!(rows.iter().any(|row| row.len() > 5 && row[2..5] == ["prod", "2", "RolledBack"]), "{got}");

    let counted = place.page("/metrics")?;
    for line in [
        "stack_last_good_version{stack=\"default/prod\"} 1.0",
        "ended_total{phase=\"Succeeded\"} 1",
        "ended_total{phase=\"RolledBack\"} 1",
        "duration_seconds_count{phase=\"RolledBack\"} 1",
    ] {
        ensure!(counted.contains(&format!("bowline_update_{line}\n")), "{line} in {counted}");
    }
    Ok(())
}

fn it_is_paused_and_resumed(place: &Place) -> Result<()> {
    place.says("update pause prod", 0, &["prod"])?;
    let team = Team::again_on(place, "prod", "default", "prod");
    let update = team.submit(&[map("settings", serde_json::json!({ "colour": "grey" }))])?;
    let queued = team.comes_to(&update, "Queued")?;
    ensure!(queued["version"] == 6, "{queued}");
    place.says(
        "update watch 6 --timeout 1s",
        3,
        &["prod/6 has not ended within 1 s, and goes on: it is Queued"],
    )?;
    let paused = "get stack prod -o jsonpath={.status.conditions[?(@.type=='Paused')].status}";
    until("it says that it is paused", || {
        let said = place.kubectl()?.ok(paused, "")?;
        Ok(if said == "True" { Ok(()) } else { Err(said) })
    })?;
    place.says("update resume prod", 0, &["prod"])?;
    place.says("update watch 6", 0, &["prod/6 Succeeded"]).map(drop)
}
