//! Who may do what.

use anyhow::{Result, ensure};

use crate::Stage;

#[test]
fn permissions_are_asked_for_and_given() -> Result<()> {
    let Stage { kubectl, hub, scratch } = &Stage::new("people")?;
    kubectl.says("auth whoami -o jsonpath={.status.userInfo.groups}", "", "system:masters")?;
    kubectl.says("auth can-i create pods", "", "yes")?;
    let said = kubectl.run("auth can-i create pods --as=nobody", "")?;
    ensure!(said.code == 1 && said.out.contains("no"), "{said:#?}");
    kubectl.complains(
        "get secrets --as=ann",
        "",
        "secrets is forbidden: User \"ann\" cannot list resource \"secrets\" in API group \"\" in the namespace \"default\"",
    )?;
    kubectl.ok("create rolebinding ann --clusterrole=view --user=ann", "")?;
    kubectl.says("auth can-i list configmaps --as=ann", "", "yes")?;
    kubectl.ok("create serviceaccount robot", "")?;
    kubectl.ok("create rolebinding robot --clusterrole=edit --serviceaccount=default:robot", "")?;
    let token = kubectl.ok("create token robot", "")?;
    let kubeconfig = std::fs::read_to_string(hub.kubeconfig())?;
    let other = scratch.join("robot.kubeconfig");
    let without: Vec<&str> = kubeconfig.lines().filter(|line| !line.contains("client-")).collect();
    std::fs::write(&other, without.join("\n"))?;
    let line = format!("--kubeconfig={} --token={} create cm by-robot", other.display(), token.trim());
    let said = kubectl.run(&line, "")?;
    ensure!(said.out.contains("configmap/by-robot created"), "{said:#?}");
    let line = format!("--kubeconfig={} --token={} get nodes", other.display(), token.trim());
    ensure!(
        kubectl.run(&line, "")?.err.contains("system:serviceaccount:default:robot"),
        "a robot may read nodes"
    );
    let line = format!("--kubeconfig={} --token=nonsense get cm", other.display());
    ensure!(kubectl.run(&line, "")?.err.contains("Unauthorized"), "anybody may read");
    kubectl.says("api-resources", "", "deployments")?;
    kubectl.says("version", "", "Server Version: v1.34")?;
    kubectl.says("get --raw /readyz", "", "ok")?;
    Ok(())
}
