//! Replica sets: as many pods as are wanted.

use std::cmp::Reverse;

use bowline_control::{Decision, Millis, Moment};
use serde_json::Value;

use crate::controller::Snapshot;
use crate::pods::{Seen, Template, available_at, free_name, make};
use crate::step::{Choice, create, delete, wait, wait_until};
use crate::thing::{Kind, Thing, put};
use crate::time::by_the_clock;

/// What is to be done about a replica set.
pub(crate) fn decide(set: &Thing, snapshot: &Snapshot, now: Moment) -> Choice {
    let all: Vec<_> = snapshot.owned(set, Kind::Pod).collect();
    let active: Vec<_> = all.iter().map(|pod| Seen::of(pod)).filter(|seen| seen.active).collect();
    let wanted = usize::try_from(set.wanted("replicas", 1)).unwrap_or(0);
    if active.len() < wanted {
        let name = free_name(set, &set.id.name, &all);
        let template = Template { owner: set, template: set.template(), name: &name, labels: &[] };
        return create(make(&template));
    }
    if active.len() > wanted {
        // Who does not work is missed least, then who came last.
        let last = active
            .iter()
            .min_by_key(|seen| (seen.ready, Reverse(seen.pod.created), Reverse(seen.pod.id.name.clone())));
        return last.map_or(Decision::Converged, |seen| delete(seen.pod));
    }
    let min_ready_s = set.wanted("minReadySeconds", 0);
    let times = active.iter().map(|seen| available_at(*seen, min_ready_s, now));
    let next = times.flatten().filter(|time| *time > now.wall).min();
    match next {
        Some(time) => wait_until("a pod to have been ready long enough", Some(by_the_clock(time, now))),
        None if active.iter().all(|seen| seen.ready) => Decision::Converged,
        None => wait("its pods to be ready"),
    }
}

/// What a replica set's status says.
pub(crate) fn status(set: &Thing, snapshot: &Snapshot, now: Moment) -> Value {
    let mut status = set.status.clone();
    let active: Vec<_> = snapshot.owned(set, Kind::Pod).map(Seen::of).filter(|seen| seen.active).collect();
    let min_ready_s = set.wanted("minReadySeconds", 0);
    let is_available = |seen: &&Seen<'_>| {
        available_at(**seen, min_ready_s, now).is_some_and(|time: Millis| time <= now.wall)
    };
    put(&mut status, "replicas", active.len().into());
    // Whoever changes a pod's labels by hand is not looked for.
    put(&mut status, "fullyLabeledReplicas", active.len().into());
    put(&mut status, "readyReplicas", active.iter().filter(|seen| seen.ready).count().into());
    put(&mut status, "availableReplicas", active.iter().filter(is_available).count().into());
    put(&mut status, "observedGeneration", set.generation.into());
    if !status["replicas"].is_number() {
        status["replicas"] = 0.into();
    }
    status
}

#[cfg(test)]
mod tests {
    use bowline_control::Write;
    use serde_json::json;

    use super::*;
    use crate::step::Step;
    use crate::thing::Id;

    fn set(replicas: i64, min_ready_s: i64) -> Thing {
        let spec = json!({"spec": {"replicas": replicas, "minReadySeconds": min_ready_s,
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}}});
        Thing::blank(Id::new(Kind::ReplicaSet, "ns", "s"), spec).edit(|set| set.uid = "u".into())
    }

    fn ready(set: &Thing, name: &str, ready: bool) -> Thing {
        let word = if ready { "True" } else { "False" };
        Thing::child(set, Kind::Pod, name, json!({})).edit(|pod| {
            pod.status = json!({"conditions": [
                {"type": "Ready", "status": word, "lastTransitionTime": "1970-01-01T00:00:10Z"}]});
        })
    }

    fn at(seconds: u64) -> Moment {
        Moment { clock: Millis(5), wall: Millis(seconds * 1_000), ..Moment::default() }
    }

    fn decided(set: &Thing, pods: &[Thing]) -> Choice {
        decide(set, &Snapshot { it: Some(set.clone()), near: pods.to_vec() }, at(20))
    }

    #[test]
    fn a_pod_that_was_made_is_not_made_again() {
        let set = set(2, 0);
        let mut pods = Vec::new();
        for _ in 0..2 {
            let Decision::Do(Step::Write { write, .. }) = decided(&set, &pods) else {
                panic!("a pod is made")
            };
            let Write::Create(pod) = *write else { panic!("a pod is made") };
            assert!(pods.iter().all(|other: &Thing| other.id != pod.id));
            pods.push(pod);
        }
        assert_eq!(decided(&set, &pods), wait("its pods to be ready"));
        let working: Vec<_> = pods.iter().map(|pod| ready(&set, &pod.id.name, true)).collect();
        assert_eq!(decided(&set, &working), Decision::Converged);
    }

    #[test]
    fn who_does_not_work_goes_first() {
        let set = set(1, 0);
        let pods = [ready(&set, "a", true), ready(&set, "b", false), ready(&set, "c", true)];
        assert_eq!(decided(&set, &pods), delete(&pods[1]));
        assert_eq!(decided(&set, &[pods[0].clone(), pods[2].clone()]), delete(&pods[2]));
    }

    #[test]
    fn who_is_going_does_not_count() {
        let set = set(1, 0);
        let going = ready(&set, "a", true).edit(|pod| pod.deleting = true);
        assert!(matches!(decided(&set, &[going]), Decision::Do(_)));
    }

    #[test]
    fn a_pod_is_available_when_it_was_ready_long_enough() {
        let set = set(1, 15);
        let snapshot = Snapshot { it: Some(set.clone()), near: vec![ready(&set, "a", true)] };
        assert_eq!(status(&set, &snapshot, at(20))["availableReplicas"], Value::Null);
        let Decision::Wait { until, .. } = decide(&set, &snapshot, at(20)) else { panic!("it waits") };
        assert_eq!(until, Some(Millis(5_005)));
        assert_eq!(status(&set, &snapshot, at(25))["availableReplicas"], 1);
        assert_eq!(decide(&set, &snapshot, at(25)), Decision::Converged);
    }
}
