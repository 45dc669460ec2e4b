//! A namespace goes from one cluster to another, and its data with it.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment};

#[test]
fn a_namespace_goes_with_its_data_and_comes_back() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 5)?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 5)?;
    bed.is_clear_of("east", "shop")?;
    bed.says("place history shop/data", 0, &["east", "west"])?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 5)?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (1, 2), "{verdict}");
    Ok(())
}
