//! An embedded cluster: added, used with kubectl, there again after `kill -9`, removed.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};
use serde_json::Value;

fn endpoint(place: &Place, cluster: &str) -> Result<(String, String)> {
    let read: Value =
        serde_json::from_str(&place.says(&format!("cluster show {cluster} -o json"), 0, &[])?)?;
    let endpoint = &read["status"]["endpoint"];
    let text =
        |field: &str| Ok::<_, anyhow::Error>(endpoint[field].as_str().context("an endpoint")?.to_owned());
    Ok((text("server")?, text("kubeconfig")?))
}

#[test]
fn an_embedded_cluster_is_used_killed_and_removed() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    let said = place.says("cluster add toy --embedded", 0, &["It is ready", "simulated"])?;
    let (server, kubeconfig) = endpoint(&place, "toy")?;
    ensure!(said.contains(&kubeconfig), "it is said how to reach it: {said}");
    place.says("cluster list", 0, &["toy", "ready", "embedded, simulated"])?;
    place.says("cluster list -o wide", 0, &[&server])?;
    place.kubectl()?.says("get clusters", "", "it runs inside the hub")?;

    let toy = place.kubectl_of(Path::new(&kubeconfig))?;
    toy.ok("create deployment web --image=nginx --replicas=2", "")?;
    toy.says("rollout status deployment/web --timeout=60s", "", "successfully rolled out")?;

    // Nothing is lost, and people who know its address find it there.
    let place = place.live_again()?;
    place.stands("toy", "Usable")?;
    until("it is where it was", || {
        let now = endpoint(&place, "toy")?;
        Ok(if now == (server.clone(), kubeconfig.clone()) { Ok(()) } else { Err(format!("{now:?}")) })
    })?;
    // Its status is of the life before until somebody has looked.
    until("it answers", || {
        let said = toy.run("get deployment web", "")?;
        Ok(if said.out.contains("2/2") { Ok(()) } else { Err(format!("{said:?}")) })
    })?;
    toy.ok("scale deployment web --replicas=3", "")?;
    toy.says("rollout status deployment/web --timeout=60s", "", "successfully rolled out")?;
    let pods = toy.ok("get pods -o name", "")?;
    ensure!(pods.lines().count() == 3, "one pod each: {pods}");

    place.says("cluster add toy --embedded --allow team-a", 0, &["is changed", "team-a"])?;
    place.says("cluster show toy", 0, &["Used by:    the namespaces team-a"])?;
    // Who says nothing of that changes nothing of it.
    place.says(
        "cluster add toy --embedded",
        0,
        &["is as it was", "the namespaces team-a of the hub may use it"],
    )?;
    place.says("cluster add toy --embedded --allow-all", 0, &["every namespace of the hub may use it"])?;
    // What is refused leaves no credentials behind.
    let other = format!("cluster add toy --kubeconfig {kubeconfig}");
    place.says(&other, 4, &["there is a cluster toy already, which is embedded", "take another name"])?;
    let secrets = place.kubectl()?.ok("get secrets -n bowline-system -o name", "")?;
    ensure!(!secrets.contains("toy-kubeconfig"), "{secrets}");
    place.says("cluster remove toy", 0, &["is removed"])?;
    let left = std::fs::read_dir(place.path("data/clusters"))?.count();
    ensure!(left == 0, "what it held is gone: {left}");
    place.says("cluster show toy", 4, &["there is no cluster toy"])?;
    place.says("cluster list", 0, &["There are no clusters"])?;

    // Another one of that name has nothing of it.
    place.says("cluster add toy --embedded", 0, &["is added", "It is ready"])?;
    let (_, kubeconfig) = endpoint(&place, "toy")?;
    let pods = place.kubectl_of(Path::new(&kubeconfig))?.ok("get pods -o name", "")?;
    ensure!(pods.is_empty(), "{pods}");

    // Somebody takes our finalizer off while no controller is there to put it back: what is left of it goes with the next life.
    let place = place.without_controllers(|place| {
        let kubectl = place.kubectl()?;
        kubectl.ok("patch cluster toy --type=merge -p {\"metadata\":{\"finalizers\":null}}", "")?;
        kubectl.ok("delete cluster toy", "")?;
        let left = std::fs::read_dir(place.path("data/clusters"))?.count();
        ensure!(left == 1, "nobody has removed what it held: {left}");
        Ok(())
    })?;
    let left = std::fs::read_dir(place.path("data/clusters"))?.count();
    ensure!(left == 0, "nothing is left: {left}");
    place.says("cluster list", 0, &["There are no clusters"])?;
    Ok(())
}

/// A directory that is taken away is noticed, nothing is made in its place, and it is used again when it is back.
#[test]
fn an_embedded_cluster_without_its_directory_says_so() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded", 0, &["It is ready"])?;
    let (_, kubeconfig) = endpoint(&place, "toy")?;
    let toy = place.kubectl_of(Path::new(&kubeconfig))?;
    toy.ok("create configmap kept", "")?;
    let directory = Path::new(&kubeconfig).parent().context("a directory")?;
    let aside = place.path("aside");
    std::fs::rename(directory, &aside)?;
    place.stands("toy", "DataLost")?;
    place.says(
        "cluster show toy",
        0,
        &["not ready", "was taken away while it runs", "a copy of its kubeconfig"],
    )?;

    let place = place.live_again()?;
    until("it is not started anew", || {
        let said = place.says("cluster show toy", 0, &[])?;
        Ok(if said.contains("is gone, and with it all that it held") { Ok(()) } else { Err(said) })
    })?;
    place.stands("toy", "DataLost")?;
    ensure!(!directory.exists(), "nothing is made in its place");
    std::fs::rename(&aside, directory)?;
    place.stands("toy", "Usable")?;
    toy.ok("get configmap kept", "")?;
    std::fs::remove_dir_all(directory)?;
    place.stands("toy", "DataLost")?;
    place.says("cluster remove toy", 0, &["is removed"])?;
    Ok(())
}
