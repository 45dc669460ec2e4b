//! The hub does not run for a while, and does not know that.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, Sort, claim, deployment, stays};
use nix::sys::signal::Signal;

/// More than a lease of a syncer, and than that of the controllers: whoever leads has not led for a while when it goes on.
const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_hub_that_is_paused_for_many_leases_stops_nobody_and_goes_on() -> Result<()> {
    let mut bed = Bed::start_with(Sort::Embedded, &["east", "west"], "2s")?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    let pods = bed.at("east")?.ok("get pods -n shop -o name", "")?;
    bed.signal_hub(Signal::SIGSTOP)?;
    // A syncer that starts meanwhile waits for the hub, and leaves everything as it is.
    bed.syncer("east").kill()?;
    bed.syncer("east").live()?;
    let east = bed.at("east")?;
    stays(LONG, || {
        let now = east.ok("get pods -n shop -o name", "")?;
        Ok(if now == pods { Ok(()) } else { Err(now) })
    })?;
    bed.writes("east", 5)?;
    bed.signal_hub(Signal::SIGCONT)?;
    bed.is_ready()?;
    bed.is_up("shop", "east")?;
    ensure!(east.ok("get pods -n shop -o name", "")? == pods, "something was started anew");
    // Its syncer may not be heard of for a moment yet: who follows the move would be told so.
    bed.says("place move shop --to west", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    bed.clean().map(drop)
}

#[test]
fn a_hub_that_is_paused_in_a_move_ends_it() -> Result<()> {
    let bed = Bed::start_with(Sort::Embedded, &["east", "west"], "2s")?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.signal_hub(Signal::SIGSTOP)?;
    std::thread::sleep(LONG);
    bed.signal_hub(Signal::SIGCONT)?;
    bed.is_ready()?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.moves == 1, "{verdict}");
    Ok(())
}
