//! Updates on a real Kubernetes, from every home: what succeeds, what fails and is rolled back, what goes; and `kill -9`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_hub::Scratch;
use bowline_e2e_up::{Place, until};
use bowline_realkube::{Options, RealKube};
use serde_json::{Value, json};

use super::lent::is_lent;
use super::lives::{Gets, Line, Moment, Target};
use super::server::Server;
use super::team::{Team, deployment, map, never_ready, within};

/// When it is killed, and whether that version gets healthy. Another life of `controllers` waits until the lease of the one
/// before has lapsed: these are few.
const KILLS: [(&str, Gets); 3] =
    [("Starting", Gets::Healthy), ("Partial", Gets::Stuck), ("RollingBack", Gets::Stuck)];

/// One control plane is the cluster of all homes: each has a namespace of its own there.
#[test]
fn a_real_kubernetes_is_updated_from_every_home() -> Result<()> {
    let scratch = Scratch::new("target")?;
    // kube-controller-manager makes Pods of Deployments, and kwok has them run.
    let options =
        Options { controllers: true, scheduler: true, kwok: true, quick: true, ..Options::default() };
    let target = RealKube::start(&scratch.join("data"), &options)?;
    std::thread::scope(|scope| {
        let target = &target;
        let stories = Kind::ALL.map(|kind| {
            scope.spawn(move || story(kind, target).with_context(|| format!("the home is {kind}")))
        });
        let ended = stories.map(|story| story.join().map_err(|_| anyhow::anyhow!("a story panicked"))?);
        ended.into_iter().collect()
    })
}

/// A stack on the real cluster, in a namespace there.
struct Real<'a> {
    team: Team<'a>,
    server: Server,
    namespace: String,
}

fn story(kind: Kind, target: &RealKube) -> Result<()> {
    let place = Place::start(kind)?;
    let kubeconfig = target.kubeconfig();
    for cluster in ["prod", "line"] {
        let add = format!("cluster add {cluster} --kubeconfig {}", kubeconfig.display());
        place.says(&add, 0, &["It is ready"])?;
    }
    let server = Server::of(&kubeconfig)?;
    let [namespace, killed] = ["story", "killed"].map(|what| format!("{what}-{kind}"));
    for name in [&namespace, &killed] {
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        server.make("/api/v1/namespaces", &object)?;
    }
    let team = Team::on(&place, "prod", "default", "shop", json!({ "timeoutSeconds": 30 }))?;
    let real = Real { team, server, namespace };
    real.versions_succeed_and_what_they_drop_goes()?;
    real.what_never_gets_ready_is_rolled_back()?;
    real.a_kind_and_its_object_come_in_one_bundle()?;
    real.what_was_there_before_a_first_failure_is_as_before(&place)?;
    is_lent(&place, "prod", &real.server, &real.namespace)?;
    drop(real);
    let line = Line::new(&place, "line", Target::At(kubeconfig), &killed)?;
    is_killed(place, line)
}

