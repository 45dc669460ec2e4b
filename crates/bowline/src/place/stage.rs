//! How far a move has come, by who has what.

use bowline_api::placements::{GrantUser, Placement, Said, UseState, VolumeGrant};

/// A stage of a move, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// It is found out where it goes.
    Choose,
    /// Workloads are stopped where it was.
    Stop,
    /// Volumes are detached there, one after the other.
    Drain,
    /// All volumes are given up, and the namespace is.
    Release,
    /// Volumes and namespace are given to where it goes.
    Grant,
    /// Volumes are attached there.
    Attach,
    /// Workloads are started there.
    Start,
    /// They run.
    Done,
}

impl Stage {
    /// All but the end.
    const WAYS: [Stage; 7] =
        [Stage::Choose, Stage::Stop, Stage::Drain, Stage::Release, Stage::Grant, Stage::Attach, Stage::Start];

    /// The stages after this one and before that one: they were over before anybody looked.
    pub(super) fn between(self, to: Stage) -> impl Iterator<Item = Stage> {
        Stage::WAYS.into_iter().filter(move |stage| self < *stage && *stage < to)
    }

    /// What it is called.
    pub(super) fn word(self) -> &'static str {
        match self {
            Stage::Choose => "choose",
            Stage::Stop => "stop",
            Stage::Drain => "drain",
            Stage::Release => "release",
            Stage::Grant => "grant",
            Stage::Attach => "attach",
            Stage::Start => "start",
            Stage::Done => "done",
        }
    }
}

/// How far a namespace has come on its way to where it is to be; there, if that was said.
pub(super) fn stage(placement: &Placement, grants: &[VolumeGrant], to: Option<&str>) -> Stage {
    let status = placement.status.clone().unwrap_or_default();
    let desired = status.desired.as_ref().map(ToString::to_string);
    let Some(desired) = desired.filter(|desired| to.is_none_or(|to| to == desired)) else {
        return Stage::Choose;
    };
    let is_old = |user: &GrantUser| user.target.as_str() != desired || user.state != UseState::Granted;
    let of_volumes: Vec<Vec<GrantUser>> = grants
        .iter()
        .filter_map(|grant| grant.status.as_ref())
        .filter(|status| !status.destroyed)
        .map(|status| status.users.clone())
        .collect();
    let left = of_volumes.iter().filter(|users| !users.iter().any(is_old)).count();
    if status.users.iter().any(is_old) {
        return match left {
            0 if !of_volumes.is_empty() => Stage::Stop,
            left if left < of_volumes.len() => Stage::Drain,
            _ if of_volumes.is_empty() => Stage::Stop,
            _ => Stage::Release,
        };
    }
    if of_volumes.iter().flatten().any(is_old) {
        return Stage::Drain;
    }
    let its = |users: &[GrantUser]| users.iter().find(|user| user.target.as_str() == desired).cloned();
    let runs = its(&status.users);
    let unseen = grants.iter().filter(|grant| grant.status.is_none()).count();
    if runs.is_none() || unseen > 0 || of_volumes.iter().any(|users| its(users).is_none()) {
        return Stage::Grant;
    }
    let is_ready = |user: &GrantUser| user.said == Some(Said::Ready);
    if !of_volumes.iter().filter_map(|users| its(users)).all(|user| is_ready(&user)) {
        return Stage::Attach;
    }
    if runs.as_ref().is_some_and(is_ready) { Stage::Done } else { Stage::Start }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn user(target: &str, state: &str, said: Value) -> Value {
        json!([{ "target": target, "epoch": 1, "state": state, "said": said }])
    }

    /// Where a move from east to west is, if the namespace and its two volumes have these users.
    fn of(space: &Value, first: &Value, second: &Value) -> Stage {
        to("west", space, first, second)
    }

    /// The same of one to somewhere.
    fn to(to: &str, space: &Value, first: &Value, second: &Value) -> Stage {
        let placement = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement", "metadata": { "name": "placement", "namespace": "shop" },
            "spec": {}, "status": { "desired": "west", "users": space },
        });
        let grant = |claim: &str, users: &Value| {
            let object = json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "VolumeGrant", "metadata": { "name": format!("shop.{claim}") },
                "spec": { "namespace": "shop", "claim": claim }, "status": { "users": users },
            });
            serde_json::from_value(object).expect("a grant")
        };
        let placement = serde_json::from_value(placement).expect("a placement");
        stage(&placement, &[grant("a", first), grant("b", second)], Some(to))
    }

    #[test]
    fn a_move_goes_through_all_stages() {
        let none = json!([]);
        let old = user("east", "Releasing", Value::Null);
        let (granted, ready) =
            (user("west", "Granted", Value::Null), user("west", "Granted", json!("Ready")));
        assert_eq!(of(&user("east", "Granted", json!("Ready")), &old, &old), Stage::Stop);
        assert_eq!(of(&old, &old, &old), Stage::Stop);
        assert_eq!(of(&old, &none, &old), Stage::Drain);
        assert_eq!(of(&old, &none, &none), Stage::Release);
        assert_eq!(of(&none, &none, &none), Stage::Grant);
        assert_eq!(of(&none, &granted, &none), Stage::Grant);
        assert_eq!(of(&granted, &granted, &ready), Stage::Attach);
        assert_eq!(of(&granted, &ready, &ready), Stage::Start);
        assert_eq!(of(&ready, &ready, &ready), Stage::Done);
        // What is seen is from before anybody has looked where it is to go.
        assert_eq!(to("north", &ready, &ready, &ready), Stage::Choose);
    }

    #[test]
    fn stages_that_nobody_has_seen_are_those_between() {
        let between = |from: Stage, to| from.between(to).map(Stage::word).collect::<Vec<_>>();
        assert_eq!(between(Stage::Stop, Stage::Attach), ["drain", "release", "grant"]);
        assert_eq!(between(Stage::Attach, Stage::Done), ["start"]);
        assert!(between(Stage::Grant, Stage::Stop).is_empty(), "it was wanted elsewhere meanwhile");
    }
}
