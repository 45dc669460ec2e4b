//! A bundle of 2,000 objects and 4 MB.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, embedded, map};

const OBJECTS: usize = 2_000;
const BYTES: u64 = 4_000_000;

/// Text that no compression makes small.
fn noise(seed: usize) -> String {
    let mut state = seed as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{state:016x}")
    };
    (0..125).map(|_| next()).collect()
}

#[test]
fn two_thousand_objects_of_four_megabytes_get_there() -> Result<()> {
    let place = start()?;
    let team = Team::new(&place, "default", "shop", json!({}))?;
    let mut content: Vec<_> =
        (0..OBJECTS).map(|index| map(&format!("map-{index}"), json!({ "text": noise(index) }))).collect();
    let ended = team.ends(&team.submit(&content)?, "Succeeded")?;
    ensure!(ended["plan"]["create"] == OBJECTS && ended["progress"]["done"] == OBJECTS, "{ended}");
    let bundles = team.home()?.items(&format!("{}/bundles", team.objects()))?;
    let spec = &bundles.first().context("its content is kept")?["spec"];
    ensure!(spec["objects"] == OBJECTS && spec["size"].as_u64() > Some(BYTES), "{spec}");
    ensure!(spec["parts"].as_array().is_some_and(|parts| parts.len() > 1), "{spec}");
    let toy = Server::of(&embedded(&place, "toy")?)?;
    let said = |content: &[Value]| {
        let said = content.iter().map(|map| {
            (map["metadata"]["name"].as_str().unwrap_or_default().to_owned(), map["data"].clone())
        });
        said.collect()
    };
    ensure!(toy.maps("default")? == said(&content), "all of it is there");

    content.pop();
    content[0] = map("map-0", json!({ "text": "short" }));
    let ended = team.ends(&team.submit(&content)?, "Succeeded")?;
    let plan = &ended["plan"];
    ensure!(plan["create"] == 0 && plan["change"] == 1 && plan["delete"] == 1, "{ended}");
    ensure!(toy.maps("default")? == said(&content), "and only that is changed");
    Ok(())
}
