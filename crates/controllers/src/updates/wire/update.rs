//! Updates: what is asked for, and what their stack knows of them.

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::updates::{Plan, Progress, UpdatePhase, UpdateSpec};
use bowline_control::Version;
use bowline_runtime::Notice;
use bowline_updates::{Number, Shown, Stage, Update};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::super::names::{StackName, Text};
use super::{cut, phase, put, stage, status};

/// The longest message that a server takes.
const LONGEST: usize = 32_768;

pub(super) fn read(raw: &DynamicObject) -> Option<Update<Text>> {
    let meta = &raw.metadata;
    let spec: UpdateSpec = serde_json::from_value(raw.data["spec"].clone()).ok()?;
    let created = meta.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second());
    Some(Update {
        name: meta.name.clone()?,
        stack: StackName { namespace: meta.namespace.clone()?, name: spec.stack.to_string() },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        created: u64::try_from(created).unwrap_or(0),
        deleting: meta.deletion_timestamp.is_some(),
        digest: spec.bundle.to_string(),
        plan: spec.plan_hash.map(|plan| plan.to_string()),
        shown: shown(&raw.data["status"]),
    })
}

/// What it shows. Its conditions are for people: whoever spoils one must not make it a new request.
fn shown(raw: &Value) -> Option<Shown<Text>> {
    let fields = raw.as_object().filter(|fields| !fields.is_empty())?;
    let phase = fields.get("phase").cloned().map(serde_json::from_value::<UpdatePhase>);
    let done = raw["progress"]["done"].as_u64().and_then(|done| u32::try_from(done).ok());
    Some(Shown {
        number: raw["version"].as_u64().map(Number),
        stage: stage(phase.and_then(Result::ok).unwrap_or_default()),
        tally: serde_json::from_value(raw["plan"].clone()).ok(),
        done: done.unwrap_or(0),
        words: raw["message"].as_str().unwrap_or_default().to_owned(),
    })
}

pub(super) fn draw_status(update: &Update<Text>, raw: &mut DynamicObject, now: &Time) {
    let Some(Shown { number, stage, tally, done, words }) = &update.shown else { return };
    let generation = raw.metadata.generation;
    let fields = status(raw);
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    // Nobody is left without a message.
    let said = if words.is_empty() { unsaid(*stage) } else { words };
    for (kind, is) in judged(*stage) {
        conditions.set(Judgement::new(kind, is, reason(*stage), said).of_generation(generation), now);
    }
    put(fields, "conditions", Some(json!(conditions)));
    put(fields, "observedGeneration", generation.map(Value::from));
    put(fields, "version", number.map(|Number(number)| json!(number)));
    put(fields, "phase", Some(json!(phase(*stage))));
    put(fields, "message", (!words.is_empty()).then(|| json!(cut(words, LONGEST))));
    put(fields, "plan", tally.as_ref().map(|tally| json!(tally)));
    put(fields, "progress", tally.as_ref().map(|tally| json!(progress(tally, *done))));
    // When a worker began, and when it ended, is when that was first seen.
    if has_begun(*stage) {
        fields.entry("startedAt").or_insert_with(|| json!(now));
    }
    if stage.is_last() {
        fields.entry("finishedAt").or_insert_with(|| json!(now));
    }
}

/// No more is done than there was to do, whatever has become of the plan.
fn progress(tally: &Plan, done: u32) -> Progress {
    Progress::new(done.min(tally.total()), tally.total())
}

fn has_begun(stage: Stage) -> bool {
    use Stage::{Partial, PartialFailure, Processing, RolledBack, Succeeded};
    matches!(stage, Processing | Partial | PartialFailure | Succeeded | RolledBack)
}

fn judged(stage: Stage) -> [(ConditionType, Truth); 3] {
    let truth = |is| if is { Truth::True } else { Truth::False };
    let is_bad = matches!(stage, Stage::Rejected | Stage::Failed | Stage::PartialFailure | Stage::RolledBack);
    [
        (ConditionType::READY, truth(stage == Stage::Succeeded)),
        (ConditionType::RECONCILING, truth(!stage.is_last())),
        (ConditionType::STALLED, truth(is_bad)),
    ]
}

/// What is so when nothing else is to be said.
fn unsaid(stage: Stage) -> &'static str {
    match stage {
        Stage::Submitted => "it is going to be checked",
        Stage::Queued => "it waits for its turn",
        Stage::Processing => "it is being planned",
        Stage::Partial => "it is being applied",
        Stage::PartialFailure => "it has failed half-way",
        Stage::Rejected => "it was rejected",
        Stage::Failed => "it has failed",
        Stage::Superseded => "another version took its place",
        Stage::Succeeded => "it is on the cluster",
        Stage::RolledBack => "it was rolled back",
    }
}

/// How far it has come, in a word that does not change: that of its phase.
fn reason(stage: Stage) -> Reason {
    match stage {
        Stage::Submitted => const { Reason::new("Submitted") },
        Stage::Queued => const { Reason::new("Queued") },
        Stage::Processing => const { Reason::new("Processing") },
        Stage::Partial => const { Reason::new("Partial") },
        Stage::PartialFailure => const { Reason::new("PartialFailure") },
        Stage::Rejected => const { Reason::new("Rejected") },
        Stage::Failed => const { Reason::new("Failed") },
        Stage::Superseded => const { Reason::new("Superseded") },
        Stage::Succeeded => const { Reason::new("Succeeded") },
        Stage::RolledBack => const { Reason::new("RolledBack") },
    }
}

