//! Updates on an embedded cluster: a version that works, one that never does, what others have, and `kill -9` on the way.

mod bad_input;
mod bursts;
mod commands;
mod dice;
mod drift;
mod guards;
mod history;
mod kills;
mod large;
mod lease;
mod lent;
mod lives;
mod moved;
mod outage;
mod own_hub;
mod paused;
mod plans;
mod server;
mod targets;
mod team;
mod teams;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use self::team::{Team, deployment, map};

/// A home with a cluster that everybody may use.
fn start() -> Result<Place> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded --allow-all", 0, &["It is ready"])?;
    Ok(place)
}

#[test]
fn a_version_succeeds_and_one_that_never_gets_ready_is_rolled_back() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({ "timeoutSeconds": 3 }))?;
    let first = team.submit(&[map("settings", json!({ "a": "1", "b": "1" })), deployment("web", None)])?;
    let ended = team.ends(&first, "Succeeded")?;
    ensure!(
        ended["version"] == 1 && ended["startedAt"].is_string() && ended["finishedAt"].is_string(),
        "{ended}"
    );
    let toy = team.cluster()?;
    toy.says("get deployment web", "", "1/1")?;
    toy.says("get configmap settings -o yaml", "", "bowline.dev/stack: default/shop")?;

    // A field that a version lacks goes, and so does an object.
    let second = team.submit(&[map("settings", json!({ "a": "2" }))])?;
    team.ends(&second, "Succeeded")?;
    let data: Value = serde_json::from_str(&toy.ok("get configmap settings -o json", "")?)?;
    ensure!(data["data"] == json!({ "a": "2" }), "{data}");
    toy.complains("get deployment web", "", "not found")?;

    let broken =
        [map("settings", json!({ "a": "3" })), map("new", json!({})), deployment("web", Some("never-ready"))];
    let third = team.submit(&broken)?;
    let ended = team.ends(&third, "RolledBack")?;
    ensure!(ended["message"].as_str().is_some_and(|why| why.contains("Deployment default/web")), "{ended}");
    let data: Value = serde_json::from_str(&toy.ok("get configmap settings -o json", "")?)?;
    ensure!(data["data"] == json!({ "a": "2" }), "it is as before: {data}");
    toy.complains("get configmap new", "", "not found")?;
    let again = team.submit(&broken)?;
    let ended = team.ends(&again, "Rejected")?;
    ensure!(ended["message"].as_str().is_some_and(|why| why.contains("version 3 failed")), "{ended}");
    place.kubectl()?.says("get stacks", "", "Idle")?;
    place.kubectl()?.says("get events", "", "RolledBack")
}

#[test]
fn what_was_there_before_is_as_before_after_a_failure() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({ "timeoutSeconds": 2 }))?;
    let toy = team.cluster()?;
    toy.ok("create configmap mine --from-literal=a=before", "")?;
    let broken = team.submit(&[
        map("mine", json!({ "a": "after", "b": "new" })),
        deployment("web", Some("never-ready")),
    ])?;
    team.ends(&broken, "RolledBack")?;
    let mine: Value = serde_json::from_str(&toy.ok("get configmap mine -o json", "")?)?;
    ensure!(mine["data"] == json!({ "a": "before" }), "{mine}");
    ensure!(mine["metadata"]["labels"].is_null(), "it is nobody's again: {mine}");
    toy.complains("get deployment web", "", "not found")
}

#[test]
fn what_says_otherwise_where_it_is_is_still_somebodys() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let toy = team.cluster()?;
    toy.ok("create configmap mine --from-literal=a=before", "")?;
    let mut nowhere = map("mine", json!({ "a": "after" }));
    nowhere["metadata"].as_object_mut().context("metadata")?.remove("namespace");
    team.ends(&team.submit(&[nowhere])?, "Succeeded")?;
    // It says the usual namespace now, and that is the same object.
    team.ends(&team.submit(&[map("mine", json!({ "a": "again" }))])?, "Succeeded")?;
    team.ends(&team.submit(&[map("other", json!({}))])?, "Succeeded")?;
    let mine: Value = serde_json::from_str(&toy.ok("get configmap mine -o json", "")?)?;
    ensure!(mine["data"] == json!({ "a": "before" }), "it is given back: {mine}");
    ensure!(mine["metadata"]["labels"].is_null(), "it is nobody's again: {mine}");
    Ok(())
}

