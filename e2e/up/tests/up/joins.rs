//! Nodes that join: what their agents may do on both homes, and what not, by real requests.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_hub::Kubectl;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

fn group(name: &str) -> String {
    let versions = ["v1", "v2"].map(|version| json!({ "name": version, "command": ["true"] }));
    let group = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": { "name": name }, "spec": { "versions": versions },
    });
    group.to_string()
}

/// Waits for the kinds, and makes a group.
fn make(place: &Place, name: &str) -> Result<()> {
    place.is_ready()?;
    let kubectl = place.kubectl()?;
    until("a group can be made", || {
        let said = kubectl.run("apply -f -", &group(name))?;
        Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
    })
}

/// The kubeconfig that a node is given.
fn joined(place: &Place, member: &str) -> Result<PathBuf> {
    let said = place.bowline(&format!("join node kv {member}"))?;
    ensure!(said.code == 0 && said.err.contains("may act for itself in the group kv until 20"), "{said:#?}");
    let file = place.path(&format!("{member}.kubeconfig"));
    std::fs::write(&file, said.out)?;
    Ok(file)
}

fn status(phase: &str) -> String {
    json!({ "status": { "observedGeneration": 1, "phase": phase } }).to_string()
}

fn event(name: &str) -> String {
    let event = json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": { "name": name, "namespace": "default" },
        "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Normal", "reason": "Started", "action": "Start", "note": "n",
        "reportingController": "bowline.dev/agent", "reportingInstance": "n1",
        "regarding": { "apiVersion": "bowline.dev/v1alpha1", "kind": "Member", "name": "kv-n1", "namespace": "default" },
    });
    event.to_string()
}

fn lease(name: &str, seconds: u32) -> String {
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": name, "namespace": "default" },
        "spec": { "holderIdentity": "n1", "leaseDurationSeconds": seconds },
    });
    lease.to_string()
}

fn may(agent: &Kubectl) -> Result<()> {
    let own = "/apis/bowline.dev/v1alpha1/namespaces/default/members";
    agent.says("get member kv-n1", "", "kv")?;
    agent.says("get nodegroup kv", "", "kv")?;
    let watched = agent.ok(
        &format!("get --raw {own}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dkv-n1"),
        "",
    )?;
    ensure!(watched.contains("ADDED") && watched.contains("kv-n1"), "{watched}");
    agent.ok("get nodegroups --field-selector metadata.name=kv", "")?;
    agent
        .ok(&format!("patch member kv-n1 --subresource=status --type=merge -p {}", status("Starting")), "")?;
    let mut read: Value = serde_json::from_str(&agent.ok("get member kv-n1 -o json", "")?)?;
    ensure!(read["status"]["phase"] == "Starting", "{read}");
    read["status"]["phase"] = json!("Running");
    // What else is in it is passed over.
    read["spec"]["desired"] = json!({ "version": "other" });
    agent.ok("replace --subresource=status -f -", &read.to_string())?;
    let read: Value = serde_json::from_str(&agent.ok("get member kv-n1 -o json", "")?)?;
    ensure!(read["status"]["phase"] == "Running" && read["spec"]["desired"]["version"] != "other", "{read}");
    agent.ok("get lease bowline-member-kv-n1", "")?;
    agent.ok("replace -f -", &lease("bowline-member-kv-n1", 15))?;
    agent.ok("create -f -", &event("one"))?;
    Ok(())
}

/// Who asks for this is told that it is forbidden.
fn forbidden(agent: &Kubectl, line: &str, input: &str) -> Result<()> {
    let said = agent.run(line, input)?;
    ensure!(said.code != 0 && said.err.contains("orbidden"), "{line} {input}: {said:#?}");
    Ok(())
}

