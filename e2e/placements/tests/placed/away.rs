//! The hub is away, for many leases.

use std::time::Duration;

use anyhow::Result;
use bowline_e2e_placements::{Bed, Sort, claim, deployment, stays};

#[test]
fn workloads_stay_up_when_the_hub_is_away_also_over_a_restart_of_the_syncer() -> Result<()> {
    let mut bed = Bed::start_with(Sort::Embedded, &["east", "west"], "2s")?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    let pods = bed.at("east")?.ok("get pods -n shop -o name", "")?;
    bed.kill_hub()?;
    bed.syncer("east").kill()?;
    bed.syncer("east").live()?;
    // Ten leases of a syncer: it has been without one for nine of them.
    let long = Duration::from_secs(20);
    let east = bed.at("east")?;
    stays(long, || {
        let now = east.ok("get pods -n shop -o name", "")?;
        Ok(if now == pods { Ok(()) } else { Err(now) })
    })?;
    bed.writes("east", 5)?;
    bed.live_again()?;
    bed.is_ready()?;
    // And it goes on from there.
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    bed.clean().map(drop)
}
