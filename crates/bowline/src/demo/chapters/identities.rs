//! Cloud permissions of a service account, as far as they get without a cloud.

use super::super::objects::Named;
use super::super::stage::Stage;

const IDENTITY: Named = Named::ours("IamRoleServiceAccount", "default", "s3-reader");

pub(super) async fn show(stage: &mut Stage) -> anyhow::Result<()> {
    stage.chapter(
        "Identities",
        "Cloud permissions of a service account are declared; policy, role, attachment and account follow. This machine has no\n\
         AWS, so the identity says what it waits for; with the two settings that it names, `bowline up` makes it.",
    )?;
    stage.applies("s3-reader.yaml", IDENTITY.namespace).await?;
    stage.objects()?.until_condition(IDENTITY, "Stalled").await?;
    stage.does("identity list").await?;
    stage.does("identity explain s3-reader").await?;
    stage.pause().await?;
    stage.deletes(IDENTITY).await
}
