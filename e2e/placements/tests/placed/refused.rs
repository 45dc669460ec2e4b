//! What cannot be had is refused, or stalled with what to do, and nothing is touched.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, deployment, object};
use bowline_e2e_up::until;
use serde_json::json;

#[test]
fn what_cannot_be_had_is_refused_before_anything_is_stopped() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    let kubectl = bed.kubectl()?;
    kubectl.ok("create namespace shop", "")?;
    bed.says("place namespace shop --on nowhere", 4, &["nowhere"])?;
    // A volume that stays on its cluster.
    let claim = json!({ "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "simulated", "resources": { "requests": { "storage": "1Gi" } } } });
    bed.says("place namespace shop --on east", 0, &[])?;
    let claim = object("v1", "PersistentVolumeClaim", "shop", "data", &claim);
    bed.apply(&[claim, deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.is_tied("shop.data", "east")?;
    let east = bed.at("east")?;
    let pods = east.ok("-n shop get pods -o name", "")?;
    ensure!(pods.contains("web"), "{pods}");
    bed.says("place move shop --to nowhere", 4, &["nowhere"])?;
    bed.says("place namespace shop --on west", 4, &["placed already", "bowline place move shop"])?;
    bed.says("place move shop --to west", 4, &["data", "nothing was stopped"])?;
    // By kubectl nobody is there to refuse it: it stays where it is, and says why.
    kubectl.ok("-n shop patch placement placement --type=merge -p {\"spec\":{\"target\":\"west\"}}", "")?;
    until("it is stalled", || {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains("shop.data") && message.contains("west") { Ok(()) } else { Err(message) })
    })?;
    kubectl.ok("-n shop patch placement placement --type=merge -p {\"spec\":{\"target\":\"east\"}}", "")?;
    let ways =
        [("cordon west", "cordoned", "uncordon west"), ("fence west --confirmed", "fence", "unfence west")];
    for (takes, why, gives) in ways {
        bed.says(&format!("place {takes}"), 0, &[])?;
        bed.says("place move shop --to west", 4, &["west", why, "nothing was stopped"])?;
        bed.says(&format!("place {gives}"), 0, &[])?;
    }
    // A namespace has one placement.
    let other = json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement",
        "metadata": { "name": "other", "namespace": "shop" }, "spec": { "target": "west" } });
    let said = kubectl.run("create -f -", &other.to_string())?;
    ensure!(said.code != 0 && said.err.contains("a namespace has one Placement"), "{said:?}");
    ensure!(east.ok("-n shop get pods -o name", "")? == pods, "something was stopped");
    bed.is_up("shop", "east")
}
