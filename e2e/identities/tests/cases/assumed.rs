//! Roles that are tried by their account's own token.

use anyhow::{Context, Result, ensure};
use bowline_e2e_identities::{Bed, Options, has};
use serde_json::json;

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
