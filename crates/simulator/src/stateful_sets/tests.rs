//! Stateful sets.

use bowline_control::Write;
use serde_json::{Value, json};

use super::*;
use crate::step::Step;
use crate::thing::Id;

fn set(replicas: i64, policy: &str, template: u32) -> Thing {
    let body = json!({"spec": {"replicas": replicas, "podManagementPolicy": policy,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"n": template}}}});
    Thing::blank(Id::new(Kind::StatefulSet, "ns", "s"), body).edit(|set| set.uid = "u".into())
}

fn working(pod: &Thing, works: bool) -> Thing {
    let word = if works { "True" } else { "False" };
    pod.edit(|pod| pod.status = json!({"conditions": [{"type": "Ready", "status": word}]}))
}

/// What is done, told as `+` and `-` before names, until nothing is to be done. Pods that are made work or not.
fn run(set: &Thing, near: &mut Vec<Thing>, works: bool) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..50 {
        let snapshot = Snapshot { it: Some(set.clone()), near: near.clone() };
        let Decision::Do(Step::Write { write, .. }) = decide(set, &snapshot) else { return told };
        match *write {
            Write::Create(thing) if thing.id.kind == Kind::Pod => {
                told.push(format!("+{}", thing.id.name));
                near.push(working(&thing, works));
            }
            Write::Create(thing) => near.push(thing),
            Write::Delete(thing) => {
                told.push(format!("-{}", thing.id.name));
                near.retain(|other| other.id != thing.id);
            }
            Write::Change { after, .. } | Write::Status { after, .. } => {
                near.retain(|other| other.id != after.id);
                near.push(after);
            }
        }
    }
    panic!("it does not come to rest");
}

#[test]
fn pods_come_and_go_in_order() {
    let mut near = Vec::new();
    assert_eq!(run(&set(2, "OrderedReady", 1), &mut near, true), ["+s-0", "+s-1"]);
    assert_eq!(run(&set(0, "OrderedReady", 1), &mut near, true), ["-s-1", "-s-0"]);
}

#[test]
fn who_waits_for_those_before_it_is_not_made() {
    assert_eq!(run(&set(3, "OrderedReady", 1), &mut Vec::new(), false), ["+s-0"]);
    assert_eq!(run(&set(3, "Parallel", 1), &mut Vec::new(), false), ["+s-0", "+s-1", "+s-2"]);
}

#[test]
fn a_new_template_goes_from_the_highest_to_the_lowest() {
    let mut near = Vec::new();
    run(&set(2, "OrderedReady", 1), &mut near, true);
    assert_eq!(run(&set(2, "OrderedReady", 2), &mut near, true), ["-s-1", "+s-1", "-s-0", "+s-0"]);
    // And stops at the first that does not work.
    assert_eq!(run(&set(2, "OrderedReady", 3), &mut near, false), ["-s-1", "+s-1"]);
    assert!(run(&set(2, "OrderedReady", 4), &mut near, true).is_empty());
    assert_eq!(run(&set(2, "Parallel", 4), &mut near, true), ["-s-1", "+s-1", "-s-0", "+s-0"]);
}

#[test]
fn a_pod_without_owner_is_adopted_if_it_is_selected() {
    let mut near = Vec::new();
    run(&set(1, "OrderedReady", 1), &mut near, true);
    let orphaned = |thing: &Thing| thing.edit(|thing| thing.owner = None);
    near = near.iter().map(orphaned).collect();
    let again = set(1, "OrderedReady", 1).edit(|set| set.uid = "v".into());
    assert!(run(&again, &mut near, true).is_empty());
    assert!(near.iter().all(|thing| thing.is_of(&again)));
}

#[test]
fn the_current_revision_moves_when_all_pods_have() {
    let mut near = Vec::new();
    let first = set(2, "OrderedReady", 1);
    run(&first, &mut near, true);
    let snapshot = |near: &[Thing]| Snapshot { it: None, near: near.to_vec() };
    let said: Value = status(&first, &snapshot(&near));
    assert_eq!(said["currentRevision"], said["updateRevision"]);
    let second = set(2, "OrderedReady", 2).edit(|set| set.status = said.clone());
    let halfway = status(&second, &snapshot(&near));
    assert_eq!(
        (&halfway["currentRevision"], &halfway["updatedReplicas"]),
        (&said["currentRevision"], &Value::Null)
    );
    run(&second, &mut near, true);
    let done = status(&second, &snapshot(&near));
    assert_eq!(done["currentRevision"], done["updateRevision"]);
    assert_ne!(done["currentRevision"], said["currentRevision"]);
}
