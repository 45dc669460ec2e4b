//! Conditions by the convention of Kubernetes: what is true of an object now, why, and since when.

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The longest message that a server takes, in characters.
const LONGEST_MESSAGE: usize = 32768;

/// A name in CamelCase that others rely on: it is part of the API, and checked when it is compiled.
macro_rules! stable_name {
    ($(#[$meta:meta])* $name:ident, $pattern:literal, $longest:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// A name of ours. In a constant, a name that is not in CamelCase does not compile.
            ///
            /// # Panics
            /// If it is not in CamelCase.
            pub const fn new(name: &'static str) -> Self {
                assert!(is_camel_case(name.as_bytes()), "not in CamelCase");
                Self(Cow::Borrowed(name))
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "minLength": 1, "maxLength": $longest, "pattern": $pattern})
            }
        }
    };
}

stable_name!(
    /// What a condition is about.
    ConditionType,
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    316
);
stable_name!(
    /// Why a condition is as it is, for programs.
    Reason,
    "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    1024
);

const fn is_camel_case(name: &[u8]) -> bool {
    let mut index = 0;
    while index < name.len() {
        if !name[index].is_ascii_alphanumeric() {
            return false;
        }
        index += 1;
    }
    !name.is_empty() && name[0].is_ascii_uppercase()
}

impl ConditionType {
    /// It does what it is for.
    pub const READY: ConditionType = ConditionType::new("Ready");
    /// A cluster answers.
    pub const REACHABLE: ConditionType = ConditionType::new("Reachable");
    /// Something is being done.
    pub const RECONCILING: ConditionType = ConditionType::new("Reconciling");
    /// Nothing more will be done until a person does something.
    pub const STALLED: ConditionType = ConditionType::new("Stalled");
    /// A person said that nothing is to be started.
    pub const PAUSED: ConditionType = ConditionType::new("Paused");
    /// What runs is not what was applied.
    pub const DRIFTED: ConditionType = ConditionType::new("Drifted");
    /// All parts of it exist.
    pub const COMPLETE: ConditionType = ConditionType::new("Complete");
    /// What is outside is what its spec says.
    pub const SYNCED: ConditionType = ConditionType::new("Synced");
    /// So many leases lapsed together that the hub trusts no lease for now.
    pub const HUB_SUSPECT: ConditionType = ConditionType::new("HubSuspect");
}

/// Whether it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Truth {
    /// It is.
    True,
    /// It is not.
    False,
    /// Nobody can tell.
    Unknown,
}

/// One condition of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Condition {
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: ConditionType,
    /// Whether it is so.
    pub status: Truth,
    /// Why, in one word that does not change, for programs.
    pub reason: Reason,
    /// Why, and what it waits for or what to do about it, for people.
    #[schemars(length(max = 32768))]
    pub message: String,
    /// The generation of the spec that was looked at. If it is older than `metadata.generation`, the condition may be too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// When `status` changed last.
    pub last_transition_time: Time,
}

/// What a condition is to say; since when, follows from what it said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    kind: ConditionType,
    status: Truth,
    reason: Reason,
    message: String,
    observed_generation: Option<i64>,
}

impl Judgement {
    /// It is so, or is not, or nobody can tell.
    pub fn new(kind: ConditionType, status: Truth, reason: Reason, message: impl Into<String>) -> Judgement {
        Judgement { kind, status, reason, message: cut(message.into()), observed_generation: None }
    }

    /// Of which generation of the spec that is said.
    #[must_use]
    pub fn of_generation(mut self, generation: Option<i64>) -> Judgement {
        self.observed_generation = generation;
        self
    }
}

