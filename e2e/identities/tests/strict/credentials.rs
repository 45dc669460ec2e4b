//! Who Bowline is to AWS: found as AWS's own tools find it.

use anyhow::{Result, ensure};
use bowline_aws::{Iam, NewRole, Tags};
use bowline_e2e_aws::fake::{ACCESS_KEY, Call, Issuer};
use bowline_e2e_identities::{Bed, Options, REGION, provider};
use serde_json::json;

use super::fake;

/// An identity is made and taken down with what `up` has found.
async fn works(bed: &Bed) -> Result<()> {
    bed.create("app", json!({}))?;
    bed.is_ready("app").await?;
    bed.delete("app")?;
    bed.is_gone("app").await
}

fn written(bed: &Bed, name: &str, text: &str) -> Result<String> {
    let path = bed.path(name);
    std::fs::write(&path, text)?;
    Ok(path.display().to_string())
}

/// The files that a profile is in.
fn files(bed: &Bed, config: &str) -> Result<[(&'static str, String); 3]> {
    let credentials = format!("[work]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = s\n");
    Ok([
        ("AWS_CONFIG_FILE", written(bed, "config", config)?),
        ("AWS_SHARED_CREDENTIALS_FILE", written(bed, "credentials", &credentials)?),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
    ])
}

/// By `--aws-profile` and by `AWS_PROFILE`; region and address are in it, too.
pub(crate) async fn a_profile_is_enough(bed: &mut Bed) -> Result<()> {
    let config = format!("[profile work]\nregion = {REGION}\nendpoint_url = {}\n", bed.proxy.endpoint());
    let files = files(bed, &config)?;
    // A profile that is named is meant, whoever's keys are in the environment.
    let strange =
        [("AWS_ACCESS_KEY_ID", "AKIDSTRANGE".to_owned()), ("AWS_SECRET_ACCESS_KEY", "s".to_owned())];
    bed.up_as(Options::default(), &[&files[..], &strange].concat(), "--aws-profile work")?;
    works(bed).await?;
    bed.kill()?;
    let chosen = [&files[..], &[("AWS_PROFILE", "work".to_owned())]].concat();
    bed.up_as(Options::default(), &chosen, "")?;
    works(bed).await
}

/// The keys in the environment, with `AWS_REGION`.
pub(crate) async fn the_environment_is_enough(bed: &mut Bed) -> Result<()> {
    let variables = [
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "s".to_owned()),
        ("AWS_REGION", REGION.to_owned()),
        ("AWS_ENDPOINT_URL", bed.proxy.endpoint()),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
    ];
    bed.up_as(Options::default(), &variables, "")?;
    works(bed).await?;
    // Which AWS it is, the ARN of the provider says, too.
    bed.kill()?;
    let nowhere: Vec<_> = variables.into_iter().filter(|(name, _)| *name != "AWS_REGION").collect();
    bed.up_as(Options::default(), &nowhere, "")?;
    works(bed).await
}

/// As in a pod whose own service account has a role: its token is shown to STS, and what STS gives is used.
pub(crate) async fn the_web_identity_of_its_own_pod_is_enough(bed: &mut Bed) -> Result<()> {
    const POD: &str = "system:serviceaccount:bowline-system:bowline";
    let issuer = Issuer::new("oidc.example/id/pods")?;
    fake(bed)?.provide(issuer.url(), &["sts.amazonaws.com"], issuer.keys());
    let trust = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": { "Federated": provider(issuer.url()) },
        "Condition": { "StringEquals": { "oidc.example/id/pods:sub": POD, "oidc.example/id/pods:aud": "sts.amazonaws.com" } },
    }] });
    let role = NewRole {
        name: "bowline".to_owned(),
        path: "/".to_owned(),
        description: "Bowline's own".to_owned(),
        trust: trust.to_string(),
        boundary: None,
        tags: Tags::new(),
    };
    let role = bed.aws.create_role(&role).await?;
    let token = issuer.token(POD, "sts.amazonaws.com")?;
    let variables = [
        ("AWS_ROLE_ARN", role.arn),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", written(bed, "token", &token)?),
        ("AWS_REGION", REGION.to_owned()),
        ("AWS_ENDPOINT_URL", bed.proxy.endpoint()),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
    ];
    bed.up_as(Options::default(), &variables, "")?;
    works(bed).await?;
    // The identity's own role is tried, too.
    let calls = fake(bed)?.calls();
    let is_ours =
        |call: &&Call| call.action == "AssumeRoleWithWebIdentity" && call.target.ends_with(":role/bowline");
    ensure!(calls.iter().filter(is_ours).count() == 1, "{calls:?}");
    Ok(())
}

/// As on a machine in AWS: it says in which region it is, and gives the credentials of its role.
pub(crate) async fn the_role_of_the_machine_is_enough(bed: &mut Bed) -> Result<()> {
    let variables = [
        ("AWS_EC2_METADATA_SERVICE_ENDPOINT", fake(bed)?.endpoint()),
        ("AWS_ENDPOINT_URL", bed.proxy.endpoint()),
    ];
    bed.up_as(Options::default(), &variables, "")?;
    works(bed).await
}

/// Without any, each identity says what to set, and all else runs.
pub(crate) async fn without_credentials_an_identity_says_what_to_set(bed: &mut Bed) -> Result<()> {
    let nothing = [("AWS_EC2_METADATA_DISABLED", "true".to_owned())];
    let flags = format!("--aws-endpoint {}", bed.proxy.endpoint());
    bed.up_as(Options::default(), &nothing, &flags)?;
    bed.create("early", json!({}))?;
    bed.is_stalled("early", "AWS_ACCESS_KEY_ID").await?;
    ensure!(bed.proxy.calls().is_empty(), "{:?}", bed.proxy.calls());
    Ok(())
}
