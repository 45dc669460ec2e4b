//! A cluster is emptied.

use anyhow::Result;
use bowline_e2e_placements::{Bed, claim, deployment};

#[test]
fn what_is_on_a_target_that_drains_goes_elsewhere() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    let kubectl = bed.kubectl()?;
    bed.says("place cordon west", 0, &[])?;
    for name in ["shop", "bank"] {
        kubectl.ok(&format!("create namespace {name}"), "")?;
        // Anywhere, and there is one place only.
        bed.says(&format!("place namespace {name}"), 0, &[])?;
        bed.apply(&[claim(name, "data"), deployment(name, "web", Some("data"))])?;
        bed.is_up(name, "east")?;
    }
    bed.writes("east", 4)?;
    bed.says("place uncordon west", 0, &[])?;
    bed.says("place drain east", 0, &[])?;
    for name in ["shop", "bank"] {
        bed.is_up(name, "west")?;
        bed.is_clear_of("east", name)?;
    }
    bed.writes("west", 4)?;
    bed.says("place status", 0, &["shop", "bank", "west"])?;
    bed.clean().map(drop)
}
