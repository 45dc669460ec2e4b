//! `bowline place namespace`: puts a namespace onto a target.

use std::collections::BTreeMap;

use bowline_api::placements::{Placement, PlacementSpec, TargetSelector};
use kube::api::{ObjectMeta, PostParams};

use super::moves::follow;
use super::why::refusal;
use super::{Hub, Patience};
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output::{self, Format};
use crate::team::{WRITER, answered};

/// Where a namespace is to be.
#[derive(Clone, Debug)]
pub(crate) enum On {
    /// On this target.
    Target(String),
    /// On one that has these labels; on any, if there are none.
    Labels(Vec<(String, String)>),
}

/// Places a namespace that is not placed yet.
pub(crate) async fn place(
    server: &Wanted,
    namespace: &str,
    on: &On,
    patience: &Patience,
    format: Format,
) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    hub.has_namespace(namespace).await?;
    let spec = match on {
        On::Target(name) => {
            let target = hub.target(name).await?;
            if let Some(why) = refusal(&target) {
                anyhow::bail!(Refused(format!("{name} cannot be had: {why}; nothing was changed")));
            }
            PlacementSpec { target: Some(name.as_str().into()), ..PlacementSpec::default() }
        }
        On::Labels(labels) => {
            let match_labels: BTreeMap<_, _> = labels.iter().cloned().collect();
            let target_selector = (!labels.is_empty()).then_some(TargetSelector { match_labels });
            PlacementSpec { target_selector, ..PlacementSpec::default() }
        }
    };
    let metadata = ObjectMeta { name: Some(Placement::NAME.to_owned()), ..ObjectMeta::default() };
    let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
    let placement = Placement { metadata, spec: spec.clone(), status: None };
    let placement = match hub.placements(namespace).create(&params, &placement).await {
        Ok(made) => made,
        Err(error) if answered(&error, 409) => {
            let found = hub.placed(namespace).await?;
            if (&found.spec.target, &found.spec.target_selector) != (&spec.target, &spec.target_selector) {
                anyhow::bail!(Refused(format!(
                    "the namespace {namespace} is placed already: to move it, bowline place move {namespace} --to TARGET"
                )));
            }
            found
        }
        Err(error) => return Err(failed(error, &format!("cannot place the namespace {namespace}"))),
    };
    patience.note(&format!("The namespace {namespace} is to be placed: see `bowline place status`."));
    if patience.wait {
        let to = match on {
            On::Target(name) => Some(name.as_str()),
            On::Labels(_) => None,
        };
        return follow(&hub, placement, to, patience, format).await;
    }
    if !format.is_text() {
        output::print(&output::document(format, &placement)?)?;
    }
    Ok(Exit::Done)
}
