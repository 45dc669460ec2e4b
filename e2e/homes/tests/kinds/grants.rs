//! The rules of grants: they hold at the door what placements promise.

use serde_json::{Value, json};

use crate::cases::{Case, Way, changed, created, new};

const KIND: &str = "VolumeGrant";

fn granted(holder: &str, epoch: u64) -> Value {
    json!({"spec": {"state": "Granted", "holder": holder, "epoch": epoch, "fenceEpoch": 1}})
}

/// What happens to a volume that moves.
pub(crate) fn life() -> Vec<(Way, Value)> {
    let report =
        |epoch: u64, uses: &str| json!({"reports": [{"target": "east", "epoch": epoch, "uses": uses}]});
    vec![
        (Way::Create, new(KIND)),
        (Way::Change, granted("east", 1)),
        (Way::Status, report(1, "InUse")),
        (Way::Change, json!({"spec": {"state": "Releasing"}})),
        (Way::Status, report(1, "Released")),
        (Way::Change, json!({"spec": {"state": "Released", "holder": null}})),
        (Way::Change, granted("west", 2)),
        (Way::Change, json!({"spec": {"state": "Fenced"}})),
        (Way::Change, json!({"spec": {"state": "Deleting", "holder": null}})),
    ]
}

/// A restored hub finds another user than it remembers.
pub(crate) fn recovery() -> Vec<(Way, Value)> {
    vec![
        (Way::Create, new(KIND)),
        (Way::Change, granted("east", 1)),
        (Way::Change, json!({"spec": {"recovering": true, "epoch": 1001}})),
        (Way::Change, json!({"spec": {"recovering": null, "holder": "west", "epoch": 1002}})),
    ]
}

pub(crate) fn wrong() -> Vec<Case> {
    let after = |first: Value, then: Value, message| {
        let steps = vec![(Way::Create, new(KIND)), (Way::Change, first), (Way::Change, then)];
        Case { kind: KIND, steps, message, rule: true }
    };
    let report = |epoch: u64| json!({"reports": [{"target": "east", "epoch": epoch, "uses": "InUse"}]});
    vec![
        created(
            KIND,
            json!({"metadata": {"name": "a-data"}}),
            "a grant is named namespace.claim, so that a volume has one only",
        ),
        changed(KIND, json!({"spec": {"sharing": "Shared"}}), "a grant stays that of its volume"),
        created(
            KIND,
            json!({"spec": {"sharing": "Shared", "holder": "east", "state": "Granted"}}),
            "an owned volume has a holder, a shared one has users",
        ),
        created(KIND, json!({"spec": {"state": "Granted"}}), "a grant is granted to somebody"),
        created(KIND, json!({"spec": {"holder": "east"}}), "what is released is held by nobody"),
        after(granted("east", 2), json!({"spec": {"epoch": 1}}), "an epoch never falls"),
        after(
            granted("east", 1),
            granted("west", 2),
            "a holder lets go, or is fenced, before there is another one",
        ),
        changed(KIND, granted("east", 0), "another holder has a greater epoch"),
        Case {
            kind: KIND,
            steps: vec![(Way::Create, new(KIND)), (Way::Status, report(2)), (Way::Status, report(1))],
            message: "an epoch never falls",
            rule: true,
        },
    ]
}