impl Real<'_> {
    fn here(&self, objects: &[Value]) -> Vec<Value> {
        objects.iter().map(|object| within(&self.namespace, object.clone())).collect()
    }

    fn maps(&self) -> Result<BTreeMap<String, Value>> {
        self.server.maps(&self.namespace)
    }

    fn deployment(&self) -> Result<Value> {
        self.server.read(&format!("/apis/apps/v1/namespaces/{}/deployments/web", self.namespace))
    }

    /// What of its objects a write of ours would change; a Deployment has others who write to it.
    fn written(&self) -> Result<Vec<Value>> {
        let maps = self.server.items(&format!("/api/v1/namespaces/{}/configmaps", self.namespace))?;
        let of_maps = maps.into_iter().map(|mut map| map["metadata"]["resourceVersion"].take());
        let mut web = self.deployment()?["metadata"].take();
        let ours = web["managedFields"].as_array().into_iter().flatten();
        let ours: Vec<_> = ours.filter(|entry| entry["manager"] == "bowline").cloned().collect();
        ensure!(!ours.is_empty(), "it is ours: {web}");
        Ok(of_maps.chain([web["generation"].take(), ours.into()]).collect())
    }

    fn versions_succeed_and_what_they_drop_goes(&self) -> Result<()> {
        let Real { team, .. } = self;
        let content = self.here(&[
            map("settings", json!({ "a": "1", "b": "1" })),
            map("dropped", json!({})),
            deployment("web", None),
        ]);
        let ended = team.ends(&team.submit(&content)?, "Succeeded")?;
        ensure!(ended["version"] == 1 && ended["plan"]["create"] == 3, "{ended}");
        let web = self.deployment()?;
        ensure!(web["status"]["availableReplicas"] == 1, "a Pod runs: {web}");

        let before = self.written()?;
        let again = team.ends(&team.submit(&content)?, "Succeeded")?;
        let plan = &again["plan"];
        ensure!(plan["create"] == 0 && plan["change"] == 0 && plan["delete"] == 0, "{again}");
        ensure!(self.written()? == before, "nothing is written");

        let content = self.here(&[map("settings", json!({ "a": "2" })), deployment("web", None)]);
        team.ends(&team.submit(&content)?, "Succeeded")?;
        let maps = self.maps()?;
        ensure!(maps == [("settings".to_owned(), json!({ "a": "2" }))].into(), "{maps:?}");
        Ok(())
    }

    fn what_never_gets_ready_is_rolled_back(&self) -> Result<()> {
        let Real { team, .. } = self;
        let before = self.deployment()?["spec"].clone();
        let broken =
            self.here(&[map("settings", json!({ "a": "3" })), map("new", json!({})), never_ready("web")]);
        let line = format!("{} --health-timeout 5s --wait", team.line(&broken)?);
        let web = format!("Deployment {}/web", self.namespace);
        self.says(&line, 1, &["RolledBack", &web])?;
        let maps = self.maps()?;
        ensure!(maps == [("settings".to_owned(), json!({ "a": "2" }))].into(), "{maps:?}");
        ensure!(self.deployment()?["spec"] == before, "it is as before");
        until("its Pod runs again", || {
            let web = self.deployment()?;
            let status = &web["status"];
            let runs = status["availableReplicas"] == 1 && status["replicas"] == 1;
            Ok(if runs { Ok(()) } else { Err(web.to_string()) })
        })?;
        self.says(&line, 4, &["Rejected", "version 4 failed with the same content"])
    }

    fn a_kind_and_its_object_come_in_one_bundle(&self) -> Result<()> {
        let Real { team, server, namespace } = self;
        // A kind is everybody's: each home brings its own.
        let group = format!("{namespace}.example");
        let open =
            json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("boats.{group}") },
            "spec": { "group": group, "scope": "Namespaced",
                "names": { "plural": "boats", "singular": "boat", "kind": "Boat" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": open }] },
        });
        let harbour = format!("harbour-{namespace}");
        let boat = json!({ "apiVersion": format!("{group}/v1"), "kind": "Boat", "metadata": { "name": "one", "namespace": harbour } });
        let made = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": harbour } });
        team.ends(&team.submit(&[boat, made, definition])?, "Succeeded")?;
        server.read(&format!("/apis/{group}/v1/namespaces/{harbour}/boats/one"))?;

        // All of it goes again, and what the next version wants is there.
        let next = self.here(&[map("settings", json!({ "a": "4" }))]);
        team.ends(&team.submit(&next)?, "Succeeded")?;
        until("the kind and the namespace are gone", || {
            let kind = server
                .look(&format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.{group}"))?;
            let namespace = server.look(&format!("/api/v1/namespaces/{harbour}"))?;
            Ok(if kind.is_none() && namespace.is_none() {
                Ok(())
            } else {
                Err(format!("{kind:?} {namespace:?}"))
            })
        })
    }

    /// What the first version of a stack takes over, of kinds whose servers and controllers have their own say in them.
    fn what_was_there_before_a_first_failure_is_as_before(&self, place: &Place) -> Result<()> {
        let service = |target: u16| {
            json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "mine" },
                "spec": { "selector": { "app": "mine" }, "ports": [{ "port": 80, "targetPort": target }] } })
        };
        let mut more = deployment("mine", None);
        let theirs = self.here(&[map("mine", json!({ "a": "before" })), service(80), more.clone()]);
        more["spec"]["replicas"] = json!(2);
        let ours = [map("mine", json!({ "b": "after" })), service(8080), more, never_ready("stuck")];
        let kinds = ["/api/v1", "/api/v1", "/apis/apps/v1"].into_iter().zip([
            "configmaps",
            "services",
            "deployments",
        ]);
        let paths: Vec<_> =
            kinds.map(|(api, plural)| format!("{api}/namespaces/{}/{plural}", self.namespace)).collect();
        for (path, object) in paths.iter().zip(&theirs) {
            self.server.make(path, object)?;
        }
        let before = self.wishes(&paths)?;
        let team = Team::on(place, "prod", "default", "first", json!({ "timeoutSeconds": 5 }))?;
        team.waits(&self.here(&ours), 1, &["first/1 RolledBack", "/stuck: "])?;
        let after = self.wishes(&paths)?;
        ensure!(after == before, "{before:#?} {after:#?}");
        let stuck = self.server.look(&format!("{}/stuck", paths[2]))?;
        ensure!(stuck.is_none_or(|stuck| !stuck["metadata"]["deletionTimestamp"].is_null()), "it goes");
        Ok(())
    }

    /// What the objects called `mine` say of what somebody wants.
    fn wishes(&self, paths: &[String]) -> Result<Vec<Value>> {
        let wish = |path: &String| {
            let mut object = self.server.read(&format!("{path}/mine"))?;
            let of_servers = ["resourceVersion", "generation", "managedFields"];
            let fields = object["metadata"].as_object_mut().context("it has metadata")?;
            fields.retain(|name, _| !of_servers.contains(&name.as_str()));
            // Its controller writes it some time after it was made.
            if let Some(notes) = fields.get_mut("annotations").and_then(Value::as_object_mut) {
                notes.remove("deployment.kubernetes.io/revision");
            }
            fields.retain(|name, value| name != "annotations" || value != &json!({}));
            object.as_object_mut().context("an object")?.remove("status");
            Ok(object)
        };
        paths.iter().map(wish).collect()
    }

    fn says(&self, line: &str, code: i32, expected: &[&str]) -> Result<()> {
        self.team.place().says(line, code, expected).map(drop)
    }
}

/// Killed in each phase, the next life goes on: nothing is half-applied at rest.
fn is_killed(mut place: Place, mut line: Line) -> Result<()> {
    for (phase, gets) in KILLS {
        line.submit(&place, gets)?;
        line.comes_to(&place, &Moment::Phase(phase), 0)?;
        line.is_whole_at_rest(&place)?;
        place = place.live_again()?;
        line.is_decided(&place)?;
        line.is_whole_at_rest(&place)?;
    }
    line.submit(&place, Gets::Healthy)?;
    line.ends_well(&place)
}
