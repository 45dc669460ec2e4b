//! What only the strict IAM can do.

pub(crate) mod assumed;
pub(crate) mod credentials;
mod kubernetes;

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_aws::{Iam, NewPolicy, NewRole, Tags};
use bowline_e2e_aws::fake::{Fake, Lag};
use bowline_e2e_aws::proxy::Fault;
use bowline_e2e_identities::{Bed, Options, has, policy, so, there, until};
use serde_json::{Value, json};

fn fake(bed: &Bed) -> Result<&Fake> {
    bed.fake.as_ref().context("it is ours")
}

/// And when it is given, all goes on: whatever it is for.
pub(crate) async fn a_missing_permission_is_named(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    for (number, missing) in
        (0..).zip(["iam:GetRole", "iam:CreatePolicy", "iam:CreateRole", "iam:AttachRolePolicy"])
    {
        let name = format!("denied-{number}");
        fake(bed)?.deny(missing);
        bed.create(&name, json!({}))?;
        bed.is_stalled(&name, missing).await?;
        ensure!(bed.account(&name)?.is_none(), "the account is there");
        fake(bed)?.allow_all();
        bed.is_ready(&name).await?;
    }
    bed.change("denied-0", json!({ "policy": policy("s3:PutObject") }))?;
    bed.is_ready("denied-0").await?;
    bed.delete("denied-1")?;
    bed.is_gone("denied-1").await?;
    for missing in ["iam:DetachRolePolicy", "iam:DeleteRole", "iam:DeletePolicyVersion", "iam:DeletePolicy"] {
        fake(bed)?.deny(missing);
    }
    bed.delete("denied-0")?;
    for missing in ["iam:DetachRolePolicy", "iam:DeleteRole", "iam:DeletePolicyVersion", "iam:DeletePolicy"] {
        bed.is_stalled("denied-0", missing).await?;
        fake(bed)?.allow(missing);
    }
    bed.is_gone("denied-0").await
}

/// What AWS refuses is named with what to do, and nothing half-made stays behind. Moto takes any boundary.
pub(crate) async fn a_boundary_that_is_not_there_is_named(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let missing = "arn:aws:iam::123456789012:policy/nobody-has-made-it";
    bed.create("bounded", json!({ "permissionsBoundary": missing }))?;
    bed.is_stalled("bounded", missing).await?;
    bed.is_stalled("bounded", "spec.permissionsBoundary: ").await?;
    ensure!(bed.account("bounded")?.is_none(), "the account is there");
    ensure!(fake(bed)?.all().is_empty(), "half of it is made: {:?}", fake(bed)?.all());
    bed.create(
        "attached",
        json!({ "managedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess", missing] }),
    )?;
    bed.is_stalled("attached", "spec.managedPolicyArns: ").await?;
    bed.is_stalled("attached", missing).await?;
    ensure!(fake(bed)?.all().is_empty(), "half of it is made: {:?}", fake(bed)?.all());
    bed.delete("attached")?;
    bed.is_gone("attached").await?;
    bed.delete("bounded")?;
    bed.is_gone("bounded").await?;
    ensure!(there(bed.aws.get_policy(&bed.policy_arn("bounded")?).await)?.is_none(), "the policy stays");

    bed.create("bounded", json!({ "permissionsBoundary": missing }))?;
    bed.is_stalled("bounded", missing).await?;
    bed.change("bounded", json!({ "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess" }))?;
    bed.is_ready("bounded").await?;
    // The same is true of other people's policies that it shall have.
    bed.change("bounded", json!({ "managedPolicyArns": [missing] }))?;
    bed.is_stalled("bounded", missing).await?;
    bed.is_stalled("bounded", "spec.managedPolicyArns: ").await?;
    bed.change("bounded", json!({ "managedPolicyArns": null }))?;
    bed.is_ready("bounded").await
}

