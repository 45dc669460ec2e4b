//! How an identity stands, in a word and in a sentence.

use anstyle::Style;
use bowline_api::conditions::{Condition, ConditionType, Truth};
use bowline_api::identities::IamRoleServiceAccount;

use super::status;
use crate::palette;

/// How an identity stands, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// The role can be assumed.
    Ready,
    /// Something is under way.
    Waiting,
    /// A step did not work, and is tried again.
    Failing,
    /// A person has to do something.
    Stalled,
    /// It is being deleted.
    Deleting,
    /// Nobody has looked at it as it is wanted now.
    Unknown,
}

impl Word {
    pub(super) fn text(self) -> &'static str {
        match self {
            Word::Ready => "ready",
            Word::Waiting => "waiting",
            Word::Failing => "failing",
            Word::Stalled => "stalled",
            Word::Deleting => "deleting",
            Word::Unknown => "unknown",
        }
    }

    pub(super) fn style(self) -> Style {
        match self {
            Word::Ready => palette::GOOD,
            Word::Failing | Word::Stalled => palette::BAD,
            Word::Deleting => palette::FAINT,
            Word::Waiting | Word::Unknown => palette::PLAIN,
        }
    }
}

/// How an identity stands, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    pub(super) word: Word,
    pub(super) why: String,
}

impl Standing {
    pub(super) fn of(identity: &IamRoleServiceAccount) -> Standing {
        let said = status(identity);
        let ready = said.conditions.get(&ConditionType::READY);
        let seen = said.observed_generation.or_else(|| ready?.observed_generation);
        let is_deleted = identity.metadata.deletion_timestamp.is_some();
        if ready.is_none() || seen != identity.metadata.generation {
            let word = if is_deleted { Word::Deleting } else { Word::Unknown };
            return Standing { word, why: "nobody has looked at it yet: do the controllers run?".to_owned() };
        }
        let is = |kind: &ConditionType| {
            said.conditions.get(kind).is_some_and(|condition| condition.status == Truth::True)
        };
        let of = ready.and_then(|ready| ready.observed_generation);
        let is_of_this = of.is_none() || of == identity.metadata.generation;
        // A role that can be assumed is ready, and says so; that something is tried again stands beside it.
        let is_failing = said
            .conditions
            .get(&ConditionType::SYNCED)
            .or(ready)
            .is_some_and(|told| told.reason.as_str() == "Failing");
        let word = if is(&ConditionType::STALLED) {
            Word::Stalled
        } else if is_deleted {
            Word::Deleting
        } else if is_failing {
            Word::Failing
        } else if is(&ConditionType::READY) && is_of_this {
            Word::Ready
        } else {
            Word::Waiting
        };
        let why = if said.message.is_empty() { told(ready) } else { said.message };
        Standing { word, why }
    }

    /// Both in one line.
    pub(super) fn line(&self) -> String {
        let Standing { word, why } = self;
        if why.is_empty() { word.text().to_owned() } else { format!("{}: {why}", word.text()) }
    }
}

fn told(condition: Option<&Condition>) -> String {
    condition.map(|condition| condition.message.clone()).unwrap_or_default()
}

/// Whether a condition of an identity is true.
pub(super) fn is(identity: &IamRoleServiceAccount, kind: &ConditionType) -> bool {
    let conditions = status(identity).conditions;
    conditions.get(kind).is_some_and(|condition| condition.status == Truth::True)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn identity(generation: i64, status: &Value) -> IamRoleServiceAccount {
        serde_json::from_value(json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": {"name": "reader", "namespace": "team", "generation": generation},
            "spec": {"managedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"]},
            "status": status,
        }))
        .expect("an identity")
    }

    fn conditions(ready: (&str, &str), stalled: &str) -> Value {
        let one = |kind: &str, status: &str, reason: &str| {
            json!({"type": kind, "status": status, "reason": reason, "message": "words",
                "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 2})
        };
        json!({"observedGeneration": 2,
            "conditions": [one("Ready", ready.0, ready.1), one("Stalled", stalled, "NeedsAttention")]})
    }

    #[test]
    fn how_it_stands_is_one_word() {
        let word = |generation, status: &Value| Standing::of(&identity(generation, status)).word;
        assert_eq!(word(1, &json!({})), Word::Unknown);
        assert_eq!(word(2, &conditions(("True", "Assumable"), "False")), Word::Ready);
        assert_eq!(word(2, &conditions(("False", "Waiting"), "False")), Word::Waiting);
        assert_eq!(word(2, &conditions(("False", "Failing"), "False")), Word::Failing);
        assert_eq!(word(2, &conditions(("True", "Assumable"), "True")), Word::Stalled);
        let mut edited = conditions(("True", "Assumable"), "False");
        edited["observedGeneration"] = json!(3);
        assert_eq!(word(3, &edited), Word::Waiting, "it is ready by what was before");
        edited["conditions"][0]["reason"] = json!("Failing");
        assert_eq!(word(3, &edited), Word::Failing);
        assert_eq!(word(3, &conditions(("True", "Assumable"), "False")), Word::Unknown, "it was of before");
        let mut deleted = identity(2, &conditions(("False", "Waiting"), "False"));
        deleted.metadata.deletion_timestamp = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
            k8s_openapi::jiff::Timestamp::UNIX_EPOCH,
        ));
        assert_eq!(Standing::of(&deleted).word, Word::Deleting);
    }
}
