//! Members: what they are to do, and what their agents say.

use bowline_api::upgrades::{
    Desired as Written, Member as MemberResource, MemberPhase, MemberSpec, MemberStatus,
};
use bowline_control::Version;
use bowline_upgrades::plain::{Named, Plain};
use bowline_upgrades::{Condition, Desired, Member, Report};
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use super::{hold, is_held, lists};
use crate::drawing::{cut, part, put, status};

/// What holds a member until its group has taken notice that it goes.
pub(super) const FINALIZER: &str = "bowline.dev/member";
/// The longest message that a server takes.
const LONGEST: usize = 32_768;

/// A member. One that is not named after its group is nobody's: there would be two for one name.
pub(super) fn read(raw: &DynamicObject) -> Option<Member<Plain>> {
    let meta = &raw.metadata;
    let spec: MemberSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let group = spec.group.as_str();
    Some(Member {
        name: MemberResource::name_in(group, meta.name.as_deref()?)?.to_owned(),
        group: Named { namespace: meta.namespace.clone()?, name: group.to_owned() },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: meta.deletion_timestamp.is_some(),
        held: is_held(raw, FINALIZER),
        desired: spec.desired.as_ref().and_then(desired).unwrap_or_default(),
        report: raw.data.get("status").and_then(report),
    })
}

/// `None` if it says what cannot be: somebody has spoiled it, and what is wanted is written again.
fn desired(written: &Written) -> Option<Desired<Plain>> {
    Some(Desired {
        version: written.version.as_ref().map(ToString::to_string),
        drains: written.drain,
        fenced: written.fenced,
        devices: lists::duties(&written.devices),
        partitions: lists::read(&written.partitions)?,
    })
}

/// What its agent says; nothing, as long as it does not say what it has seen of what is desired. An agent that says what makes no
/// sense has said nothing, and its member is still there.
fn report(said: &Value) -> Option<Report<Plain>> {
    let said: MemberStatus = serde_json::from_value(said.clone()).ok()?;
    Some(Report {
        observed: u64::try_from(said.observed_generation?).ok()?,
        version: said.version.as_ref().map(ToString::to_string),
        condition: condition(said.phase),
        devices: lists::acts(&said.devices),
        seen: lists::epochs(&said.seen),
        words: said.message,
    })
}

/// How software is, and what the API calls it.
const PHASES: [(Condition, MemberPhase); 9] = [
    (Condition::Stopped, MemberPhase::Stopped),
    (Condition::Starting, MemberPhase::Starting),
    (Condition::Running, MemberPhase::Running),
    (Condition::Unhealthy, MemberPhase::Unhealthy),
    (Condition::Draining, MemberPhase::Draining),
    (Condition::Drained, MemberPhase::Drained),
    (Condition::Stopping, MemberPhase::Stopping),
    (Condition::Restarting, MemberPhase::Restarting),
    (Condition::Failed, MemberPhase::Failed),
];

fn phase(condition: Condition) -> MemberPhase {
    PHASES.iter().find(|(other, _)| *other == condition).map_or(MemberPhase::Stopped, |(_, phase)| *phase)
}

fn condition(phase: MemberPhase) -> Condition {
    PHASES.iter().find(|(_, other)| *other == phase).map_or(Condition::Stopped, |(condition, _)| *condition)
}

/// What is desired is put field by field: what an older Bowline does not know of stays.
pub(super) fn draw(member: &Member<Plain>, raw: &mut DynamicObject) {
    hold(raw, FINALIZER, member.held);
    let fields = part(raw, "spec");
    put(fields, "group", Some(json!(member.group.name)));
    let mut written = match fields.remove("desired") {
        Some(Value::Object(written)) => written,
        _ => Map::new(),
    };
    let Desired { version, drains, fenced, devices, partitions } = &member.desired;
    put(&mut written, "version", version.clone().map(Value::from));
    put(&mut written, "drain", drains.then_some(Value::Bool(true)));
    put(&mut written, "fenced", fenced.then_some(Value::Bool(true)));
    put(&mut written, "devices", (!devices.is_empty()).then(|| json!(lists::written_duties(devices))));
    put(&mut written, "partitions", (!partitions.is_empty()).then(|| json!(lists::drawn(partitions))));
    put(fields, "desired", (!written.is_empty()).then_some(Value::Object(written)));
}

pub(super) fn draw_status(member: &Member<Plain>, raw: &mut DynamicObject) {
    let Some(Report { observed, version, condition, devices, seen, words }) = &member.report else { return };
    let fields = status(raw);
    put(fields, "observedGeneration", Some(json!(observed)));
    put(fields, "version", version.clone().map(Value::from));
    put(fields, "phase", Some(json!(phase(*condition))));
    put(fields, "devices", (!devices.is_empty()).then(|| json!(lists::acting_for(devices))));
    put(fields, "seen", (!seen.is_empty()).then(|| json!(lists::seen(seen))));
    put(fields, "message", (!words.is_empty()).then(|| json!(cut(words, LONGEST))));
}

#[cfg(test)]
mod tests;
