//! Stacks: what people want of them, the one truth about them, and what is told beside it.

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::updates::{
    Drift, LastGood, Quarantined as Bad, Request as Asked, StackPhase, StackSpec, StackStatus,
};
use bowline_api::{Epoch as ApiEpoch, Version as ApiVersion};
use bowline_control::lease::Epoch;
use bowline_control::{Millis, Version};
use bowline_runtime::Notice;
use bowline_updates::{Good, Mood, Number, Phase, Quarantined, Request, Stack, Stage, Status, Told, Wish};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::super::names::{StackName, Text};
use super::{cut, phase as phase_of, put, stage, status};

/// What holds a stack until its cluster is left.
pub(super) const FINALIZER: &str = "bowline.dev/stack";
/// The longest reasons and messages that a server takes.
const LONGEST_REASON: usize = 4096;
const LONGEST_MESSAGE: usize = 32_768;

pub(super) fn read(raw: &DynamicObject) -> Option<Stack<Text>> {
    let meta = &raw.metadata;
    let spec: StackSpec = serde_json::from_value(raw.data["spec"].clone()).ok()?;
    let said = &raw.data["status"];
    // Who cannot read the truth must not begin with another one.
    let status: StackStatus =
        if said.is_null() { StackStatus::default() } else { serde_json::from_value(said.clone()).ok()? };
    let mut stack = Stack {
        name: StackName { namespace: meta.namespace.clone()?, name: meta.name.clone()? },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).ok()?,
        deleting: meta.deletion_timestamp.is_some(),
        held: meta.finalizers.iter().flatten().any(|finalizer| finalizer == FINALIZER),
        wish: wish(&spec),
        status: truth(&status)?,
        told: None,
    };
    stack.told = told(&stack, &status, said);
    Some(stack)
}

fn wish(spec: &StackSpec) -> Wish<Text> {
    let seconds = |seconds: u32| Millis(u64::from(seconds) * 1_000);
    Wish {
        cluster: spec.cluster.to_string(),
        paused: spec.paused,
        repairs: spec.drift == Drift::Repair,
        timeout: seconds(spec.timeout_seconds),
        interval: seconds(spec.drift_interval_seconds),
        deletions: spec.max_deletions,
        history: spec.history_limit,
        released: spec.released.iter().map(|version| Number(version.0)).collect(),
    }
}

/// `None` if it says what cannot be: nobody must take that for nothing.
fn truth(status: &StackStatus) -> Option<Status<Text>> {
    let working = status.working.map(|version| Number(version.0));
    let requests = status.requests.iter().map(|asked| Request {
        number: Number(asked.version.0),
        update: asked.update.to_string(),
        uid: asked.uid.clone(),
        digest: asked.digest.to_string(),
        plan: asked.plan_hash.as_ref().map(ToString::to_string),
        stage: stage(asked.phase),
        tally: asked.plan.clone(),
        why: asked.reason.clone(),
    });
    let quarantined = status.quarantined.iter().map(|bad| Quarantined {
        digest: bad.digest.to_string(),
        number: Number(bad.version.0),
        why: bad.reason.clone(),
    });
    let good = status.last_good.as_ref();
    // What a version wants that nobody knows is not nothing.
    let is_known = |number| status.requests.iter().any(|asked| Number(asked.version.0) == number);
    Some(Status {
        submitted: Number(status.last_submitted_version.map_or(0, |version| version.0)),
        requests: requests.collect(),
        phase: match (status.phase, working) {
            (StackPhase::Starting, Some(number)) if is_known(number) => Phase::Starting(number),
            (StackPhase::Partial, Some(number)) if is_known(number) => Phase::Partial(number),
            (StackPhase::RollingBack, number) => Phase::RollingBack(number),
            (StackPhase::Stalled, number) => Phase::Stalled(number),
            (StackPhase::Idle, _) => Phase::Idle,
            (StackPhase::Starting | StackPhase::Partial, _) => return None,
        },
        good: good.map(|good| Good { number: Number(good.version.0), digest: good.digest.to_string() }),
        epoch: Epoch(status.epoch.0),
        attempt: status.attempt,
        resumed: status.resumed,
        inventory: status.inventory.as_ref().map(ToString::to_string),
        quarantined: quarantined.collect(),
    })
}

/// What was told, unless somebody has changed it since.
fn told(stack: &Stack<Text>, status: &StackStatus, said: &Value) -> Option<Told<Text>> {
    let ready = status.conditions.get(&ConditionType::READY)?;
    let (mood, _) = MOODS.iter().find(|(_, reason)| *reason == ready.reason)?;
    let observed = u64::try_from(status.observed_generation?).ok()?;
    let is_plain = ready.message == unsaid(stack);
    let words = if is_plain { String::new() } else { ready.message.clone() };
    let told = Told { mood: *mood, words, observed };
    let mut again = said.as_object()?.clone();
    draw_told(stack, &told, &mut again, &ready.last_transition_time);
    (Value::Object(again) == *said).then_some(told)
}

