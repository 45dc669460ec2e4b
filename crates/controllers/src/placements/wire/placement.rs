//! Placements: what people want of them, and the one truth about who runs a namespace.

use bowline_api::placements::{
    End, Placement as PlacementResource, PlacementPhase, PlacementSpec, PlacementStatus, Taint,
};
use bowline_control::Version;
use bowline_placements::plain::Plain;
use bowline_placements::{Phase, Placement, Told, Wish};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::grant::Written;
use super::told::{self, Face};
use super::{grant, hold, is_held, label};
use crate::drawing::{put, status};

/// What holds a placement until its volumes are given up, or deleted.
pub(crate) const FINALIZER: &str = "bowline.dev/placement";

/// The placement of a namespace. One by another name is nobody's: a namespace has one.
///
/// One that is deleted is not seen to be before it is noted what becomes of its volumes: until then it goes on.
pub(in super::super) fn read(raw: &DynamicObject) -> Option<Placement<Plain>> {
    let meta = &raw.metadata;
    if meta.name.as_deref() != Some(PlacementResource::NAME) {
        return None;
    }
    let spec: PlacementSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let said = raw.data.get("status").filter(|said| !said.is_null());
    // Who cannot read the truth must not begin with another one.
    let status: PlacementStatus = match said {
        None => PlacementStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    let held = is_held(raw, FINALIZER);
    let dying = meta.deletion_timestamp.is_some();
    let mut placement = Placement {
        name: meta.namespace.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: dying && (status.end.is_some() || !held),
        held,
        doomed: status.end == Some(End::Delete),
        wish: wish(&spec),
        desired: status.desired.as_ref().map(ToString::to_string),
        grant: grant::read(&Written {
            epoch: status.epoch,
            users: &status.users,
            recovering: status.recovering.as_ref(),
            restore: status.restore,
        }),
        told: None,
    };
    placement.told = said.and_then(|said| told(&placement, &status, said));
    Some(placement)
}

fn wish(spec: &PlacementSpec) -> Wish<Plain> {
    let selector = spec.target_selector.iter().flat_map(|selector| &selector.match_labels);
    let toleration = |Taint { key, value }: &Taint| label(key, value);
    Wish {
        pinned: spec.target.as_ref().map(ToString::to_string),
        selector: selector.map(|(key, value)| label(key, value)).collect(),
        tolerations: spec.tolerations.iter().map(toleration).collect(),
    }
}

/// What was told, unless somebody has changed it since.
fn told(placement: &Placement<Plain>, status: &PlacementStatus, said: &Value) -> Option<Told<Plain>> {
    let phase = phase(status.phase);
    let (told, since) = told::read(phase, &status.conditions, status.observed_generation)?;
    let mut again = said.as_object()?.clone();
    draw_told(placement, &told, &mut again, &since);
    (Value::Object(again) == *said).then_some(told)
}

/// How far a placement has come, and what the API calls it.
const PHASES: [(Phase, PlacementPhase); 6] = [
    (Phase::Pending, PlacementPhase::Pending),
    (Phase::Granted, PlacementPhase::Granted),
    (Phase::Releasing, PlacementPhase::Releasing),
    (Phase::Fencing, PlacementPhase::Fencing),
    (Phase::Moving, PlacementPhase::Moving),
    (Phase::Deleting, PlacementPhase::Deleting),
];

fn phase(written: PlacementPhase) -> Phase {
    PHASES.iter().find(|(_, other)| *other == written).map_or(Phase::Pending, |(phase, _)| *phase)
}

fn written(phase: Phase) -> PlacementPhase {
    PHASES.iter().find(|(other, _)| *other == phase).map_or(PlacementPhase::Pending, |(_, written)| *written)
}

pub(super) fn draw(placement: &Placement<Plain>, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, placement.held);
}

pub(super) fn draw_status(placement: &Placement<Plain>, raw: &mut DynamicObject, now: &Time) {
    let fields = status(raw);
    put(fields, "desired", placement.desired.as_ref().map(|desired| json!(desired)));
    grant::draw(&placement.grant, fields, now);
    if let Some(told) = &placement.told {
        draw_told(placement, told, fields, now);
    }
}

fn draw_told(
    placement: &Placement<Plain>,
    told: &Told<Plain>,
    fields: &mut serde_json::Map<String, Value>,
    now: &Time,
) {
    put(fields, "phase", Some(json!(written(told.phase))));
    let is_there = told.phase == Phase::Granted && placement.desired.is_some();
    told::draw(Face { told, is_ready: is_there }, fields, now);
}
