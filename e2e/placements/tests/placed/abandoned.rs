//! The storage of a volume is lost with the only cluster that reaches it.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, deployment, object, stays};
use bowline_e2e_up::until;
use serde_json::json;

#[test]
fn what_only_a_dead_target_reaches_is_given_up_by_a_person_and_by_nobody_else() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    let claimed = json!({ "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "simulated", "resources": { "requests": { "storage": "1Gi" } } } });
    let claim = object("v1", "PersistentVolumeClaim", "shop", "data", &claimed);
    bed.place("shop", "east", &[claim, deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.is_tied("shop.data", "east")?;
    bed.syncer("east").kill()?;
    bed.says("place fence east --confirmed", 0, &[])?;
    bed.fence_is("east", "Fenced")?;
    let kubectl = bed.kubectl()?;
    kubectl.ok("delete namespace shop --wait=false", "")?;
    let waits = || -> Result<Result<(), String>> {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains("reaches the volume shop.data") { Ok(()) } else { Err(message) })
    };
    until("it is told that nobody reaches it", waits)?;
    stays(Duration::from_secs(3), waits)?;
    bed.says("place abandon shop/nothing", 4, &["shop/nothing"])?;
    bed.says("place abandon shop/data", 0, &["shop/data is abandoned, in the name of"])?;
    until("the namespace is gone", || {
        let left = kubectl.ok("get namespace shop --ignore-not-found -o name", "")?;
        Ok(if left.is_empty() { Ok(()) } else { Err(bed.placement("shop")?.to_string()) })
    })?;
    let left = kubectl.ok("get volumegrants -o name", "")?;
    ensure!(left.is_empty(), "{left}");
    // Who comes back after all clears it away.
    bed.syncer("east").live()?;
    bed.says("place unfence east", 0, &[])?;
    bed.fence_is("east", "None")?;
    bed.clean().map(drop)
}
