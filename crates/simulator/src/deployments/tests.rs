//! Deployments.

use std::collections::BTreeMap;

use bowline_control::{Controller, Decision, Millis, Moment, Write};
use serde_json::{Value, json};

use super::*;
use crate::controller::Workloads;
use crate::step::Step;
use crate::thing::Id;

/// A deployment and its replica sets, whose pods somebody else brings.
struct Stage {
    deployment: Thing,
    sets: BTreeMap<String, Thing>,
    second: u64,
}

impl Stage {
    fn new(spec: Value) -> Stage {
        let deployment = Thing::blank(Id::new(Kind::Deployment, "ns", "d"), json!({ "spec": spec }));
        let deployment = deployment.edit(|deployment| {
            deployment.uid = "u".into();
            deployment.generation = 1;
        });
        Stage { deployment, sets: BTreeMap::new(), second: 100 }
    }

    fn now(&self) -> Moment {
        Moment { wall: Millis(self.second * 1_000), ..Moment::default() }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot { it: Some(self.deployment.clone()), near: self.sets.values().cloned().collect() }
    }

    /// Takes steps, until there is none; then the status is written. Every number of pods on the way is within bounds.
    fn settle(&mut self) {
        for _ in 0..100 {
            let snapshot = self.snapshot();
            let write = match Workloads.decide(&snapshot, self.now()) {
                Decision::Do(Step::Write { write, .. }) => *write,
                _ => {
                    let standing = bowline_control::Standing::Converged;
                    let Some(write) = Workloads.report(&snapshot, standing, self.now()) else { return };
                    write
                }
            };
            self.apply(write);
        }
        panic!("it does not come to rest");
    }

    fn apply(&mut self, write: Write<Thing>) {
        match write {
            Write::Create(set) => {
                assert!(!self.sets.contains_key(&set.id.name), "it is made twice");
                let second = self.second;
                let made = set.edit(|set| {
                    set.uid = set.id.name.clone();
                    set.created = Millis(second);
                    set.generation = 1;
                });
                self.sets.insert(made.id.name.clone(), made);
            }
            Write::Change { after, .. } | Write::Status { after, .. } => match after.id.kind {
                Kind::Deployment => self.deployment = after,
                _ => drop(self.sets.insert(after.id.name.clone(), after)),
            },
            Write::Delete(set) => drop(self.sets.remove(&set.id.name)),
        }
    }

    /// The pods of every set come, and work, unless the set's template says that they do not.
    fn pods_come(&mut self) {
        for set in self.sets.values_mut() {
            let has = set.wanted("replicas", 1);
            let works = if set.template()["broken"] == true { 0 } else { has };
            *set = set.edit(|set| {
                set.status = json!({"replicas": has, "readyReplicas": works, "availableReplicas": works,
                    "observedGeneration": set.generation});
            });
        }
    }

    fn retemplate(&mut self, template: Value) {
        self.second += 1;
        self.deployment = self.deployment.edit(|deployment| {
            deployment.body["spec"]["template"] = template;
            deployment.generation += 1;
        });
    }

    fn replicas(&self) -> Vec<i64> {
        let mut sets: Vec<_> = self.sets.values().collect();
        sets.sort_by_key(|set| set.created);
        sets.iter().map(|set| set.wanted("replicas", 1)).collect()
    }

    fn reason(&self) -> String {
        let condition = crate::conditions::find(&self.deployment.status, "Progressing");
        condition.and_then(|condition| condition["reason"].as_str()).unwrap_or_default().to_owned()
    }
}

fn rolling(replicas: i64, surge: Value, unavailable: Value) -> Value {
    json!({"replicas": replicas, "progressDeadlineSeconds": 10, "selector": {"matchLabels": {"a": "b"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}},
        "template": {"metadata": {"labels": {"a": "b"}}, "n": 1}})
}

/// A stage whose first template is rolled out.
fn up(spec: Value) -> Stage {
    let mut stage = Stage::new(spec);
    stage.settle();
    stage.pods_come();
    stage.settle();
    assert_eq!(stage.reason(), "NewReplicaSetAvailable");
    stage
}

#[test]
fn it_rolls_within_its_bounds() {
    for (surge, unavailable, ways) in [
        (json!(1), json!(0), vec![[3, 1], [2, 2], [1, 3], [0, 3]]),
        (json!(0), json!(1), vec![[2, 1], [1, 2], [0, 3]]),
        (json!("100%"), json!(0), vec![[3, 3], [0, 3]]),
        (json!("25%"), json!("25%"), vec![[3, 1], [2, 2], [1, 3], [0, 3]]),
    ] {
        let mut stage = up(rolling(3, surge.clone(), unavailable));
        stage.retemplate(json!({"metadata": {"labels": {"a": "b"}}, "n": 2}));
        let mut seen = Vec::new();
        for _ in 0..10 {
            stage.settle();
            if seen.last() != Some(&stage.replicas()) {
                seen.push(stage.replicas());
            }
            stage.pods_come();
        }
        assert_eq!(seen, ways, "{surge}");
        assert_eq!(stage.reason(), "NewReplicaSetAvailable");
    }
}

#[test]
fn who_does_not_get_on_is_told_so_and_a_new_template_begins_again() {
    let mut stage = up(rolling(4, json!(1), json!(1)));
    stage.retemplate(json!({"metadata": {"labels": {"a": "b"}}, "n": 2, "broken": true}));
    for _ in 0..5 {
        stage.settle();
        stage.pods_come();
    }
    stage.settle();
    assert_eq!((stage.replicas(), stage.reason()), (vec![3, 2], "ReplicaSetUpdated".into()));
    let due = progress::deadline(&stage.deployment, stage.now());
    assert_eq!(due, Some(Millis(10_000)));
    stage.second += 9;
    stage.settle();
    assert_eq!(stage.reason(), "ReplicaSetUpdated");
    stage.second += 1;
    stage.settle();
    assert_eq!(stage.reason(), "ProgressDeadlineExceeded");
    assert_eq!(progress::deadline(&stage.deployment, stage.now()), None);
    stage.retemplate(json!({"metadata": {"labels": {"a": "b"}}, "n": 1}));
    stage.settle();
    assert_eq!(stage.reason(), "ReplicaSetUpdated");
    for _ in 0..5 {
        stage.pods_come();
        stage.settle();
    }
    assert_eq!((stage.replicas(), stage.reason()), (vec![4, 0], "NewReplicaSetAvailable".into()));
    let revision = stage.deployment.annotations.get(REVISION).map(String::as_str);
    assert_eq!(revision, Some("3"));
}

#[test]
fn a_pod_that_is_lost_is_no_roll_out() {
    let mut stage = up(rolling(2, json!(1), json!(0)));
    for set in stage.sets.values_mut() {
        *set = set.edit(|set| set.status["availableReplicas"] = 1.into());
    }
    stage.second += 1_000;
    stage.settle();
    assert_eq!(stage.reason(), "NewReplicaSetAvailable");
    assert!(!crate::conditions::holds(&stage.deployment.status, "Available"));
}

#[test]
fn a_share_is_rounded_to_its_side() {
    assert_eq!(sets::share(&json!("25%"), 3, true), 1);
    assert_eq!(sets::share(&json!("25%"), 3, false), 0);
    assert_eq!(sets::share(&json!(2), 3, false), 2);
    assert_eq!(sets::share(&Value::Null, 3, true), 0);
}