fn may_not(agent: &Kubectl) -> Result<()> {
    for line in [
        "get member kv-n2",
        "get members",
        "get nodegroup other",
        "get nodegroups",
        "get devices",
        "get stacks",
        "get secrets",
        "get configmaps",
        "get pods",
        "get namespaces",
        "get clusters",
        "get events",
        "get leases",
        "get lease bowline-member-kv-n2",
        "get lease bowline-controllers -n bowline-system",
        "get member kv-n1 -n kube-system",
        "delete member kv-n1",
        "delete lease bowline-member-kv-n1",
        "create token bowline-member-kv-n1",
        "create serviceaccount more",
        "create clusterrolebinding more --clusterrole=cluster-admin --serviceaccount=default:bowline-member-kv-n1",
        "get member kv-n1 --as=system:admin",
    ] {
        forbidden(agent, line, "")?;
    }
    let changed = json!({ "spec": { "desired": { "version": "v2" } } });
    forbidden(agent, &format!("patch member kv-n1 --type=merge -p {changed}"), "")?;
    let group = json!({ "spec": { "version": "v2" } });
    forbidden(agent, &format!("patch nodegroup kv --type=merge -p {group}"), "")?;
    let truth = json!({ "status": { "servingVersion": "v2" } });
    forbidden(agent, &format!("patch nodegroup kv --subresource=status --type=merge -p {truth}"), "")?;
    forbidden(
        agent,
        &format!("patch member kv-n2 --subresource=status --type=merge -p {}", status("Running")),
        "",
    )?;
    forbidden(agent, "create -f -", &lease("bowline-member-kv-n2", 15))?;
    forbidden(agent, "create -f -", &lease("another", 15))?;
    forbidden(agent, "create -f -", &event("two").replace("default", "kube-system"))
}

fn a_node_may_do_what_it_needs_and_no_more(kind: Kind) -> Result<()> {
    let place = Place::start(kind)?;
    make(&place, "kv")?;
    make(&place, "other")?;
    let (file, other) = (joined(&place, "n1")?, joined(&place, "n2")?);
    let (agent, another) = (place.kubectl_of(&file)?, place.kubectl_of(&other)?);
    may(&agent)?;
    may_not(&agent)?;
    another.says("get member kv-n2", "", "kv")?;
    // A lease that somebody has deleted is made again, by its name.
    let kubectl = place.kubectl()?;
    kubectl.ok("delete lease bowline-member-kv-n1", "")?;
    let uid = agent.ok("get member kv-n1 -o jsonpath={.metadata.uid}", "")?;
    let owner =
        json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "Member", "name": "kv-n1", "uid": uid });
    let mut made: Value = serde_json::from_str(&lease("bowline-member-kv-n1", 15))?;
    made["metadata"]["ownerReferences"] = json!([owner]);
    agent.ok("apply --server-side -f -", &made.to_string())?;
    // Joining again changes nothing for who has joined, and puts right what somebody has taken away.
    kubectl.ok("delete rolebinding bowline-member-kv-n1", "")?;
    forbidden_soon(&agent)?;
    joined(&place, "n1")?;
    until("the rights are there again", || {
        let said = agent.run("get member kv-n1", "")?;
        Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
    })?;
    // A node that is taken away is nobody any more; another one stays.
    let read: Value = serde_json::from_str(&kubectl.ok("get member kv-n1 -o json", "")?)?;
    let owner = &read["metadata"]["ownerReferences"][0];
    ensure!(owner["kind"] == "NodeGroup" && owner["name"] == "kv", "{read}");
    // Who holds its lease is asked to end first; this one says that it has.
    let mut returned = made;
    returned["spec"]["holderIdentity"] = json!("");
    returned["spec"]["renewTime"] = json!("2026-01-01T00:00:00.000000Z");
    agent.ok("replace -f -", &returned.to_string())?;
    kubectl.ok("delete member kv-n1", "")?;
    until("its token is worth nothing", || {
        let said = agent.run("get member kv-n1", "")?;
        Ok(if said.err.contains("Unauthorized") || said.err.contains("must be logged in") {
            Ok(())
        } else {
            Err(said.err)
        })
    })?;
    another.says("get member kv-n2", "", "kv")?;
    let left = kubectl.ok("get serviceaccounts,roles,rolebindings,leases -o name", "")?;
    ensure!(!left.contains("kv-n1") && left.contains("kv-n2"), "{left}");
    // All of a group goes with it.
    kubectl.ok("delete nodegroup kv", "")?;
    until("all of it is gone", || {
        let left = kubectl.ok("get members,serviceaccounts,roles,rolebindings,leases -o name", "")?;
        Ok(if left.contains("kv-") { Err(left) } else { Ok(()) })
    })
}

