//! A volume is attached to a node that does not answer: what runs there may still write, whatever the cluster says of it.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_hub::Kubectl;
use bowline_e2e_placements::{Bed, DRIVER, claim, deployment, stays};
use serde_json::{Value, json};

const SAYS: &str = "the node dead, which is not Ready";

/// A node of the cluster, and how it is.
fn node(cluster: &Kubectl, ready: &str) -> Result<()> {
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "dead" } });
    cluster.ok("apply -f -", &node.to_string())?;
    let status = json!({ "status": { "conditions": [{ "type": "Ready", "status": ready }] } });
    cluster.ok(&format!("patch node dead --subresource=status --type=merge -p {status}"), "").map(drop)
}

/// That a volume is attached to it.
fn attachment(volume: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": "stuck" },
        "spec": { "attacher": DRIVER, "nodeName": "dead", "source": { "persistentVolumeName": volume } },
    })
}

#[test]
fn a_volume_on_a_node_that_does_not_answer_waits_for_a_fence() -> Result<()> {
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    let east = bed.at("east")?;
    node(&east, "Unknown")?;
    let volume = east.ok("-n shop get pvc data -o jsonpath={.spec.volumeName}", "")?;
    east.ok("create -f -", &attachment(&volume).to_string())?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.is_told("east", SAYS)?;
    // Kubernetes takes it off such a node after a while; that says nothing of who writes.
    east.ok("delete volumeattachment stuck", "")?;
    stays(Duration::from_secs(3), || {
        let users = bed.placement("shop")?["users"].to_string();
        Ok(if users.contains("east") { Ok(()) } else { Err(users) })
    })?;
    ensure!(bed.syncer("east").said().contains("it was attached to the node dead"));
    bed.volumes().fence("east", true)?;
    bed.says("place fence east --confirmed", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    // The node is up again, and has let go of everything.
    node(&east, "True")?;
    bed.is_clear_of("east", "shop")?;
    bed.volumes().fence("east", false)?;
    bed.says("place unfence east", 0, &[])?;
    bed.fence_is("east", "None")?;
    let verdict = bed.clean()?;
    ensure!(verdict.moves == 1, "{verdict}");
    Ok(())
}
