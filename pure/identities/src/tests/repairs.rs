//! What others have changed is told when it is put right.

use super::*;
use crate::{Mood, Told};

/// The call that is decided.
fn called(snapshot: &Snapshot<Plain>) -> Call<Plain> {
    let Decision::Do(step) = decide(snapshot) else { panic!("nothing is done") };
    match controller().effect(snapshot, &step, NOW) {
        Effect::Call(call) => call,
        other => panic!("{other:?} asks nobody"),
    }
}

/// What is told of the call that is decided, when it is done.
fn repaired(snapshot: &Snapshot<Plain>) -> Option<(&'static str, String)> {
    called(snapshot).repair().map(|repair| (repair.what, repair.notice.message))
}

/// One that has come to rest, and was looked at again.
fn rested() -> Snapshot<Plain> {
    let mut snapshot = complete();
    let identity = snapshot.identity.as_mut().expect("one");
    identity.told = Some(Told { mood: Mood::Well, words: String::new(), observed: identity.generation });
    snapshot.memory.look.as_mut().expect("a look").news = true;
    snapshot
}

fn with(change: impl FnOnce(&mut Look<Plain>)) -> Snapshot<Plain> {
    let mut snapshot = rested();
    change(snapshot.memory.look.as_mut().expect("a look"));
    snapshot
}

fn its_role(look: &mut Look<Plain>) -> &mut Role<Plain> {
    look.role.as_mut().expect("a role")
}

#[test]
fn each_repair_is_told_with_what_it_is_about() {
    let cases = [
        (with(|look| look.policy = None), "policy", "made again"),
        (with(|look| its_role(look).trust = document("{}")), "trust", "others could assume"),
        (with(|look| its_role(look).boundary = Some("b".into())), "boundary", "taken off"),
        (with(|look| its_role(look).attached.clear()), "attachment", "policy/bowline-demo-team-reader-"),
        (with(|look| its_role(look).attached.push("theirs".into())), "foreign_attachment", "theirs"),
        (with(|look| its_role(look).inline.push("backdoor".into())), "inline_policy", "backdoor"),
    ];
    for (snapshot, what, part) in cases {
        let (is, words) = repaired(&snapshot).expect("it is told");
        assert!(is == what && words.contains(part), "{what}: {is}: {words}");
    }
    let mut edited = rested();
    edited.memory.look.as_mut().and_then(|look| look.policy.as_mut()).expect("one").document = document("{}");
    assert_eq!(repaired(&edited).map(|(what, _)| what), Some("policy_document"));
}

#[test]
fn what_a_person_wants_otherwise_is_no_drift() {
    let drifted = || with(|look| its_role(look).attached.push("theirs".into()));
    assert!(repaired(&drifted()).is_some());
    let mut edited = drifted();
    edited.identity.as_mut().expect("one").generation = 2;
    assert_eq!(repaired(&edited), None, "it has never been at rest like this");
    let mut known = drifted();
    known.memory.look.as_mut().expect("a look").news = false;
    assert_eq!(repaired(&known), None, "it is as we have left it: a cluster has another issuer");
    let mut failing = drifted();
    failing.identity.as_mut().expect("one").told = None;
    assert_eq!(repaired(&failing), None, "nobody knows that it ever was at rest");
}

#[test]
fn what_fails_on_the_way_is_a_repair_all_the_same() {
    let mut snapshot = rested();
    snapshot.memory.look = None;
    let look = called(&snapshot);
    assert!(look.rested && look.repair().is_none(), "a look repairs nothing");
    let identity = snapshot.identity.clone().expect("one");
    let mut role = role(&identity);
    role.attached.push("theirs".into());
    let said = Said::Seen { policy: Some(policy(&identity)), role: Some(role) };
    controller().learn(&mut snapshot.memory, &Step::Look, Reply { to: look, said }, NOW).expect("it is seen");
    snapshot.identity.as_mut().expect("one").told =
        Some(Told { mood: Mood::Failing, words: "Throttling".into(), observed: 1 });
    assert_eq!(repaired(&snapshot).map(|(what, _)| what), Some("foreign_attachment"));
}
