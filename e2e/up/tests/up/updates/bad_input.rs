//! What is refused before anything changes, with what to do.

use anyhow::{Result, ensure};
use bowline_e2e_hub::Hub;
use bowline_e2e_up::Place;
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, embedded, map};

/// What is kept on the hub for teams.
fn kept(place: &Place) -> Result<Vec<(String, usize)>> {
    let home = Server::of(&place.kubeconfig())?;
    let count = |what: &str| {
        let all = home.items(&format!("/apis/bowline.dev/v1alpha1/namespaces/default/{what}"))?;
        Ok((what.to_owned(), all.len()))
    };
    ["bundles", "stacks", "updates"].into_iter().map(count).collect()
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_made() -> Result<()> {
    let place = start()?;
    place.says("cluster add closed --embedded --allow others", 0, &["It is ready"])?;
    let good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let huge = map("huge", json!({ "text": "x".repeat(3 << 20) })).to_string();
    let bad = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n bad: 1\n";
    let twice = format!("{good}---\n{good}");
    let files: [(&str, &str, &[&str]); 5] = [
        ("parse.yaml", bad, &["parse.yaml:5:", "it does not parse"]),
        ("kind.yaml", "apiVersion: v1\nmetadata: {name: a}\n", &["kind.yaml:1: it has no kind"]),
        ("twice.yaml", &twice, &["twice.yaml:5", "also in twice.yaml:1"]),
        ("huge.json", &huge, &["huge.json:1", "no server takes more than 3145728: split it"]),
        (
            "ours.yaml",
            "apiVersion: bowline.dev/v1alpha1\nkind: Stack\nmetadata: {name: a}\n",
            &["ours.yaml:1", "Bowline"],
        ),
    ];
    for (name, text, says) in files {
        std::fs::write(place.path(name), text)?;
        place.says(&format!("update submit {name} --cluster toy"), 2, says)?;
    }
    std::fs::write(place.path("good.yaml"), good)?;
    let none = "there is no cluster nowhere: see `bowline cluster list`";
    place.says("update submit good.yaml --cluster nowhere", 4, &[none])?;
    let closed = "the namespace default may not use the cluster closed: the namespaces others may";
    place.says("update submit good.yaml --cluster closed", 4, &[closed, "allowedNamespaces"])?;
    let none = kept(&place)?.into_iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>();
    ensure!(none.is_empty(), "nothing is made: {none:?}");
    Ok(())
}

#[test]
fn what_the_cluster_does_not_take_fails_before_anything_is_changed() -> Result<()> {
    let place = start()?;
    let other = Team::new(&place, "default", "other", json!({}))?;
    other.ends(&other.submit(&[map("theirs", json!({}))])?, "Succeeded")?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    let before = toy.items("/api/v1/configmaps")?;
    let of = |kind: &str, version: &str, more: Value| {
        let mut object = json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "x", "namespace": "default" } });
        object
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(more.as_object().cloned().unwrap_or_default()));
        object
    };
    let nowhere = json!({ "metadata": { "name": "x", "namespace": "nowhere" } });
    let rows: [(Value, &[&str]); 6] = [
        (
            of("Binding", "v1", json!({ "target": { "name": "n" } })),
            &["the cluster keeps no objects of its kind"],
        ),
        (
            map("theirs", json!({ "v": "1" })),
            &["ConfigMap default/theirs belongs to the stack default/other"],
        ),
        (
            of("ConfigMap", "v1", nowhere),
            &["its namespace \"nowhere\" is not there; make it, or put it into the bundle"],
        ),
        (
            of("Boat", "sea.example/v1", json!({})),
            &["the cluster knows no kind \"Boat\" of \"sea.example/v1\""],
        ),
        (of("ConfigMap", "v1", json!({ "dat": {} })), &["ConfigMap default/x", "dat"]),
        (
            of("Service", "v1", json!({ "spec": { "ports": [{ "port": 0 }] } })),
            &["Service default/x", "port"],
        ),
    ];
    for (object, says) in rows {
        let content = [map("good", json!({})), object];
        let said = team.waits(&content, 1, says)?;
        ensure!(said.contains("Failed: "), "{said}");
    }
    ensure!(toy.items("/api/v1/configmaps")? == before, "nothing is changed");
    Ok(())
}

