//! A pipeline that runs wild: 100 versions in a burst.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use bowline_bundle::{Packed, Source, object_name, pack, read, secret};
use bowline_e2e_up::until;
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, embedded, map};

const BURST: usize = 100;

/// However fast they are applied: while one is, several more come.
const APPLIED: usize = 25;

/// Content, on the hub.
fn keep(home: &Server, team: &Team<'_>, object: &Value) -> Result<Packed> {
    let text = object.to_string();
    let manifests =
        read(Source::Stream(&mut text.as_bytes(), "burst")).map_err(|bad| anyhow::anyhow!("{bad}"))?;
    let packed = pack(&manifests)?;
    let bundle = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "Bundle", "spec": packed.spec,
        "metadata": { "name": object_name(&packed.spec.digest) },
    });
    home.make(&format!("{}/bundles", team.objects()), &bundle)?;
    for part in &packed.parts {
        home.make("/api/v1/namespaces/default/secrets", &serde_json::to_value(secret(part))?)?;
    }
    Ok(packed)
}

#[test]
fn of_a_hundred_in_a_burst_the_newest_wins_and_nothing_is_applied_twice() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let (home, toy) = (team.home()?, Server::of(&embedded(&place, "toy")?)?);
    let kept: Vec<_> = (0..BURST)
        .map(|number| keep(&home, &team, &map("burst", json!({ "n": number.to_string() }))))
        .collect::<Result<_>>()?;
    let begins = toy.read("/api/v1/namespaces/default/configmaps")?["metadata"]["resourceVersion"].clone();

    // The number in the content, by the version of the hub at which it was asked for.
    let mut asked = BTreeMap::new();
    for (number, packed) in kept.iter().enumerate() {
        let update = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Update", "metadata": { "generateName": "burst-" },
            "spec": { "stack": "shop", "bundle": packed.spec.digest },
        });
        let made = home.make(&format!("{}/updates", team.objects()), &update)?;
        let at = made["metadata"]["resourceVersion"].as_str().context("a version")?.parse::<u64>()?;
        let name = made["metadata"]["name"].as_str().context("a name")?.to_owned();
        asked.insert(at, (number, name));
    }
    until("all have ended", || {
        let open = team.updates()?.into_iter().filter(|update| !update["status"]["finishedAt"].is_string());
        let open: Vec<_> = open.map(|update| update["status"].clone()).collect();
        Ok(if open.is_empty() { Ok(()) } else { Err(format!("{}: {open:?}", team.stack()?)) })
    })?;

    let updates: BTreeMap<_, _> = team
        .updates()?
        .into_iter()
        .map(|mut update| {
            (update["metadata"]["name"].as_str().unwrap_or_default().to_owned(), update["status"].take())
        })
        .collect();
    ensure!(updates.len() == BURST, "{}", updates.len());
    let in_order: Vec<_> = asked.values().map(|(_, name)| &updates[name]).collect();
    for (index, status) in in_order.iter().enumerate() {
        ensure!(status["version"] == index + 1, "numbers are in the order of submission: {index}: {status}");
        let is_last = index + 1 == BURST;
        let may = status["phase"] == "Succeeded" || !is_last && status["phase"] == "Superseded";
        ensure!(may, "{index}: {status}");
    }
    let succeeded = in_order.iter().filter(|status| status["phase"] == "Succeeded").count();
    ensure!(succeeded <= APPLIED, "{succeeded} of {BURST} were applied");

    let numbers: Vec<_> = asked.values().map(|(number, _)| number.to_string()).collect();
    let applied = history(&toy, begins.as_str().context("a version")?)?;
    let at: Vec<_> =
        applied.iter().map(|applied| numbers.iter().position(|number| number == applied)).collect();
    ensure!(
        at.iter().all(Option::is_some) && at.windows(2).all(|two| two[0] < two[1]),
        "each once, and none after a newer one: {applied:?}"
    );
    ensure!(at.last() == Some(&Some(BURST - 1)), "the newest wins: {applied:?}");
    eprintln!("{succeeded} of {BURST} succeeded, {} were applied", applied.len());
    Ok(())
}

/// What the object said since then, with each write to it. Who makes it writes twice: the second time it says whose its fields are.
fn history(toy: &Server, since: &str) -> Result<Vec<String>> {
    let path =
        format!("/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={since}&timeoutSeconds=1");
    let mut said: Vec<String> = Vec::new();
    for line in toy.text(&path)?.lines() {
        let event: Value = serde_json::from_str(line)?;
        said.extend(event["object"]["data"]["n"].as_str().map(ToOwned::to_owned));
    }
    if let [first, second, ..] = said.as_slice()
        && first == second
    {
        said.remove(0);
    }
    Ok(said)
}