/// A message that a server would refuse is of no use to anybody; its beginning is.
fn cut(mut message: String) -> String {
    // A text has at most as many characters as bytes: the common case costs nothing.
    if message.len() > LONGEST_MESSAGE
        && let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE - 1)
        && message[end..].chars().nth(1).is_some()
    {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// The conditions of an object, at most one of a type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Conditions(Vec<Condition>);

impl Conditions {
    /// Says something. The time is that of the last change of `status`, so that saying the same again changes
    /// nothing: whoever writes only what changed, writes nothing at rest. Returns whether anything changed.
    pub fn set(&mut self, said: Judgement, now: &Time) -> bool {
        let Judgement { kind, status, reason, message, observed_generation } = said;
        let old = self.0.iter_mut().find(|condition| condition.kind == kind);
        let since =
            old.as_ref().filter(|old| old.status == status).map(|old| old.last_transition_time.clone());
        let last_transition_time = since.unwrap_or_else(|| now.clone());
        let new = Condition { kind, status, reason, message, observed_generation, last_transition_time };
        match old {
            Some(old) if *old == new => return false,
            Some(old) => *old = new,
            None => self.0.push(new),
        }
        true
    }

    /// Takes a condition away that no longer means anything. Returns whether there was one.
    pub fn remove(&mut self, kind: &ConditionType) -> bool {
        let before = self.0.len();
        self.0.retain(|condition| condition.kind != *kind);
        self.0.len() < before
    }

    /// The condition of a type.
    pub fn get(&self, kind: &ConditionType) -> Option<&Condition> {
        self.0.iter().find(|condition| condition.kind == *kind)
    }

    /// Whether it is known to be so.
    pub fn is_true(&self, kind: &ConditionType) -> bool {
        self.get(kind).is_some_and(|condition| condition.status == Truth::True)
    }

    /// All of them, in the order in which they were first said.
    pub fn iter(&self) -> impl Iterator<Item = &Condition> {
        self.0.iter()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl JsonSchema for Conditions {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Conditions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<Condition>(),
            "maxItems": 16,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUED: Reason = Reason::new("Queued");
    const APPLIED: Reason = Reason::new("Applied");

    fn at(second: i64) -> Time {
        Time(k8s_openapi::jiff::Timestamp::from_second(second).unwrap_or_default())
    }

    fn ready(status: Truth, reason: Reason, message: &str) -> Judgement {
        Judgement::new(ConditionType::READY, status, reason, message)
    }

    fn since(conditions: &Conditions) -> Option<&Time> {
        conditions.get(&ConditionType::READY).map(|condition| &condition.last_transition_time)
    }

    #[test]
    fn what_is_said_again_changes_nothing_whatever_the_time() {
        let mut conditions = Conditions::default();
        assert!(conditions.set(ready(Truth::False, QUEUED, "waits for version 3"), &at(1)));
        let before = conditions.clone();
        assert!(!conditions.set(ready(Truth::False, QUEUED, "waits for version 3"), &at(2)));
        assert_eq!(conditions, before);
    }

    #[test]
    fn the_time_moves_with_the_status_and_with_nothing_else() {
        let mut conditions = Conditions::default();
        conditions.set(ready(Truth::False, QUEUED, "a"), &at(1));
        for said in [
            ready(Truth::False, QUEUED, "b"),
            ready(Truth::False, APPLIED, "b"),
            ready(Truth::False, APPLIED, "b").of_generation(Some(2)),
        ] {
            assert!(conditions.set(said, &at(5)));
            assert_eq!(since(&conditions), Some(&at(1)));
        }
        assert!(conditions.set(ready(Truth::True, APPLIED, "b").of_generation(Some(2)), &at(7)));
        assert_eq!(since(&conditions), Some(&at(7)));
        assert!(conditions.is_true(&ConditionType::READY));
    }

    #[test]
    fn there_is_one_of_a_type_and_they_keep_their_places() {
        let mut conditions = Conditions::default();
        let stalled = |status| Judgement::new(ConditionType::STALLED, status, QUEUED, "");
        conditions.set(ready(Truth::True, APPLIED, ""), &at(1));
        conditions.set(stalled(Truth::True), &at(1));
        conditions.set(ready(Truth::Unknown, QUEUED, ""), &at(2));
        let types: Vec<_> = conditions.iter().map(|condition| condition.kind.as_str()).collect();
        assert_eq!(types, ["Ready", "Stalled"]);
        assert!(conditions.remove(&ConditionType::READY) && !conditions.remove(&ConditionType::READY));
        assert!(!conditions.is_true(&ConditionType::READY) && !conditions.is_empty());
    }

    #[test]
    fn a_message_is_cut_where_a_server_would_refuse_it() {
        let of = |message: &str| ready(Truth::True, APPLIED, message).message;
        let fits = "ä".repeat(LONGEST_MESSAGE);
        assert_eq!(of(&fits), fits);
        let cut = of(&format!("{fits}ä"));
        assert_eq!(cut.chars().count(), LONGEST_MESSAGE);
        assert!(cut.ends_with("ä…"));
    }

    #[test]
    fn names_are_in_camel_case() {
        assert!(is_camel_case(b"NoSuchBundle2"));
        for name in ["", "queued", "Not ready", "Not-ready", "2Many", "Größe"] {
            assert!(!is_camel_case(name.as_bytes()), "{name}");
        }
    }
}
