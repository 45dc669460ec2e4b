//! A stateful set makes its claims downstream, and goes with their data.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, object, set};
use bowline_e2e_up::until;
use serde_json::json;

#[test]
fn a_set_goes_with_the_claims_that_it_has_made() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    let service =
        json!({ "spec": { "clusterIP": "None", "selector": { "app": "db" }, "ports": [{ "port": 80 }] } });
    bed.place("shop", "east", &[object("v1", "Service", "shop", "db", &service), set("shop", "db", 2)])?;
    bed.is_up("shop", "east")?;
    bed.writes_to("east", 2)?;
    // The second claim is made when the first pod is ready, and known a moment later: nothing of them is lost from then on.
    until("both claims are known", || {
        let said = bed.kubectl()?.run("get volumegrant shop.data-db-0 shop.data-db-1", "")?;
        Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
    })?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes_to("west", 2)?;
    bed.is_clear_of("east", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (2, 2), "{verdict}");
    Ok(())
}
