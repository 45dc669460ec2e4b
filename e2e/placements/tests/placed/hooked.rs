//! A program of whoever runs the hub keeps a cluster that does not answer from its volumes.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment};
use bowline_e2e_up::until;

#[test]
fn a_program_fences_what_is_cut_off_and_is_believed_when_it_says_how_that_stands() -> Result<()> {
    let bed = Bed::start_with_hooks(&["east", "west"])?;
    bed.says("place target add east --cluster east --fence-hook wall", 0, &[])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.road("east").close();
    bed.says("place move shop --to west", 0, &[])?;
    bed.says("place fence east", 0, &[])?;
    // There is no such program yet: nothing is taken for fenced, and people are told.
    until("it is told that the program cannot be run", || {
        let said =
            bed.kubectl()?.ok("get synctarget east -o jsonpath={.status.fence}:{.status.message}", "")?;
        Ok(if said.starts_with("Requested:") && said.contains("wall") { Ok(()) } else { Err(said) })
    })?;
    bed.writes("east", 3)?;
    bed.volumes().fence_by(&bed.path("hooks/wall"), &bed.path("walls"))?;
    bed.fence_is("east", "Fenced")?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 5)?;
    // It still runs there, and is kept out.
    ensure!(bed.at("east")?.ok("get pods -n shop -o name", "")?.contains("web"));
    bed.says("place history shop/data", 0, &["east", "west"])?;
    bed.road("east").open();
    bed.is_clear_of("east", "shop")?;
    bed.says("place unfence east", 0, &[])?;
    bed.fence_is("east", "None")?;
    let wall = std::fs::read_to_string(bed.path("walls/east"))?;
    ensure!(wall.starts_with("open "), "it is let in, and the program was not told: {wall}");
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.refused > 0 && verdict.moves == 2, "{verdict}");
    Ok(())
}
