//! A namespace with a volume, moved from one cluster to another.

use anyhow::Context;

use super::super::objects::Named;
use super::super::stage::Stage;

const NAMESPACE: Named = Named { version: "v1", kind: "Namespace", namespace: "", name: "shop" };
const PLACEMENT: Named = Named::ours("Placement", "shop", "placement");

pub(super) async fn show(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "Placements",
        "A namespace with its workloads and volumes is on one of several clusters. No volume can be used on two at any moment.",
    )?;
    for target in ["east", "west"] {
        stage.does(&format!("place target add {target} --cluster {target}")).await?;
        stage.saves(&format!("join syncer {target}"), &format!("{target}.kubeconfig")).await?;
        let cluster = Named::ours("Cluster", "", target);
        let there = stage.objects()?.read(cluster, "/status/endpoint/kubeconfig").await?;
        let there = there
            .as_ref()
            .and_then(|there| there.as_str())
            .context("an embedded cluster has a kubeconfig")?;
        let there = stage.relative(there).to_owned();
        let line = format!(
            "agent syncer --kubeconfig {target}.kubeconfig --target {target} --target-kubeconfig {there} --lease 3s"
        );
        stage.start_syncer(&format!("syncer-{target}"), &line)?;
    }
    stage.objects()?.make_namespace(NAMESPACE.name).await?;
    stage.does("place namespace shop --on east").await?;
    stage.applies("placed.yaml", NAMESPACE.name).await?;
    stage.objects()?.until_condition(PLACEMENT, "Ready").await?;
    stage.does("place status").await?;
    stage.pause().await?;
    stage.say("It moves: stopped and given up here, and only then granted there, in a greater epoch.")?;
    stage.does("place move shop --to west --wait").await?;
    stage.does("place history shop/data").await?;
    stage.pause().await?;
    stage.say("Data is deleted with its namespace, by a person, and by nothing else.")?;
    stage.deletes(NAMESPACE).await
}
