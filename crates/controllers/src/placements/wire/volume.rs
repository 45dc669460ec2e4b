//! Grants of volumes.

use bowline_api::placements::{
    GrantEvent, GrantEventKind, GrantState, PortableVolume, Sharing, VolumeGrant, VolumeGrantSpec,
    VolumeGrantStatus,
};
use bowline_control::Version;
use bowline_placements::plain::Plain;
use bowline_placements::{Grant, UseState, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use super::grant::Written;
use super::{grant, hold, is_held};
use crate::drawing::{part, put, status};

/// What holds a grant until its volume is given up, or deleted: its epoch outlives its claim.
pub const FINALIZER: &str = "bowline.dev/volumegrant";

/// The grant of a volume. One that is not named after its claim is nobody's: there would be two for one volume.
pub(in super::super) fn read(raw: &DynamicObject) -> Option<Volume<Plain>> {
    let meta = &raw.metadata;
    let spec: VolumeGrantSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let name = VolumeGrant::object_name(spec.namespace.as_str(), spec.claim.as_str());
    if meta.name.as_deref() != Some(&name) || spec.namespace.as_str().contains('.') {
        return None;
    }
    let is_bare = raw.data.get("status").is_none_or(Value::is_null);
    let is_adopted =
        meta.annotations.as_ref().is_some_and(|notes| notes.contains_key(VolumeGrant::ADOPTED_BY));
    // Who cannot read the truth must not begin with another one.
    let status: VolumeGrantStatus = match raw.data.get("status").filter(|said| !said.is_null()) {
        None => VolumeGrantStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    Some(Volume {
        name,
        namespace: spec.namespace.to_string(),
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        held: is_held(raw, FINALIZER),
        shared: spec.sharing == Sharing::Shared,
        abandoned: spec.abandoned.is_some(),
        only: status.only_on.as_ref().map(ToString::to_string),
        described: status.volume.as_ref().and_then(described),
        // Between making a grant and saying whose it is, a syncer may be killed.
        unknown: status.unknown || (is_bare && is_adopted),
        destroyed: status.destroyed,
        grant: grant::read(&Written {
            epoch: status.epoch,
            users: &status.users,
            recovering: status.recovering.as_ref(),
            restore: status.restore,
        }),
    })
}

/// What a volume is, as one text.
pub(super) fn described(volume: &PortableVolume) -> Option<String> {
    serde_json::to_string(volume).ok()
}

pub(super) fn draw(volume: &Volume<Plain>, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, volume.held);
    let fields = part(raw, "spec");
    let claim = volume.name.split_once('.').map_or(volume.name.as_str(), |(_, claim)| claim);
    put(fields, "namespace", Some(json!(volume.namespace)));
    put(fields, "claim", Some(json!(claim)));
    let sharing = if volume.shared { Sharing::Shared } else { Sharing::Owned };
    put(fields, "sharing", Some(json!(sharing)));
}

pub(super) fn draw_status(volume: &Volume<Plain>, raw: &mut DynamicObject, now: &Time) {
    let fields = status(raw);
    grant::draw(&volume.grant, fields, now);
    put(fields, "onlyOn", volume.only.as_ref().map(|only| json!(only)));
    put(fields, "unknown", volume.unknown.then_some(Value::Bool(true)));
    put(fields, "destroyed", volume.destroyed.then_some(Value::Bool(true)));
    let is: Option<PortableVolume> =
        fields.get("volume").cloned().and_then(|said| serde_json::from_value(said).ok());
    // What an older Bowline does not know of stays.
    if is.as_ref().and_then(described) != volume.described {
        let read = |text: &String| serde_json::from_str::<PortableVolume>(text).ok();
        put(fields, "volume", volume.described.as_ref().and_then(read).map(|volume| json!(volume)));
    }
    let state = state(volume.destroyed, &volume.grant, fields);
    put(fields, "state", Some(json!(state)));
}

/// How things are, in a word for people.
fn state(destroyed: bool, grant: &Grant<Plain>, fields: &Map<String, Value>) -> GrantState {
    let is = |state| grant.users.values().any(|its| its.state == state);
    let history = fields.get("history").cloned().and_then(|said| serde_json::from_value(said).ok());
    let last = history.and_then(|history: Vec<GrantEvent>| history.last().map(|event| event.what));
    if destroyed || is(UseState::Deleting) {
        GrantState::Deleting
    } else if is(UseState::Releasing) {
        GrantState::Releasing
    } else if is(UseState::Granted) {
        GrantState::Granted
    } else if last == Some(GrantEventKind::Fenced) {
        GrantState::Fenced
    } else {
        GrantState::Released
    }
}
