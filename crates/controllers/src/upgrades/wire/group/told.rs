//! What people are told of a group beside its status: a message, conditions and events.

use bowline_api::conditions::{ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::upgrades::{NodeGroup, NodeGroupStatus};
use bowline_runtime::Notice;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Group, Mood, Pair, Phase, SeatState, Status, Told, Wait};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use super::{Fields, LONGEST};
use crate::drawing::{cut, put};

/// How a group stands, in a word that does not change.
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

/// What was told, unless somebody has changed it since.
pub(super) fn read(group: &Group<Plain>, status: &NodeGroupStatus, said: &Value) -> Option<Told<Plain>> {
    let ready = status.conditions.get(&ConditionType::READY)?;
    let (mood, _) = MOODS.iter().find(|(_, reason)| *reason == ready.reason)?;
    let observed = u64::try_from(status.observed_generation?).ok()?;
    let is_plain = ready.message == unsaid(&group.status);
    let words = if is_plain { String::new() } else { ready.message.clone() };
    let told = Told { mood: *mood, words, observed };
    let mut again = said.as_object()?.clone();
    draw(group, &told, &mut again, &ready.last_transition_time);
    (Value::Object(again) == *said).then_some(told)
}

pub(super) fn draw(group: &Group<Plain>, told: &Told<Plain>, fields: &mut Fields, now: &Time) {
    let Told { mood, words, observed } = told;
    let generation = i64::try_from(*observed).ok();
    let (is_stalled, is_inactive) = (*mood == Mood::Stalled, group.status.phase == Phase::Inactive);
    let words = if words.is_empty() { unsaid(&group.status) } else { cut(words, LONGEST) };
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    for (kind, is) in [
        (ConditionType::READY, *mood == Mood::Well && is_inactive),
        (
            ConditionType::RECONCILING,
            !is_stalled && (!is_inactive || matches!(mood, Mood::Waiting | Mood::Failing)),
        ),
        (ConditionType::STALLED, is_stalled),
    ] {
        let is = if is { Truth::True } else { Truth::False };
        let is_asked = kind == ConditionType::RECONCILING && asks(*mood, &words);
        let why = if is_asked { NodeGroup::AWAITS_COMMAND } else { reason(*mood) };
        let judgement = Judgement::new(kind, is, why, words.clone());
        conditions.set(judgement.of_generation(generation), now);
    }
    // It is said of who has ever been in doubt, and of nobody else.
    let is_suspect = words.contains(&Wait::<Plain>::Trust.to_string());
    if is_suspect || conditions.get(&ConditionType::HUB_SUSPECT).is_some() {
        let is = if is_suspect { Truth::True } else { Truth::False };
        let judgement = Judgement::new(ConditionType::HUB_SUSPECT, is, reason(*mood), words.clone());
        conditions.set(judgement.of_generation(generation), now);
    }
    put(fields, "conditions", Some(json!(conditions)));
    put(fields, "observedGeneration", generation.map(Value::from));
    put(fields, "message", Some(json!(words)));
}

/// Whether what is waited for is a person who says how the upgrade goes on, and nothing else.
fn asks(mood: Mood, words: &str) -> bool {
    let Some(what) = words.strip_prefix("waits for ").filter(|_| mood == Mood::Waiting) else { return false };
    Phase::ALL.iter().any(|phase| what == Wait::<Plain>::Person(*phase).to_string())
}

/// What is so when nothing else is to be said: nobody is left without a message.
fn unsaid(status: &Status<Plain>) -> String {
    match (status.phase, &status.pair, &status.serving) {
        (Phase::Initialized, Some(Pair { old, new }), _) => {
            format!("members go from {old} to {new}, and {old} serves")
        }
        (Phase::Upgraded, Some(Pair { old, new }), _) => {
            format!("{new} serves; until the commit there is a way back to {old}")
        }
        (Phase::RolledBack, Some(Pair { old, new }), _) => format!("members go back from {new} to {old}"),
        (Phase::Inactive, _, Some(serving)) => format!("{serving} serves"),
        (Phase::Inactive, _, None) => "nothing runs yet".into(),
        (_, None, _) => "it is not known which versions this upgrade is about".into(),
    }
}

/// What becomes of an upgrade is told, who is lost or crashes, what is refused, and that it needs a person. One write may bring several
/// of these: a crash rolls back in the write that records it, and who reads why it went back has to find the crash.
pub(crate) fn notices(before: &Group<Plain>, after: &Group<Plain>) -> Vec<Notice> {
    let (was, is) = (&before.status, &after.status);
    struck(was, is)
        .into_iter()
        .chain(phase(was, is))
        .chain(refused(was, is))
        .chain(stalled(before, after))
        .collect()
}

fn news(reason: &str, good: bool, note: String) -> Notice {
    Notice { good, reason: reason.to_owned(), action: "Upgrade", note }
}

/// Who is lost, or has crashed.
fn struck(was: &Status<Plain>, is: &Status<Plain>) -> Vec<Notice> {
    let is_new = |name: &String, state: SeatState| {
        is.seats.get(name).is_some_and(|seat| seat.state == state)
            && was.seats.get(name).is_none_or(|seat| seat.state != state)
    };
    let of = |(state, reason, words): (SeatState, &str, &str)| {
        let who: Vec<_> = is.seats.keys().filter(|name| is_new(name, state)).cloned().collect();
        (!who.is_empty()).then(|| news(reason, false, format!("{}: {words}", who.join(", "))))
    };
    let states = [
        (SeatState::Lost, "MemberLost", "its lease has lapsed"),
        (SeatState::Crashed, "MemberCrashed", "its software died more often than it is started again"),
    ];
    states.into_iter().filter_map(of).collect()
}

/// How far the upgrade has come.
fn phase(was: &Status<Plain>, is: &Status<Plain>) -> Option<Notice> {
    let (reason, good) = match (was.phase, is.phase) {
        (old, new) if old == new => return None,
        (Phase::Upgraded, Phase::Inactive) => ("Committed", true),
        (_, Phase::Inactive) => ("Reset", true),
        (_, Phase::Initialized) => ("Initialized", true),
        (_, Phase::Upgraded) => ("Upgraded", true),
        (_, Phase::RolledBack) => ("RolledBack", false),
    };
    Some(news(reason, good, unsaid(is)))
}

fn refused(was: &Status<Plain>, is: &Status<Plain>) -> Option<Notice> {
    let answered = is.answered.as_ref().filter(|answered| was.answered.as_ref() != Some(answered))?;
    answered.refused.as_ref().map(|why| news("CommandRefused", false, why.clone()))
}

fn stalled(before: &Group<Plain>, after: &Group<Plain>) -> Option<Notice> {
    let told = after.told.as_ref().filter(|told| told.mood == Mood::Stalled)?;
    let is_news = before.told.as_ref().is_none_or(|was| was.mood != told.mood);
    is_news.then(|| news(reason(told.mood).as_str(), false, told.words.clone()))
}
