//! A hub comes back in a new directory, and knows nothing: neither targets, nor who placed what.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment, set, stays};
use serde_json::Value;

/// A namespace with a volume that was asked for, and one that the cluster has made.
fn shop() -> Vec<Value> {
    vec![claim("shop", "data"), deployment("shop", "web", Some("data")), set("shop", "db", 1)]
}

/// It was moved once, so that epochs of a hub that begins anew are smaller than those that were given. Then it is lost, and all
/// targets are made known again, as docs/placements.md says.
fn lost() -> Result<Bed> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &shop())?;
    bed.is_up("shop", "east")?;
    bed.writes_to("east", 2)?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.writes_to("west", 2)?;
    let before = running(&bed)?;
    bed.forget()?;
    // Its syncers do not know this hub, and it does not know them.
    stays(Duration::from_secs(6), || is_as_before(&bed, &before))?;
    bed.join_again()?;
    for target in ["east", "west"] {
        bed.has_reported(target)?;
    }
    stays(Duration::from_secs(3), || is_as_before(&bed, &before))?;
    bed.writes("west", 3)?;
    Ok(bed)
}

fn running(bed: &Bed) -> Result<String> {
    bed.at("west")?.ok("get pods,pvc,pv -n shop -o name", "")
}

fn is_as_before(bed: &Bed, before: &str) -> Result<Result<(), String>> {
    let now = running(bed)?;
    Ok(if now == before { Ok(()) } else { Err(format!("{before}{now}")) })
}

#[test]
fn what_runs_is_taken_up_where_it_is_and_moves_on_with_all_of_its_volumes() -> Result<()> {
    let bed = lost()?;
    let before = running(&bed)?;
    bed.place("shop", "west", &shop())?;
    bed.is_up("shop", "west")?;
    stays(Duration::from_secs(3), || is_as_before(&bed, &before))?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 4)?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == 2 && verdict.moves == 4, "{verdict}");
    Ok(())
}

#[test]
fn what_is_placed_elsewhere_than_where_it_runs_is_moved_there_and_never_runs_twice() -> Result<()> {
    let bed = lost()?;
    bed.place("shop", "east", &shop())?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 4)?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == 2, "an empty volume was made: {verdict}");
    Ok(())
}
