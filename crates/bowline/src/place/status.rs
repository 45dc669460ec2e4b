//! `bowline place status`: where everything is, and what it waits for.

use bowline_api::placements::{Placement, SyncTarget, VolumeGrant};
use kube::ResourceExt;
use serde_json::json;

use super::target::{load, table};
use super::why::unsuitable;
use super::{Hub, style, word};
use crate::columns::{Columns, short};
use crate::connection::Wanted;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;

/// How much of a message the table shows; `wide` has all of it.
const MESSAGE: usize = 70;

/// Shows targets, and where namespaces are; or only one namespace.
pub(crate) async fn status(server: &Wanted, namespace: Option<&str>, format: Format) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let targets = hub.all_targets().await?;
    let all = hub.all_placements().await?;
    let grants = hub.grants_of(namespace).await?;
    let is_meant =
        |placement: &&Placement| namespace.is_none_or(|name| placement.namespace().as_deref() == Some(name));
    let shown: Vec<_> = all.iter().filter(is_meant).cloned().collect();
    if let Some(namespace) = namespace.filter(|_| shown.is_empty()) {
        hub.placed(namespace).await?;
    }
    if !format.is_text() {
        let all = json!({ "targets": targets, "placements": shown, "volumes": grants });
        output::print(&output::document(format, &all)?)?;
        return Ok(Exit::Done);
    }
    let wide = format == Format::Wide;
    let mut text = String::new();
    if namespace.is_none() {
        if targets.is_empty() {
            output::note(
                "There are no targets. To make a cluster one: bowline place target add NAME --cluster CLUSTER",
            );
        } else {
            text += &table(&targets, &all, wide);
            text += "\n";
        }
    }
    if shown.is_empty() {
        output::note("No namespace is placed. To place one: bowline place namespace NAMESPACE --on TARGET");
    } else {
        text += &placements(&shown, &grants, wide);
    }
    if (namespace.is_some() || wide) && !grants.is_empty() {
        text += "\n";
        text += &volumes(&grants);
    }
    text += &nowhere(&shown, &targets, &all);
    text += &orphans(&grants, &all);
    output::print(&text)?;
    Ok(Exit::Done)
}

fn placements(shown: &[Placement], grants: &[VolumeGrant], wide: bool) -> String {
    let mut columns =
        Columns::new(&["NAMESPACE", "HOLDER", "DESIRED", "PHASE", "EPOCH", "VOLUMES", "MESSAGE"]);
    for placement in shown {
        let plain = |text: String| (palette::PLAIN, text);
        let or_none = |text: Option<String>| plain(text.unwrap_or_else(|| "-".to_owned()));
        let status = placement.status.clone().unwrap_or_default();
        let namespace = placement.namespace().unwrap_or_default();
        let volumes = grants.iter().filter(|grant| grant.spec.namespace.as_str() == namespace).count();
        let mut row = vec![plain(namespace)];
        row.push(or_none(status.holder.as_ref().map(ToString::to_string)));
        row.push(or_none(status.desired.as_ref().map(ToString::to_string)));
        row.push((style(status.phase), word(status.phase).to_owned()));
        row.push(plain(status.epoch.to_string()));
        row.push(plain(volumes.to_string()));
        row.push(plain(if wide { status.message } else { short(&status.message, MESSAGE) }));
        columns.row(row);
    }
    columns.render()
}

fn volumes(grants: &[VolumeGrant]) -> String {
    let mut columns = Columns::new(&["VOLUME", "HOLDER", "STATE", "EPOCH", "SIZE", "ONLY ON"]);
    for grant in grants {
        let plain = |text: String| (palette::PLAIN, text);
        let or_none = |text: Option<String>| plain(text.unwrap_or_else(|| "-".to_owned()));
        let status = grant.status.clone().unwrap_or_default();
        let mut row = vec![plain(format!("{}/{}", grant.spec.namespace, grant.spec.claim))];
        row.push(or_none(status.holder.as_ref().map(ToString::to_string)));
        row.push(plain(format!("{:?}", status.state)));
        row.push(plain(status.epoch.to_string()));
        row.push(or_none(status.volume.map(|volume| volume.size)));
        row.push(or_none(status.only_on.as_ref().map(ToString::to_string)));
        columns.row(row);
    }
    columns.render()
}

/// Why namespaces that are to be on no target are on none.
fn nowhere(shown: &[Placement], targets: &[SyncTarget], all: &[Placement]) -> String {
    let mut text = String::new();
    let is_nowhere = |placement: &&Placement| {
        placement.spec.target.is_none()
            && placement.status.as_ref().is_none_or(|status| status.desired.is_none())
    };
    for placement in shown.iter().filter(is_nowhere) {
        let why = targets.iter().filter_map(|target| {
            let name = target.name_any();
            unsuitable(placement, target, load(all, &name)).map(|why| format!("  {name}: {why}\n"))
        });
        let why: String = why.collect();
        if !why.is_empty() {
            text += &format!("\n{} is nowhere:\n{why}", placement.namespace().unwrap_or_default());
        }
    }
    text
}

/// Volumes whose namespace is not placed any more: their data is there, and nobody uses it.
fn orphans(grants: &[VolumeGrant], all: &[Placement]) -> String {
    let is_left = |grant: &&VolumeGrant| {
        !all.iter().any(|placement| placement.namespace().as_deref() == Some(grant.spec.namespace.as_str()))
    };
    let left: Vec<_> = grants.iter().filter(is_left).map(ResourceExt::name_any).collect();
    if left.is_empty() {
        return String::new();
    }
    format!(
        "\nNobody uses {}: the namespace is not placed, and the data is kept. Place it again, or delete the namespace.\n",
        left.join(", ")
    )
}
