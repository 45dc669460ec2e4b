//! What people are told of placements and targets beside the truth: a message, conditions and events.

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_placements::plain::Plain;
use bowline_placements::{By, FenceState, Grant, Mood, Phase, Placement, Said, Target, Told, UseState};
use bowline_runtime::Notice;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Map, Value, json};

use crate::drawing::{cut, put};

/// The longest message that a server takes.
const LONGEST: usize = 32_768;

/// How something stands, in a word that does not change.
static MOODS: [(Mood, Reason); 4] = [
    (Mood::Well, Reason::new("AsWanted")),
    (Mood::Waiting, Reason::new("Waiting")),
    (Mood::Failing, Reason::new("Failing")),
    (Mood::Stalled, Reason::new("NeedsAttention")),
];

fn reason(mood: Mood) -> Reason {
    let known = MOODS.iter().find(|(other, _)| *other == mood);
    known.map_or(Reason::new("Unknown"), |(_, reason)| reason.clone())
}

/// What is told, and whether what it is about is as it should be.
pub(super) struct Face<'a> {
    pub(super) told: &'a Told<Plain>,
    pub(super) is_ready: bool,
}

/// What the conditions say, and since when.
pub(super) fn read(
    phase: Phase,
    conditions: &Conditions,
    observed: Option<i64>,
) -> Option<(Told<Plain>, Time)> {
    let ready = conditions.get(&ConditionType::READY)?;
    let (mood, _) = MOODS.iter().find(|(_, reason)| *reason == ready.reason)?;
    let observed = u64::try_from(observed?).ok()?;
    let told = Told { phase, mood: *mood, words: ready.message.clone(), observed };
    Some((told, ready.last_transition_time.clone()))
}

pub(super) fn draw(face: Face<'_>, fields: &mut Map<String, Value>, now: &Time) {
    let Face { told: Told { mood, words, observed, .. }, is_ready } = face;
    let generation = i64::try_from(*observed).ok();
    let words = cut(words, LONGEST);
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    let is_well = *mood == Mood::Well;
    for (kind, is) in [
        (ConditionType::READY, is_well && is_ready),
        (ConditionType::RECONCILING, matches!(mood, Mood::Waiting | Mood::Failing)),
        (ConditionType::STALLED, *mood == Mood::Stalled),
    ] {
        let is = if is { Truth::True } else { Truth::False };
        let judgement = Judgement::new(kind, is, reason(*mood), words.clone());
        conditions.set(judgement.of_generation(generation), now);
    }
    put(fields, "conditions", Some(json!(conditions)));
    put(fields, "observedGeneration", generation.map(Value::from));
    put(fields, "message", (!words.is_empty()).then(|| json!(words)));
}

fn notice(reason: &str, good: bool, note: String) -> Option<Notice> {
    Some(Notice { good, reason: reason.to_owned(), action: "Place", note })
}

/// What has become of a namespace is told: where it goes, who has it, who has not any more, and that it needs a person.
pub(super) fn of_placement(before: &Placement<Plain>, after: &Placement<Plain>) -> Option<Notice> {
    if let Some(news) = of_grant(&before.grant, &after.grant) {
        return Some(news);
    }
    if let Some(target) = after.desired.as_ref().filter(|_| before.desired != after.desired) {
        return notice("Placed", true, format!("it is to be on {target}"));
    }
    needs_a_person(before.told.as_ref(), after.told.as_ref())
}

/// Who gets something, and who has it no more.
pub(super) fn of_grant(before: &Grant<Plain>, after: &Grant<Plain>) -> Option<Notice> {
    for (target, was) in &before.users {
        if after.users.get(target).is_some_and(|is| is.epoch == was.epoch) {
            continue;
        }
        let has_said = matches!(was.said, Some(Said::Released | Said::Deleted));
        let epoch = was.epoch;
        return match (has_said && was.state != UseState::Granted, before.recovering.is_some()) {
            (_, true) => notice(
                "Dropped",
                false,
                format!("after a restore, {target} was not found to use it in epoch {epoch}"),
            ),
            (true, _) => notice("Released", true, format!("{target} has given it up, in epoch {epoch}")),
            (false, _) => {
                notice("Fenced", false, format!("{target} is fenced, and its grant in epoch {epoch} is void"))
            }
        };
    }
    let is_new = |(target, is): &(&String, &bowline_placements::Use)| {
        before.users.get(*target).is_none_or(|was| was.epoch != is.epoch)
    };
    let (target, is) = after.users.iter().find(is_new)?;
    notice("Granted", true, format!("granted to {target}, in epoch {}", is.epoch))
}

/// What becomes of a target's fence is told, and whether it is heard of.
pub(super) fn of_target(before: &Target<Plain>, after: &Target<Plain>) -> Option<Notice> {
    let (was, is) = (before.fence, after.fence);
    if was.state != is.state {
        let by = match is.by {
            By::Person => "by the word of a person",
            By::Driver => "by its driver",
            By::Epochs => "by its volumes, which enforce epochs",
        };
        return match is.state {
            FenceState::Requested => notice("FenceRequested", false, "it is to be fenced".to_owned()),
            FenceState::Fenced => {
                notice("Fenced", false, format!("it is fenced {by}, in epoch {}", is.epoch))
            }
            FenceState::Unfencing => notice("Unfencing", true, "its fence is taken down".to_owned()),
            FenceState::Open => notice("Unfenced", true, "it is not fenced any more".to_owned()),
        };
    }
    match (before.lapsed, after.lapsed) {
        (None, Some(_)) => return notice("Lost", false, "its lease has lapsed".to_owned()),
        (Some(_), None) => return notice("Returned", true, "it is heard of again".to_owned()),
        _ => {}
    }
    needs_a_person(before.told.as_ref(), after.told.as_ref())
}

fn needs_a_person(before: Option<&Told<Plain>>, after: Option<&Told<Plain>>) -> Option<Notice> {
    let told = after.filter(|told| told.mood == Mood::Stalled)?;
    let is_news = before.is_none_or(|was| was.mood != told.mood);
    is_news.then(|| notice(reason(told.mood).as_str(), false, told.words.clone())).flatten()
}
