//! The rules of grants: they hold at the door what placements promise.

use serde_json::{Value, json};

use crate::cases::{Case, Way, changed, created, new};

const KIND: &str = "VolumeGrant";

fn granted(target: &str, epoch: u64) -> Value {
    json!({"state": "Granted", "holder": target, "epoch": epoch, "users": [{"target": target, "epoch": epoch, "fenceEpoch": 1}]})
}

fn nobody() -> Value {
    json!({"state": "Released", "holder": null, "users": null})
}

/// What happens to a volume that moves.
pub(crate) fn life() -> Vec<(Way, Value)> {
    let east = |state: &str, said: Value| json!({"users": [{"target": "east", "epoch": 1, "fenceEpoch": 1, "state": state, "said": said}]});
    vec![
        (Way::Create, new(KIND)),
        (Way::Status, granted("east", 1)),
        (Way::Status, east("Granted", json!("Ready"))),
        (Way::Status, east("Releasing", Value::Null)),
        (Way::Status, east("Releasing", json!("Released"))),
        (Way::Status, nobody()),
        (Way::Status, granted("west", 2)),
        (Way::Status, nobody()),
        (Way::Status, json!({"destroyed": true, "state": "Deleting"})),
    ]
}

/// A restored hub finds another user than it remembers.
pub(crate) fn recovery() -> Vec<(Way, Value)> {
    vec![
        (Way::Create, new(KIND)),
        (Way::Status, granted("east", 1)),
        (Way::Status, json!({"recovering": {"restore": 1, "awaits": ["east", "west"]}, "epoch": 1001})),
        (Way::Status, json!({"recovering": null, "users": [{"target": "west", "epoch": 7}], "epoch": 1001})),
    ]
}

pub(crate) fn wrong() -> Vec<Case> {
    let after = |first: Value, then: Value, message| {
        let steps = vec![(Way::Create, new(KIND)), (Way::Status, first), (Way::Status, then)];
        Case { kind: KIND, steps, message, rule: true }
    };
    let abandoned = json!({"spec": {"abandoned": {"by": "anna", "at": "2026-01-01T00:00:00Z"}}});
    vec![
        created(
            KIND,
            json!({"metadata": {"name": "a-data"}}),
            "a grant is named namespace.claim, so that a volume has one only",
        ),
        changed(KIND, json!({"spec": {"sharing": "Shared"}}), "a grant stays that of its volume"),
        Case {
            kind: KIND,
            steps: vec![
                (Way::Create, new(KIND)),
                (Way::Change, abandoned),
                (Way::Change, json!({"spec": {"abandoned": null}})),
            ],
            message: "what was abandoned is not taken up again: another volume may be in its place",
            rule: true,
        },
        after(json!({"epoch": 2}), json!({"epoch": 1}), "an epoch never falls"),
        after(
            json!({"epoch": 1}),
            Value::Null,
            "the status of a grant is who has the volume, and is never taken away",
        ),
        after(
            granted("east", 1),
            granted("west", 2),
            "a holder lets go, or is fenced, before there is another one",
        ),
        after(
            json!({"epoch": 1}),
            granted("east", 1),
            "who is granted something new is granted it in a greater epoch",
        ),
        after(json!({"destroyed": true}), json!({"destroyed": null}), "what was deleted does not come back"),
    ]
}
