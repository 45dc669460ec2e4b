//! The same on real clusters: kube-apiserver, controllers and scheduler, with a node that kwok plays.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, Sort, What, claim, deployment, object, set};
use bowline_e2e_up::until;
use serde_json::json;

#[test]
fn a_namespace_goes_from_one_kubernetes_to_another_and_is_deleted_there() -> Result<()> {
    let mut bed = Bed::start_on(Sort::Kubernetes, &["east", "west"])?;
    let ports = json!({ "spec": { "selector": { "app": "web" }, "ports": [{ "port": 80 }] } });
    let work = json!({ "spec": { "template": { "spec": {
        "restartPolicy": "Never", "containers": [{ "name": "c", "image": "c" }] } } } });
    let objects = [
        object("v1", "ConfigMap", "shop", "settings", &json!({ "data": { "a": "1" } })),
        object("v1", "Service", "shop", "web", &ports),
        object("batch/v1", "Job", "shop", "once", &work),
        claim("shop", "data"),
        deployment("shop", "web", Some("data")),
        set("shop", "db", 1),
    ];
    bed.place("shop", "east", &objects)?;
    bed.is_up("shop", "east")?;
    bed.writes_to("east", 2)?;
    let shown = "-n shop get deployment web -o jsonpath={.status.readyReplicas}";
    until("it is shown on the hub", || {
        let said = bed.kubectl()?.run(shown, "")?;
        Ok(if said.out == "1" { Ok(()) } else { Err(format!("{said:?}")) })
    })?;
    bed.says("place move shop --to west", 0, &[])?;
    bed.syncer("west").kill()?;
    bed.syncer("east").kill()?;
    bed.syncer("east").live()?;
    bed.syncer("west").live()?;
    bed.is_up("shop", "west")?;
    bed.is_clear_of("east", "shop")?;
    bed.writes_to("west", 2)?;
    bed.delete("shop")?;
    until("both volumes are deleted", || {
        let entries = bed.volumes().log().entries();
        let deleted = entries.iter().filter(|entry| entry.what == What::Deleted).count();
        Ok(if deleted == 2 { Ok(()) } else { Err(format!("{deleted}")) })
    })?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (2, 2), "{verdict}");
    Ok(())
}
