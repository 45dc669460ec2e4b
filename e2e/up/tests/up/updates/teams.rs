//! Two teams with a stack each on one cluster, each with no more rights than it needs; and one that may not use it.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;
use super::team::{embedded, map, never_ready};

/// A namespace, and somebody who may edit there, and nowhere else.
pub(super) struct Member {
    namespace: &'static str,
    kubeconfig: PathBuf,
}

impl Member {
    pub(super) fn new(place: &Place, namespace: &'static str) -> Result<Member> {
        let kubectl = place.kubectl()?;
        kubectl.ok(&format!("create namespace {namespace}"), "")?;
        kubectl.ok(&format!("create serviceaccount robot -n {namespace}"), "")?;
        // What `bowline-edit` allows is added to it.
        let bind = format!(
            "create rolebinding robot -n {namespace} --clusterrole=edit --serviceaccount={namespace}:robot"
        );
        kubectl.ok(&bind, "")?;
        let token = kubectl.ok(&format!("create token robot -n {namespace}"), "")?;
        let mut config: Value = serde_json::from_str(&kubectl.ok("config view --raw -o json", "")?)?;
        config["users"][0]["user"] = json!({ "token": token.trim() });
        config["contexts"][0]["context"]["namespace"] = json!(namespace);
        let kubeconfig = place.path(&format!("{namespace}.kubeconfig"));
        std::fs::write(&kubeconfig, config.to_string())?;
        let this = Member { namespace, kubeconfig };
        until("it may edit", || {
            let may = place.kubectl_of(&this.kubeconfig)?.run("auth can-i create updates.bowline.dev", "")?;
            Ok(if may.code == 0 { Ok(()) } else { Err(format!("{may:?}")) })
        })?;
        Ok(this)
    }

    /// Submits these objects and waits for the end, which has to be like this.
    pub(super) fn submits(
        &self,
        place: &Place,
        objects: &[Value],
        more: &str,
        code: i32,
        says: &[&str],
    ) -> Result<String> {
        let file = place.path(&format!("{}.json", self.namespace));
        std::fs::write(&file, json!({ "apiVersion": "v1", "kind": "List", "items": objects }).to_string())?;
        let line = format!("update submit {} --cluster toy --wait{more}", file.display());
        place.says_to(&self.kubeconfig, &line, code, says)
    }
}

#[test]
fn teams_share_a_cluster_and_nothing_else() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded --allow team-a,team-b", 0, &["It is ready"])?;
    let members = ["team-a", "team-b", "team-c"].map(|namespace| Member::new(&place, namespace));
    let [a, b, c] = members;
    let (a, b, c) = (a?, b?, c?);
    let of = |name: &str, by: &str| map(name, json!({ "by": by }));

    // At the same time, on one cluster.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| b.submits(&place, &[of("b", "b")], "", 0, &["toy/1 Succeeded"]));
        a.submits(&place, &[of("a", "a"), of("shared", "a")], "", 0, &["toy/1 Succeeded"])?;
        other.join().map_err(|_| anyhow::anyhow!("it panicked"))?
    })?;
    let claimed = "Failed: ConfigMap default/shared belongs to the stack team-a/toy";
    b.submits(&place, &[of("b", "b2"), of("new", "b"), of("shared", "b")], "", 1, &[claimed])?;
    let toy = Server::of(&embedded(&place, "toy")?)?;
    let by = |who: &str| json!({ "by": who });
    let both = [("a", by("a")), ("b", by("b")), ("shared", by("a"))];
    ensure!(toy.maps("default")? == both.map(|(name, data)| (name.to_owned(), data)).into());

    // Who gives it up leaves it to the other.
    a.submits(&place, &[of("a", "a")], "", 0, &["toy/2 Succeeded"])?;
    b.submits(&place, &[of("b", "b"), of("shared", "b")], "", 0, &["toy/3 Succeeded"])?;
    let both = [("a", by("a")), ("b", by("b")), ("shared", by("b"))];
    ensure!(toy.maps("default")? == both.map(|(name, data)| (name.to_owned(), data)).into());

    // What is others' is closed, and who is not allowed is told so.
    a.submits(&place, &[of("a", "a")], " -n team-b", 4, &["forbidden", "team-b"])?;
    place.says_to(&a.kubeconfig, "update list -n team-b", 4, &["cannot list updates", "forbidden"])?;
    place.says_to(&a.kubeconfig, "update list -A", 4, &["cannot list updates", "forbidden"])?;
    let may_not = ["Rejected: its namespace may not use the cluster", "allowedNamespaces"];
    c.submits(&place, &[of("c", "c")], "", 4, &may_not)?;
    let as_seen = "the namespace team-c may not use the cluster toy: the namespaces team-a, team-b may";
    let file = place.path("team-c.json");
    place.says(&format!("update submit {} --cluster toy -n team-c", file.display()), 4, &[as_seen])?;
    ensure!(!toy.maps("default")?.contains_key("c"));

    // Allowed, it is.
    let names = json!({ "spec": { "allowedNamespaces": { "names": ["team-a", "team-b", "team-c"] } } });
    Server::of(&place.kubeconfig())?.merge("/apis/bowline.dev/v1alpha1/clusters/toy", &names)?;
    c.submits(&place, &[of("c", "c")], "", 0, &["toy/2 Succeeded"]).map(drop)
}

