//! What a version would do, and that it then does just that.

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Kubectl, Said};
use bowline_e2e_up::Place;
use serde_json::{Value, json};

use super::start;
use super::team::{Team, deployment, map};

/// Somebody who looks before submitting.
struct Careful<'a> {
    place: &'a Place,
    toy: Kubectl,
}

impl<'a> Careful<'a> {
    fn new(place: &'a Place) -> Result<Careful<'a>> {
        Ok(Careful { place, toy: Team::again(place, "default", "toy").cluster()? })
    }

    fn file(&self, name: &str, objects: &[Value]) -> Result<()> {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        std::fs::write(self.place.path(name), list.to_string()).context("a file")
    }

    /// `bowline update`, which must write nothing, neither on the hub nor on the cluster.
    fn asks(&self, line: &str, code: i32, expected: &[&str]) -> Result<Said> {
        let kinds = match self.activity()?.as_str() {
            "" => "clusters,stacks,updates,bundles,secrets,configmaps,namespaces",
            _ => "updates,bundles",
        };
        let before = self.versions(kinds)?;
        let said = self.place.bowline(&format!("update {line} --cluster toy"))?;
        let after = self.versions(kinds)?;
        ensure!(before == after, "{line} has written something:\n{before}\n{after}");
        ensure!(said.code == code, "{line}: {said:#?}");
        for expected in expected {
            ensure!(
                said.out.contains(expected) || said.err.contains(expected),
                "{expected:?} is not in {said:#?}"
            );
        }
        Ok(said)
    }

    /// The plan as machines read it.
    fn plan(&self, file: &str, code: i32) -> Result<Value> {
        Ok(serde_json::from_str(&self.asks(&format!("plan {file} -o json"), code, &[])?.out)?)
    }

    /// Submits, and waits for the end.
    fn submits(&self, file: &str, hash: &str, code: i32, expected: &[&str]) -> Result<()> {
        let line =
            format!("update submit {file} --cluster toy --wait --health-timeout 3s --plan-hash {hash}");
        self.place.says(&line, code, expected).map(drop)
    }

    /// The versions of everything that could be written, as far as controllers do not write it now: leases and events are left out,
    /// and before the stack has left its cluster, all that is written on the way to that.
    fn versions(&self, kinds: &str) -> Result<String> {
        let all =
            "-A -o jsonpath={range~.items[*]}{.kind}/{.metadata.name}={.metadata.resourceVersion},{end}";
        let hub = self.place.kubectl()?.ok(&format!("get {kinds} {all}"), "")?;
        let toy = self.toy.ok(&format!("get secrets,configmaps,deployments,namespaces {all}"), "")?;
        Ok(format!("{hub}\n{toy}"))
    }

    fn activity(&self) -> Result<String> {
        self.place.kubectl()?.ok("get cluster toy -o jsonpath={.status.activity}", "")
    }

    /// Waits until nobody writes to the stack any more: it has left its cluster.
    fn rests(&self) -> Result<()> {
        bowline_e2e_up::until("the stack has left the cluster", || {
            let activity = self.activity()?;
            Ok(if activity.is_empty() { Ok(()) } else { Err(activity) })
        })
    }
}

fn actions(plan: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let objects = plan["objects"].as_array().cloned().unwrap_or_default();
    objects.iter().map(|it| (text(&it["action"]), text(&it["name"]))).collect()
}

fn hash(plan: &Value) -> &str {
    plan["plan"]["hash"].as_str().unwrap_or_default()
}

fn secret(value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "key", "namespace": "default" }, "stringData": { "word": value } })
}

fn is(plan: &Value, expected: &[(&str, &str)]) -> Result<()> {
    let expected: Vec<_> =
        expected.iter().map(|(action, name)| ((*action).to_owned(), (*name).to_owned())).collect();
    let mut found = actions(plan);
    found.sort();
    ensure!(found == expected, "{plan:#}");
    Ok(())
}

