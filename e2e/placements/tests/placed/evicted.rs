//! Nobody hears of a target any more, and nobody does anything about it: its volumes refuse who has a smaller epoch.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment};

#[test]
fn who_is_not_heard_of_for_long_is_evicted_and_its_volumes_keep_it_out() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.volumes().enforce()?;
    for target in ["east", "west"] {
        let line = format!("place target add {target} --cluster {target} --enforces-epochs --evict-after 2s");
        bed.says(&line, 0, &[])?;
    }
    bed.says("place cordon west", 0, &[])?;
    bed.kubectl()?.ok("create namespace shop", "")?;
    bed.says("place namespace shop", 0, &[])?;
    bed.apply(&[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.says("place uncordon west", 0, &[])?;
    // Its pods run on: who would stop them is gone.
    bed.syncer("east").kill()?;
    bed.fence_is("east", "Fenced")?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 5)?;
    ensure!(bed.at("east")?.ok("get pods -n shop -o name", "")?.contains("web"));
    bed.says("place history shop/data", 0, &["east", "west", "epochs"])?;
    // Who comes back stops what is void, and is let in again without anybody's doing.
    bed.syncer("east").live()?;
    bed.is_clear_of("east", "shop")?;
    bed.fence_is("east", "None")?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.refused > 0 && verdict.moves == 2, "{verdict}");
    Ok(())
}
