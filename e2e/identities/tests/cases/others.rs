//! What is somebody else's.

use anyhow::{Context, Result, ensure};
use bowline_aws::{Iam, NewPolicy, NewRole, Tags};
use bowline_e2e_identities::{Bed, Options, there};
use serde_json::json;

/// A role that a person has made.
fn somebodys_role(name: &str) -> NewRole {
    let trust = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRole",
        "Principal": { "AWS": "arn:aws:iam::123456789012:root" },
    }] });
    NewRole {
        name: name.to_owned(),
        path: "/".to_owned(),
        description: "somebody's".to_owned(),
        trust: trust.to_string(),
        boundary: None,
        tags: Tags::new(),
    }
}

/// It is never touched; when it is gone, all goes on.
pub(crate) async fn a_foreign_role_is_left_alone(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let name = bed.aws_name("taken")?;
    bed.aws.create_role(&somebodys_role(&name)).await?;
    let before = bed.aws.get_role(&name).await?;
    bed.create("taken", json!({}))?;
    bed.is_stalled("taken", &name).await?;
    let said = bed.bowline_at_aws("identity explain taken", 0)?;
    ensure!(said.contains("not its own") && said.contains("Stands:    stalled"), "{said}");
    ensure!(bed.account("taken")?.is_none(), "the account is there");
    ensure!(bed.aws.get_role(&name).await? == before, "it was changed");
    // Who is deleted meanwhile leaves it there, too.
    bed.delete("taken")?;
    bed.is_gone("taken").await?;
    ensure!(bed.aws.get_role(&name).await? == before, "it was changed");
    ensure!(there(bed.aws.get_policy(&bed.policy_arn("taken")?).await)?.is_none(), "the policy stays");

    bed.create("taken", json!({}))?;
    bed.is_stalled("taken", &name).await?;
    bed.aws.delete_role(&name).await?;
    bed.is_ready("taken").await
}

/// What somebody has given to a role of theirs stays until they take it back; that is told, and then all of it goes.
pub(crate) async fn what_others_use_stays_until_they_do_not(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("lent", json!({}))?;
    bed.is_ready("lent").await?;
    let (name, arn) = (bed.aws_name("lent")?, bed.policy_arn("lent")?);
    let theirs = format!("theirs-{name}").chars().take(64).collect::<String>();
    bed.aws.create_role(&somebodys_role(&theirs)).await?;
    bed.aws.attach_role_policy(&theirs, &arn).await?;
    bed.delete("lent")?;
    bed.is_stalled("lent", &format!("the role {theirs}")).await?;
    ensure!(there(bed.aws.get_policy(&arn).await)?.is_some(), "the policy is gone");
    ensure!(bed.aws.list_attached_role_policies(&theirs).await?.len() == 1, "it was taken from them");
    bed.aws.detach_role_policy(&theirs, &arn).await?;
    bed.is_gone("lent").await?;
    ensure!(there(bed.aws.get_policy(&arn).await)?.is_none(), "the policy stays");
    bed.aws.get_role(&theirs).await?;
    Ok(())
}

/// With `spec.adopt` they become ours, as they are wanted.
pub(crate) async fn a_foreign_policy_is_taken_over_if_asked(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let (name, arn) = (bed.aws_name("wanted")?, bed.policy_arn("wanted")?);
    let document = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": ["ec2:RunInstances"], "Resource": "*",
    }] });
    let policy = NewPolicy {
        name: name.clone(),
        path: "/".to_owned(),
        description: "somebody's".to_owned(),
        document: document.to_string(),
        tags: Tags::new(),
    };
    bed.aws.create_policy(&policy).await?;
    bed.aws.create_role(&somebodys_role(&name)).await?;
    let before = (bed.aws.get_policy(&arn).await?, bed.aws.get_role(&name).await?);
    bed.create("wanted", json!({}))?;
    bed.is_stalled("wanted", "spec.adopt").await?;
    ensure!((bed.aws.get_policy(&arn).await?, bed.aws.get_role(&name).await?) == before, "it was changed");
    bed.change("wanted", json!({ "adopt": true }))?;
    bed.is_ready("wanted").await?;
    let (policy, role) = (bed.aws.get_policy(&arn).await?, bed.aws.get_role(&name).await?);
    ensure!((&policy.id, &role.id) == (&before.0.id, &before.1.id), "it was made again");
    ensure!(role.tags.contains_key("bowline.dev/hub") && policy.tags.contains_key("bowline.dev/hub"));
    let version = bed.aws.get_policy_version(&arn, &policy.default_version).await?;
    ensure!(!version.document.unwrap_or_default().contains("ec2"), "it says what it said");
    ensure!(role.trust.contains("system:serviceaccount:default:wanted"), "{role:?}");
    Ok(())
}

/// An account of that name is never claimed; and no role is shown to it.
pub(crate) async fn a_foreign_account_is_left_alone(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let body = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "theirs" } });
    let before = bed.server()?.create(accounts, &body)?;
    bed.create("theirs", json!({}))?;
    bed.is_stalled("theirs", "service account").await?;
    let now = bed.account("theirs")?.context("it is there")?;
    ensure!(now["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"], "{now}");
    bed.server()?.delete(&format!("{accounts}/theirs"))?;
    bed.is_ready("theirs").await?;
    let now = bed.account("theirs")?.context("it is there")?;
    ensure!(now["metadata"]["annotations"]["eks.amazonaws.com/role-arn"].is_string(), "{now}");
    Ok(())
}

/// Two that want one account, and may take over what is somebody else's, would take it from each other for ever.
pub(crate) async fn an_account_of_another_identity_is_not_taken_over(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let shared = json!({ "serviceAccountName": "shared", "adopt": true });
    bed.create("first", shared.clone())?;
    bed.is_ready("first").await?;
    let before = bed.account("shared")?.context("it is there")?;
    bed.create("second", shared)?;
    bed.is_stalled("second", "is of the identity default/first").await?;
    let now = bed.account("shared")?.context("it is there")?;
    ensure!(now["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"], "{now}");
    // It goes with the one, and then the other may have it.
    bed.delete("first")?;
    bed.is_gone("first").await?;
    bed.is_ready("second").await
}
