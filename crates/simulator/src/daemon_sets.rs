//! Daemon sets: one pod, for there is one node.

use bowline_control::Decision;
use serde_json::Value;

use crate::controller::Snapshot;
use crate::pods::{Seen, Template, free_name, make};
use crate::revisions;
use crate::step::{Choice, create, delete, wait};
use crate::thing::{Kind, Thing, put};

/// What is to be done about a daemon set.
pub(crate) fn decide(set: &Thing, snapshot: &Snapshot) -> Choice {
    if let Some(kept) = revisions::keep(set, snapshot, &[]) {
        return kept;
    }
    let all: Vec<_> = snapshot.owned(set, Kind::Pod).collect();
    let mut there = all.iter().map(|pod| Seen::of(pod));
    let Some(seen) = there.next() else {
        let (name, hash) = (free_name(set, &set.id.name, &all), revisions::hash(set));
        let labels = [(revisions::LABEL, hash.as_str())];
        return create(make(&Template {
            owner: set,
            template: set.template(),
            name: &name,
            labels: &labels,
        }));
    };
    // One is enough.
    if let Some(other) = there.find(|other| !other.pod.deleting) {
        return delete(other.pod);
    }
    if seen.pod.deleting {
        return wait(format!("the {} to be gone", seen.pod.id));
    }
    let rolls = set.spec()["updateStrategy"]["type"] != "OnDelete";
    if !seen.active || (rolls && !is_updated(set, seen)) {
        return delete(seen.pod);
    }
    if seen.ready { Decision::Converged } else { wait(format!("the {} to be ready", seen.pod.id)) }
}

fn is_updated(set: &Thing, seen: Seen<'_>) -> bool {
    seen.pod.labels.get(revisions::LABEL) == Some(&revisions::hash(set))
}

/// What a daemon set's status says.
pub(crate) fn status(set: &Thing, snapshot: &Snapshot) -> Value {
    let mut status = set.status.clone();
    let there: Vec<_> = snapshot.owned(set, Kind::Pod).map(Seen::of).filter(|seen| seen.active).collect();
    let ready = i64::from(there.iter().any(|seen| seen.ready));
    status["currentNumberScheduled"] = i64::from(!there.is_empty()).into();
    status["desiredNumberScheduled"] = 1.into();
    status["numberMisscheduled"] = 0.into();
    status["numberReady"] = ready.into();
    put(&mut status, "numberAvailable", ready.into());
    put(&mut status, "numberUnavailable", (1 - ready).into());
    let updated = there.iter().any(|seen| is_updated(set, *seen));
    put(&mut status, "updatedNumberScheduled", i64::from(updated).into());
    put(&mut status, "observedGeneration", set.generation.into());
    status
}

#[cfg(test)]
mod tests {
    use bowline_control::Write;
    use serde_json::json;

    use super::*;
    use crate::step::Step;
    use crate::thing::Id;

    fn set(image: &str) -> Thing {
        let spec = json!({"spec": {"template": {"spec": {"containers": [{"image": image}]}}}});
        Thing::blank(Id::new(Kind::DaemonSet, "ns", "d"), spec).edit(|set| set.uid = "u".into())
    }

    fn made(set: &Thing, near: &[Thing]) -> Thing {
        let snapshot = Snapshot { it: Some(set.clone()), near: near.to_vec() };
        let Decision::Do(Step::Write { write, .. }) = decide(set, &snapshot) else { panic!("it is made") };
        let Write::Create(thing) = *write else { panic!("it is made") };
        thing
    }

    #[test]
    fn a_pod_of_an_old_template_is_made_again() {
        let first = set("a");
        let revision = made(&first, &[]);
        let pod = made(&first, std::slice::from_ref(&revision)).edit(|pod| {
            pod.status = json!({"conditions": [{"type": "Ready", "status": "True"}]});
        });
        let near = |set: &Thing, near: &[&Thing]| Snapshot {
            it: Some(set.clone()),
            near: near.iter().copied().cloned().collect(),
        };
        assert_eq!(decide(&first, &near(&first, &[&revision, &pod])), Decision::Converged);
        let second = set("b");
        let next = made(&second, &[revision.clone(), pod.clone()]);
        assert_eq!((&next.body["revision"], next.id.kind), (&json!(2), Kind::Revision));
        let with_both = near(&second, &[&revision, &next, &pod]);
        assert_eq!(decide(&second, &with_both), delete(&pod));
        // And back: the first is the newest again.
        let Decision::Do(Step::Write { write, .. }) =
            decide(&first, &near(&first, &[&revision, &next, &pod]))
        else {
            panic!("its number is raised")
        };
        let Write::Change { after, .. } = *write else { panic!("its number is raised") };
        assert_eq!(after.body["revision"], 3);
    }
}