/// Its kind and its namespace come with it: that keeps nobody from seeing that it is wrong.
#[test]
fn what_comes_later_and_is_wrong_fails_before_anything_is_changed() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "harbour" } });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": {
        "spec": { "type": "object", "properties": { "masts": { "type": "integer", "maximum": 5 } } },
    } } });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "boats.sea.example" },
        "spec": { "group": "sea.example", "scope": "Namespaced",
            "names": { "plural": "boats", "singular": "boat", "kind": "Boat" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }] },
    });
    let of = |version: &str, kind: &str, field: &str, value: Value| {
        json!({
            "apiVersion": version, "kind": kind, "metadata": { "name": "x", "namespace": "harbour" }, field: value,
        })
    };
    let boat = |spec: Value| of("sea.example/v1", "Boat", "spec", spec);
    let rows: [(Value, &[&str]); 4] = [
        (boat(json!({ "masts": 7 })), &["Boat harbour/x: spec.masts", "less than or equal to 5"]),
        (boat(json!({ "mast": 1 })), &["Boat harbour/x: unknown field \"spec.mast\""]),
        (of("v1", "ConfigMap", "dat", json!({})), &["ConfigMap harbour/x", "dat"]),
        (of("v1", "Service", "spec", json!({ "ports": [{ "port": 0 }] })), &["Service harbour/x", "port"]),
    ];
    for (object, says) in rows {
        let said = team.waits(&[namespace.clone(), definition.clone(), object], 1, says)?;
        ensure!(said.contains("Failed: "), "{said}");
    }
    let toy = team.cluster()?;
    toy.complains("get namespace harbour", "", "not found")?;
    toy.complains("get crd boats.sea.example", "", "not found")?;
    let good = [namespace, definition, boat(json!({ "masts": 3 })), of("v1", "ConfigMap", "data", json!({}))];
    team.ends(&team.submit(&good)?, "Succeeded").map(drop)
}

#[test]
fn who_is_not_known_any_more_is_told_so() -> Result<()> {
    let place = start()?;
    std::fs::write(place.path("good.json"), map("a", json!({})).to_string())?;
    // By the hub.
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(place.kubeconfig())?)?;
    config["users"][0]["user"] = json!({ "token": "expired" });
    let expired = place.path("expired.kubeconfig");
    std::fs::write(&expired, config.to_string())?;
    place.says_to(&expired, "update submit good.json --cluster toy", 4, &["does not know us (401)"])?;
    ensure!(kept(&place)?.iter().all(|(_, count)| *count == 0), "nothing is made");

    // By the cluster.
    let far = Hub::start(&place.path("far"))?;
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(far.kubeconfig())?)?;
    config["users"][0]["user"] = json!({ "token": "expired" });
    std::fs::write(&expired, config.to_string())?;
    place.says(
        &format!("cluster add far --kubeconfig {}", expired.display()),
        1,
        &["It is not ready", "does not know us"],
    )?;
    let waits = ["far", "does not know us", "waits for its cluster to be ready"];
    place.says("update submit good.json --cluster far --wait --timeout 3s", 3, &waits)?;
    ensure!(Server::of(far.kubeconfig())?.maps("default")?.is_empty(), "nothing is changed");
    // What waits goes on by itself when it is known again.
    place.says(
        &format!("cluster add far --kubeconfig {}", far.kubeconfig().display()),
        0,
        &["It is ready"],
    )?;
    place.says("update watch far/1", 0, &["far/1 Succeeded"]).map(drop)
}
