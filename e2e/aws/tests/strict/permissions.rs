//! What we may, and what it takes.

use anyhow::{Context, Result};
use bowline_aws::{Action, Client, Holder, Iam, Keys, Kind, NewRole, Secret, Settings};
use bowline_e2e_aws::fake::{ACCESS_KEY, Fake};

use crate::bed;
use crate::cases::bed::{Bed, document, failed, settings, tags, trust};

fn fake(bed: &Bed) -> Result<&Fake> {
    bed.fake.as_ref().context("it is the strict one")
}

#[tokio::test]
async fn a_permission_that_is_missing_is_named() -> Result<()> {
    let bed = bed().await?;
    let (client, fake) = (&bed.client, fake(&bed)?);
    fake.deny("iam:CreatePolicy");
    let error = failed(client.create_policy(&bed.policy("p")).await)?;
    assert_eq!(error.kind, Kind::AccessDenied { action: "iam:CreatePolicy".to_owned() });
    assert!(error.to_string().contains("the permission iam:CreatePolicy is missing"), "{error}");
    // Making it with tags takes another one, and without it nothing is made.
    fake.allow_all();
    fake.deny("iam:TagRole");
    let error = failed(client.create_role(&bed.role("r")).await)?;
    assert_eq!(error.kind, Kind::AccessDenied { action: "iam:TagRole".to_owned() });
    assert!(fake.all().is_empty());
    client.create_role(&NewRole { tags: tags(&[]), ..bed.role("r") }).await?;
    Ok(())
}

#[tokio::test]
async fn who_is_not_known_is_told_what_to_set() -> Result<()> {
    let bed = bed().await?;
    let keys = Keys { access: "AKIA0000000000000009".to_owned(), secret: Secret::new("x"), session: None };
    let endpoint = bed.proxy.endpoint();
    let stranger = Client::connect(&Settings { keys: Some(keys), ..settings(&endpoint) }).await?;
    let error = failed(stranger.get_role(&bed.name("r")).await)?;
    assert_eq!(error.kind, Kind::InvalidCredentials);
    assert!(error.to_string().contains("AWS_PROFILE") && !error.to_string().contains(ACCESS_KEY), "{error}");
    assert!(error.request_id.is_some(), "{error:?}");
    Ok(())
}

/// From what is called it is seen what is needed: the calls are all of the trait, and the permissions theirs.
#[tokio::test]
async fn the_permissions_are_those_of_the_calls() -> Result<()> {
    let bed = bed().await?;
    let (client, fake) = (&bed.client, fake(&bed)?);
    client.get_caller_identity().await?;
    let policy = client.create_policy(&bed.policy("p")).await?.arn;
    client.create_policy_version(&policy, &document("s3:Other")).await?;
    client.tag_policy(&policy, &tags(&[("a", "b")])).await?;
    let role = client.create_role(&bed.role("r")).await?;
    let by = bowline_aws::WebIdentity {
        role_arn: role.arn,
        session: "s".to_owned(),
        token: Secret::new(bed.token()?),
    };
    client.assume_role_with_web_identity(&by).await?;
    client.update_assume_role_policy(&role.name, &trust("other")).await?;
    client.put_role_permissions_boundary(&role.name, &policy).await?;
    client.tag_role(&role.name, &tags(&[("a", "b")])).await?;
    client.attach_role_policy(&role.name, &policy).await?;
    client.get_policy(&policy).await?;
    client.get_policy_version(&policy, "v2").await?;
    client.list_policy_versions(&policy).await?;
    client.get_role(&role.name).await?;
    client.list_attached_role_policies(&role.name).await?;
    assert_eq!(client.list_entities_for_policy(&policy).await?, [Holder::Role(role.name.clone())]);
    assert!(client.list_instance_profiles_for_role(&role.name).await?.is_empty());
    assert!(client.list_role_policies(&role.name).await?.is_empty());
    assert_eq!(failed(client.delete_role_policy(&role.name, "none").await)?.kind, Kind::NotFound);
    client.list_roles("/").await?;
    client.list_policies("/").await?;
    client.detach_role_policy(&role.name, &policy).await?;
    client.delete_role_permissions_boundary(&role.name).await?;
    client.delete_policy_version(&policy, "v1").await?;
    client.delete_policy(&policy).await?;
    client.delete_role(&role.name).await?;

    let all = Action::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(fake.permissions(), all);
    let removed = [
        "DetachRolePolicy",
        "DeleteRolePermissionsBoundary",
        "DeletePolicyVersion",
        "DeletePolicy",
        "DeleteRole",
    ];
    assert!(fake.writes().ends_with(&removed.map(str::to_owned)), "{:?}", fake.writes());
    assert_eq!(fake.counts().values().sum::<u64>(), Action::ALL.len() as u64);
    fake.forget_calls();
    assert!(fake.calls().is_empty() && fake.all().is_empty());
    Ok(())
}
