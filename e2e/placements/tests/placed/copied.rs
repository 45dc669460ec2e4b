//! What people have in a namespace on the hub is there in the cluster, and what becomes of it is seen on the hub.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment, object, stays};
use bowline_e2e_up::until;
use serde_json::json;

fn is(kubectl: &bowline_e2e_hub::Kubectl, line: &str, expected: &str) -> Result<()> {
    until(&format!("{line}: {expected}"), || {
        let said = kubectl.run(line, "")?;
        Ok(if said.out.trim() == expected { Ok(()) } else { Err(format!("{said:?}")) })
    })
}

#[test]
fn what_is_on_the_hub_is_copied_changed_shown_and_removed() -> Result<()> {
    let bed = Bed::start(&["east"])?;
    let ports = json!({ "spec": { "selector": { "app": "web" }, "ports": [{ "port": 80 }] } });
    let work = json!({ "spec": { "template": { "spec": {
        "restartPolicy": "Never", "containers": [{ "name": "c", "image": "c" }] } } } });
    let objects = [
        object("v1", "ConfigMap", "shop", "settings", &json!({ "data": { "a": "1" } })),
        object("v1", "Secret", "shop", "key", &json!({ "stringData": { "a": "s3kr1t" } })),
        object("v1", "ServiceAccount", "shop", "robot", &json!({})),
        object("v1", "Service", "shop", "web", &ports),
        object("batch/v1", "Job", "shop", "once", &work),
        claim("shop", "data"),
        deployment("shop", "web", Some("data")),
    ];
    bed.place("shop", "east", &objects)?;
    bed.is_up("shop", "east")?;
    let (hub, east) = (bed.kubectl()?, bed.at("east")?);
    is(&east, "-n shop get configmap settings -o jsonpath={.data.a}", "1")?;
    is(&east, "-n shop get secret key -o jsonpath={.data.a}", "czNrcjF0")?;
    is(&east, "-n shop get sa robot -o name", "serviceaccount/robot")?;
    is(&east, "-n shop get service web -o jsonpath={.spec.selector.app}", "web")?;
    // How it stands is seen on the hub.
    is(&hub, "-n shop get deployment web -o jsonpath={.status.readyReplicas}", "1")?;
    is(&hub, "-n shop get pvc data -o jsonpath={.status.phase}", "Bound")?;
    is(&hub, "-n shop get job once -o jsonpath={.status.succeeded}", "1")?;
    hub.ok("-n shop rollout status deployment/web --timeout=60s", "")?;
    // What is changed on the hub changes, and what is changed in the cluster is put right.
    hub.ok("-n shop patch configmap settings --type=merge -p {\"data\":{\"a\":\"2\"}}", "")?;
    is(&east, "-n shop get configmap settings -o jsonpath={.data.a}", "2")?;
    east.ok("-n shop patch configmap settings --type=merge -p {\"data\":{\"a\":\"3\"}}", "")?;
    is(&east, "-n shop get configmap settings -o jsonpath={.data.a}", "2")?;
    // What is in the cluster alone stays.
    east.ok("-n shop create configmap local", "")?;
    hub.ok("-n shop delete configmap settings", "")?;
    is(&east, "-n shop get configmap settings --ignore-not-found -o name", "")?;
    is(&east, "-n shop get configmap local -o name", "configmap/local")?;
    at_rest(&bed)
}

/// Everything that has a version has the same one after a while; leases are renewed, and are not looked at.
fn at_rest(bed: &Bed) -> Result<()> {
    const KINDS: &str = "namespaces,pv,pvc,configmaps,secrets,services,sa,deployments,jobs";
    let versions = || -> Result<String> {
        let what = "-o jsonpath={range~.items[*]}{.metadata.name}={.metadata.resourceVersion}~{end}";
        let east = bed.at("east")?.ok(&format!("get {KINDS} -A {what}"), "")?;
        let hub =
            bed.kubectl()?.ok(&format!("get {KINDS},placements,volumegrants,synctargets -A {what}"), "")?;
        ensure!(east.contains("web=") && hub.contains("shop.data="), "{east} {hub}");
        Ok(format!("{east}{hub}"))
    };
    let mut before = String::new();
    until("it comes to rest", || {
        std::thread::sleep(Duration::from_secs(1));
        let now = versions()?;
        let was = std::mem::replace(&mut before, now.clone());
        Ok(if was == now { Ok(()) } else { Err(now) })
    })?;
    stays(Duration::from_secs(5), || {
        let now = versions()?;
        Ok(if now == before { Ok(()) } else { Err(format!("{before}\n{now}")) })
    })
}
