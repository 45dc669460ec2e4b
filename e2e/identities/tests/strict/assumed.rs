//! Roles that cannot be assumed, or not yet.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_aws::fake::{ACCESS_KEY, Issuer, Lag};
use bowline_e2e_identities::{Bed, Options, REGION, has, so, until};
use serde_json::json;

use super::fake;

fn options(bed: &Bed) -> Options {
    Options { issuer: bed.signs(), settle: "1h", drift: "1s", sweeps: "3h", ..Options::default() }
}

/// How often AWS has refused to let a role be assumed in this word.
fn refusals(bed: &Bed, word: &str) -> Result<usize> {
    let calls = fake(bed)?.calls();
    let is = |call: &&bowline_e2e_aws::fake::Call| {
        call.action == "AssumeRoleWithWebIdentity" && call.refused == Some(word)
    };
    Ok(calls.iter().filter(is).count())
}

/// AWS denies a role that it does not know everywhere yet; it is tried until it does, and no person is told to do anything.
pub(crate) async fn a_role_that_is_not_known_everywhere_yet_is_tried_again(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", ..options(bed) })?;
    bed.provide()?;
    // Longer than it takes to be denied more often than other steps may fail.
    fake(bed)?.lag(Lag::Time(Duration::from_secs(15)));
    bed.create("slow", json!({}))?;
    until("it is ready", async || {
        let read = bed.read("slow")?;
        ensure!(!has(&read, "Stalled", "True"), "{read}");
        Ok(so(has(&read, "Ready", "True"), &read["status"]))
    })
    .await?;
    ensure!(refusals(bed, "AccessDenied")? > 5, "{:?}", bed.proxy.calls());
    let writes = fake(bed)?.writes();
    ensure!(writes == ["CreatePolicy", "CreateRole", "AttachRolePolicy"], "{writes:?}");
    Ok(())
}

/// One that AWS goes on denying is not ready, and says what is denied; its account is there all the same.
pub(crate) async fn a_role_that_is_denied_says_so(bed: &mut Bed) -> Result<()> {
    bed.up(Options { settle: "5s", drift: "20s", sweeps: "1m", ..options(bed) })?;
    bed.provide()?;
    fake(bed)?.deny("sts:AssumeRoleWithWebIdentity");
    bed.create("denied", json!({}))?;
    until("it says what is denied", async || {
        let read = bed.read("denied")?;
        let says = read["status"]["message"]
            .as_str()
            .is_some_and(|said| said.contains("Not authorized to perform sts:AssumeRoleWithWebIdentity"));
        Ok(so(says, &read["status"]))
    })
    .await?;
    bed.is_stalled("denied", "assume the role").await?;
    let read = bed.read("denied")?;
    ensure!(has(&read, "Complete", "True") && has(&read, "Ready", "False"), "{read}");
    bed.account("denied")?.context("the account is there")?;
    fake(bed)?.allow_all();
    bed.is_ready("denied").await
}

/// Neither our credentials nor an account's token are told anywhere, however much is wanted to be told: also where they are refused.
pub(crate) async fn no_secret_is_told(bed: &mut Bed) -> Result<()> {
    const SECRET: &str = "a-secret-key-of-nobody-else";
    let variables = [
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ("RUST_LOG", "trace".to_owned()),
    ];
    let flags = format!("--aws-endpoint {} --aws-region {REGION}", bed.proxy.endpoint());
    bed.up_as(options(bed), &variables, &flags)?;
    bed.create("tried", json!({}))?;
    bed.is_stalled("tried", "No OpenIDConnect provider found").await?;
    bed.provide()?;
    bed.is_ready("tried").await?;
    let mut told = bed.told()?;
    let is_told = |what: &str, words: &str| told.iter().any(|(of, text)| *of == what && text.contains(words));
    ensure!(is_told("log", "AWS was called") && is_told("journal", "AssumeRoleWithWebIdentity"), "{told:?}");
    let events = bed.server()?.read("/apis/events.k8s.io/v1/namespaces/default/events")?;
    told.extend([("identity", bed.read("tried")?.to_string()), ("Events", events.to_string())]);
    // So does every token begin: a header in JSON.
    for (what, text) in &told {
        let found = [SECRET, "eyJ"].iter().find_map(|secret| text.lines().find(|line| line.contains(secret)));
        ensure!(found.is_none(), "in the {what}: {found:?}");
    }
    Ok(())
}

/// A token that AWS does not believe is for a person, who is told why: no provider, one with other keys, one for others.
pub(crate) async fn a_token_that_is_not_believed_is_for_a_person(bed: &mut Bed) -> Result<()> {
    bed.up(options(bed))?;
    let issuer = bed.signs();
    bed.create("unknown", json!({}))?;
    let unknown = format!("No OpenIDConnect provider found in your account for https://{issuer}");
    bed.is_stalled("unknown", &unknown).await?;
    let others = Issuer::new(issuer)?;
    fake(bed)?.provide(issuer, &["sts.amazonaws.com"], others.keys());
    bed.is_stalled("unknown", "verification key").await?;
    let keys = bed.server()?.read("/openid/v1/jwks")?;
    fake(bed)?.provide(issuer, &["somebody-else"], keys);
    bed.is_stalled("unknown", "Incorrect token audience").await?;
    let read = bed.read("unknown")?;
    ensure!(has(&read, "Complete", "True") && has(&read, "Ready", "False"), "{read}");
    bed.provide()?;
    bed.is_ready("unknown").await
}
