//! Groups: what people want of them, the one truth about them, and what is told beside it.

mod told;
mod truth;
mod wish;

use bowline_api::upgrades::{NodeGroupSpec, NodeGroupStatus};
use bowline_control::Version;
use bowline_upgrades::Group;
use bowline_upgrades::plain::{Named, Plain};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Map, Value};

pub(super) use self::told::notices;
use super::{hold, is_held};
use crate::drawing::status;

/// What holds a group until its members have nothing to do any more.
pub(super) const FINALIZER: &str = "bowline.dev/nodegroup";
/// The longest message that a server takes.
const LONGEST: usize = 32_768;

type Fields = Map<String, Value>;

pub(super) fn read(raw: &DynamicObject) -> Option<Group<Plain>> {
    let meta = &raw.metadata;
    let spec: NodeGroupSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let said = raw.data.get("status").filter(|said| !said.is_null());
    // Who cannot read the truth must not begin with another one.
    let status = match said {
        None => NodeGroupStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    let mut group = Group {
        name: Named { namespace: meta.namespace.clone()?, name: meta.name.clone()? },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: meta.deletion_timestamp.is_some(),
        held: is_held(raw, FINALIZER),
        wish: wish::read(&spec),
        status: truth::read(&status)?,
        told: None,
    };
    group.told = said.and_then(|said| told::read(&group, &status, said));
    Some(group)
}

pub(super) fn draw(group: &Group<Plain>, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, group.held);
}

pub(super) fn draw_status(group: &Group<Plain>, raw: &mut DynamicObject, now: &Time) {
    let fields = status(raw);
    truth::draw(&group.status, fields);
    if let Some(told) = &group.told {
        told::draw(group, told, fields, now);
    }
}

#[cfg(test)]
mod tests;
