//! A volume that several may use at once, and that the last one deletes.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, What, deployment, shared_claim, stays};
use bowline_e2e_up::until;

fn users(bed: &Bed) -> Result<String> {
    bed.kubectl()?.ok("get volumegrant shop.data -o jsonpath={.status.users[*].target}", "")
}

fn deleted(bed: &Bed) -> usize {
    bed.volumes().log().entries().iter().filter(|entry| entry.what == What::Deleted).count()
}

#[test]
fn a_shared_volume_is_deleted_once_when_nobody_else_has_it() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[shared_claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    // It is moved, while who has it does not answer: the next one has the volume too, and not yet the namespace.
    bed.syncer("east").kill()?;
    bed.says("place move shop --to west", 0, &[])?;
    until("both have it", || {
        let users = users(&bed)?;
        Ok(if users.split(' ').count() == 2 { Ok(()) } else { Err(users) })
    })?;
    bed.writes("east", 3)?;
    bed.kubectl()?.ok("delete namespace shop --wait=false", "")?;
    stays(Duration::from_secs(3), || {
        Ok(if deleted(&bed) == 0 { Ok(()) } else { Err("it was deleted while east has it".to_owned()) })
    })?;
    bed.syncer("east").live()?;
    bed.delete("shop")?;
    for target in ["east", "west"] {
        bed.is_clear_of(target, "shop")?;
    }
    ensure!(deleted(&bed) == 1, "it was deleted {} times", deleted(&bed));
    bed.clean().map(drop)
}

#[test]
fn a_shared_volume_goes_along_with_its_namespace() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[shared_claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.writes("west", 3)?;
    bed.is_clear_of("east", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (1, 1), "{verdict}");
    Ok(())
}
