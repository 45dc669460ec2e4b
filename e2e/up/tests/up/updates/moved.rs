//! A cluster whose kubeconfig leads to another server: what was begun on its own server is not gone on with there.

use std::path::Path;

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;
use super::team::{Team, embedded, map, never_ready};

/// What the ConfigMap of the stack says on a server, if it is there.
fn said_by(server: &Path) -> Result<Option<Value>> {
    Ok(Server::of(server)?.maps("default")?.remove("a"))
}

/// Waits until the stack says this.
fn says(team: &Team<'_>, words: &[&str]) -> Result<()> {
    until(&format!("the stack says {words:?}"), || {
        let stack = team.stack()?;
        let said = stack["status"]["conditions"].to_string();
        Ok(if words.iter().all(|words| said.contains(words)) { Ok(()) } else { Err(stack.to_string()) })
    })
}

/// Somebody has the cluster use another server's kubeconfig, without asking the command line.
fn lead_astray(place: &Place, server: &Path) -> Result<()> {
    let kubectl = place.kubectl()?;
    let (namespace, name) = ("bowline-system", "far-astray");
    kubectl.ok(&format!("delete secret {name} -n {namespace} --ignore-not-found"), "")?;
    kubectl.ok(
        &format!("create secret generic {name} -n {namespace} --from-file=kubeconfig={}", server.display()),
        "",
    )?;
    let patch = place.path("astray.json");
    std::fs::write(&patch, json!({ "spec": { "kubeconfigSecretRef": { "name": name } } }).to_string())?;
    kubectl.ok(&format!("patch cluster far --type merge --patch-file {}", patch.display()), "")?;
    place.stands("far", "OtherServer")
}

#[test]
fn what_was_begun_on_one_server_does_not_go_on_on_another() -> Result<()> {
    const OTHER: &str = "its kubeconfig leads to another server than before";
    let mut place = Place::start(Kind::Embedded)?;
    for server in ["east", "west"] {
        place.says(&format!("cluster add {server} --embedded"), 0, &["It is ready"])?;
    }
    let (east, west) = (embedded(&place, "east")?, embedded(&place, "west")?);
    let point_at = |place: &Place, server: &Path, code: i32, words: &[&str]| {
        place.says(&format!("cluster add far --kubeconfig {}", server.display()), code, words)
    };
    point_at(&place, &east, 0, &["is added", "It is ready"])?;
    let far = Team::on(&place, "far", "default", "far", json!({}))?;
    far.ends(&far.submit(&[map("a", json!({ "v": "1" }))])?, "Succeeded")?;
    let half = [map("a", json!({ "v": "2" })), never_ready("web")];
    let update = far.submit(&half)?;
    until("all of it is written", || {
        let status = far.comes_to(&update, "Partial")?;
        Ok(if status["progress"]["done"] == half.len() { Ok(()) } else { Err(status.to_string()) })
    })?;

    // Who names another server by mistake loses nothing by it.
    let kept = || place.kubectl()?.ok("get cluster far -o jsonpath={.spec}", "");
    let before = kept()?;
    point_at(
        &place,
        &west,
        4,
        &["another server than the one that the cluster far is", "nothing was changed"],
    )?;
    ensure!(kept()? == before, "{before}");

    // It is half applied, and waits; whoever would go on with it knows nothing any more.
    lead_astray(&place, &west)?;
    place.says("cluster show far", 0, &["not ready", OTHER, "bowline cluster remove NAME --force"])?;
    place = place.live_again()?;
    place.stands("far", "OtherServer")?;
    let far = Team::again_on(&place, "far", "default", "far");
    says(&far, &["waits for its cluster to be ready", OTHER])?;
    until("the update says what it waits for", || {
        let status = far.comes_to(&update, "Partial")?;
        let said = status["message"].as_str().unwrap_or_default();
        Ok(if said.contains(OTHER) { Ok(()) } else { Err(status.to_string()) })
    })?;
    let fix = far.line(&[map("a", json!({ "v": "3" }))])?;
    until("a plan is refused, once the other server is up again", || {
        let said = place.bowline(&fix.replace("submit", "plan"))?;
        let is_refused = said.err.contains("lead to another server than the one that the cluster far is");
        Ok(if said.code == 4 && is_refused { Ok(()) } else { Err(format!("{said:?}")) })
    })?;
    ensure!(said_by(&west)?.is_none(), "it is written to the other server");
    ensure!(said_by(&east)? == Some(json!({ "v": "2" })));

    // Back at its own server it goes on, and a fix takes its place.
    point_at(&place, &east, 0, &["It is ready"])?;
    place.says(&format!("{fix} --wait"), 0, &["far/3 Succeeded"])?;
    far.ends(&update, "Superseded")?;
    ensure!(said_by(&east)? == Some(json!({ "v": "3" })) && said_by(&west)?.is_none());

    // What is removed and added again is another cluster, on which nothing is done that nobody has asked for.
    lead_astray(&place, &west)?;
    place.says("cluster remove far --force", 0, &["is removed"])?;
    point_at(&place, &west, 0, &["is added", "It is ready"])?;
    says(&far, &["Drifted", "not as it should be", "(it is not there)"])?;
    ensure!(said_by(&west)?.is_none());
    place.says("update rollback --stack far --wait", 0, &["far/4 Succeeded"])?;
    ensure!(said_by(&west)? == Some(json!({ "v": "3" })));
    Ok(())
}