/// A Kubernetes believes what it knew of rights a moment longer.
fn forbidden_soon(agent: &Kubectl) -> Result<()> {
    until("the rights are gone", || {
        let said = agent.run("get member kv-n1", "")?;
        Ok(if said.err.contains("orbidden") { Ok(()) } else { Err(format!("{said:?}")) })
    })
}

#[test]
fn a_node_of_the_hub_may_do_what_it_needs_and_no_more() -> Result<()> {
    a_node_may_do_what_it_needs_and_no_more(Kind::Embedded)
}

#[test]
fn a_node_of_a_real_kubernetes_may_do_what_it_needs_and_no_more() -> Result<()> {
    a_node_may_do_what_it_needs_and_no_more(Kind::Kubernetes)
}

/// Whoever administers a namespace lets nodes join there; whoever may only edit does not.
fn an_administrator_of_a_namespace_lets_nodes_join(kind: Kind) -> Result<()> {
    let place = Place::start(kind)?;
    make(&place, "kv")?;
    let kubectl = place.kubectl()?;
    if place.kubernetes().is_some() {
        let roles = place.says("crds --with-roles", 0, &[])?;
        kubectl.ok("apply --server-side --force-conflicts -f -", &roles)?;
    }
    kubectl.ok("create rolebinding ann --clusterrole=admin --user=ann", "")?;
    kubectl.ok("create rolebinding bob --clusterrole=edit --user=bob", "")?;
    let as_user = |user: &str| -> Result<PathBuf> {
        let mut config: Value = serde_json::from_str(&kubectl.ok("config view --raw -o json", "")?)?;
        config["users"][0]["user"]["as"] = json!(user);
        let file = place.path(&format!("{user}.kubeconfig"));
        std::fs::write(&file, config.to_string())?;
        Ok(file)
    };
    let ann = as_user("ann")?;
    until("the roles are added to each other", || {
        let said = kubectl.run("auth can-i update members.bowline.dev --subresource=status --as=ann", "")?;
        Ok(if said.out.trim() == "yes" { Ok(()) } else { Err(format!("{said:?}")) })
    })?;
    let said = place.says_to(&ann, "join node kv n1", 0, &["kind: Config"])?;
    ensure!(!said.contains("ann"), "who lets it in is not who it is: {said}");
    place.says_to(&as_user("bob")?, "join node kv n2", 4, &["forbidden"])?;
    Ok(())
}

#[test]
fn an_administrator_of_a_namespace_of_the_hub_lets_nodes_join() -> Result<()> {
    an_administrator_of_a_namespace_lets_nodes_join(Kind::Embedded)
}

#[test]
fn an_administrator_of_a_namespace_of_a_real_kubernetes_lets_nodes_join() -> Result<()> {
    an_administrator_of_a_namespace_lets_nodes_join(Kind::Kubernetes)
}

#[test]
fn who_cannot_join_is_told_why() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    make(&place, "kv")?;
    make(&place, "kv-a")?;
    place.says("join node nothing n1", 4, &["there is no group nothing in default"])?;
    place.says("join node kv N1", 2, &["small letters"])?;
    place.says("join node kv n1 --ttl 1m", 2, &["10m"])?;
    place.says("join node kv n1 -n nowhere", 4, &["no namespace nowhere"])?;
    place.says(
        "join node kv a-n1 --server https://hub.example.org:1 --ttl 10m",
        0,
        &["https://hub.example.org:1"],
    )?;
    place.says("join node kv-a n1", 4, &["the Member kv-a-n1 is in the group kv: take another name"])?;
    Ok(())
}
