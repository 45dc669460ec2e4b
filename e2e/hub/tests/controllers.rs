//! The real kube-controller-manager, kube-scheduler and kwok on the hub: what is made of objects, and what goes with them.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Scratch};
use bowline_realkube::{Controllers, binaries};

/// How long controllers may take; they take a moment.
const PATIENCE: Duration = Duration::from_secs(60);

const STATEFUL_SET: &str = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: c, image: db}]
";

const QUOTA: &str = "
apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {pods: '5'}}
";

/// What they complain of when their server is at fault, and not what they have to do.
const FAULTS: &[&str] = &[
    "the server could not find the requested resource",
    "forbidden",
    "Unauthorized",
    "Failed to watch",
    "unable to decode",
    "no kind match",
    "the server rejected our request",
    "Internal error",
    "configmap \"extension-apiserver-authentication\" not found",
];

#[test]
fn the_real_controllers_work_on_the_hub() -> Result<()> {
    let scratch = Scratch::new("controllers")?;
    let hub = Hub::start(&scratch.join("hub"))?;
    let controllers = hub.controllers(&binaries()?, &scratch.join("controllers"))?;
    let kubectl = &Kubectl::new(&hub, scratch.join("cache"))?;
    deployments_have_pods(kubectl)?;
    jobs_and_stateful_sets_have_pods(kubectl)?;
    quotas_are_counted(kubectl)?;
    namespaces_go_with_what_is_in_them(kubectl)?;
    no_complaints(&controllers, "kube-controller-manager", "controller=\"garbage-collector-controller\"")
}

#[test]
fn a_deployment_rolls_out_on_the_hub() -> Result<()> {
    let scratch = Scratch::new("rollout")?;
    let hub = Hub::start(&scratch.join("hub"))?;
    let mut controllers = hub.controllers(&binaries()?, &scratch.join("controllers"))?;
    controllers.add_nodes()?;
    let kubectl = &Kubectl::new(&hub, scratch.join("cache"))?;
    kubectl.ok("create deployment web --image=nginx:1 --replicas=3", "")?;
    kubectl.says("rollout status deploy/web --timeout=60s", "", "successfully rolled out")?;
    let pods = "get pods -l app=web --field-selector=status.phase=Running -o";
    becomes(kubectl, &format!("{pods} jsonpath={{.items[*].spec.nodeName}}"), &["fake-0"; 3].join(" "))?;
    kubectl.ok("set image deploy/web nginx=nginx:2", "")?;
    kubectl.says("rollout status deploy/web --timeout=60s", "", "successfully rolled out")?;
    let images = format!("{pods} jsonpath={{.items[*].spec.containers[0].image}}");
    becomes(kubectl, &images, &["nginx:2"; 3].join(" "))?;
    kubectl.ok("rollout undo deploy/web", "")?;
    becomes(kubectl, &images, &["nginx:1"; 3].join(" "))?;
    kubectl.ok("create -f -", STATEFUL_SET)?;
    kubectl.says("rollout status statefulset/db --timeout=60s", "", "roll out complete: 2 new pods")?;
    kubectl.ok("delete deploy/web statefulset/db", "")?;
    becomes(kubectl, "get rs,pods -o name", "")?;
    no_complaints(&controllers, "kube-controller-manager", "controller=\"garbage-collector-controller\"")?;
    no_complaints(&controllers, "kube-scheduler", "Starting Kubernetes Scheduler")?;
    no_complaints(&controllers, "kwok", "node")
}

/// Nothing in its log says that the server is at fault.
fn no_complaints(controllers: &Controllers, program: &'static str, known_by: &str) -> Result<()> {
    let log = fs::read_to_string(controllers.log(program))?;
    // Of a log of something else nobody would complain.
    ensure!(log.contains(known_by), "this is not the log of {program}:\n{log}");
    let is_bad = |line: &str| line.starts_with('E') || line.contains("\"level\":\"ERROR\"");
    let complaints: Vec<_> =
        log.lines().filter(|line| is_bad(line) && FAULTS.iter().any(|fault| line.contains(fault))).collect();
    ensure!(complaints.is_empty(), "{program} complains:\n{}", complaints.join("\n"));
    Ok(())
}

