//! What others change in AWS.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_identities::{Bed, Options, so, there, until};
use serde_json::json;

/// Who may assume it, and its boundary; and the policy, deleted.
pub(crate) async fn what_others_say_of_the_role_is_put_right(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("kept", json!({}))?;
    bed.is_ready("kept").await?;
    let (name, arn) = (bed.aws_name("kept")?, bed.policy_arn("kept")?);
    let anybody = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": "arn:aws:iam::123456789012:root" },
    }] });
    bed.aws.update_assume_role_policy(&name, &anybody.to_string()).await?;
    bed.aws.put_role_permissions_boundary(&name, "arn:aws:iam::aws:policy/ReadOnlyAccess").await?;
    until("the role is as it was", async || {
        let role = bed.aws.get_role(&name).await?;
        let is = role.trust.contains("system:serviceaccount:default:kept") && role.boundary.is_none();
        Ok(so(is && !role.trust.contains("root"), format!("{role:?}")))
    })
    .await?;

    let before = bed.aws.get_policy(&arn).await?;
    until("somebody deletes the policy", async || {
        // It may be put right in between.
        let detached = bed.aws.detach_role_policy(&name, &arn).await;
        let deleted = bed.aws.delete_policy(&arn).await;
        Ok(so(deleted.is_ok(), format!("{detached:?} {deleted:?}")))
    })
    .await?;
    until("the policy is there again, and the role has it", async || {
        let policy = there(bed.aws.get_policy(&arn).await)?;
        let attached = bed.aws.list_attached_role_policies(&name).await?;
        let is = policy.as_ref().is_some_and(|policy| policy.id != before.id) && attached.len() == 1;
        Ok(so(is, format!("{policy:?} {attached:?}")))
    })
    .await?;
    bed.is_ready("kept").await
}

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
    until("somebody deletes the role", async || {
        // It may be put right in between.
        let detached = bed.aws.detach_role_policy(&name, &arn).await;
        let deleted = bed.aws.delete_role(&name).await;
        Ok(so(deleted.is_ok(), format!("{detached:?} {deleted:?}")))
    })
    .await?;
    until("the role is there again", async || {
        let role = there(bed.aws.get_role(&name).await)?;
        Ok(so(role.as_ref().is_some_and(|role| role.id != before.id), format!("{role:?}")))
    })
    .await?;
    // Nobody was told meanwhile that it can be used.
    bed.has_told("kept", &["RoleLost"]).await?;
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

/// What is written into the role, beside what else it has lost and got: each of it is told, with what it was.
pub(crate) async fn what_others_write_into_the_role_is_deleted_and_told(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("kept", json!({}))?;
    bed.is_ready("kept").await?;
    let (name, arn) = (bed.aws_name("kept")?, bed.policy_arn("kept")?);
    let all = json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Action": "*", "Resource": "*" }] });
    bed.proxy.write_into(&name, "backdoor", &all.to_string()).await?;
    bed.aws.attach_role_policy(&name, "arn:aws:iam::aws:policy/AdministratorAccess").await?;
    bed.aws.detach_role_policy(&name, &arn).await?;
    until("it has its policy, and nothing else", async || {
        let inline = bed.aws.list_role_policies(&name).await?;
        let attached = bed.aws.list_attached_role_policies(&name).await?;
        let is = inline.is_empty() && attached.iter().map(|one| &one.arn).eq([&arn]);
        Ok(so(is, format!("{inline:?} {attached:?}")))
    })
    .await?;
    let notes =
        ["AdministratorAccess: it is detached", "was not attached any more", "the inline policy backdoor"];
    bed.has_noted("kept", &notes).await?;
    bed.has_told("kept", &["DriftRepaired"]).await?;
    for what in ["attachment", "foreign_attachment", "inline_policy"] {
        let line = format!("bowline_identity_drift_repaired_total{{what=\"{what}\"}} 1");
        let counts = bed.counts()?;
        ensure!(counts.contains(&line), "{line} is not in {counts}");
    }
    // What goes takes it along, too: nobody has to do anything about it.
    bed.delete("kept")?;
    bed.proxy.write_into(&name, "late", &all.to_string()).await.ok();
    bed.is_gone("kept").await?;
    ensure!(there(bed.aws.get_role(&name).await)?.is_none(), "the role is there");
    Ok(())
}
