//! Placements: what people want of them, and the one truth about who runs a namespace.

use bowline_api::placements::{
    End, MoveWindow, Placement as PlacementResource, PlacementPhase, PlacementSpec, PlacementStatus, Taint,
};
use bowline_control::Version;
use bowline_placements::plain::Plain;
use bowline_placements::{Phase, Placement, Told, Window, Wish};
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
    let wish = wish(&spec)?;
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
        wish,
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

/// What people want; nothing, if they say it in words that the schema does not take.
fn wish(spec: &PlacementSpec) -> Option<Wish<Plain>> {
    let selector = spec.target_selector.iter().flat_map(|selector| &selector.match_labels);
    let toleration = |Taint { key, value }: &Taint| label(key, value);
    let window = match &spec.move_window {
        Some(said) => Some(window(said)?),
        None => None,
    };
    Some(Wish {
        pinned: spec.target.as_ref().map(ToString::to_string),
        selector: selector.map(|(key, value)| label(key, value)).collect(),
        tolerations: spec.tolerations.iter().map(toleration).collect(),
        window,
        now_to: spec.move_now_to.as_ref().map(ToString::to_string),
    })
}

/// How many minutes a day has.
const DAY: u16 = 24 * 60;

fn window(said: &MoveWindow) -> Option<Window> {
    let minute = |text: &str| {
        let (hours, minutes) = text.split_once(':')?;
        let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
        (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
    };
    let (opens, shuts) = (minute(&said.from)?, minute(&said.to)?);
    let minutes = if shuts > opens { shuts - opens } else { shuts + DAY - opens };
    let days = said.days.iter().fold(0, |days, day| days | 1 << *day as u8);
    Some(Window { days, opens, minutes })
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
