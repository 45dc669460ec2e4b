//! The Lease of the controllers is deleted by hand, while nobody is there who knows how often it was taken.

use anyhow::{Result, ensure};
use bowline_e2e_up::Place;
use serde_json::json;

use super::start;
use super::team::{Team, map};

#[test]
fn a_lease_that_was_deleted_keeps_no_stack_from_its_next_version() -> Result<()> {
    let place = start()?;
    Team::new(&place, "default", "shop", json!({}))?;
    // The lives before this one have raised the epoch.
    let place = place.live_again()?;
    place.is_ready()?;
    let first = shop(&place).submit(&[map("settings", json!({ "a": "1" }))])?;
    shop(&place).ends(&first, "Succeeded")?;
    let before = epoch(&place)?;
    ensure!(before > 1, "it was taken twice: {before}");

    let place = place.without_controllers(|place| {
        place.kubectl()?.ok("delete lease bowline-controllers -n bowline-system", "")?;
        Ok(())
    })?;
    let second = shop(&place).submit(&[map("settings", json!({ "a": "2" }))])?;
    shop(&place).ends(&second, "Succeeded")?;
    ensure!(epoch(&place)? > before, "{before} {}", epoch(&place)?);
    Ok(())
}

fn shop(place: &Place) -> Team<'_> {
    Team::again(place, "default", "shop")
}

fn epoch(place: &Place) -> Result<u64> {
    Ok(shop(place).stack()?["status"]["epoch"].as_u64().unwrap_or_default())
}
