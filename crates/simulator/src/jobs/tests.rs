//! Jobs.

use bowline_control::Write;
use serde_json::{Value, json};

use super::*;
use crate::step::Step;
use crate::thing::Id;

fn job(spec: Value) -> Thing {
    Thing::blank(Id::new(Kind::Job, "ns", "j"), json!({ "spec": spec })).edit(|job| job.uid = "u".into())
}

fn at(seconds: u64) -> Moment {
    Moment { wall: Millis(seconds * 1_000), ..Moment::default() }
}

/// Makes all pods that are to be made, each of which ends so.
fn run(job: &Thing, phase: &str) -> Snapshot {
    let mut snapshot = Snapshot { it: Some(job.clone()), near: Vec::new() };
    for _ in 0..50 {
        let Decision::Do(Step::Write { write, .. }) = decide(job, &snapshot, at(1)) else { return snapshot };
        let Write::Create(pod) = *write else { panic!("only pods are made") };
        assert!(snapshot.near.iter().all(|other| other.id != pod.id));
        snapshot.near.push(pod.edit(|pod| pod.status = json!({ "phase": phase })));
    }
    panic!("it does not come to rest");
}

#[test]
fn so_many_pods_end_well_as_are_wanted() {
    for mode in ["NonIndexed", "Indexed"] {
        let job = job(json!({"completions": 3, "parallelism": 2, "completionMode": mode}));
        let snapshot = run(&job, "Succeeded");
        assert_eq!(snapshot.near.len(), 3);
        let status = status(&job, &snapshot, at(2));
        assert!(conditions::holds(&status, "Complete"));
        assert_eq!(status["completedIndexes"] == "0-2", mode == "Indexed");
        assert_eq!(decide(&job.edit(|job| job.status = status), &snapshot, at(2)), Decision::Converged);
    }
}

#[test]
fn pods_that_share_a_queue_are_not_made_again() {
    let job = job(json!({"parallelism": 2}));
    let mut snapshot = run(&job, "Running");
    assert_eq!(snapshot.near.len(), 2);
    snapshot.near[0] = snapshot.near[0].edit(|pod| pod.status = json!({"phase": "Succeeded"}));
    assert_eq!(decide(&job, &snapshot, at(1)), wait("its pods to end"));
    snapshot.near[1] = snapshot.near[1].edit(|pod| pod.status = json!({"phase": "Succeeded"}));
    assert!(conditions::holds(&status(&job, &snapshot, at(2)), "Complete"));
}

#[test]
fn too_many_failures_end_it() {
    let job = job(json!({"backoffLimit": 2, "completions": 1}));
    let snapshot = run(&job, "Failed");
    assert_eq!(snapshot.near.len(), 3);
    assert!(conditions::holds(&status(&job, &snapshot, at(2)), "Failed"));
}

#[test]
fn what_is_over_goes_when_its_time_has_come() {
    let over = json!({"conditions": [
        {"type": "Complete", "status": "True", "lastTransitionTime": "1970-01-01T00:01:00Z"}]});
    let job = job(json!({"ttlSecondsAfterFinished": 30})).edit(|job| job.status = over);
    let snapshot = Snapshot { it: Some(job.clone()), near: Vec::new() };
    let Decision::Wait { until, .. } = decide(&job, &snapshot, at(80)) else { panic!("it waits") };
    assert_eq!(until, Some(Millis(10_000)));
    assert_eq!(decide(&job, &snapshot, at(90)), delete(&job));
}