#[test]
fn a_plan_is_what_is_done_and_another_cluster_has_another_plan() -> Result<()> {
    let place = start()?;
    let careful = Careful::new(&place)?;
    careful.toy.ok("create configmap theirs --from-literal=a=before", "")?;
    let first =
        [map("settings", json!({ "a": "1" })), map("theirs", json!({ "a": "after" })), secret("open sesame")];
    careful.file("first.json", &first)?;

    // Before there is a stack, the plan is that of the version that makes it.
    let plan = careful.plan("first.json", 0)?;
    is(&plan, &[("Create", "key"), ("Create", "settings"), ("TakeOver", "theirs")])?;
    ensure!(
        plan["firstSubmission"] == true && plan["verdict"] == "Applies" && plan["version"] == 1,
        "{plan:#}"
    );
    let line = format!("--plan-hash {}", hash(&plan));
    careful.asks(
        "plan first.json",
        0,
        &["take over  ConfigMap default/theirs", "2 to create, 1 to change, 0 to delete", &line],
    )?;
    careful.submits("first.json", hash(&plan), 0, &["Succeeded"])?;
    let shown: Value = serde_json::from_str(&place.bowline("update show 1 -o json")?.out)?;
    ensure!(shown["status"]["plan"] == plan["plan"], "{shown:#} {plan:#}");
    careful.rests()?;
    careful.asks("plan first.json", 0, &["Nothing is to be done"])?;
    careful.asks("diff first.json --exit-code", 0, &["Nothing differs"])?;

    // Somebody changes the cluster between the plan and the submission.
    let second = [map("settings", json!({ "a": "2" })), secret("close sesame")];
    careful.file("second.json", &second)?;
    let plan = careful.plan("second.json", 0)?;
    is(&plan, &[("Change", "key"), ("Change", "settings"), ("GiveBack", "theirs")])?;
    careful.toy.ok("delete configmap settings", "")?;
    careful.submits("second.json", hash(&plan), 1, &["its plan is not the one that was asked for"])?;
    let plan = careful.plan("second.json", 0)?;
    is(&plan, &[("Change", "key"), ("Create", "settings"), ("GiveBack", "theirs")])?;

    let diff = careful.asks("diff second.json --exit-code", 1, &[])?.out;
    for line in [
        "--- live/v1/Secret/default/key\n+++ planned/v1/Secret/default/key\n",
        "-  word: \"*** (before)\"\n+  word: \"*** (after)\"\n",
        "--- /dev/null\n+++ planned/v1/ConfigMap/default/settings\n",
        "-  a: after\n+  a: before\n",
        "-    bowline.dev/stack: default/toy\n",
    ] {
        ensure!(diff.contains(line), "{line:?} is not in\n{diff}");
    }
    for secret in [
        "sesame",
        "b3BlbiBzZXNhbWU",
        "Y2xvc2Ugc2VzYW1l",
        "bowline.dev/attempt",
        "stack-uid",
        "managedFields",
        "\u{1b}[",
    ] {
        ensure!(!diff.contains(secret), "{secret:?} is in\n{diff}");
    }
    careful.submits("second.json", hash(&plan), 0, &["Succeeded"])
}

#[test]
fn what_would_keep_a_version_from_being_applied_is_said() -> Result<()> {
    let place = start()?;
    let careful = Careful::new(&place)?;
    let other = Team::new(&place, "default", "bank", json!({}))?;
    other.ends(&other.submit(&[map("claimed", json!({}))])?, "Succeeded")?;
    let team = Team::new(&place, "default", "toy", json!({ "maxDeletions": 1 }))?;
    let many = [map("a", json!({})), map("b", json!({})), map("c", json!({}))];
    team.ends(&team.submit(&many)?, "Succeeded")?;
    careful.rests()?;

    careful.file(
        "claims.json",
        &[map("a", json!({})), map("b", json!({})), map("c", json!({})), map("claimed", json!({}))],
    )?;
    let why = "ConfigMap default/claimed belongs to the stack default/bank";
    careful.asks(
        "plan claims.json",
        1,
        &["refused  ConfigMap default/claimed", &format!("It would fail, and change nothing: {why}")],
    )?;
    careful.asks("diff claims.json", 0, &["is refused", "would not be applied"])?;

    careful.file("less.json", &[map("a", json!({}))])?;
    let plan = careful.plan("less.json", 1)?;
    is(&plan, &[("Delete", "b"), ("Delete", "c"), ("Same", "a")])?;
    ensure!(plan["verdict"] == "Fails" && plan["fails"]["reason"] == "Deletions", "{plan:#}");

    let harbour = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "harbour" } });
    let boat = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "boat", "namespace": "harbour" } });
    let [a, b, c] = many;
    careful.file("later.json", &[a.clone(), b.clone(), c.clone(), harbour, boat])?;
    let plan = careful.plan("later.json", 0)?;
    is(&plan, &[("Create", "harbour"), ("Later", "boat"), ("Same", "a"), ("Same", "b"), ("Same", "c")])?;

    place.says("update pause toy", 0, &[])?;
    let plan = careful.plan("later.json", 0)?;
    ensure!(plan["verdict"] == "Waits" && plan["waits"]["reason"] == "Unpaused", "{plan:#}");
    careful.asks(
        "plan later.json",
        0,
        &["It would not start at once: it would wait for its stack to be resumed"],
    )?;
    place.says("update resume toy", 0, &[])?;

    careful.file("broken.json", &[a, b, c, deployment("web", Some("never-ready"))])?;
    let plan = careful.plan("broken.json", 0)?;
    careful.submits("broken.json", hash(&plan), 1, &["RolledBack"])?;
    let said = careful.asks(
        "plan broken.json",
        1,
        &["It would be rejected: version 2 failed with the same content", "release version 2"],
    )?;
    ensure!(!said.err.contains("--plan-hash"), "nobody is told to submit it: {said:#?}");
    let plan = careful.plan("broken.json", 1)?;
    ensure!(plan["verdict"] == "Rejected" && plan["rejected"]["reason"] == "Quarantined", "{plan:#}");
    place.says("update release toy/2", 0, &[])?;
    careful.asks("plan broken.json", 0, &["1 to create"]).map(drop)
}
