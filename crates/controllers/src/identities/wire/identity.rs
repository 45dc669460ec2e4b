//! Identities: what people want of them, the one truth about them, and what is told beside it.

mod wish;

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::identities::{IamRoleServiceAccountSpec, IamRoleServiceAccountStatus, PublishedAccount};
use bowline_control::Version;
use bowline_identities::plain::{Named, Plain};
use bowline_identities::{Condition, Identity, Mood, Spot, Status, Told};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use crate::drawing::{cut, put, status};
use crate::times::{millis, time};

/// What holds an identity until nothing of it is in AWS.
pub(super) const FINALIZER: &str = "bowline.dev/identity";
/// The longest message that a server takes.
const LONGEST: usize = 32_768;

type Fields = Map<String, Value>;

pub(super) fn read(raw: &DynamicObject) -> Option<Identity<Plain>> {
    let meta = &raw.metadata;
    let spec: IamRoleServiceAccountSpec = serde_json::from_value(raw.data.get("spec")?.clone()).ok()?;
    let said = raw.data.get("status").filter(|said| !said.is_null());
    // Who cannot read the truth must not begin with another one.
    let status = match said {
        None => IamRoleServiceAccountStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    let name = Named { namespace: meta.namespace.clone()?, name: meta.name.clone()? };
    let mut identity = Identity {
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: meta.deletion_timestamp.is_some(),
        held: meta.finalizers.iter().flatten().any(|finalizer| finalizer == FINALIZER),
        wish: wish::read(&name, &spec),
        status: truth(&name, &status),
        told: None,
        name,
    };
    identity.told = said.and_then(|said| told(&identity, &status, said));
    Some(identity)
}

fn truth(name: &Named, status: &IamRoleServiceAccountStatus) -> Status<Plain> {
    let complete = status.complete_at.as_ref().map(millis);
    let published = status.published.iter().map(|PublishedAccount { cluster, name: account }| {
        let account = Named { namespace: name.namespace.clone(), name: account.to_string() };
        (cluster.as_ref().map(ToString::to_string), account)
    });
    Status {
        intent: status.intent_at.as_ref().map(millis),
        policy: status.policy_arn.as_ref().map(ToString::to_string),
        role: status.role_arn.as_ref().map(ToString::to_string),
        ready: complete.is_some() && status.conditions.is_true(&ConditionType::READY),
        complete,
        published: published.collect(),
    }
}

/// What was told, unless somebody has changed it since. Of another generation nothing was told yet.
fn told(
    identity: &Identity<Plain>,
    status: &IamRoleServiceAccountStatus,
    said: &Value,
) -> Option<Told<Plain>> {
    let synced = status.conditions.get(&ConditionType::SYNCED)?;
    let (mood, _) = MOODS.iter().find(|(_, reason)| *reason == synced.reason.as_str())?;
    let observed = u64::try_from(status.observed_generation?).ok()?;
    let told = Told { mood: *mood, words: status.message.clone(), observed };
    let mut again = said.as_object()?.clone();
    let as_told = Identity { told: Some(told.clone()), ..identity.clone() };
    draw_told(&as_told, &mut again, &synced.last_transition_time);
    (Value::Object(again) == *said).then_some(told)
}

/// How an identity stands, and the reason that its condition Synced gives.
const MOODS: [(Mood, &str); 4] = [
    (Mood::Well, "AsWanted"),
    (Mood::Waiting, "Waiting"),
    (Mood::Failing, "Failing"),
    (Mood::Stalled, "NeedsAttention"),
];

pub(super) fn draw(identity: &Identity<Plain>, raw: &mut DynamicObject) {
    let finalizers = raw.metadata.finalizers.get_or_insert_default();
    finalizers.retain(|finalizer| finalizer != FINALIZER);
    if identity.held {
        finalizers.push(FINALIZER.into());
    }
}

pub(super) fn draw_status(identity: &Identity<Plain>, raw: &mut DynamicObject, now: &Time) {
    let fields = status(raw);
    let Status { intent, policy, role, complete, published, .. } = &identity.status;
    put(fields, "intentAt", intent.map(|at| json!(time(at))));
    put(fields, "completeAt", complete.map(|at| json!(time(at))));
    put(fields, "policyArn", policy.clone().map(Value::from));
    put(fields, "roleArn", role.clone().map(Value::from));
    let published: Vec<_> = published.iter().map(spot).collect();
    put(fields, "published", (!published.is_empty()).then(|| json!(published)));
    draw_told(identity, fields, now);
}

fn spot((cluster, account): &Spot<Plain>) -> PublishedAccount {
    PublishedAccount { cluster: cluster.as_deref().map(Into::into), name: account.name.as_str().into() }
}

/// The conditions say also what follows from the truth alone; the rest is said of a generation. What is there, and can be used, is so by
/// the spec that was last in AWS as a whole: of an edit that has not arrived there, or is refused, nobody may think that it has.
fn draw_told(identity: &Identity<Plain>, fields: &mut Fields, now: &Time) {
    let told = identity.told.as_ref().filter(|told| told.observed == identity.generation);
    let generation = told.and_then(|told| i64::try_from(told.observed).ok());
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    let is_synced = told.is_some_and(|told| told.mood == Mood::Well);
    for Condition { kind, is, reason, message } in identity.conditions() {
        let kind = ConditionType::new(kind);
        let was = conditions.get(&kind).filter(|was| was.status == Truth::True && is && !is_synced);
        let generation = was.map_or(generation, |was| was.observed_generation);
        let is = if is { Truth::True } else { Truth::False };
        let judgement = Judgement::new(kind, is, Reason::new(reason), message);
        conditions.set(judgement.of_generation(generation), now);
    }
    put(fields, "conditions", Some(json!(conditions)));
    if let Some(Told { words, .. }) = told {
        put(fields, "observedGeneration", generation.map(Value::from));
        put(fields, "message", (!words.is_empty()).then(|| json!(cut(words, LONGEST))));
    }
}

#[cfg(test)]
mod tests;