#[test]
fn what_another_stack_has_is_refused_before_anything_is_changed() -> Result<()> {
    let place = start()?;
    let first = Team::new(&place, "default", "shop", json!({}))?;
    first.ends(&first.submit(&[map("claimed", json!({ "by": "shop" }))])?, "Succeeded")?;
    let second = Team::new(&place, "default", "bank", json!({}))?;
    let update = second.submit(&[map("another", json!({})), map("claimed", json!({ "by": "bank" }))])?;
    let ended = second.ends(&update, "Failed")?;
    ensure!(
        ended["message"].as_str().is_some_and(|why| {
            why.starts_with("ConfigMap default/claimed belongs to the stack default/shop; take it out here")
        }),
        "{ended}"
    );
    let toy = first.cluster()?;
    toy.complains("get configmap another", "", "not found")?;
    let bad = [
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x", "namespace": "none" } }),
    ];
    let ended = second.ends(&second.submit(&bad)?, "Failed")?;
    ensure!(
        ended["message"].as_str().is_some_and(|why| why.contains("namespace \"none\" is not there")),
        "{ended}"
    );
    Ok(())
}

#[test]
fn a_kind_its_namespace_and_its_object_come_in_one_bundle() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "boats.sea.example" },
        "spec": { "group": "sea.example", "scope": "Namespaced",
            "names": { "plural": "boats", "singular": "boat", "kind": "Boat" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }] },
    });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "harbour" } });
    let boat = json!({ "apiVersion": "sea.example/v1", "kind": "Boat", "metadata": { "name": "one", "namespace": "harbour" } });
    team.ends(&team.submit(&[boat.clone(), namespace.clone(), definition.clone()])?, "Succeeded")?;
    let toy = team.cluster()?;
    toy.says("get boats -n harbour", "", "one")?;
    // Its kind gains a field together with an object that has it.
    let sails = |field: &str| {
        let mut definition = definition.clone();
        let spec = json!({ "type": "object", "properties": { "name": { "type": "string" }, field: { "type": "integer" } } });
        definition["spec"]["versions"][0]["schema"] =
            json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
        let mut boat = boat.clone();
        boat["spec"] = json!({ field: 3 });
        [boat, namespace.clone(), definition]
    };
    for field in ["sails", "masts"] {
        team.ends(&team.submit(&sails(field))?, "Succeeded")?;
        toy.says(&format!("get boat one -n harbour -o jsonpath={{.spec.{field}}}"), "", "3")?;
    }
    // Somebody else has something in the namespace: it stays, and what is ours goes.
    toy.ok("create configmap theirs -n harbour", "")?;
    team.ends(&team.submit(&[map("x", json!({}))])?, "Succeeded")?;
    toy.says("get configmap theirs -n harbour", "", "theirs")?;
    until("the kind is gone", || {
        let said = toy.run("get crds", "")?;
        Ok(if said.out.contains("boats") { Err(format!("{said:?}")) } else { Ok(()) })
    })
}

#[test]
fn the_same_content_again_writes_nothing() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let content = [map("settings", json!({ "a": "1" })), deployment("web", None)];
    team.ends(&team.submit(&content)?, "Succeeded")?;
    let versions = |team: &Team<'_>| {
        team.cluster()?
            .ok("get configmap/settings deployment/web -o jsonpath={.items[*].metadata.resourceVersion}", "")
    };
    let before = versions(&team)?;
    let again = team.ends(&team.submit(&content)?, "Succeeded")?;
    ensure!(again["version"] == 2, "{again}");
    ensure!(versions(&team)? == before, "nothing is written");
    Ok(())
}

#[test]
fn a_version_is_ended_by_the_next_life() -> Result<()> {
    let place = start()?;
    let update = {
        let team = Team::new(&place, "default", "shop", json!({ "timeoutSeconds": 30 }))?;
        let update = team.submit(&[map("settings", json!({})), deployment("web", Some("never-ready"))])?;
        team.comes_to(&update, "Partial")?;
        update
    };
    let place = place.live_again()?;
    let team = Team::again(&place, "default", "shop");
    // It would wait for the whole time; somebody submits what works.
    let next = team.submit(&[map("settings", json!({ "a": "1" }))])?;
    team.ends(&next, "Succeeded")?;
    team.ends(&update, "Superseded")?;
    let toy = team.cluster()?;
    toy.complains("get deployment web", "", "not found")?;
    let kept = place.kubectl()?.ok("get secrets -n bowline-system -o name", "")?;
    ensure!(kept.lines().count() >= 2, "what may be needed is kept: {kept}");
    place.kubectl()?.ok("get stack shop -o name", "").context("the stack")?;
    Ok(())
}
