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

#[test]
fn who_is_wanted_back_in_the_middle_ends_where_it_is_wanted_last() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    for _ in 0..3 {
        bed.says("place move shop --to west", 0, &[])?;
        bed.says("place move shop --to east", 0, &[])?;
    }
    bed.says("place move shop --to west", 0, &[])?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 5)?;
    bed.is_clear_of("west", "shop")?;
    bed.clean().map(drop)
}

#[test]
fn many_are_moved_at_once() -> Result<()> {
    const COUNT: usize = 12;
    let bed = Bed::start(&["east", "west"])?;
    let names: Vec<_> = (0..COUNT).map(|number| format!("shop-{number}")).collect();
    for name in &names {
        bed.place(name, "east", &[claim(name, "data"), deployment(name, "web", Some("data"))])?;
    }
    for name in &names {
        bed.is_up(name, "east")?;
    }
    for name in &names {
        bed.says(&format!("place move {name} --to west"), 0, &[])?;
    }
    for name in &names {
        bed.is_up(name, "west")?;
        bed.is_clear_of("east", name)?;
    }
    bed.writes("west", COUNT)?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == COUNT, "{verdict}");
    Ok(())
}