/// Somebody changes a ConfigMap on a cluster.
fn change(place: &Place, cluster: &Path, name: &str) -> Result<()> {
    let line = format!("patch configmap {name} --type=merge -p {{\"data\":{{\"v\":\"3\"}}}}");
    place.kubectl_of(cluster)?.ok(&line, "").map(drop)
}

/// What was judged while a namespace might use its cluster is not started when it may not any more, nor is anything put right.
#[test]
fn a_namespace_that_loses_its_cluster_changes_nothing_there() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded --allow team-a,team-b", 0, &["It is ready"])?;
    let (a, b) = (Member::new(&place, "team-a")?, Member::new(&place, "team-b")?);
    let one = |v: &str| [map("one", json!({ "v": v }))];
    a.submits(&place, &one("1"), "", 0, &["toy/1 Succeeded"])?;
    let (toy, hub) = (embedded(&place, "toy")?, Server::of(&place.kubeconfig())?);
    let stack = "/apis/bowline.dev/v1alpha1/namespaces/team-a/stacks/toy";
    let repairs = json!({ "drift": "Repair", "driftIntervalSeconds": 1 });
    hub.merge(stack, &json!({ "spec": repairs }))?;
    hub.merge(stack, &json!({ "spec": { "paused": true } }))?;
    b.submits(&place, &[map("beside", json!({ "v": "1" }))], "", 0, &["toy/1 Succeeded"])?;
    hub.merge("/apis/bowline.dev/v1alpha1/namespaces/team-b/stacks/toy", &json!({ "spec": repairs }))?;
    let file = place.path("team-a.json");
    std::fs::write(&file, json!({ "apiVersion": "v1", "kind": "List", "items": one("2") }).to_string())?;
    place.says_to(
        &a.kubeconfig,
        &format!("update submit {} --cluster toy", file.display()),
        0,
        &["Submitted 1 object"],
    )?;
    let version = |n: usize| -> Result<Value> {
        let all = hub.items("/apis/bowline.dev/v1alpha1/namespaces/team-a/updates")?;
        Ok(all.into_iter().find(|one| one["status"]["version"] == n).unwrap_or_default()["status"].take())
    };
    until("it is queued", || {
        let two = version(2)?;
        Ok(if two["phase"] == "Queued" { Ok(()) } else { Err(two.to_string()) })
    })?;

    let cluster = "/apis/bowline.dev/v1alpha1/clusters/toy";
    hub.merge(cluster, &json!({ "spec": { "allowedNamespaces": { "names": ["team-b"] } } }))?;
    hub.merge(stack, &json!({ "spec": { "paused": false } }))?;
    until("it fails", || {
        let two = version(2)?;
        let is_it =
            two["phase"] == "Failed" && two["message"].to_string().contains("may not use the cluster");
        Ok(if is_it { Ok(()) } else { Err(two.to_string()) })
    })?;
    let told = |what: &str, reason: &str| {
        until(what, || {
            let said = hub.read(stack)?["status"]["conditions"][0].clone();
            Ok(if said["reason"] == reason { Ok(()) } else { Err(said.to_string()) })
        })
    };
    told("it says that it may not be there", "Stalled")?;
    // Who may be there puts right what was changed later, and again: the other one has looked meanwhile.
    change(&place, &toy, "one")?;
    for _ in 0..3 {
        change(&place, &toy, "beside")?;
        until("it is put right", || {
            let beside = Server::of(&toy)?.maps("default")?["beside"].clone();
            Ok(if beside == json!({ "v": "1" }) { Ok(()) } else { Err(beside.to_string()) })
        })?;
    }
    ensure!(Server::of(&toy)?.maps("default")?["one"] == json!({ "v": "3" }));

    // Allowed again, it is put right.
    hub.merge(cluster, &json!({ "spec": { "allowedNamespaces": { "names": ["team-a"] } } }))?;
    told("it is well", "AsWanted")?;
    ensure!(Server::of(&toy)?.maps("default")?["one"] == json!({ "v": "1" }));
    Ok(())
}

