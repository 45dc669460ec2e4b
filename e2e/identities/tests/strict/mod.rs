//! What only the strict IAM can do.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_aws::fake::{Fake, Lag};
use bowline_e2e_identities::{Bed, Options, policy, so, there, until};
use serde_json::{Value, json};

fn fake(bed: &Bed) -> Result<&Fake> {
    bed.fake.as_ref().context("it is ours")
}

/// And when it is given, all goes on.
pub(crate) async fn a_missing_permission_is_named(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    fake(bed)?.deny("iam:CreateRole");
    bed.create("denied", json!({}))?;
    bed.is_stalled("denied", "iam:CreateRole").await?;
    ensure!(bed.account("denied")?.is_none(), "the account is there");
    fake(bed)?.allow_all();
    bed.is_ready("denied").await
}

/// What AWS refuses is named with what to do, and nothing half-made stays behind. Moto takes any boundary.
pub(crate) async fn a_boundary_that_is_not_there_is_named(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let missing = "arn:aws:iam::123456789012:policy/nobody-has-made-it";
    bed.create("bounded", json!({ "permissionsBoundary": missing }))?;
    bed.is_stalled("bounded", missing).await?;
    ensure!(bed.account("bounded")?.is_none(), "the account is there");
    bed.delete("bounded")?;
    bed.is_gone("bounded").await?;
    ensure!(there(bed.aws.get_policy(&bed.policy_arn("bounded")?).await)?.is_none(), "the policy stays");

    bed.create("bounded", json!({ "permissionsBoundary": missing }))?;
    bed.is_stalled("bounded", missing).await?;
    bed.change("bounded", json!({ "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess" }))?;
    bed.is_ready("bounded").await
}

/// Twenty identities on an AWS that bears few calls a second.
pub(crate) async fn a_storm_of_throttling_passes(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", ..Options::default() })?;
    fake(bed)?.bear(Some(10));
    for number in 0..20 {
        bed.create(&format!("storm-{number}"), json!({}))?;
    }
    for number in 0..20 {
        bed.is_ready(&format!("storm-{number}")).await?;
    }
    let done = fake(bed)?.writes();
    ensure!(done.len() == 60, "each is done once: {done:?}");
    let calls = fake(bed)?.calls();
    ensure!(calls.iter().any(|call| call.refused == Some("Throttling")), "nothing was too much");
    Ok(())
}

/// AWS shows for a second what was.
pub(crate) async fn what_is_not_visible_yet_is_not_drift(bed: &mut Bed) -> Result<()> {
    bed.up(Options { settle: "5s", sweeps: "6s", ..Options::default() })?;
    fake(bed)?.lag(Lag::Time(Duration::from_secs(2)));
    bed.create("slow", json!({}))?;
    bed.is_ready("slow").await?;
    bed.change("slow", json!({ "policy": policy("s3:PutObject") }))?;
    bed.is_ready("slow").await?;
    let arn = bed.policy_arn("slow")?;
    until("it says what it should", async || {
        let policy = bed.aws.get_policy(&arn).await?;
        Ok(so(policy.default_version == "v2", format!("{policy:?}")))
    })
    .await?;
    let writes = fake(bed)?.writes();
    ensure!(
        writes == ["CreatePolicy", "CreateRole", "AttachRolePolicy", "CreatePolicyVersion"],
        "{writes:?}"
    );
    Ok(())
}

/// `iam-policy` has what all that Bowline can do takes, and nothing else.
pub(crate) async fn the_permissions_are_those_of_the_calls(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let boundary = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    bed.create("whole", json!({ "deletionPolicy": "Orphan" }))?;
    bed.is_ready("whole").await?;
    bed.change("whole", json!({ "permissionsBoundary": boundary, "serviceAccountName": "other" }))?;
    bed.is_ready("whole").await?;
    bed.change("whole", json!({ "permissionsBoundary": null, "policy": policy("s3:PutObject") }))?;
    bed.is_ready("whole").await?;
    // Made again under another uid, it is tagged again.
    bed.delete("whole")?;
    bed.is_gone("whole").await?;
    bed.create("whole", json!({}))?;
    bed.is_ready("whole").await?;
    // The commands have credentials of their own, and look at the same.
    bed.bowline_at_aws("identity explain whole", 0)?;
    bed.bowline_at_aws("identity audit", 0)?;
    // What others have attached since the last look keeps the role, and it is looked for what else does.
    bed.kill()?;
    let looks = bed.proxy.count("ListAttachedRolePolicies");
    bed.up(Options { drift: "1h", ..Options::default() })?;
    until("it is looked at", async || {
        let now = bed.proxy.count("ListAttachedRolePolicies");
        Ok(so(now > looks, now))
    })
    .await?;
    bed.aws.attach_role_policy(&bed.aws_name("whole")?, boundary).await?;
    bed.delete("whole")?;
    bed.is_gone("whole").await?;

    let printed: Value = serde_json::from_str(&bed.bowline("identity iam-policy", 0)?)?;
    let statements = printed["Statement"].as_array().context("statements")?;
    let actions = statements.iter().filter_map(|one| one["Action"].as_array()).flatten();
    let printed: BTreeSet<_> = actions.filter_map(Value::as_str).map(str::to_owned).collect();
    let taken: BTreeSet<_> =
        fake(bed)?.permissions().into_iter().filter(|permission| permission.starts_with("iam:")).collect();
    ensure!(printed == taken, "printed: {printed:?}\ntaken: {taken:?}");
    Ok(())
}