pub(super) fn draw(stack: &Stack<Text>, raw: &mut DynamicObject) {
    let finalizers = raw.metadata.finalizers.get_or_insert_default();
    finalizers.retain(|finalizer| finalizer != FINALIZER);
    if stack.held {
        finalizers.push(FINALIZER.into());
    }
}

type Fields = serde_json::Map<String, Value>;

pub(super) fn draw_status(stack: &Stack<Text>, raw: &mut DynamicObject, now: &Time) {
    let fields = status(raw);
    let truth = &stack.status;
    let version = |Number(number): Number| json!(ApiVersion(number));
    let (phase, working) = match truth.phase {
        Phase::Idle => (StackPhase::Idle, None),
        Phase::Starting(number) => (StackPhase::Starting, Some(number)),
        Phase::Partial(number) => (StackPhase::Partial, Some(number)),
        Phase::RollingBack(number) => (StackPhase::RollingBack, number),
        Phase::Stalled(number) => (StackPhase::Stalled, number),
    };
    let good = truth.good.as_ref();
    let submitted = Some(truth.submitted).filter(|number| *number != Number(0));
    put(fields, "phase", Some(json!(phase)));
    put(fields, "working", working.map(version));
    put(fields, "resumed", truth.resumed.then_some(Value::Bool(true)));
    put(fields, "appliedVersion", applied(truth).map(version));
    put(fields, "target", target(truth).map(version));
    put(fields, "lastGood", good.map(|good| json!(last_good(good))));
    put(fields, "lastSubmittedVersion", submitted.map(version));
    put(fields, "epoch", Some(json!(ApiEpoch(truth.epoch.0))));
    put(fields, "attempt", Some(json!(truth.attempt)));
    put(fields, "inventory", truth.inventory.clone().map(Value::from));
    let requests: Vec<_> = truth.requests.iter().map(asked).collect();
    put(fields, "requests", (!requests.is_empty()).then(|| json!(requests)));
    draw_quarantined(truth, fields, now);
    if let Some(told) = &stack.told {
        draw_told(stack, told, fields, now);
    }
}

fn last_good(good: &Good<Text>) -> LastGood {
    LastGood { version: ApiVersion(good.number.0), digest: good.digest.as_str().into() }
}

fn asked(request: &Request<Text>) -> Asked {
    Asked {
        version: ApiVersion(request.number.0),
        update: request.update.as_str().into(),
        uid: request.uid.clone(),
        digest: request.digest.as_str().into(),
        plan_hash: request.plan.as_deref().map(Into::into),
        phase: phase_of(request.stage),
        plan: request.tally.clone(),
        reason: cut(&request.why, LONGEST_REASON),
    }
}

/// The version whose objects are on the cluster, or are being applied.
fn applied(truth: &Status<Text>) -> Option<Number> {
    match truth.phase {
        Phase::Partial(number) => Some(number),
        _ => truth.good.as_ref().map(|good| good.number),
    }
}

/// The version that is to be on the cluster.
fn target(truth: &Status<Text>) -> Option<Number> {
    let queued = truth.requests.iter().find(|request| request.stage == Stage::Queued);
    let worked_on = match truth.phase {
        Phase::Starting(number) | Phase::Partial(number) => Some(number),
        _ => None,
    };
    let good = truth.good.as_ref().map(|good| good.number);
    queued.map(|request| request.number).or(worked_on).or(good)
}

/// Since when something is in quarantine stays as it was.
fn draw_quarantined(truth: &Status<Text>, fields: &mut Fields, now: &Time) {
    let before = fields.get("quarantined").cloned().unwrap_or_default();
    let before: Vec<Bad> = serde_json::from_value(before).unwrap_or_default();
    let all = truth.quarantined.iter().map(|bad| {
        let same = |old: &&Bad| old.digest.as_str() == bad.digest && old.version.0 == bad.number.0;
        let since = before.iter().find(same).map_or_else(|| Some(now.clone()), |old| old.since.clone());
        Bad {
            digest: bad.digest.as_str().into(),
            version: ApiVersion(bad.number.0),
            reason: cut(&bad.why, LONGEST_REASON),
            since,
        }
    });
    let all: Vec<_> = all.collect();
    put(fields, "quarantined", (!all.is_empty()).then(|| json!(all)));
}

