//! What the demo shows, one system after the other.

mod identities;
mod placements;
mod updates;
mod upgrades;

use super::stage::Stage;

/// All of it.
pub(super) async fn all(stage: &mut Stage) -> anyhow::Result<()> {
    begin(stage).await?;
    updates::show(stage).await?;
    upgrades::show(stage).await?;
    placements::show(stage).await?;
    identities::show(stage).await?;
    explored(stage).await?;
    stage.say("That was Bowline. What was made here is taken away now; `bowline up` begins in earnest.")
}

async fn begin(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "Bowline, on this machine",
        "A hub, which is a Kubernetes API server and the controllers in one process, and three clusters whose workloads are\n\
         simulated.",
    )?;
    stage.start_hub().await?;
    for cluster in ["toy", "east", "west"] {
        stage.does(&format!("cluster add {cluster} --embedded")).await?;
    }
    stage.does("cluster list").await?;
    let kubeconfig = stage.kubeconfig();
    stage.say(&format!(
        "At every pause you can look at it from another terminal:\n\n  export KUBECONFIG={}\n  kubectl get bowline -A",
        kubeconfig.display()
    ))?;
    stage.pause().await
}

async fn explored(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "The code that is explored is the code that runs",
        "The decisions that you have just seen at work are pure functions, and a model checker has called them in every order.\n\
         First the published specification that placements grew from: two clusters can use one volume.",
    )?;
    stage.ends("check seed/kcp-storage --size clusters=3 --property UsableByAtMostOne", 1).await?;
    stage.say("And the shipped protocol, with a crash at any moment: every state, and nothing violated.")?;
    stage.does("check updates --faults crash=1").await?;
    stage.pause().await
}
