//! `bowline update list`.

use bowline_api::updates::{Stack, Update, UpdatePhase};
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use serde_json::json;

use super::submit::submitter;
use super::{Scope, Team, status, word};
use crate::ago::passed;
use crate::columns::Columns;
use crate::connection::failed;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;

/// Which updates are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Which {
    pub(crate) all_namespaces: bool,
    pub(crate) stack: Option<String>,
    pub(crate) cluster: Option<String>,
}

/// Lists updates.
pub(crate) async fn list(scope: &Scope, which: &Which, format: Format) -> anyhow::Result<Exit> {
    let team = if which.all_namespaces { scope.perhaps_team().await? } else { scope.team().await? };
    let mut found = team.listed(which).await?;
    found.sort_by_key(|update| {
        let version = status(update).version;
        // Those without a number are newer than all that have one.
        let number = (version.is_none(), version, update.creation_timestamp());
        (update.namespace(), update.spec.stack.clone(), number, update.name_any())
    });
    if !format.is_text() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": found });
        output::print(&output::document(format, &list)?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        let place =
            if which.all_namespaces { "anywhere".to_owned() } else { format!("in {}", team.namespace) };
        let of = which.stack.as_ref().map(|stack| format!(" of the stack {stack}")).unwrap_or_default();
        output::note(&format!(
            "There are no updates{of} {place}. To make one: bowline update submit DIR --cluster NAME"
        ));
        return Ok(Exit::Done);
    }
    output::print(&table(&found, which.all_namespaces, format == Format::Wide))?;
    Ok(Exit::Done)
}

impl Team {
    async fn listed(&self, which: &Which) -> anyhow::Result<Vec<Update>> {
        let (updates, stacks): (Api<Update>, Api<Stack>) = if which.all_namespaces {
            (Api::all(self.client.clone()), Api::all(self.client.clone()))
        } else {
            (self.updates(), self.stacks())
        };
        let found = updates.list(&ListParams::default()).await;
        let mut found = found.map_err(|error| failed(error, "cannot list updates"))?.items;
        if let Some(stack) = &which.stack {
            found.retain(|update| update.spec.stack.as_str() == stack);
        }
        if let Some(cluster) = &which.cluster {
            let stacks = stacks.list(&ListParams::default()).await;
            let stacks = stacks.map_err(|error| failed(error, "cannot list stacks"))?.items;
            let is_on = |update: &Update| {
                let of = |stack: &&Stack| {
                    stack.namespace() == update.namespace() && stack.name_any() == update.spec.stack.as_str()
                };
                stacks.iter().find(of).is_some_and(|stack| stack.spec.cluster.as_str() == cluster)
            };
            found.retain(is_on);
        }
        Ok(found)
    }
}

fn table(found: &[Update], all_namespaces: bool, wide: bool) -> String {
    let mut headings = if all_namespaces { vec!["NAMESPACE"] } else { Vec::new() };
    headings.extend(["STACK", "VERSION", "PHASE", "PROGRESS", "AGE"]);
    if wide {
        headings.extend(["NAME", "BUNDLE", "BY"]);
    }
    headings.push("MESSAGE");
    let mut columns = Columns::new(&headings);
    for update in found {
        let plain = |text: String| (palette::PLAIN, text);
        let said = status(update);
        let mut row =
            if all_namespaces { vec![plain(update.namespace().unwrap_or_default())] } else { Vec::new() };
        row.push(plain(update.spec.stack.to_string()));
        row.push(plain(said.version.map_or_else(|| "-".to_owned(), |version| version.to_string())));
        row.push((style(said.phase), word(said.phase).to_owned()));
        row.push(plain(said.progress.map(|progress| progress.summary).unwrap_or_default()));
        row.push(plain(update.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
        if wide {
            let digest = update.spec.bundle.as_str().chars().take("sha256:".len() + 12).collect();
            row.extend([plain(update.name_any()), plain(digest), plain(submitter(update))]);
        }
        row.push(plain(said.message));
        columns.row(row);
    }
    columns.render()
}

/// Good, bad, or neither.
pub(super) fn style(phase: UpdatePhase) -> anstyle::Style {
    match phase {
        UpdatePhase::Succeeded => palette::GOOD,
        UpdatePhase::Rejected
        | UpdatePhase::Failed
        | UpdatePhase::RolledBack
        | UpdatePhase::PartialFailure => palette::BAD,
        UpdatePhase::Superseded => palette::FAINT,
        UpdatePhase::Submitted | UpdatePhase::Queued | UpdatePhase::Processing | UpdatePhase::Partial => {
            palette::PLAIN
        }
    }
}