/// How far it has come is told when that changes; that it waits for something else is not.
pub(super) fn notice(before: &Update<Text>, after: &Update<Text>) -> Option<Notice> {
    let Shown { stage, words, .. } = after.shown.as_ref()?;
    let was = before.shown.as_ref().map(|shown| shown.stage);
    let [_, _, (_, is_bad)] = judged(*stage);
    (was != Some(*stage)).then(|| Notice {
        good: is_bad == Truth::False,
        reason: reason(*stage).as_str().to_owned(),
        action: "Update",
        note: words.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Update",
            "metadata": { "name": "shop-1", "namespace": "a", "uid": "u", "resourceVersion": "7", "generation": 1,
                "creationTimestamp": "2026-01-01T00:00:10Z" },
            "spec": { "stack": "shop", "bundle": "sha256:1", "planHash": "sha256:2" },
        });
        serde_json::from_value(object).expect("an object")
    }

    fn at(second: i64) -> Time {
        Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
    }

    fn tally() -> Plan {
        Plan { hash: "sha256:3".into(), create: 1, change: 2, delete: 3 }
    }

    fn bare_shown(stage: Stage) -> Shown<Text> {
        Shown { number: Some(Number(3)), stage, tally: None, done: 0, words: String::new() }
    }

    fn all() -> impl Iterator<Item = Shown<Text>> {
        let numbers = [None, Some(Number(3))];
        let words = ["", "why"];
        Stage::ALL.into_iter().flat_map(move |stage| {
            numbers.into_iter().flat_map(move |number| {
                words.into_iter().map(move |words| {
                    let tally = (!words.is_empty()).then(tally);
                    let done = tally.as_ref().map_or(0, |_| 2);
                    Shown { number, stage, tally, done, words: words.into() }
                })
            })
        })
    }

    #[test]
    fn what_it_shows_comes_back() {
        let bare = read(&raw()).expect("an update");
        assert_eq!((bare.shown.clone(), bare.created), (None, 1_767_225_610));
        assert_eq!((bare.digest.as_str(), bare.plan.as_deref()), ("sha256:1", Some("sha256:2")));
        for shown in all() {
            let mut raw = raw();
            let update = Update { shown: Some(shown), ..bare.clone() };
            draw_status(&update, &mut raw, &at(5));
            assert_eq!(read(&raw), Some(update.clone()));
            let drawn = raw.clone();
            draw_status(&update, &mut raw, &at(9));
            assert_eq!(raw, drawn, "what is read and drawn again is the same");
        }
    }

    #[test]
    fn every_condition_has_a_message() {
        let bare = read(&raw()).expect("an update");
        for shown in all() {
            let mut raw = raw();
            draw_status(&Update { shown: Some(shown), ..bare.clone() }, &mut raw, &at(5));
            let conditions = raw.data["status"]["conditions"].as_array().expect("conditions");
            assert!(conditions.iter().all(|one| one["message"] != ""), "{conditions:?}");
        }
    }

    #[test]
    fn a_spoiled_condition_makes_it_no_new_request() {
        let mut raw = raw();
        let shown = Shown { words: "waits".into(), ..bare_shown(Stage::Queued) };
        let update = Update { shown: Some(shown), ..read(&raw).expect("an update") };
        draw_status(&update, &mut raw, &at(5));
        raw.data["status"]["conditions"] = json!([]);
        assert_eq!(read(&raw), Some(update));
    }

    #[test]
    fn how_much_is_done_is_said_in_a_word() {
        let mut raw = raw();
        let shown = Shown { tally: Some(tally()), done: 4, ..bare_shown(Stage::Partial) };
        let update = Update { shown: Some(shown), ..read(&raw).expect("an update") };
        draw_status(&update, &mut raw, &at(5));
        let status = &raw.data["status"];
        assert_eq!(status["progress"], json!({ "done": 4, "total": 6, "summary": "4/6" }));
        assert_eq!(status["plan"], json!({ "hash": "sha256:3", "create": 1, "change": 2, "delete": 3 }));
    }

    #[test]
    fn when_it_began_and_ended_is_kept() {
        let mut raw = raw();
        let bare = read(&raw).expect("an update");
        let stages = [Stage::Queued, Stage::Processing, Stage::Partial, Stage::Succeeded, Stage::Succeeded];
        for (second, stage) in (1..).zip(stages) {
            draw_status(&Update { shown: Some(bare_shown(stage)), ..bare.clone() }, &mut raw, &at(second));
        }
        let status = &raw.data["status"];
        assert_eq!((&status["startedAt"], &status["finishedAt"]), (&json!(at(2)), &json!(at(4))));
    }

    #[test]
    fn what_is_new_is_told_with_the_reason_of_its_condition() {
        let bare = read(&raw()).expect("an update");
        for shown in all() {
            let mut raw = raw();
            let after = Update { shown: Some(shown.clone()), ..bare.clone() };
            draw_status(&after, &mut raw, &at(1));
            let told = notice(&bare, &after).expect("it is new");
            assert_eq!(raw.data["status"]["conditions"][0]["reason"], told.reason);
            assert_eq!(raw.data["status"]["phase"], told.reason, "its phase is the reason");
            let later = Update { shown: Some(Shown { words: "other".into(), ..shown }), ..bare.clone() };
            assert_eq!(notice(&after, &later), None);
        }
    }
}
