//! The way in of a person: `bowline crds | kubectl apply -f -`.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::{Kubectl, bowline};

/// How long a server may take to know what it was told; it takes a moment.
const PATIENCE: Duration = Duration::from_secs(60);

const OBJECTS: &str = "
apiVersion: bowline.dev/v1alpha1
kind: Stack
metadata: {name: shop}
spec: {cluster: east}
---
apiVersion: bowline.dev/v1alpha1
kind: IamRoleServiceAccount
metadata: {name: shop}
spec: {policy: {statement: [{action: ['s3:*'], resource: '*'}]}}
";

fn crds(form: &str) -> Result<String> {
    let output = Command::new(bowline()).args(["crds", "--with-roles", "-o", form]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Waits until a command prints this.
fn becomes(kubectl: &Kubectl, line: &str, expected: &str) -> Result<()> {
    let limit = Instant::now() + PATIENCE;
    loop {
        let said = kubectl.run(line, "")?;
        if said.out.contains(expected) {
            return Ok(());
        }
        ensure!(Instant::now() < limit, "kubectl {line} never says {expected:?}: {said:#?}");
    }
}

#[test]
fn what_bowline_prints_kubectl_applies_on_both_homes() -> Result<()> {
    for kind in Kind::ALL {
        let home = Home::start(kind)?;
        applied(&home.kubectl()?).with_context(|| kind.to_string())?;
    }
    Ok(())
}

fn applied(kubectl: &Kubectl) -> Result<()> {
    let first = kubectl.ok("apply -f -", &crds("yaml")?)?;
    ensure!(first.lines().count() == 17 && first.lines().all(|line| line.ends_with("created")), "{first}");
    // In the other form they are the same objects.
    let second = kubectl.ok("apply -f -", &crds("json")?)?;
    ensure!(
        second.lines().count() == 17 && second.lines().all(|line| line.ends_with("unchanged")),
        "{second}"
    );
    kubectl.ok("wait --for=condition=Established --timeout=60s crd --all", "")?;
    kubectl.ok("apply -f -", OBJECTS)?;
    kubectl.says("get stacks", "", "NAME   CLUSTER   PHASE   APPLIED   LASTGOOD   MESSAGE   AGE")?;
    kubectl.says("get irsa", "", "NAME   READY   ROLE-ARN   MESSAGE   AGE")?;
    let all = kubectl.ok("get bowline -o name", "")?;
    ensure!(
        all.contains("stack.bowline.dev/shop") && all.contains("iamroleserviceaccount.bowline.dev/shop"),
        "{all}"
    );
    kubectl.says(
        "get stack shop -o jsonpath={.spec.drift}/{.spec.driftIntervalSeconds}",
        "",
        "Report/600",
    )?;
    kubectl.says("explain stack.spec.maxDeletions", "", "deletes more objects than this fails")?;
    // The roles of Kubernetes take ours in.
    kubectl.ok("create rolebinding anna --clusterrole=edit --user=anna", "")?;
    becomes(kubectl, "auth can-i create updates.bowline.dev --as=anna", "yes")?;
    becomes(kubectl, "auth can-i update volumegrants.bowline.dev --as=anna", "no")?;
    becomes(kubectl, "auth can-i create irsa.bowline.dev --as=anna", "no")?;
    becomes(kubectl, "auth can-i get irsa.bowline.dev --as=anna", "yes")
}
