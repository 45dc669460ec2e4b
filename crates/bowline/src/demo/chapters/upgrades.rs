//! Real processes on three nodes, upgraded while they serve.

use serde_json::json;

use super::super::stage::{GROUP, Stage};

pub(super) async fn show(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "Upgrades",
        "Three nodes with four shards, each of which needs exactly one master. The nodes are processes on this machine, and so is\n\
         their software.",
    )?;
    stage.applies("tour.yaml", GROUP.namespace).await?;
    for node in ["n1", "n2", "n3"] {
        stage.saves(&format!("join node tour {node}"), &format!("{node}.kubeconfig")).await?;
        let line =
            format!("agent node --kubeconfig {node}.kubeconfig --group tour --member {node} --lease 3s");
        stage.start_node(node, &line)?;
    }
    stage.until(GROUP, "/status/counts/present", json!(3)).await?;
    stage.objects()?.until_condition(GROUP, "Ready").await?;
    stage.does("upgrade status tour").await?;
    stage.pause().await?;
    stage.say("Before anything is touched, this very group and this plan are explored, with a node that crashes at any moment.")?;
    stage.does("upgrade preflight tour --to v2 --crashes 1").await?;
    stage.pause().await?;
    stage.say("Node by node, masters first handed over; until the commit there is a way back.")?;
    stage.does("upgrade start tour --to v2 --wait").await?;
    stage.does("upgrade status tour").await?;
    stage.does("upgrade commit tour").await?;
    stage.pause().await?;
    stage.deletes(GROUP).await?;
    stage.nodes_end().await
}