/// One call more than without, which finds it; and who may not look for it goes on.
pub(crate) async fn one_with_a_boundary_is_made_with_six_calls(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", ..Options::default() })?;
    let boundary = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    bed.create("bounded", json!({ "permissionsBoundary": boundary }))?;
    bed.is_ready("bounded").await?;
    let mut calls = bed.calls_of_iam();
    calls.sort_unstable();
    let least = ["AttachRolePolicy", "CreatePolicy", "CreateRole", "GetPolicy", "GetPolicy", "GetRole"];
    ensure!(calls == least, "{calls:?}");
    ensure!(bed.aws.get_role(&bed.aws_name("bounded")?).await?.boundary.as_deref() == Some(boundary));
    Ok(())
}

/// Who waits for a person says so while AWS fails, and then that it fails: each once, and not in turns.
pub(crate) async fn who_is_stalled_does_not_flap_while_aws_fails(bed: &mut Bed) -> Result<()> {
    const FAILURES: u64 = 10;
    bed.up(Options::default())?;
    let name = bed.aws_name("taken")?;
    let role = NewRole {
        name: name.clone(),
        path: "/".to_owned(),
        description: "somebody's".to_owned(),
        trust: json!({ "Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": { "AWS": "arn:aws:iam::123456789012:root" },
        }] })
        .to_string(),
        boundary: None,
        tags: Tags::new(),
    };
    bed.aws.create_role(&role).await?;
    bed.create("taken", json!({}))?;
    bed.is_stalled("taken", "spec.adopt").await?;
    // Some of these looks may be over before the rules are there.
    let begun = bed.proxy.count("GetRole") + 3;
    for number in begun..begun + FAILURES {
        bed.proxy.nth(number, "GetRole", Fault::Fail);
    }
    bed.is_stalled("taken", "look at policy and role (more than 5 times: iam:GetRole: ").await?;
    until("they are over", async || {
        let looks = bed.proxy.count("GetRole");
        Ok(so(looks > begun + FAILURES, looks))
    })
    .await?;
    bed.is_stalled("taken", "spec.adopt").await?;
    let notes = bed.notes("taken")?;
    ensure!(notes.iter().all(|(reason, _)| reason == "NeedsAttention"), "it has flapped: {notes:?}");
    // Of the outage there is one sentence, whatever came between.
    let outage: Vec<_> = notes.iter().filter(|(_, note)| note.contains("more than 5 times")).collect();
    ensure!(outage.len() == 1 && !outage[0].1.contains("dispatch"), "{notes:?}");
    bed.aws.delete_role(&name).await?;
    bed.is_ready("taken").await
}

/// What is not there cannot be used, whoever has taken it away: that is told until it is there again, and was tried.
pub(crate) async fn a_role_that_is_lost_is_not_ready(bed: &mut Bed) -> Result<()> {
    bed.up(Options { issuer: bed.signs(), ..Options::default() })?;
    bed.provide()?;
    bed.create("lost", json!({}))?;
    bed.is_ready("lost").await?;
    let (name, arn) = (bed.aws_name("lost")?, bed.policy_arn("lost")?);
    fake(bed)?.deny("iam:CreateRole");
    until("somebody deletes the role", async || {
        // It may be put right in between.
        let detached = bed.aws.detach_role_policy(&name, &arn).await;
        let deleted = bed.aws.delete_role(&name).await;
        Ok(so(deleted.is_ok(), format!("{detached:?} {deleted:?}")))
    })
    .await?;
    bed.is_stalled("lost", "iam:CreateRole").await?;
    let read = bed.read("lost")?;
    let not = ["Complete", "Ready", "Synced"].iter().all(|of| has(&read, of, "False"));
    ensure!(not && read["status"]["roleArn"].is_null(), "{read}");
    let tried = bed.proxy.count("AssumeRoleWithWebIdentity");
    fake(bed)?.allow_all();
    bed.is_ready("lost").await?;
    ensure!(bed.proxy.count("AssumeRoleWithWebIdentity") > tried, "{:?}", bed.proxy.calls());
    bed.has_told("lost", &["RoleLost"]).await
}

