//! At rest nothing is written but renewals of the lease, however often clusters and definitions are looked at.
//!
//! A real kube-apiserver writes down what is asked of it, and the hub what is written; it counts its versions one by one, too,
//! and each has a line.

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Home;
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

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
    until("it was looked at everything, and the lease was renewed", || {
        let since = since()?;
        let renewals = since.iter().filter(|asked| renewal(asked)).count();
        let of_definitions = |asked: &&Value| asked["objectRef"]["resource"] == "customresourcedefinitions";
        let definitions = since.iter().filter(of_definitions).count();
        let told = format!("{renewals} renewals, {definitions} looks at definitions");
        Ok(if renewals >= RENEWALS && definitions >= 14 { looked_twice()? } else { Err(told) })
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
    let (before, version_before) = (hub.audit()?.len(), version(hub)?);
    let since = || anyhow::Ok(hub.audit()?.into_iter().skip(before).collect::<Vec<_>>());
    until("it was looked at, and the lease was renewed", || {
        let renewals = since()?.iter().filter(|asked| renewal(asked)).count();
        Ok(if renewals >= RENEWALS { looked_twice()? } else { Err(format!("{renewals} renewals")) })
    })?;
    let version_after = version(hub)?;
    let all = since()?;
    let reads = ["get", "list", "watch"].map(|verb| json!(verb));
    let writes: Vec<_> =
        all.iter().filter(|asked| !reads.contains(&asked["verb"]) && !renewal(asked)).collect();
    ensure!(writes.is_empty(), "{writes:#?}");
    // Every version has a line: nothing was written that is not told.
    let renewed = all.iter().filter(|asked| renewal(asked)).filter_map(|asked| {
        asked["objectRef"]["resourceVersion"].as_str().and_then(|version| version.parse::<usize>().ok())
    });
    let renewed: Vec<_> =
        renewed.filter(|version| (version_before + 1..=version_after).contains(version)).collect();
    ensure!(renewed == (version_before + 1..=version_after).collect::<Vec<_>>(), "{renewed:?}");
    Ok(())
}

/// Whether a line is of a renewal of the lease.
fn renewal(asked: &Value) -> bool {
    let of = &asked["objectRef"];
    asked["verb"] == "update" && of["resource"] == "leases" && of["name"] == "bowline-controllers"
}

/// The version of the last change of anything.
fn version(hub: &Hub) -> Result<usize> {
    let (_, counts) = hub.page("/metrics")?;
    let line = counts.lines().find_map(|line| line.strip_prefix("bowline_hub_resource_version "));
    Ok(line.with_context(|| format!("it is not told: {counts}"))?.parse()?)
}
