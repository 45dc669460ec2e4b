//! `bowline identity import`: what the old operator has, as identities of ours.

use std::path::PathBuf;

use anyhow::anyhow;
use bowline_api::identities::IamRoleServiceAccount;
use bowline_runtime::Manner;
use kube::api::{DynamicObject, ListParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::named;
use super::old::{self, Beyond, translated};
use crate::columns::Columns;
use crate::connection::{Wanted, failed};
use crate::exit::{BadUsage, Exit, Refused};
use crate::output::{self, Format};
use crate::palette;
use crate::team::{Scope, Team, WRITER, answered};

/// What is taken, and what is made of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Import {
    /// Only these; without any, all of the namespace.
    pub(crate) names: Vec<String>,
    pub(crate) all_namespaces: bool,
    /// The server of the old operator, if it is not the hub.
    pub(crate) from: Option<(PathBuf, Option<String>)>,
    /// The Cluster that the accounts are on, if they are not on the hub.
    pub(crate) cluster: Option<String>,
    pub(crate) adopt: bool,
    pub(crate) dry_run: bool,
}

/// An identity that is wanted.
struct Wish {
    identity: IamRoleServiceAccount,
    is_there: bool,
}

/// Makes identities of what the old operator has. Nothing is made if one of them cannot be; what the old operator has is left as it is.
pub(crate) async fn import(scope: &Scope, import: &Import, format: Format) -> anyhow::Result<Exit> {
    let team = if import.all_namespaces { scope.perhaps_team().await? } else { scope.team().await? };
    let found = taken(&team, import).await?;
    if found.is_empty() {
        output::note(&format!("There is nothing to import: nobody has an object of {} there.", old::GROUP));
        return Ok(Exit::Done);
    }
    let beyond = Beyond { cluster: import.cluster.clone(), adopt: import.adopt };
    let (wishes, wrong) = judged(&team.client, &found, &beyond).await?;
    if !wrong.is_empty() {
        anyhow::bail!(BadUsage(format!(
            "nothing is made, because these cannot be:\n  {}\nPut that right, or name the others",
            wrong.join("\n  ")
        )));
    }
    if !import.dry_run {
        for wish in wishes.iter().filter(|wish| !wish.is_there) {
            make(&team.client, &wish.identity, false).await.map_err(|error| {
                failed(error, &format!("cannot make the identity {}", named(&wish.identity)))
            })?;
        }
    }
    tell(&wishes, import, format)?;
    Ok(Exit::Done)
}

/// What the old operator has, of what is meant.
async fn taken(team: &Team, import: &Import) -> anyhow::Result<Vec<DynamicObject>> {
    let client = match &import.from {
        None => team.client.clone(),
        Some((file, context)) => {
            let server = Wanted { kubeconfig: Some(file.clone()), context: context.clone() };
            server.client(Manner::Patiently).await?
        }
    };
    let kind = old::kind();
    let olds: Api<DynamicObject> = match import.all_namespaces {
        true => Api::all_with(client, &kind),
        false => Api::namespaced_with(client, &team.namespace, &kind),
    };
    let found = olds.list(&ListParams::default()).await;
    let mut found = found.map_err(not_listed)?.items;
    let missing: Vec<_> = import
        .names
        .iter()
        .filter(|name| !found.iter().any(|old| old.name_any() == **name))
        .cloned()
        .collect();
    if !missing.is_empty() {
        let (missing, namespace) = (missing.join(", "), &team.namespace);
        anyhow::bail!(Refused(format!("the old operator has no {missing} in {namespace}")));
    }
    found.retain(|old| import.names.is_empty() || import.names.contains(&old.name_any()));
    found.sort_by_key(|old| (old.namespace(), old.name_any()));
    Ok(found)
}

fn not_listed(error: kube::Error) -> anyhow::Error {
    if answered(&error, 404) {
        let group = old::GROUP;
        return anyhow!(Refused(format!(
            "the server does not know the old operator's kinds ({group}). If it ran elsewhere, say where: --from-kubeconfig FILE"
        )));
    }
    failed(error, "cannot list what the old operator has")
}

