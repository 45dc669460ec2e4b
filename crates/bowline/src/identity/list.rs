//! `bowline identity list`.

use bowline_api::identities::IamRoleServiceAccount;
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::standing::Standing;
use super::{account, clusters, status};
use crate::ago::passed;
use crate::columns::{Columns, short};
use crate::connection::failed;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;
use crate::team::Scope;

/// How much of a message the table shows; `wide` and `show` have all of it.
const MESSAGE: usize = 60;

/// Lists identities.
pub(crate) async fn list(scope: &Scope, all_namespaces: bool, format: Format) -> anyhow::Result<Exit> {
    let team = if all_namespaces { scope.perhaps_team().await? } else { scope.team().await? };
    let mut found = if all_namespaces {
        all(&team.client).await?
    } else {
        listed(Api::namespaced(team.client.clone(), &team.namespace)).await?
    };
    found.sort_by_key(|identity| (identity.namespace(), identity.name_any()));
    if !format.is_text() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": found });
        output::print(&output::document(format, &list)?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        let place = if all_namespaces { "anywhere".to_owned() } else { format!("in {}", team.namespace) };
        output::note(&format!(
            "There are no identities {place}. To make one: kubectl apply -f FILE with an IamRoleServiceAccount"
        ));
        return Ok(Exit::Done);
    }
    output::print(&table(&found, all_namespaces, format == Format::Wide))?;
    Ok(Exit::Done)
}

/// The identities of all namespaces.
pub(super) async fn all(client: &Client) -> anyhow::Result<Vec<IamRoleServiceAccount>> {
    listed(Api::all(client.clone())).await
}

async fn listed(identities: Api<IamRoleServiceAccount>) -> anyhow::Result<Vec<IamRoleServiceAccount>> {
    let found = identities.list(&ListParams::default()).await;
    Ok(found.map_err(|error| failed(error, "cannot list identities"))?.items)
}

fn table(found: &[IamRoleServiceAccount], all_namespaces: bool, wide: bool) -> String {
    let mut headings = if all_namespaces { vec!["NAMESPACE"] } else { Vec::new() };
    headings.extend(["NAME", "STANDS", "ROLE-ARN", "AGE"]);
    if wide {
        headings.extend(["ACCOUNT", "CLUSTERS", "POLICY-ARN"]);
    }
    headings.push("MESSAGE");
    let mut columns = Columns::new(&headings);
    for identity in found {
        let plain = |text: String| (palette::PLAIN, text);
        let (said, standing) = (status(identity), Standing::of(identity));
        let arn = |arn: Option<bowline_api::Arn>| plain(arn.map_or("-".to_owned(), |arn| arn.to_string()));
        let mut row =
            if all_namespaces { vec![plain(identity.namespace().unwrap_or_default())] } else { Vec::new() };
        row.push(plain(identity.name_any()));
        row.push((standing.word.style(), standing.word.text().to_owned()));
        row.push(arn(said.role_arn));
        row.push(plain(identity.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
        if wide {
            row.extend([plain(account(identity)), plain(clusters(identity)), arn(said.policy_arn)]);
        }
        row.push(plain(if wide { standing.why } else { short(&standing.why, MESSAGE) }));
        columns.row(row);
    }
    columns.render()
}
