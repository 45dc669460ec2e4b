//! `bowline upgrade list`.

use bowline_api::conditions::{ConditionType, Truth};
use bowline_api::upgrades::{Mode, NodeGroup};
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use serde_json::json;

use super::{said, style, word};
use crate::ago::passed;
use crate::columns::{Columns, short};
use crate::connection::failed;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;
use crate::team::Scope;

/// How much of a message the table shows; `wide` and `status` have all of it.
const MESSAGE: usize = 60;

/// Lists groups.
pub(crate) async fn list(scope: &Scope, all_namespaces: bool, format: Format) -> anyhow::Result<Exit> {
    let team = if all_namespaces { scope.perhaps_team().await? } else { scope.team().await? };
    let groups: Api<NodeGroup> = if all_namespaces { Api::all(team.client.clone()) } else { team.groups() };
    let found = groups.list(&ListParams::default()).await;
    let mut found = found.map_err(|error| failed(error, "cannot list groups"))?.items;
    found.sort_by_key(|group| (group.namespace(), group.name_any()));
    if !format.is_text() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": found });
        output::print(&output::document(format, &list)?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        let place = if all_namespaces { "anywhere".to_owned() } else { format!("in {}", team.namespace) };
        output::note(&format!(
            "There are no groups {place}. To make one: kubectl apply -f FILE with a NodeGroup"
        ));
        return Ok(Exit::Done);
    }
    output::print(&table(&found, all_namespaces, format == Format::Wide))?;
    Ok(Exit::Done)
}

fn table(found: &[NodeGroup], all_namespaces: bool, wide: bool) -> String {
    let mut headings = if all_namespaces { vec!["NAMESPACE"] } else { Vec::new() };
    headings.extend(["NAME", "PHASE", "SERVING", "TARGET", "MEMBERS", "READY", "AGE"]);
    if wide {
        headings.extend(["MODE", "WANTED", "MOVING", "DEVICES", "CLUSTER"]);
    }
    headings.push("MESSAGE");
    let mut columns = Columns::new(&headings);
    for group in found {
        let plain = |text: String| (palette::PLAIN, text);
        let or_none = |text: Option<String>| plain(text.unwrap_or_else(|| "-".to_owned()));
        let said = said(group);
        let mut row =
            if all_namespaces { vec![plain(group.namespace().unwrap_or_default())] } else { Vec::new() };
        row.push(plain(group.name_any()));
        row.push((style(said.upgrade_state), word(said.upgrade_state).to_owned()));
        row.push(or_none(said.serving_version.as_ref().map(ToString::to_string)));
        row.push(or_none(said.target_version.as_ref().map(ToString::to_string)));
        row.push(or_none(Some(said.counts.summary.clone()).filter(|summary| !summary.is_empty())));
        let ready = said.conditions.get(&ConditionType::READY).map(|ready| ready.status);
        row.push(match ready {
            Some(Truth::True) => (palette::GOOD, "yes".to_owned()),
            Some(Truth::False) => plain("no".to_owned()),
            Some(Truth::Unknown) | None => plain("-".to_owned()),
        });
        row.push(plain(group.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
        if wide {
            let mode = match group.spec.mode {
                Mode::Manual => "Manual",
                Mode::Automatic => "Automatic",
            };
            row.push(plain(mode.to_owned()));
            row.push(or_none(group.spec.version.as_ref().map(ToString::to_string)));
            row.push(or_none(said.in_hand.as_ref().map(|hand| hand.member.to_string())));
            row.push(plain(group.spec.devices.len().to_string()));
            row.push(or_none(group.spec.cluster.as_ref().map(ToString::to_string)));
        }
        row.push(plain(if wide { said.message } else { short(&said.message, MESSAGE) }));
        columns.row(row);
    }
    columns.render()
}
