//! What others change in AWS.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_identities::{Bed, Options, so, there, until};
use serde_json::json;

/// The policy edited, the attachment removed, something attached, the role deleted.
pub(crate) async fn what_others_change_is_put_right(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("kept", json!({}))?;
    bed.is_ready("kept").await?;
    let (name, arn) = (bed.aws_name("kept")?, bed.policy_arn("kept")?);

    let all = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Action": "*", "Resource": "*" }] });
    let edited = bed.aws.create_policy_version(&arn, &all.to_string()).await?;
    until("the policy says what it should", async || {
        let policy = bed.aws.get_policy(&arn).await?;
        let version = bed.aws.get_policy_version(&arn, &policy.default_version).await?;
        let says = version.document.as_ref().is_some_and(|document| document.contains("s3:GetObject"));
        Ok(so(version.id != edited.id && says, format!("{version:?}")))
    })
    .await?;

    bed.aws.detach_role_policy(&name, &arn).await?;
    bed.aws.attach_role_policy(&name, "arn:aws:iam::aws:policy/AdministratorAccess").await?;
    until("it has its policy, and no other", async || {
        let attached = bed.aws.list_attached_role_policies(&name).await?;
        Ok(so(attached.iter().map(|one| &one.arn).eq([&arn]), format!("{attached:?}")))
    })
    .await?;

    let before = bed.aws.get_role(&name).await?;
    bed.aws.detach_role_policy(&name, &arn).await?;
    let deleted = bed.aws.delete_role(&name).await;
    if deleted.is_err() {
        // It was put right in between.
        bed.aws.detach_role_policy(&name, &arn).await?;
        bed.aws.delete_role(&name).await?;
    }
    until("the role is there again", async || {
        let role = there(bed.aws.get_role(&name).await)?;
        Ok(so(role.as_ref().is_some_and(|role| role.id != before.id), format!("{role:?}")))
    })
    .await?;
    bed.is_ready("kept").await?;
    until("the role has its policy", async || {
        let attached = bed.aws.list_attached_role_policies(&name).await?;
        Ok(so(attached.len() == 1, format!("{attached:?}")))
    })
    .await?;
    let identity = bed.read("kept")?;
    ensure!(identity["status"]["roleArn"] == before.arn.as_str(), "{identity}");
    Ok(())
}
