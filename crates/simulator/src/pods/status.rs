//! What a pod's status says.

use bowline_control::Moment;
use serde_json::{Value, json};

use super::fate::{Fate, fate};
use crate::conditions::{self, Condition};
use crate::names;
use crate::thing::{Thing, put};
use crate::time::written;

/// Where the one node is said to be: an address that is for documentation, and leads nowhere.
pub(crate) const NODE_ADDRESS: &str = "192.0.2.1";

/// What a pod's status says.
pub(crate) fn status(pod: &Thing, now: Moment) -> Value {
    let mut status = pod.status.clone();
    // Who has no node has not begun.
    if !pod.spec()["nodeName"].is_string() {
        return status;
    }
    let fate = fate(pod);
    let phase = match fate {
        Fate::Ready | Fate::Unready | Fate::CrashLoop => "Running",
        Fate::Succeeded => "Succeeded",
        Fate::Failed => "Failed",
    };
    put(&mut status, "phase", phase.into());
    put(&mut status, "hostIP", NODE_ADDRESS.into());
    put(&mut status, "hostIPs", json!([{ "ip": NODE_ADDRESS }]));
    let address = address(&pod.uid);
    put(&mut status, "podIPs", json!([{ "ip": address }]));
    put(&mut status, "podIP", address.into());
    if !status["startTime"].is_string() {
        put(&mut status, "startTime", written(now.wall).into());
    }
    let started = status["startTime"].clone();
    let containers = pod.spec()["containers"].as_array().into_iter().flatten();
    let shown: Vec<_> = containers.map(|container| shown(container, fate, &started)).collect();
    put(&mut status, "containerStatuses", shown.into());
    for (kind, is) in [
        ("PodReadyToStartContainers", matches!(phase, "Running")),
        ("Initialized", true),
        ("Ready", fate == Fate::Ready),
        ("ContainersReady", fate == Fate::Ready),
        ("PodScheduled", true),
    ] {
        let ended = fate == Fate::Succeeded && kind != "PodScheduled";
        let reason = if is {
            ""
        } else if ended {
            "PodCompleted"
        } else {
            "ContainersNotReady"
        };
        conditions::say(&mut status, Condition { reason, ..Condition::plain(kind, is) }, now);
    }
    status
}

/// How a container is shown. Its times are those of its pod, so that they do not move.
fn shown(container: &Value, fate: Fate, started: &Value) -> Value {
    let ended = |code: i64, reason: &str| {
        json!({ "terminated": {
            "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": started } })
    };
    let state = match fate {
        Fate::Ready | Fate::Unready => json!({ "running": { "startedAt": started } }),
        Fate::CrashLoop => json!({ "waiting": {
            "reason": "CrashLoopBackOff", "message": "the annotation bowline.dev/simulate asks for it" } }),
        Fate::Succeeded => ended(0, "Completed"),
        Fate::Failed => ended(1, "Error"),
    };
    let crashed = fate == Fate::CrashLoop;
    json!({
        "name": container["name"], "image": container["image"], "imageID": container["image"],
        "state": state, "lastState": if crashed { ended(1, "Error") } else { json!({}) },
        "ready": fate == Fate::Ready, "started": matches!(fate, Fate::Ready | Fate::Unready),
        "restartCount": i64::from(crashed),
    })
}

/// An address that nobody else is likely to have, and that stays.
fn address(uid: &str) -> String {
    let number = names::number(uid);
    format!("10.{}.{}.{}", number % 256, (number >> 8) % 256, 1 + (number >> 16) % 254)
}

#[cfg(test)]
mod tests {
    use bowline_control::Millis;

    use super::*;
    use crate::thing::{Id, Kind, same};

    fn pod(annotation: &str) -> Thing {
        let spec = json!({"spec": {"nodeName": "simulated", "containers": [{"name": "a", "image": "i"}]}});
        Thing::blank(Id::new(Kind::Pod, "ns", "p"), spec).edit(|pod| {
            pod.annotations.insert("bowline.dev/simulate".into(), annotation.into());
        })
    }

    #[test]
    fn a_status_that_was_written_stays() {
        let at = |seconds: u64| Moment { wall: Millis(seconds * 1_000), ..Moment::default() };
        for annotation in ["", "never-ready", "crash-loop"] {
            let pod = pod(annotation);
            let first = status(&pod, at(1));
            assert_eq!(conditions::holds(&first, "Ready"), annotation.is_empty());
            let again = status(&pod.edit(|pod| pod.status = first.clone()), at(2));
            assert!(same(&first, &again), "{first} {again}");
        }
    }

    #[test]
    fn who_has_no_node_has_not_begun() {
        let pod = pod("").edit(|pod| pod.body["spec"]["nodeName"] = Value::Null);
        assert_eq!(status(&pod, Moment::default()), Value::Null);
    }
}
