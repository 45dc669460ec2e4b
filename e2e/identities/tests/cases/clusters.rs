//! Other clusters than the hub.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_hub::Hub;
use bowline_e2e_identities::{Bed, Options, Server, so, until};
use serde_json::json;

/// The role trusts both issuers, and the account is on both, until it is to be on one only.
pub(crate) async fn one_identity_is_published_on_two_clusters(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let mut servers = Vec::new();
    let mut hubs = Vec::new();
    for name in ["east", "west"] {
        let hub = Hub::start(&bed.path(name))?;
        bed.bowline(&format!("cluster add {name} --kubeconfig {}", hub.kubeconfig().display()), 0)?;
        let oidc = json!({
            "issuer": format!("https://oidc.example/{name}"),
            "providerArn": format!("arn:aws:iam::123456789012:oidc-provider/oidc.example/{name}"),
        });
        let path = format!("/apis/bowline.dev/v1alpha1/clusters/{name}");
        bed.server()?.change(&path, &json!({ "spec": { "oidc": oidc } }))?;
        servers.push(Server::new(hub.client()));
        hubs.push(hub);
    }
    bed.create("roaming", json!({ "clusters": ["east", "west"] }))?;
    bed.is_ready("roaming").await?;
    let role = bed.aws.get_role(&bed.aws_name("roaming")?).await?;
    ensure!(role.trust.contains("oidc.example/east:sub") && role.trust.contains("oidc.example/west:sub"));
    let account = "/api/v1/namespaces/default/serviceaccounts/roaming";
    for server in &servers {
        let account = server.read(account)?;
        ensure!(account["metadata"]["annotations"]["eks.amazonaws.com/role-arn"] == role.arn.as_str());
    }
    ensure!(bed.account("roaming")?.is_none(), "it is also where the identity is");

    bed.change("roaming", json!({ "clusters": ["west"] }))?;
    until("it is on one only", async || {
        let role = bed.aws.get_role(&role.name).await?;
        let east = servers[0].perhaps(account)?;
        Ok(so(!role.trust.contains("east") && east.is_none(), format!("{role:?} {east:?}")))
    })
    .await?;
    servers[1].read(account)?;
    bed.delete("roaming")?;
    bed.is_gone("roaming").await?;
    ensure!(servers[1].perhaps(account)?.is_none(), "the account stays");
    Ok(())
}
