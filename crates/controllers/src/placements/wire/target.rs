//! Targets: what people want of them, their fences, and what their syncers say.

use bowline_api::Epoch as ApiEpoch;
use bowline_api::placements::{
    Fence as WrittenFence, FenceEvent, FenceRequest, FencedBy, ReportedUse, SyncTargetSpec, SyncTargetStatus,
    Taint, TargetReport as WrittenReport, VolumeGrant,
};
use bowline_control::{Millis, Version};
use bowline_placements::plain::Plain;
use bowline_placements::{
    By, Epoch, Fence, FenceState, FenceWish, Phase, Target, TargetReport, TargetWish, Thing, Told,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use super::told::{self, Face};
use super::{hold, is_held, label};
use crate::drawing::{put, status};
use crate::times::{millis, time};

/// What holds a target until nothing is on it.
pub(super) const FINALIZER: &str = "bowline.dev/synctarget";

type Fields = Map<String, Value>;

pub(super) fn read(raw: &DynamicObject) -> Option<Target<Plain>> {
    let meta = &raw.metadata;
    let spec: SyncTargetSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let said = raw.data.get("status").filter(|said| !said.is_null());
    // Who cannot read how a fence stands must not take it for open.
    let status: SyncTargetStatus = match said {
        None => SyncTargetStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    let mut target = Target {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: meta.deletion_timestamp.is_some(),
        held: is_held(raw, FINALIZER),
        wish: wish(&spec, raw),
        fence: fence(&status),
        lapsed: status.lapsed_since.as_ref().map(millis),
        restore: status.restore,
        report: status.report.as_ref().map(report),
        told: None,
    };
    target.told = said.and_then(|said| read_told(&target, &status, said));
    Some(target)
}

fn wish(spec: &SyncTargetSpec, raw: &DynamicObject) -> TargetWish<Plain> {
    let labels = raw.metadata.labels.iter().flatten();
    let taint = |Taint { key, value }: &Taint| label(key, value);
    TargetWish {
        cordoned: spec.unschedulable,
        drains: spec.drain,
        labels: labels.map(|(key, value)| label(key, value)).collect(),
        taints: spec.taints.iter().map(taint).collect(),
        capacity: spec.capacity.as_ref().and_then(|capacity| capacity.namespaces),
        enforces: spec.enforces_epochs,
        driver: spec.fencing.is_some(),
        evicts: spec.evict_after_seconds.map(|seconds| Millis(u64::from(seconds) * 1_000)),
        fence: match &spec.fence {
            None => FenceWish::Open,
            Some(FenceRequest { confirmed: false, .. }) => FenceWish::Fenced,
            Some(FenceRequest { confirmed: true, .. }) => FenceWish::Confirmed,
        },
    }
}

const STATES: [(FenceState, WrittenFence); 4] = [
    (FenceState::Open, WrittenFence::None),
    (FenceState::Requested, WrittenFence::Requested),
    (FenceState::Fenced, WrittenFence::Fenced),
    (FenceState::Unfencing, WrittenFence::Unfencing),
];

const BYS: [(By, FencedBy); 3] =
    [(By::Person, FencedBy::Person), (By::Driver, FencedBy::Driver), (By::Epochs, FencedBy::Epochs)];

fn fence(status: &SyncTargetStatus) -> Fence {
    // What is not known is not open.
    let state = STATES.iter().find(|(_, written)| *written == status.fence);
    let by = BYS.iter().find(|(_, written)| *written == status.fenced_by);
    Fence {
        state: state.map_or(FenceState::Requested, |(state, _)| *state),
        epoch: Epoch(status.fence_epoch.0),
        by: by.map_or(By::Person, |(by, _)| *by),
    }
}

fn written(fence: Fence) -> (WrittenFence, FencedBy) {
    let state = STATES.iter().find(|(state, _)| *state == fence.state);
    let by = BYS.iter().find(|(by, _)| *by == fence.by);
    (
        state.map_or(WrittenFence::Requested, |(_, written)| *written),
        by.map_or(FencedBy::Person, |(_, written)| *written),
    )
}

fn report(said: &WrittenReport) -> TargetReport<Plain> {
    let thing = |one: &ReportedUse| match &one.claim {
        None => Thing::Namespace(one.namespace.to_string()),
        Some(claim) => Thing::Volume(VolumeGrant::object_name(one.namespace.as_str(), claim.as_str())),
    };
    TargetReport {
        fence: Epoch(said.highest_epoch_seen.0),
        tenure: said.tenure,
        restore: said.restore,
        uses: said.uses.iter().map(|one| (thing(one), Epoch(one.epoch.0))).collect(),
        ahead: said.ahead,
    }
}

fn written_report(report: &TargetReport<Plain>) -> WrittenReport {
    let one = |(thing, epoch): (&Thing<String, String>, &Epoch)| {
        let (namespace, claim) = match thing {
            Thing::Namespace(namespace) => (namespace.as_str(), None),
            Thing::Volume(volume) => volume.split_once('.').map(|(space, claim)| (space, Some(claim)))?,
        };
        Some(ReportedUse {
            namespace: namespace.into(),
            claim: claim.map(Into::into),
            epoch: ApiEpoch(epoch.0),
        })
    };
    WrittenReport {
        highest_epoch_seen: ApiEpoch(report.fence.0),
        tenure: report.tenure,
        restore: report.restore,
        uses: report.uses.iter().filter_map(one).collect(),
        ahead: report.ahead,
    }
}

/// What was told, unless somebody has changed it since.
fn read_told(target: &Target<Plain>, status: &SyncTargetStatus, said: &Value) -> Option<Told<Plain>> {
    // The phase of a target says nothing.
    let (told, since) = told::read(Phase::Granted, &status.conditions, status.observed_generation)?;
    let mut again = said.as_object()?.clone();
    draw_told(target, &told, &mut again, &since);
    (Value::Object(again) == *said).then_some(told)
}

pub(super) fn draw(target: &Target<Plain>, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, target.held);
}

pub(super) fn draw_status(target: &Target<Plain>, raw: &mut DynamicObject, now: &Time) {
    let request = raw.data.pointer("/spec/fence").cloned();
    let request: Option<FenceRequest> = request.and_then(|said| serde_json::from_value(said).ok());
    let fields = status(raw);
    remember(target.fence, request, fields, now);
    let (state, by) = written(target.fence);
    put(fields, "fence", Some(json!(state)));
    put(fields, "fenceEpoch", Some(json!(target.fence.epoch.0)));
    put(fields, "fencedBy", Some(json!(by)));
    put(fields, "lapsedSince", target.lapsed.map(|since| json!(time(since))));
    put(fields, "restore", Some(json!(target.restore)));
    if let Some(report) = &target.report {
        put(fields, "report", Some(json!(written_report(report))));
    }
    if let Some(told) = &target.told {
        draw_told(target, told, fields, now);
    }
}

/// Notes what has happened to a fence since what is there was written, and who wanted it.
fn remember(fence: Fence, request: Option<FenceRequest>, fields: &mut Fields, now: &Time) {
    let before: SyncTargetStatus = serde_json::from_value(Value::Object(fields.clone())).unwrap_or_default();
    let (state, by) = written(fence);
    if (before.fence, before.fence_epoch) == (state, ApiEpoch(fence.epoch.0)) {
        return;
    }
    let mut history = before.history;
    history.push(FenceEvent {
        at: now.clone(),
        fence: state,
        epoch: ApiEpoch(fence.epoch.0),
        fenced_by: by,
        request,
    });
    let old = history.len().saturating_sub(FenceEvent::KEPT);
    put(fields, "history", Some(json!(history[old..])));
}

fn draw_told(target: &Target<Plain>, told: &Told<Plain>, fields: &mut Fields, now: &Time) {
    let is_ready = target.fence.state == FenceState::Open && target.lapsed.is_none();
    told::draw(Face { told, is_ready }, fields, now);
}
