//! Versions of a cluster's configuration, one that fails, and a crash in the middle.

use serde_json::json;

use super::super::objects::Named;
use super::super::stage::Stage;

const STACK: Named = Named::ours("Stack", "default", "toy");

pub(super) async fn show(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "Updates",
        "What is to be on a cluster is submitted as a version. It is checked, planned, applied, and watched until it is healthy.",
    )?;
    stage.does("update submit ./shop --cluster toy --wait").await?;
    stage.pause().await?;
    stage.say("A version that never gets healthy is rolled back by itself.")?;
    stage.ends("update submit ./shop-broken --cluster toy --wait", 1).await?;
    stage.does("update list").await?;
    stage.pause().await?;
    stage.say("Now the power goes, just after the next version was submitted. Nothing is lost: what was begun is ended.")?;
    stage.does("update plan ./shop-2 --cluster toy").await?;
    stage.does("update submit ./shop-2 --cluster toy").await?;
    stage.crash_hub().await?;
    stage.start_hub().await?;
    stage.until(STACK, "/status/lastGood/version", json!(3)).await?;
    stage.does("update list").await?;
    stage.pause().await
}