/// It does not wait for its next try, and its content is not to blame.
#[test]
fn a_namespace_that_gets_its_cluster_back_goes_on_where_it_was_stopped() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded --allow team-a", 0, &["It is ready"])?;
    let a = Member::new(&place, "team-a")?;
    let hub = Server::of(&place.kubeconfig())?;
    let of_team = "/apis/bowline.dev/v1alpha1/namespaces/team-a";
    let (stack, cluster) = (format!("{of_team}/stacks/toy"), "/apis/bowline.dev/v1alpha1/clusters/toy");
    a.submits(&place, &[map("one", json!({ "v": "1" }))], "", 0, &["toy/1 Succeeded"])?;
    hub.merge(&stack, &json!({ "spec": { "driftIntervalSeconds": 3600 } }))?;
    let file = place.path("half.json");
    let half = [map("one", json!({ "v": "2" })), never_ready("web")];
    std::fs::write(&file, json!({ "apiVersion": "v1", "kind": "List", "items": half }).to_string())?;
    let submit = format!("update submit {} --cluster toy", file.display());
    place.says_to(&a.kubeconfig, &submit, 0, &["Submitted 2 objects"])?;
    let comes_to = |phase: &str, done: usize| {
        until(&format!("it is {phase}"), || {
            let all = hub.items(&format!("{of_team}/updates"))?;
            let two = all.into_iter().find(|one| one["status"]["version"] == 2).unwrap_or_default();
            let (is, progress) = (&two["status"]["phase"], &two["status"]["progress"]["done"]);
            Ok(if *is == phase && *progress == done { Ok(()) } else { Err(two.to_string()) })
        })
    };
    comes_to("Partial", 2)?;
    hub.merge(cluster, &json!({ "spec": { "allowedNamespaces": { "names": ["team-b"] } } }))?;
    comes_to("PartialFailure", 2)?;
    // It says so when it rests: it has looked, and seen that it may not be there.
    until("it is stalled, and rests", || {
        let status = hub.read(&stack)?["status"].take();
        let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
        let rests = conditions.iter().any(|one| {
            let said = one["message"].as_str().unwrap_or_default();
            one["type"] == "Stalled" && one["status"] == "True" && said.contains("may not use the cluster")
        });
        Ok(if status["phase"] == "Stalled" && rests { Ok(()) } else { Err(status.to_string()) })
    })?;
    hub.merge(cluster, &json!({ "spec": { "allowedNamespaces": { "names": ["team-a"] } } }))?;
    comes_to("RolledBack", 2)?;
    ensure!(Server::of(&embedded(&place, "toy")?)?.maps("default")?["one"] == json!({ "v": "1" }));
    let status = hub.read(&stack)?["status"].take();
    ensure!(status["quarantined"].as_array().is_none_or(Vec::is_empty), "{status}");
    Ok(())
}