/// How a stack stands, in a word that does not change.
static MOODS: [(Mood, Reason); 9] = [
    (Mood::Well, Reason::new("AsWanted")),
    (Mood::Drifted, Reason::new("Drifted")),
    (Mood::Unhealthy, Reason::new("Unhealthy")),
    (Mood::Waiting, Reason::new("Waiting")),
    (Mood::Paused, Reason::new("Paused")),
    (Mood::Failing, Reason::new("Failing")),
    (Mood::Stuck, Reason::new("Stalled")),
    (Mood::Empty, Reason::new("NoVersionSucceeded")),
    (Mood::Going, Reason::new("Deleting")),
];

fn reason(mood: Mood) -> Reason {
    let known = MOODS.iter().find(|(other, _)| *other == mood);
    known.map_or(Reason::new("Unknown"), |(_, reason)| reason.clone())
}

fn draw_told(stack: &Stack<Text>, told: &Told<Text>, fields: &mut Fields, now: &Time) {
    let Told { mood, words, observed } = told;
    let generation = i64::try_from(*observed).ok();
    let phase = stack.status.phase;
    let is_idle = phase == Phase::Idle;
    let is_stalled = matches!(phase, Phase::Stalled(_)) || *mood == Mood::Stuck;
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    let words = if words.is_empty() { unsaid(stack) } else { words.clone() };
    for (kind, is) in [
        (ConditionType::READY, stack.is_ready(*mood)),
        (
            ConditionType::RECONCILING,
            !is_stalled && (!is_idle || matches!(mood, Mood::Waiting | Mood::Failing | Mood::Going)),
        ),
        (ConditionType::STALLED, is_stalled),
        (ConditionType::PAUSED, stack.wish.paused || *mood == Mood::Paused),
        (ConditionType::DRIFTED, *mood == Mood::Drifted),
    ] {
        let is = if is { Truth::True } else { Truth::False };
        let judgement = Judgement::new(kind, is, reason(*mood), words.clone());
        conditions.set(judgement.of_generation(generation), now);
    }
    put(fields, "conditions", Some(json!(conditions)));
    put(fields, "observedGeneration", generation.map(Value::from));
    put(fields, "message", Some(json!(cut(&words, LONGEST_MESSAGE))));
}

/// What is so when nothing else is to be said: nobody is left without a message. It follows from the truth, so that a version
/// that is applied without a wait costs no write for it.
fn unsaid(stack: &Stack<Text>) -> String {
    let Status { phase, good, .. } = &stack.status;
    match (phase, good) {
        (Phase::Idle, Some(good)) => format!("version {} is on the cluster", good.number),
        (Phase::Idle, None) => "nothing of it is on the cluster".into(),
        (Phase::Starting(number), _) => format!("version {number} is being planned; nothing was changed yet"),
        (Phase::Partial(number), _) => format!("version {number} is being applied"),
        (Phase::RollingBack(Some(number)), _) => {
            format!("version {number} has failed, and what was there before is put back")
        }
        (Phase::RollingBack(None), _) => "what is not as it should be is put right".into(),
        (Phase::Stalled(_), _) => "what was there before could not be put back".into(),
    }
}

/// How it stands is told when that changes, and that something is put back, or put right.
pub(super) fn notice(before: &Stack<Text>, after: &Stack<Text>) -> Option<Notice> {
    let notice =
        |reason: &str, good, note| Notice { good, reason: reason.to_owned(), action: "Update", note };
    let told = after.told.as_ref();
    let of_version = || {
        let request = after.status.phase.number().and_then(|number| after.request(number));
        request
            .map_or_else(|| unsaid(after), |request| format!("version {}: {}", request.number, request.why))
    };
    match (before.status.phase, after.status.phase) {
        (Phase::RollingBack(_), Phase::RollingBack(_)) | (Phase::Stalled(_), Phase::Stalled(_)) => {}
        (Phase::Idle, Phase::RollingBack(None)) => {
            let found = told.filter(|told| told.mood == Mood::Drifted);
            let note = found.map_or_else(of_version, |told| format!("{}; it is put right", told.words));
            return Some(notice("Drifted", false, note));
        }
        (_, Phase::RollingBack(_)) => return Some(notice("RollingBack", false, of_version())),
        (_, Phase::Stalled(_)) => return Some(notice("RollbackFailed", false, of_version())),
        (Phase::RollingBack(None), Phase::Idle) => {
            return Some(notice("Repaired", true, "what was not as it should be is put right".into()));
        }
        _ => {}
    }
    let Told { mood, words, .. } = told?;
    // What has drifted beside that is news; how many pods are ready meanwhile is not.
    let is_other = |was: &Told<Text>| was.mood != *mood || *mood == Mood::Drifted && was.words != *words;
    // That something waits is told by what waits.
    let is_news = before.told.as_ref().is_none_or(is_other)
        && !matches!(mood, Mood::Waiting | Mood::Going | Mood::Well | Mood::Empty);
    is_news.then(|| notice(reason(*mood).as_str(), *mood == Mood::Paused, words.clone()))
}

#[cfg(test)]
mod tests;
