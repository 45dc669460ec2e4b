//! A whole control plane on the hub, unchanged: kube-controller-manager, kube-scheduler, and kwok for the nodes.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Scratch};
use bowline_realkube::binaries;

/// How long it may take; it takes a moment.
const PATIENCE: Duration = Duration::from_secs(90);

/// What its parts complain of when their server is at fault.
const FAULTS: &[&str] = &[
    "the server could not find the requested resource",
    "forbidden",
    "Unauthorized",
    "Failed to watch",
    "unable to decode",
    "no kind match",
    "the server rejected our request",
    "Internal error",
];

#[test]
fn a_deployment_rolls_out() -> Result<()> {
    let scratch = Scratch::new("rollout")?;
    let hub = Hub::start(&scratch.join("hub"))?;
    let plane = hub.control_plane(&binaries()?, &scratch.join("plane"))?;
    let kubectl = &Kubectl::new(&hub, scratch.join("cache"))?;
    kubectl.says("create deployment web --image=nginx:1 --replicas=3", "", "deployment.apps/web created")?;
    kubectl.says("rollout status deploy/web --timeout=90s", "", "successfully rolled out")?;
    let nodes = "get pods -l app=web -o jsonpath={.items[*].spec.nodeName}";
    becomes(kubectl, nodes, &["fake-0"; 3].join(" "))?;
    kubectl.ok("set image deploy/web nginx=nginx:2", "")?;
    kubectl.says("rollout status deploy/web --timeout=90s", "", "successfully rolled out")?;
    let images = "get pods -l app=web --field-selector=status.phase=Running -o jsonpath={.items[*].spec.containers[*].image}";
    becomes(kubectl, images, &["nginx:2"; 3].join(" "))?;
    kubectl.ok("rollout undo deploy/web", "")?;
    kubectl.says("rollout status deploy/web --timeout=90s", "", "successfully rolled out")?;
    becomes(kubectl, images, &["nginx:1"; 3].join(" "))?;
    kubectl.ok("delete deploy web", "")?;
    becomes(kubectl, "get rs,pods -l app=web -o name", "")?;
    for (log, says) in [
        (plane.log(), "controller=\"garbage-collector-controller\""),
        (plane.scheduler_log(), "Starting Kubernetes Scheduler"),
    ] {
        let log = fs::read_to_string(log)?;
        // Of a log of something else nobody would complain.
        ensure!(log.contains(says), "this is not their log:\n{log}");
        let is_fault = |line: &&str| line.starts_with('E') && FAULTS.iter().any(|fault| line.contains(fault));
        let complaints: Vec<_> = log.lines().filter(is_fault).collect();
        ensure!(complaints.is_empty(), "they complain:\n{}", complaints.join("\n"));
    }
    Ok(())
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
