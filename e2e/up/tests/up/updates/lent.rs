//! What was there before a stack took it over is given back as it was, but for what others have set since.

use anyhow::{Context, Result, ensure};
use bowline_e2e_up::Place;
use serde_json::{Value, json};

use super::server::Server;
use super::start;
use super::team::{Team, deployment, embedded, map, within};

#[test]
fn what_others_set_meanwhile_stays_when_it_is_given_back() -> Result<()> {
    let place = start()?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    is_lent(&place, "toy", &toy, "default")
}

/// A stack takes over what is in a namespace of a cluster, somebody else writes to it, and the stack drops it.
pub(super) fn is_lent(place: &Place, cluster: &str, server: &Server, namespace: &str) -> Result<()> {
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    let deployments = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
    let within = |object: Value| within(namespace, object);
    server.make(&maps, &within(map("lent", json!({ "a": "before", "b": "before" }))))?;
    server.make(&deployments, &within(deployment("lent", None)))?;
    let secrets = format!("/api/v1/namespaces/{namespace}/secrets");
    let secret = |value: &str| json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "lent" }, "stringData": { "a": value } });
    server.make(&secrets, &within(secret("before")))?;
    let before = server.read(&format!("{secrets}/lent"))?["data"].take();
    let team = Team::on(place, cluster, "default", "lent", json!({ "timeoutSeconds": 30 }))?;
    let kept = within(map("kept", json!({})));
    let mut bigger = deployment("lent", None);
    bigger["spec"]["replicas"] = json!(2);
    bigger["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(5);
    let one = [
        within(map("lent", json!({ "a": "ours", "new": "ours" }))),
        within(bigger),
        within(secret("ours")),
        kept.clone(),
    ];
    team.ends(&team.submit(&one)?, "Succeeded")?;
    ensure!(server.read(&format!("{secrets}/lent"))?["data"] != before, "it is another");

    let since = json!({
        "metadata": { "annotations": { "theirs": "since" }, "finalizers": ["example.com/held"] },
        "data": { "theirs": "since" },
    });
    server.merge(&format!("{maps}/lent"), &since)?;
    let scaled = json!({ "spec": { "replicas": 3, "paused": true } });
    server.merge(&format!("{deployments}/lent"), &scaled)?;

    let planned = team.line(std::slice::from_ref(&kept))?.replacen("submit", "plan", 1);
    let why = "it was there before the stack: it is as it was then, and what others have set since stays";
    place.says(&planned, 0, &["give back  ConfigMap", "give back  Deployment", why])?;
    team.ends(&team.submit(&[kept])?, "Succeeded")?;

    let lent = server.read(&format!("{maps}/lent"))?;
    ensure!(lent["data"] == json!({ "a": "before", "b": "before", "theirs": "since" }), "{lent}");
    let meta = &lent["metadata"];
    ensure!(meta["annotations"] == json!({ "theirs": "since" }), "nothing of ours is left: {lent}");
    ensure!(meta["labels"].is_null() && meta["finalizers"] == json!(["example.com/held"]), "{lent}");
    let entries = meta["managedFields"].as_array().context("it says who owns it")?;
    ensure!(entries.iter().all(|entry| entry["manager"] != "bowline"), "{lent}");
    ensure!(
        server.read(&format!("{secrets}/lent"))?["data"] == before,
        "a Secret that was said as a text is back too"
    );
    let web = server.read(&format!("{deployments}/lent"))?;
    let spec = &web["spec"];
    ensure!(spec["replicas"] == 3 && spec["paused"] == true, "what others set stays: {web}");
    ensure!(spec["template"]["spec"]["terminationGracePeriodSeconds"] == 30, "it is as before: {web}");
    ensure!(web["metadata"]["labels"]["bowline.dev/stack-uid"].is_null(), "{web}");
    let freed = json!({ "metadata": { "finalizers": null } });
    server.merge(&format!("{maps}/lent"), &freed).map(drop)
}
