//! At rest nothing is written but renewals of the lease, however often clusters and definitions are looked at.
//!
//! A real kube-apiserver writes down what is asked of it. The hub does not; but it counts its versions one by one, and a
//! watch of the leases from an earlier version on shows which of them are theirs.

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Home;
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/bowline-system/leases";

/// Renewals that have to be seen: some seconds lie between two.
const RENEWALS: usize = 3;

/// The cluster `prod` was found silent, and stays so: it is looked at, and nothing is written.
pub(crate) fn nothing_is_written(place: &Place) -> Result<()> {
    let kubectl = place.kubectl()?;
    let read = |what: &str| anyhow::Ok(serde_json::from_str::<Value>(&kubectl.ok(what, "")?)?);
    until("what was found is told, and what is not used is gone", || {
        let events = read("get events.events.k8s.io -n default -o json")?;
        let is_told = |event: &Value| event["regarding"]["name"] == "prod" && event["reason"] == "NoAnswer";
        let is_told = events["items"].as_array().is_some_and(|events| events.iter().any(is_told));
        let secrets = read("get secrets -n bowline-system -l bowline.dev/cluster -o json")?;
        let is_gone = secrets["items"].as_array().is_some_and(|secrets| secrets.len() == 1);
        Ok(if is_told && is_gone { Ok(()) } else { Err(format!("{events} {secrets}")) })
    })?;
    let looks = place.looks()?;
    let looked_twice = || {
        let now = place.looks()?;
        Ok(if now >= looks + 2 { Ok(()) } else { Err(format!("{now} looks after {looks}")) })
    };
    match place.kubernetes() {
        Some(home) => on_kubernetes(home, looked_twice),
        None => on_the_hub(place.up()?, looked_twice),
    }
}

fn on_kubernetes(home: &Home, looked_twice: impl Fn() -> Result<Result<(), String>>) -> Result<()> {
    let who = home.kubectl()?.ok("auth whoami -o json", "")?;
    let who = serde_json::from_str::<Value>(&who)?["status"]["userInfo"]["username"].clone();
    let before = home.audit()?.len();
    let since = || {
        let all = home.audit()?.into_iter().skip(before);
        anyhow::Ok(all.filter(|asked| asked["user"]["username"] == who).collect::<Vec<_>>())
    };
    let renewal = |asked: &Value| {
        let of = &asked["objectRef"];
        asked["verb"] == "update" && of["resource"] == "leases" && of["name"] == "bowline-controllers"
    };
    until("it was looked at everything, and the lease was renewed", || {
        let since = since()?;
        let renewals = since.iter().filter(|asked| renewal(asked)).count();
        let of_definitions = |asked: &&Value| asked["objectRef"]["resource"] == "customresourcedefinitions";
        let definitions = since.iter().filter(of_definitions).count();
        let told = format!("{renewals} renewals, {definitions} looks at definitions");
        Ok(if renewals >= RENEWALS && definitions >= 13 { looked_twice()? } else { Err(told) })
    })?;
    let writes: Vec<_> = since()?
        .into_iter()
        .filter(|asked| !["get", "list", "watch"].map(|verb| json!(verb)).contains(&asked["verb"]))
        .filter(|asked| !renewal(asked))
        .collect();
    ensure!(writes.is_empty(), "{writes:#?}");
    Ok(())
}

fn on_the_hub(hub: &Hub, looked_twice: impl Fn() -> Result<Result<(), String>>) -> Result<()> {
    let before = version(hub)?;
    until("it was looked at, and the lease was renewed", || {
        let renewals = version(hub)? - before;
        Ok(if renewals >= RENEWALS { looked_twice()? } else { Err(format!("{renewals} renewals")) })
    })?;
    let after = version(hub)?;
    let target = format!("{LEASES}?watch=1&resourceVersion={before}&timeoutSeconds=1");
    let (_, events) = hub.page(&target)?;
    let versions = events.lines().map(|line| {
        let event: Value = serde_json::from_str(line)?;
        let version = event["object"]["metadata"]["resourceVersion"].as_str().context("a version")?;
        Ok(version.parse::<usize>()?)
    });
    let versions: Vec<_> = versions.collect::<Result<_>>()?;
    let renewals: Vec<_> = versions.into_iter().filter(|version| *version <= after).collect();
    ensure!(renewals == (before + 1..=after).collect::<Vec<_>>(), "{before} to {after}: {renewals:?}");
    Ok(())
}

/// The version of the last change of anything.
fn version(hub: &Hub) -> Result<usize> {
    let (_, counts) = hub.page("/metrics")?;
    let line = counts.lines().find_map(|line| line.strip_prefix("bowline_hub_resource_version "));
    Ok(line.with_context(|| format!("it is not told: {counts}"))?.parse()?)
}
