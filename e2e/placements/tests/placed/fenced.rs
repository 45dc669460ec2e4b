//! A cluster is cut off from its hub, and goes on; a person vouches for it that it cannot write any more.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment};
use bowline_e2e_up::until;

#[test]
fn what_is_cut_off_is_fenced_moved_away_from_cleaned_and_let_in_again() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.road("east").close();
    bed.writes("east", 3)?;
    bed.says("place move shop --to west", 0, &[])?;
    until("it is told what is waited for", || {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains("east") { Ok(()) } else { Err(message) })
    })?;
    // It keeps what it has: whether it still writes cannot be known.
    bed.writes("east", 3)?;
    bed.volumes().fence("east", true)?;
    bed.says("place fence east --confirmed", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 5)?;
    // It still runs there, and is kept out.
    ensure!(bed.at("east")?.ok("get pods -n shop -o name", "")?.contains("web"));
    bed.road("east").open();
    bed.is_clear_of("east", "shop")?;
    bed.volumes().fence("east", false)?;
    bed.says("place unfence east", 0, &[])?;
    until("it is let in again", || {
        let status = bed.kubectl()?.ok("get synctarget east -o jsonpath={.status.fence}", "")?;
        Ok(if status == "None" { Ok(()) } else { Err(status) })
    })?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 5)?;
    let verdict = bed.clean()?;
    ensure!(verdict.refused > 0 && verdict.moves == 2, "{verdict}");
    Ok(())
}