/// What is to be made, and what is wrong with the rest. The server tries each.
async fn judged(
    client: &Client,
    found: &[DynamicObject],
    beyond: &Beyond,
) -> anyhow::Result<(Vec<Wish>, Vec<String>)> {
    let (mut wishes, mut wrong) = (Vec::new(), Vec::new());
    for old in found {
        let name = format!("{}/{}", old.namespace().unwrap_or_default(), old.name_any());
        let identity = match translated(old, beyond) {
            Ok(identity) => identity,
            Err(why) => {
                wrong.push(format!("{name}: {why}"));
                continue;
            }
        };
        let there = identities(client, &identity).get_opt(&identity.name_any()).await;
        match there.map_err(|error| failed(error, "cannot read an identity"))? {
            Some(there) if there.spec == identity.spec => wishes.push(Wish { identity, is_there: true }),
            Some(_) => wrong.push(format!(
                "{name}: there is an identity of that name already, which says something else: change it with kubectl"
            )),
            None => match make(client, &identity, true).await {
                Ok(()) => wishes.push(Wish { identity, is_there: false }),
                Err(kube::Error::Api(status)) if is_about_it(&status) => {
                    wrong.push(format!("{name}: {}", status.message));
                }
                Err(error) => return Err(failed(error, &format!("cannot make the identity {name}"))),
            },
        }
    }
    Ok((wishes, wrong))
}

/// Whether a refusal is about the object, or about its namespace, and not about everything.
fn is_about_it(status: &kube::core::Status) -> bool {
    matches!(status.code, 400 | 422) || status.code == 404 && status.message.contains("namespaces")
}

fn identities(client: &Client, identity: &IamRoleServiceAccount) -> Api<IamRoleServiceAccount> {
    Api::namespaced(client.clone(), &identity.namespace().unwrap_or_default())
}

async fn make(client: &Client, identity: &IamRoleServiceAccount, dry_run: bool) -> Result<(), kube::Error> {
    let params = PostParams { dry_run, field_manager: Some(WRITER.into()) };
    identities(client, identity).create(&params, identity).await.map(drop)
}

fn tell(wishes: &[Wish], import: &Import, format: Format) -> anyhow::Result<()> {
    if format.is_text() {
        output::print(&table(wishes, import.dry_run))?;
    } else {
        let items: Vec<_> = wishes.iter().map(|wish| &wish.identity).collect();
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
        output::print(&output::document(format, &list)?)?;
    }
    let new = match wishes.iter().filter(|wish| !wish.is_there).count() {
        1 => "1 identity".to_owned(),
        count => format!("{count} identities"),
    };
    output::note(&match (import.dry_run, import.adopt) {
        (true, _) => format!("{new} would be made; without --dry-run they are."),
        (false, true) => format!(
            "{new} made. Their accounts get new roles when these are complete; pods have them when they are started anew. Then the \
             old operator's objects can go: see docs/identities.md."
        ),
        (false, false) => format!(
            "{new} made. Each waits until the service account that the old operator has made is gone, or until spec.adopt \
             says that it is to be taken over (--adopt)."
        ),
    });
    Ok(())
}

fn table(wishes: &[Wish], dry_run: bool) -> String {
    let mut columns = Columns::new(&["NAMESPACE", "NAME", "STATEMENTS", "BECOMES"]);
    for Wish { identity, is_there } in wishes {
        let plain = |text: String| (palette::PLAIN, text);
        let statements = identity.spec.policy.as_ref().map_or(0, |policy| policy.statement.len());
        let becomes = match (is_there, dry_run) {
            (true, _) => "is there already",
            (false, true) => "would be made",
            (false, false) => "made",
        };
        columns.row(vec![
            plain(identity.namespace().unwrap_or_default()),
            plain(identity.name_any()),
            plain(statements.to_string()),
            plain(becomes.to_owned()),
        ]);
    }
    columns.render()
}
