//! What keeps a version from the cluster before it has changed anything: too many deletions, another plan.

use anyhow::{Context, Result, ensure};
use bowline_e2e_up::until;
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, embedded, map, within};

fn maps(count: usize) -> Vec<Value> {
    (0..count).map(|index| map(&format!("map-{index}"), json!({ "v": "1" }))).collect()
}

#[test]
fn more_deletions_than_allowed_fail_before_anything_is_changed() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    team.ends(&team.submit(&maps(12))?, "Succeeded")?;
    let before = toy.items("/api/v1/namespaces/default/configmaps")?;
    let less = [map("map-0", json!({ "v": "2" })), map("new", json!({}))];
    let said = [
        "Failed",
        "it would delete 11 objects, and at most 10 may go at once",
        "raise maxDeletions of the stack",
    ];
    team.waits(&less, 1, &said)?;
    ensure!(toy.items("/api/v1/namespaces/default/configmaps")? == before, "nothing is touched");
    let stack = team.stack()?;
    ensure!(stack["status"]["quarantined"].is_null(), "what changed nothing is not quarantined: {stack}");
    team.home()?
        .merge(&format!("{}/stacks/shop", team.objects()), &json!({ "spec": { "maxDeletions": 11 } }))?;
    team.waits(&less, 0, &["shop/3 Succeeded"])?;
    let names: Vec<_> = toy.maps("default")?.into_keys().collect();
    ensure!(names == ["map-0", "new"], "{names:?}");
    Ok(())
}

#[test]
fn a_plan_that_is_not_the_one_asked_for_touches_nothing() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    let [one, two] = ["1", "2"].map(|v| [map("settings", json!({ "v": v }))]);
    team.ends(&team.submit(&one)?, "Succeeded")?;
    let planned = team.ends(&team.submit(&two)?, "Succeeded")?;
    let hash = planned["plan"]["hash"].as_str().context("it says its plan")?.to_owned();
    let only_if = format!(" --plan-hash {hash}");

    // The same content is another plan where it is already.
    let before = toy.items("/api/v1/namespaces/default/configmaps")?;
    for content in [two.clone(), [map("new", json!({}))]] {
        let ended = team.ends(&team.submit_with(&content, &only_if)?, "Failed")?;
        let why = ended["message"].as_str().unwrap_or_default();
        ensure!(why.contains("its plan is not the one that was asked for: look at the new one"), "{ended}");
    }
    ensure!(toy.items("/api/v1/namespaces/default/configmaps")? == before, "nothing is touched");

    team.ends(&team.submit(&one)?, "Succeeded")?;
    let ended = team.ends(&team.submit_with(&two, &only_if)?, "Succeeded")?;
    ensure!(ended["plan"]["hash"] == hash.as_str(), "{ended}");
    ensure!(toy.maps("default")? == [("settings".to_owned(), json!({ "v": "2" }))].into());
    Ok(())
}

#[test]
fn a_field_that_cannot_be_changed_fails_a_version_before_anything_is_changed() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    let fixed = |v: &str| {
        let mut fixed = map("fixed", json!({ "v": v }));
        fixed["immutable"] = true.into();
        fixed
    };
    team.ends(&team.submit(&[fixed("1")])?, "Succeeded")?;
    let before = toy.items("/api/v1/namespaces/default/configmaps")?;
    let ended = team.ends(&team.submit(&[fixed("2"), map("new", json!({}))])?, "Failed")?;
    let why = ended["message"].as_str().unwrap_or_default();
    ensure!(
        why.contains("ConfigMap default/fixed") && why.contains("data") && why.contains("immutable"),
        "{ended}"
    );
    ensure!(
        toy.items("/api/v1/namespaces/default/configmaps")? == before,
        "nothing is touched, or made anew"
    );
    Ok(())
}

#[test]
fn more_than_a_cluster_takes_in_an_hour_is_rejected() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    team.home()?.merge(
        "/apis/bowline.dev/v1alpha1/clusters/toy",
        &json!({ "spec": { "quota": { "maxPerHour": 1 } } }),
    )?;
    team.ends(&team.submit(&maps(1))?, "Succeeded")?;
    let ended = team.ends(&team.submit(&maps(2))?, "Rejected")?;
    let why = ended["message"].as_str().unwrap_or_default();
    ensure!(
        why.starts_with("more than 1 versions were submitted") && why.contains("quota.maxPerHour"),
        "{ended}"
    );
    Ok(())
}

#[test]
fn a_namespace_stays_as_long_as_something_in_it_is_wanted() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "room" } });
    let inside = within("room", map("inside", json!({ "v": "1" })));
    team.ends(&team.submit(&[namespace, inside.clone()])?, "Succeeded")?;
    let toy = team.cluster()?;
    let before = toy.ok("get configmap inside -n room -o jsonpath={.metadata.uid}", "")?;
    team.ends(&team.submit(&[inside])?, "Succeeded")?;
    let after = toy.ok("get configmap inside -n room -o jsonpath={.metadata.uid}", "")?;
    ensure!(before == after, "it is the same object: {before} {after}");
    // And when nothing in it is wanted any more, it goes.
    team.ends(&team.submit(&maps(1))?, "Succeeded")?;
    until("it goes", || {
        let left = toy.ok("get namespaces -o name", "")?;
        Ok(if left.contains("namespace/room") { Err(left) } else { Ok(()) })
    })
}
