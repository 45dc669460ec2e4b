//! The hub itself as a cluster: what is submitted to it is applied with the rights of its administrator.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;
use super::team::map;
use super::teams::Member;

const CLUSTER: &str = "/apis/bowline.dev/v1alpha1/clusters/toy";

/// What makes somebody an administrator.
fn grab(who: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": { "name": "grab" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin" },
        "subjects": [{ "kind": "ServiceAccount", "name": "robot", "namespace": who }],
    })
}

fn is_exposed(place: &Place) -> Result<()> {
    until("it says that it is open to anybody", || {
        let told = Server::of(&place.kubeconfig())?.read(CLUSTER)?["status"]["conditions"].to_string();
        Ok(if told.contains("HubExposed") { Ok(()) } else { Err(told) })
    })
}

#[test]
fn nobody_becomes_an_administrator_by_submitting_to_the_hub_itself() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    let (a, ops) = (Member::new(&place, "team-a")?, Member::new(&place, "ops")?);
    let hub = place.kubeconfig();
    let add = |more: &str| format!("cluster add toy --kubeconfig {}{more}", hub.display());

    // By default all namespaces may use a cluster, and here none may.
    let name_them = format!("cluster add toy --kubeconfig {} --allow NAMESPACE", hub.display());
    let rejected = "What is submitted to it is rejected before that";
    let told = ["It is not ready", "it is this hub itself", rejected, &name_them];
    place.says(&add(""), 1, &told)?;
    // Who may see the cluster is told before anything is made, and who may not by what becomes of it.
    std::fs::write(place.path("a.json"), map("a", json!({ "a": "b" })).to_string())?;
    let submit = format!("update submit {} --cluster toy --wait", place.path("a.json").display());
    place.says(&submit, 4, &["the cluster toy takes no versions: it is this hub itself"])?;
    ensure!(place.kubectl()?.ok("get updates -A", "")?.trim().is_empty());
    let refused = ["Rejected: its cluster is this hub itself", "`bowline cluster add --allow`"];
    a.submits(&place, &[grab("team-a")], "", 4, &refused)?;
    // Nor may those that have a label.
    let labelled = json!({ "matchLabels": { "kubernetes.io/metadata.name": "team-a" } });
    let labelled = json!({ "spec": { "allowedNamespaces": { "selector": labelled } } });
    Server::of(&hub)?.merge(CLUSTER, &labelled)?;
    is_exposed(&place)?;
    a.submits(&place, &[grab("team-a")], "", 4, &refused)?;

    // Who is named may, and is told what that means.
    place.says(
        &add(" --allow ops"),
        0,
        &["It is ready", "it is this hub itself", "administrator of the hub"],
    )?;
    let may_not = ["Rejected: its namespace may not use the cluster"];
    a.submits(&place, &[grab("team-a")], "", 4, &may_not)?;
    place.kubectl()?.complains("get clusterrolebinding grab", "", "not found")?;
    ops.submits(&place, &[map("from-ops", json!({ "a": "b" }))], "", 0, &["toy/1 Succeeded"])?;
    ensure!(Server::of(&hub)?.maps("default")?.contains_key("from-ops"));

    // When it is opened to all again nothing more gets there, and what is there says why it is left alone.
    Server::of(&hub)?.merge(CLUSTER, &json!({ "spec": { "allowedNamespaces": null } }))?;
    is_exposed(&place)?;
    ops.submits(&place, &[map("from-ops", json!({ "a": "c" }))], "", 4, &refused)?;
    ensure!(Server::of(&hub)?.maps("default")?["from-ops"] == json!({ "a": "b" }));
    Ok(())
}

/// Credentials that may bind roles, and may not ask which server they lead to.
#[test]
fn who_may_not_see_that_it_is_the_hub_is_no_way_onto_it() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    let a = Member::new(&place, "team-a")?;
    let kubectl = place.kubectl()?;
    for line in [
        "create namespace binder",
        "create serviceaccount robot -n binder",
        "create clusterrole binder --verb=* --resource=configmaps,clusterrolebindings.rbac.authorization.k8s.io",
        "create clusterrole bind --verb=bind --resource=clusterroles.rbac.authorization.k8s.io",
        "create clusterrolebinding binder --clusterrole=binder --serviceaccount=binder:robot",
        "create clusterrolebinding bind --clusterrole=bind --serviceaccount=binder:robot",
    ] {
        kubectl.ok(line, "")?;
    }
    let token = kubectl.ok("create token robot -n binder", "")?;
    let mut config: Value = serde_json::from_str(&kubectl.ok("config view --raw -o json", "")?)?;
    config["users"][0]["user"] = json!({ "token": token.trim() });
    let binder = place.path("binder.kubeconfig");
    std::fs::write(&binder, config.to_string())?;
    let add = format!("cluster add toy --kubeconfig {}", binder.display());
    place.says(&add, 1, &["It is not ready", "it may be this hub itself", "--allow NAMESPACE"])?;
    is_exposed(&place)?;
    a.submits(&place, &[grab("team-a")], "", 4, &["Rejected: its cluster is this hub itself"])?;
    kubectl.complains("get clusterrolebinding grab", "", "not found").map(drop)
}