/// A role has ten policies at most, unless somebody has asked AWS for more; that is not known before.
pub(crate) async fn more_policies_than_a_role_may_have_are_told(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let mut theirs = Vec::new();
    for number in 0..10 {
        let policy = NewPolicy {
            name: format!("theirs-{number}"),
            path: "/".to_owned(),
            description: "somebody's".to_owned(),
            document: json!({ "Version": "2012-10-17", "Statement": [{
                "Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "*",
            }] })
            .to_string(),
            tags: Tags::new(),
        };
        theirs.push(bed.aws.create_policy(&policy).await?.arn);
    }
    bed.create("rich", json!({ "managedPolicyArns": theirs }))?;
    bed.is_stalled("rich", "PoliciesPerRole").await?;
    bed.is_stalled("rich", "spec.managedPolicyArns: ").await?;
    ensure!(bed.account("rich")?.is_none(), "the account is there");
    bed.change("rich", json!({ "managedPolicyArns": &theirs[..9] }))?;
    bed.is_ready("rich").await
}

/// Twenty identities on an AWS that bears few calls a second: all of them leave by one gate, which slows down.
pub(crate) async fn a_storm_of_throttling_passes(bed: &mut Bed) -> Result<()> {
    const CROWD: usize = 20;
    bed.up(Options { drift: "1h", ..Options::default() })?;
    // So few that also a slow machine makes more.
    fake(bed)?.bear(Some(4));
    for number in 0..CROWD {
        bed.create(&format!("storm-{number}"), json!({}))?;
    }
    // Whether each only waits by itself cannot be told from the refusals.
    until("the gate slows down", async || {
        let counts = bed.counts()?;
        let rate = counts
            .lines()
            .find_map(|line| line.strip_prefix("bowline_identity_aws_calls_per_second{service=\"aws\"} "));
        let rate: Option<f64> = rate.and_then(|rate| rate.parse().ok());
        Ok(so(rate.is_some_and(|rate| rate < 100.0), format!("{rate:?}")))
    })
    .await?;
    for number in 0..CROWD {
        bed.is_ready(&format!("storm-{number}")).await?;
    }
    let done = fake(bed)?.writes();
    ensure!(done.len() == 3 * CROWD, "each is done once: {done:?}");
    let calls = fake(bed)?.calls();
    let refused = calls.iter().filter(|call| call.refused == Some("Throttling")).count();
    ensure!(refused > 0, "nothing was too much");
    // Each takes six calls: its role is tried, too.
    ensure!(refused < 6 * CROWD, "{refused} calls were too many");
    Ok(())
}

/// As many calls are under way as is said, and no more: 60 of them, each of which takes a while.
pub(crate) async fn as_many_calls_are_under_way_as_is_said(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", at_once: 3, ..Options::default() })?;
    fake(bed)?.answer_after(Duration::from_millis(100));
    for number in 0..12 {
        bed.create(&format!("one-of-{number}"), json!({}))?;
    }
    for number in 0..12 {
        bed.is_ready(&format!("one-of-{number}")).await?;
    }
    let most = fake(bed)?.most_at_once();
    ensure!(most == 3, "{most} calls were under way at once");
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

fn all_of_s3() -> String {
    json!({ "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Action": "s3:*", "Resource": "*" }] })
        .to_string()
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
    bed.proxy.write_into(&bed.aws_name("whole")?, "theirs", &all_of_s3()).await?;
    bed.delete("whole")?;
    bed.is_gone("whole").await?;

    let printed: Value = serde_json::from_str(&bed.bowline("identity iam-policy", 0)?)?;
    let statements = printed["Statement"].as_array().context("statements")?;
    let actions = statements.iter().filter_map(|one| one["Action"].as_array()).flatten();
    let printed: BTreeSet<_> = actions.filter_map(Value::as_str).map(str::to_owned).collect();
    let taken: BTreeSet<_> =
        fake(bed)?.permissions().into_iter().filter(|permission| permission.starts_with("iam:")).collect();
    // That was somebody else.
    let taken = &taken - &BTreeSet::from(["iam:PutRolePolicy".to_owned()]);
    ensure!(printed == taken, "printed: {printed:?}\ntaken: {taken:?}");
    Ok(())
}
