//! A namespace is deleted, and so is its data; and never anything else.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, What, claim, deployment};
use bowline_e2e_up::until;

fn deletes(bed: &Bed, count: usize) -> Result<()> {
    until("data is deleted", || {
        let entries = bed.volumes().log().entries();
        let deleted = entries.iter().filter(|entry| entry.what == What::Deleted).count();
        ensure!(deleted <= count, "{deleted} volumes are deleted");
        Ok(if deleted == count { Ok(()) } else { Err(format!("{deleted}")) })
    })
}

#[test]
fn who_is_deleted_in_the_middle_of_a_move_is_gone_and_its_name_is_free() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    let objects = [claim("shop", "data"), deployment("shop", "web", Some("data"))];
    bed.place("shop", "east", &objects)?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.delete("shop")?;
    deletes(&bed, 1)?;
    bed.is_clear_of("east", "shop")?;
    bed.is_clear_of("west", "shop")?;
    // Made again under its name, it has another volume, and epochs from the beginning.
    bed.place("shop", "west", &objects)?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    let verdict = bed.clean()?;
    ensure!(verdict.volumes == 2, "{verdict}");
    Ok(())
}

#[test]
fn what_nobody_has_is_deleted_by_who_was_to_have_it() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.syncer("west").kill()?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.is_clear_of("east", "shop")?;
    bed.kubectl()?.ok("delete namespace shop --wait=false", "")?;
    deletes(&bed, 0)?;
    // It makes the volume only to delete it.
    bed.syncer("west").live()?;
    deletes(&bed, 1)?;
    until("the namespace is gone", || {
        let left = bed.kubectl()?.ok("get namespace shop --ignore-not-found -o name", "")?;
        Ok(if left.is_empty() { Ok(()) } else { Err(bed.placement("shop")?.to_string()) })
    })?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (1, 0), "{verdict}");
    Ok(())
}

#[test]
fn a_placement_that_is_deleted_alone_keeps_all_data() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.kubectl()?.ok("-n shop delete placement placement --timeout=300s", "")?;
    bed.is_clear_of("east", "shop")?;
    deletes(&bed, 0)?;
    bed.says("place namespace shop --on west", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (1, 1), "{verdict}");
    Ok(())
}
