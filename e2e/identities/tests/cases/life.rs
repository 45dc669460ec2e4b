//! How an identity comes, changes and goes.

use anyhow::{Context, Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_identities::{Bed, Options, policy, so, there, until};
use serde_json::{Value, json};

const READ_ONLY: &str = "arn:aws:iam::aws:policy/ReadOnlyAccess";
const VIEW_ONLY: &str = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess";

/// Five calls, and none any more; what is there says whose it is.
pub(crate) async fn an_identity_is_made_with_few_calls_and_rests(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", ..Options::default() })?;
    bed.create("reader", json!({}))?;
    bed.is_ready("reader").await?;
    let mut calls = bed.calls_of_iam();
    calls.sort_unstable();
    let least = ["AttachRolePolicy", "CreatePolicy", "CreateRole", "GetPolicy", "GetRole"];
    ensure!(calls == least, "{calls:?}");

    let (name, arn) = (bed.aws_name("reader")?, bed.policy_arn("reader")?);
    let role = bed.aws.get_role(&name).await?;
    let trust: Value = serde_json::from_str(&role.trust)?;
    let only = json!({ "StringEquals": {
        "oidc.example/id/X:sub": "system:serviceaccount:default:reader",
        "oidc.example/id/X:aud": "sts.amazonaws.com",
    } });
    ensure!(trust["Statement"][0]["Condition"] == only, "{trust}");
    let identity = bed.read("reader")?;
    let uid = identity["metadata"]["uid"].as_str().map(str::to_owned);
    ensure!(role.tags.get("bowline.dev/uid") == uid.as_ref(), "{:?}", role.tags);
    let attached = bed.aws.list_attached_role_policies(&name).await?;
    ensure!(attached.iter().map(|one| &one.arn).eq([&arn]), "{attached:?}");
    let account = bed.account("reader")?.context("the account is there")?;
    ensure!(account["metadata"]["annotations"]["eks.amazonaws.com/role-arn"] == role.arn.as_str());
    for kind in ["iampolicies", "iamroles"] {
        let path = format!("/apis/bowline.dev/v1alpha1/namespaces/default/{kind}/reader");
        until("the child says that it is there", async || {
            let child = bed.server()?.read(&path)?;
            Ok(so(child["status"]["arn"].is_string(), child))
        })
        .await?;
    }
    bed.has_told("reader", &["Complete", "Ready"]).await?;
    let counts = bed.counts()?;
    for line in [
        "bowline_identity_ready{identity=\"default/reader\"} 1",
        "bowline_identity_aws_calls_total{action=\"CreateRole\",result=\"done\"} 1",
        "bowline_identity_aws_calls_total{action=\"GetRole\",result=\"missing\"} 1",
    ] {
        ensure!(counts.contains(line), "{line} is not in {counts}");
    }
    let said = bed.bowline_at_aws("identity explain reader", 0)?;
    ensure!(said.contains("Stands:    ready") && !said.contains("not yet"), "{said}");

    // At rest it is looked at, and nothing is written: neither there nor here.
    bed.end()?;
    bed.up(Options::default())?;
    until("it is looked at again", async || {
        let looks = bed.proxy.count("GetRole");
        Ok(so(looks >= 5, looks))
    })
    .await?;
    ensure!(writes(bed) == 3, "{:?}", bed.proxy.calls());
    let version = |identity: &Value| identity["metadata"]["resourceVersion"].clone();
    let now = bed.read("reader")?;
    ensure!(version(&now) == version(&identity), "{identity}\n{now}");
    Ok(())
}

/// Policy, other people's policies, boundary and account, each as it is wanted next.
pub(crate) async fn an_identity_follows_its_spec(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("app", json!({ "managedPolicyArns": [READ_ONLY] }))?;
    bed.is_ready("app").await?;
    let (name, arn) = (bed.aws_name("app")?, bed.policy_arn("app")?);
    let attached = async || -> Result<Vec<String>> {
        let attached = bed.aws.list_attached_role_policies(&name).await?;
        let mut attached: Vec<_> = attached.into_iter().map(|one| one.arn).collect();
        attached.sort_unstable();
        Ok(attached)
    };
    ensure!(attached().await? == [arn.clone(), READ_ONLY.to_owned()], "{:?}", attached().await?);

    bed.change(
        "app",
        json!({
            "policy": policy("s3:PutObject"), "managedPolicyArns": [VIEW_ONLY], "permissionsBoundary": READ_ONLY,
            "serviceAccountName": "other",
        }),
    )?;
    bed.is_ready("app").await?;
    until("it is as it is wanted", async || {
        let role = bed.aws.get_role(&name).await?;
        let policy = bed.aws.get_policy(&arn).await?;
        let version = bed.aws.get_policy_version(&arn, &policy.default_version).await?;
        let is = attached().await? == [arn.clone(), VIEW_ONLY.to_owned()]
            && role.boundary.as_deref() == Some(READ_ONLY)
            && role.trust.contains("system:serviceaccount:default:other")
            && version.document.as_ref().is_some_and(|document| document.contains("s3:PutObject"));
        Ok(so(is, format!("{role:?} {version:?} {:?}", attached().await?)))
    })
    .await?;
    until("the account is the other one", async || {
        let (before, after) = (bed.account("app")?, bed.account("other")?);
        Ok(so(before.is_none() && after.is_some(), format!("{before:?}")))
    })
    .await?;

    bed.change("app", json!({ "permissionsBoundary": null, "policy": null }))?;
    until("it has neither boundary nor policy of its own", async || {
        let role = bed.aws.get_role(&name).await?;
        let policy = there(bed.aws.get_policy(&arn).await)?;
        Ok(so(role.boundary.is_none() && policy.is_none(), format!("{role:?} {policy:?}")))
    })
    .await?;
    bed.is_ready("app").await
}

/// AWS keeps five, and the oldest goes.
pub(crate) async fn a_policy_is_changed_more_often_than_aws_keeps_versions(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("writer", json!({}))?;
    bed.is_ready("writer").await?;
    let arn = bed.policy_arn("writer")?;
    for action in ["A", "B", "C", "D", "E", "F", "G"].map(|letter| format!("s3:Get{letter}")) {
        bed.change("writer", json!({ "policy": policy(&action) }))?;
        until(&format!("it allows {action}"), async || {
            let policy = bed.aws.get_policy(&arn).await?;
            let version = bed.aws.get_policy_version(&arn, &policy.default_version).await?;
            let document = version.document.unwrap_or_default();
            Ok(so(document.contains(&action), document))
        })
        .await?;
        let versions = bed.aws.list_policy_versions(&arn).await?;
        ensure!(versions.len() <= 5, "{versions:?}");
    }
    bed.is_ready("writer").await
}

/// Neither in AWS nor here; and the tombstone goes as well.
pub(crate) async fn a_deleted_identity_leaves_nothing(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("brief", json!({ "managedPolicyArns": [READ_ONLY] }))?;
    bed.is_ready("brief").await?;
    bed.change("brief", json!({ "policy": policy("s3:PutObject") }))?;
    bed.is_ready("brief").await?;
    let (name, arn) = (bed.aws_name("brief")?, bed.policy_arn("brief")?);
    bed.delete("brief")?;
    bed.is_gone("brief").await?;
    ensure!(there(bed.aws.get_role(&name).await)?.is_none(), "the role is there");
    ensure!(there(bed.aws.get_policy(&arn).await)?.is_none(), "the policy is there");
    until("account and tombstone are gone", async || {
        let account = bed.account("brief")?;
        let tombstones = bed.server()?.read("/apis/bowline.dev/v1alpha1/iamtombstones")?;
        let left = tombstones["items"].as_array().is_none_or(Vec::is_empty);
        Ok(so(left && account.is_none(), format!("{account:?} {tombstones}")))
    })
    .await
}

/// `Orphan` leaves AWS as it is; `audit` finds it, and who is made again under that name has it.
pub(crate) async fn an_orphan_stays_and_is_found_and_taken_over(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    bed.create("keeper", json!({ "deletionPolicy": "Orphan" }))?;
    bed.is_ready("keeper").await?;
    let name = bed.aws_name("keeper")?;
    let (before, written) = (bed.aws.get_role(&name).await?, writes(bed));
    bed.delete("keeper")?;
    bed.is_gone("keeper").await?;
    ensure!(bed.aws.get_role(&name).await? == before && writes(bed) == written, "{:?}", bed.proxy.calls());
    ensure!(bed.aws.list_attached_role_policies(&name).await?.len() == 1, "it is detached");
    let audit = bed.bowline_at_aws("identity audit --exit-code", 1)?;
    ensure!(["policy", "role"].iter().all(|sort| audit.contains(&format!("{sort:<8}{name}"))), "{audit}");
    let audit: Value = serde_json::from_str(&bed.bowline_at_aws("identity audit -o json", 0)?)?;
    let left = audit["ownerless"].as_array().context("a list")?;
    ensure!(left.len() == 2 && left.iter().all(|one| one["identity"] == "keeper"), "{audit}");

    // Another uid: the tags say that it is that identity's, and are put right.
    bed.create("keeper", json!({}))?;
    bed.is_ready("keeper").await?;
    let after = bed.aws.get_role(&name).await?;
    ensure!(after.id == before.id && bed.proxy.count("CreateRole") == 1, "it was made again");
    let uid = bed.read("keeper")?["metadata"]["uid"].as_str().map(str::to_owned);
    ensure!(after.tags.get("bowline.dev/uid") == uid.as_ref(), "{after:?}");
    bed.bowline_at_aws("identity audit --exit-code", 0)?;
    Ok(())
}

/// Deleted and made again while nobody looked: another uid for what is in AWS already, which is known by its tags.
pub(crate) async fn one_that_was_made_again_behind_its_back_keeps_what_it_has(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let path = "/apis/bowline.dev/v1alpha1/namespaces/default/iamroleserviceaccounts";
    let first = bed.create("twice", json!({}))?;
    bed.is_ready("twice").await?;
    let name = bed.aws_name("twice")?;
    let before = bed.aws.get_role(&name).await?;
    bed.kill()?;
    bed.without_controllers(|server| {
        let one = format!("{path}/twice");
        server.change(&one, &json!({ "metadata": { "finalizers": null } }))?;
        server.delete(&one)?;
        let body = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": { "name": "twice", "namespace": "default" }, "spec": first["spec"],
        });
        server.create(path, &body).map(drop)
    })?;
    bed.up(Options::default())?;
    bed.is_ready("twice").await?;
    let uid = bed.read("twice")?["metadata"]["uid"].as_str().map(str::to_owned);
    ensure!(uid.as_deref() != first["metadata"]["uid"].as_str(), "{uid:?}");
    let after = bed.aws.get_role(&name).await?;
    ensure!(after.id == before.id && bed.proxy.count("CreateRole") == 1, "it was made again");
    ensure!(after.tags.get("bowline.dev/uid") == uid.as_ref(), "{after:?}");
    until("the account is its own", async || {
        let account = bed.account("twice")?.unwrap_or_default();
        let is_its = account["metadata"]["ownerReferences"][0]["uid"].as_str() == uid.as_deref();
        Ok(so(is_its, account))
    })
    .await
}

/// All else runs.
pub(crate) async fn without_settings_an_identity_says_so(bed: &mut Bed) -> Result<()> {
    bed.up_without_aws()?;
    bed.create("early", json!({}))?;
    bed.is_stalled("early", "--identity-cluster-name").await?;
    let said = bed.bowline("identity explain early", 0)?;
    ensure!(said.contains("--oidc-provider-arn"), "{said}");
    bed.bowline("cluster add toy --embedded", 0)?;
    ensure!(bed.account("early")?.is_none(), "the account is there");
    // What is known later is enough.
    bed.end()?;
    bed.up(Options::default())?;
    bed.is_ready("early").await
}

/// How many calls have changed something.
fn writes(bed: &Bed) -> usize {
    bed.calls_of_iam().iter().filter(|call| !call.starts_with(['G', 'L'])).count()
}
