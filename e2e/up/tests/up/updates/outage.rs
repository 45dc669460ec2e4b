//! A cluster that goes away in the middle of an update: the others go on without it, and when it is back the update ends well.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_e2e_up::until;
use bowline_fixtures::proxy::{Matcher, Proxy, Rule, Weather};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::server::Server;
use super::start;
use super::team::{Team, deployment, embedded, map, never_ready};

/// Whoever waits for a request to the cluster that is away waits at least so long.
const REQUEST: Duration = Duration::from_secs(10);
/// It is away for so long.
const AWAY: Duration = Duration::from_secs(60);

fn maps(version: &str) -> Vec<Value> {
    (0..20).map(|index| map(&format!("map-{index}"), json!({ "v": version }))).collect()
}

#[test]
fn a_cluster_that_goes_away_for_a_while_delays_nobody_else() -> Result<()> {
    let place = start()?;
    place.says("cluster add sea --embedded --allow-all", 0, &["It is ready"])?;
    let sea = embedded(&place, "sea")?;
    let runtime = Runtime::new()?;
    let way = runtime.block_on(Proxy::start(&sea))?;
    place.says(
        &format!("cluster add far --kubeconfig {}", way.kubeconfig().display()),
        0,
        &["It is ready"],
    )?;
    let far = Team::on(&place, "far", "default", "far", json!({}))?;
    let near = Team::new(&place, "default", "near", json!({}))?;
    far.ends(&far.submit(&maps("1"))?, "Succeeded")?;

    // It falls silent in the middle of the writes.
    way.rule(Rule::nth(5, Matcher::writes().of("configmaps"), Weather::Hold));
    let content = [maps("2"), vec![deployment("web", None)]].concat();
    let update = far.submit(&content)?;
    let held = runtime.block_on(way.next_request(Matcher::writes()));
    way.rule(Rule::every(Matcher::any(), Weather::Hold));
    let silent = Instant::now();
    // Who waited for the silent one would do so at each of its steps, however fast the machine is. One that was lucky proves
    // nothing; one that was slow may have had a busy machine.
    let mut times = Vec::new();
    while times.iter().filter(|time| **time < REQUEST).count() < 3 {
        ensure!(times.len() < 10, "most of them waited: {times:?}");
        let began = Instant::now();
        let content = [map("near", json!({ "v": times.len().to_string() })), deployment("web", None)];
        near.ends(&near.submit(&content)?, "Succeeded")?;
        times.push(began.elapsed());
    }
    place.stands("far", "NoAnswer")?;
    until("it says what it waits for, as long as it is away", || {
        let status = far.comes_to(&update, "Partial")?;
        let said = status["message"].as_str().unwrap_or_default();
        let says =
            said.contains("no answer within 10 s") || said.contains("waits for its cluster to be ready");
        Ok(if says && silent.elapsed() > AWAY { Ok(()) } else { Err(status.to_string()) })
    })?;
    near.ends(&near.submit(&[map("near", json!({ "v": "last" }))])?, "Succeeded")?;

    // What is held arrives now, though nobody waits for it any more.
    runtime.block_on(held.pass());
    way.calm();
    let ended = far.ends(&update, "Succeeded")?;
    ensure!(ended["version"] == 2, "{ended}");
    is_exactly(&sea, &content)?;

    // The same in the middle of a rollback.
    let broken = [maps("3"), vec![never_ready("web")]].concat();
    let update = far.submit_with(&broken, " --health-timeout 2s")?;
    until("all of it is written", || {
        let status = far.comes_to(&update, "Partial")?;
        Ok(if status["progress"]["done"] == broken.len() { Ok(()) } else { Err(status.to_string()) })
    })?;
    way.rule(Rule::once(Matcher::writes(), Weather::Hold));
    let held = runtime.block_on(way.next_request(Matcher::writes()));
    way.rule(Rule::every(Matcher::any(), Weather::Hold));
    place.stands("far", "NoAnswer")?;
    runtime.block_on(held.lose_request());
    way.calm();
    far.ends(&update, "RolledBack")?;
    is_exactly(&sea, &content)
}

/// The cluster has the ConfigMaps of this content, and no others.
fn is_exactly(cluster: &Path, content: &[Value]) -> Result<()> {
    let is = Server::of(cluster)?.maps("default")?;
    let wanted = content.iter().filter(|object| object["kind"] == "ConfigMap").map(|object| {
        let name = object["metadata"]["name"].as_str().context("a name")?;
        Ok((name.to_owned(), object["data"].clone()))
    });
    ensure!(is == wanted.collect::<Result<_>>()?, "{is:#?}");
    Ok(())
}
