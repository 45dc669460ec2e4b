//! A stateful set makes its claims downstream, and goes with their data.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, object, set};
use serde_json::json;

#[test]
fn a_set_goes_with_the_claims_that_it_has_made() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    let service =
        json!({ "spec": { "clusterIP": "None", "selector": { "app": "db" }, "ports": [{ "port": 80 }] } });
    bed.place("shop", "east", &[object("v1", "Service", "shop", "db", &service), set("shop", "db", 2)])?;
    bed.is_up("shop", "east")?;
    bed.writes_to("east", 2)?;
    // They are known by then: nothing of them would be lost from here on.
    bed.kubectl()?.ok("get volumegrant shop.data-db-0 shop.data-db-1", "")?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes_to("west", 2)?;
    bed.is_clear_of("east", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (2, 2), "{verdict}");
    Ok(())
}
