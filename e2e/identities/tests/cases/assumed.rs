//! Roles that are tried by their account's own token.

use anyhow::{Context, Result, ensure};
use bowline_e2e_identities::{Bed, Options, has};
use serde_json::json;

/// What stands in for AWS may believe any token, as moto does: then the role is ready at once. If not, that is no trouble, and
/// the role is ready when it had its time.
pub(crate) async fn what_stands_in_for_aws_is_shown_a_token_once(bed: &mut Bed) -> Result<()> {
    let believes = bed.fake.is_none();
    // Longer than any test waits.
    let (settle, sweeps) = if believes { ("1h", "3h") } else { ("2s", "1h") };
    bed.up(Options { settle, drift: "2h", sweeps, ..Options::default() })?;
    bed.create("tried", json!({}))?;
    bed.is_ready("tried").await?;
    ensure!(bed.proxy.count("AssumeRoleWithWebIdentity") == 1, "{:?}", bed.proxy.calls());
    let stalled: Vec<_> =
        bed.notes("tried")?.into_iter().filter(|(reason, _)| reason == "NeedsAttention").collect();
    ensure!(stalled.is_empty(), "{stalled:?}");
    Ok(())
}

/// It need not be waited for then that AWS has shown it for long enough.
pub(crate) async fn a_role_that_was_assumed_is_ready(bed: &mut Bed) -> Result<()> {
    bed.may_ask_for_tokens()?;
    // Longer than any test waits.
    bed.up(Options { issuer: bed.signs(), settle: "1h", drift: "2h", sweeps: "3h", ..Options::default() })?;
    bed.provide()?;
    bed.create("tried", json!({}))?;
    bed.is_ready("tried").await?;
    ensure!(bed.proxy.count("AssumeRoleWithWebIdentity") == 1, "{:?}", bed.proxy.calls());
    let account = bed.account("tried")?.context("the account is there")?;
    let identity = bed.read("tried")?;
    let role = &identity["status"]["roleArn"];
    ensure!(account["metadata"]["annotations"]["eks.amazonaws.com/role-arn"] == *role, "{account}");
    // What AWS has to say of it is in the identity, and its token nowhere.
    ensure!(has(&identity, "Ready", "True") && !identity.to_string().contains("eyJ"), "{identity}");
    Ok(())
}