fn deployments_have_pods(kubectl: &Kubectl) -> Result<()> {
    kubectl.says("create deployment web --image=nginx:1 --replicas=3", "", "deployment.apps/web created")?;
    becomes(kubectl, "get deploy web -o jsonpath={.status.replicas}", "3")?;
    becomes(
        kubectl,
        "get pods -l app=web -o jsonpath={.items[*].metadata.ownerReferences[0].kind}",
        &["ReplicaSet"; 3].join(" "),
    )?;
    kubectl.ok("scale deploy web --replicas=1", "")?;
    becomes(kubectl, "get pods -l app=web -o jsonpath={.items[*].status.phase}", "Pending")?;
    // Pods that never get ready: the new one comes, and the old one stays.
    kubectl.ok("set image deploy/web nginx=nginx:2", "")?;
    becomes(
        kubectl,
        "get rs -l app=web --sort-by=.spec.template.spec.containers[0].image -o \
         jsonpath={.items[*].metadata.annotations.deployment\\.kubernetes\\.io/revision}",
        "1 2",
    )?;
    kubectl.says("rollout history deploy/web", "", "REVISION")?;
    kubectl.ok("delete deploy web", "")?;
    becomes(kubectl, "get rs,pods -l app=web -o name", "")
}

fn jobs_and_stateful_sets_have_pods(kubectl: &Kubectl) -> Result<()> {
    kubectl.ok("create job once --image=busybox -- true", "")?;
    becomes(kubectl, "get job once -o jsonpath={.status.active}", "1")?;
    becomes(
        kubectl,
        "get pods -l job-name=once -o jsonpath={.items[*].spec.containers[*].image}",
        "busybox",
    )?;
    kubectl.ok("create -f -", STATEFUL_SET)?;
    // The second pod waits for the first, which nobody runs.
    becomes(kubectl, "get statefulset db -o jsonpath={.status.currentReplicas}", "1")?;
    becomes(kubectl, "get pods -l app=db -o name", "pod/db-0\n")?;
    kubectl.ok("delete job/once statefulset/db", "")?;
    becomes(kubectl, "get pods,controllerrevisions -o name", "")
}

fn quotas_are_counted(kubectl: &Kubectl) -> Result<()> {
    kubectl.ok("create namespace small", "")?;
    kubectl.ok("create -n small -f -", QUOTA)?;
    becomes(kubectl, "get quota few -n small -o jsonpath={.status.used.pods}", "0")?;
    kubectl.ok("run -n small one --image=x", "")?;
    becomes(kubectl, "get quota few -n small -o jsonpath={.status.used.pods}", "1")?;
    kubectl.ok("delete namespace small", "")?;
    Ok(())
}

fn namespaces_go_with_what_is_in_them(kubectl: &Kubectl) -> Result<()> {
    kubectl.ok("create namespace team", "")?;
    kubectl.ok("create deployment web -n team --image=nginx --replicas=2", "")?;
    kubectl.ok("create configmap c -n team --from-literal=a=b", "")?;
    becomes(kubectl, "get deploy web -n team -o jsonpath={.status.replicas}", "2")?;
    // It returns when the namespace is gone.
    kubectl.says("delete namespace team --timeout=60s", "", "namespace \"team\" deleted")?;
    kubectl.complains("get namespace team", "", "not found")?;
    becomes(kubectl, "get deploy,rs,pods,cm -n team -o name", "")
}

/// Waits until a command prints exactly this.
fn becomes(kubectl: &Kubectl, line: &str, expected: &str) -> Result<()> {
    let limit = Instant::now() + PATIENCE;
    loop {
        let said = kubectl.run(line, "")?;
        if said.code == 0 && said.out == expected {
            return Ok(());
        }
        ensure!(Instant::now() < limit, "kubectl {line} never says {expected:?}: {said:#?}");
    }
}
