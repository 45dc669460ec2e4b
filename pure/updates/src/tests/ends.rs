//! That everything ends: what could go on for ever, and what is told of it.

use std::sync::Arc;

use bowline_control::{Controller, Decision, Effect, Millis, Standing, Write};

use super::stacks::{after, change_sight, controller, decide, look, stack, starting};
use super::{HOUR, Plain, ROOM, applied, at, cluster, ours};
use crate::{
    Aim, Cluster, Fault, Fit, Good, Health, Inventory, Mood, Names, Number, Object, Outcome, Phase, Reply,
    Rhythm, Sight, Sights, Snapshot, Stage, Step, Wait,
};

const FIRST: Aim = Aim::Version(Number(1));

fn learn(s: &mut Snapshot<Plain>, step: Step, reply: Reply<Plain>) {
    // What did not work is told elsewhere.
    let _ = controller().learn(&mut s.memory, &step, reply, at(HOUR));
}

fn seen(s: &mut Snapshot<Plain>, sight: Sight<Plain>) {
    let sights = Arc::new([("x", sight)].into());
    learn(
        s,
        Step::Look(FIRST),
        Reply::Seen {
            attempt: 3,
            on: Some(cluster().uid),
            generation: 1,
            digest: Some("one".into()),
            allowed: true,
            sights,
        },
    );
}

fn written(s: &mut Snapshot<Plain>) {
    let outcomes = vec![("x", Outcome::Is(Box::new(ours(1))))];
    learn(s, Step::Write(FIRST), Reply::Written { attempt: 3, outcomes });
}

/// A stack at rest whose last good version is the first.
fn at_rest() -> Snapshot<Plain> {
    let mut s = applied();
    let it = stack(&mut s);
    it.status.phase = Phase::Idle;
    it.status.requests.clear();
    it.status.good = Some(Good { number: Number(1), digest: "one".into() });
    s.updates.clear();
    s.cluster.as_mut().expect("a cluster").updates.clear();
    s
}

fn told(s: &Snapshot<Plain>, wait: Wait) -> (Mood, String) {
    match controller().report(s, Standing::Waiting(&wait), at(HOUR)) {
        Some(Write::Status { after: Object::Stack(after), .. }) => {
            let told = after.told.expect("words");
            (told.mood, told.words)
        }
        other => panic!("nothing is told: {other:?}"),
    }
}

#[test]
fn what_does_not_stay_as_it_was_written_is_rolled_back_in_the_end() {
    let mut s = applied();
    let mut rounds = 0;
    loop {
        written(&mut s);
        seen(&mut s, Sight { fit: super::changed(), ..ours(1) });
        match decide(&s, HOUR) {
            Decision::Do(Step::Write(_)) => rounds += 1,
            Decision::Do(Step::BackOut(Fault::Tries)) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rounds, Rhythm::default().tries);
    let why = after(&s, Step::BackOut(Fault::Tries)).status.requests[0].why.clone();
    assert!(why.contains("x does not stay as it was written"), "{why}");
    // What somebody changes while nothing is written is drift, and no failure of ours.
    let mut s = applied();
    seen(&mut s, Sight { fit: super::changed(), ..ours(1) });
    assert_eq!(s.memory.tries, 0);
}

#[test]
fn what_cannot_be_tried_is_tried_again_and_fails_when_its_time_is_over() {
    let mut s = starting();
    change_sight(&mut s, |sight| sight.fit = Fit::Untried("x: its webhook does not answer".into()));
    let next = HOUR.plus(Rhythm::default().poll);
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::Trial, until: Some(next) });
    assert_eq!(decide(&s, next), Decision::Do(Step::Look(FIRST)));
    assert_eq!(told(&s, Wait::Trial), (Mood::Waiting, "x: its webhook does not answer".into()));
    look(&mut s).since = Millis(0);
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Fail(Number(1), Fault::Untried)));
    let failed = after(&s, Step::Fail(Number(1), Fault::Untried));
    assert_eq!(failed.status.requests[0].why, "x: its webhook does not answer");
    assert!(failed.status.quarantined.is_empty());
}

#[test]
fn a_rollback_goes_on_past_what_is_refused_and_stalls_with_the_reason() {
    let mut s = at_rest();
    stack(&mut s).status.phase = Phase::RollingBack(None);
    s.cluster.as_mut().expect("a cluster").updates = vec![("s", 3)];
    change_sight(&mut s, |sight| (sight.live, sight.fit) = (None, super::changed()));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Write(Aim::LastGood)));
    for _ in 0..=Rhythm::default().tries {
        let outcomes = vec![("x", Outcome::Refused("x: no room".into()))];
        learn(&mut s, Step::Write(Aim::LastGood), Reply::Written { attempt: 3, outcomes });
        assert_eq!(decide(&s, HOUR), Decision::Do(Step::Look(Aim::LastGood)));
        seen(&mut s, Sight { live: None, fit: super::changed() });
    }
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Stall(Fault::Refused)));
}

#[test]
fn who_is_stalled_goes_on_writing_as_long_as_it_works() {
    let mut s = at_rest();
    stack(&mut s).status.phase = Phase::Stalled(None);
    s.cluster.as_mut().expect("a cluster").updates = vec![("s", 3)];
    change_sight(&mut s, |sight| (sight.live, sight.fit) = (None, super::changed()));
    assert!(matches!(decide(&s, HOUR), Decision::Wait { what: Wait::Person, .. }), "not yet");
    look(&mut s).whole = false;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Write(Aim::LastGood)), "it has just written");
}

#[test]
fn who_is_stalled_tries_a_cluster_that_took_the_place_of_its_own_at_once() {
    let mut s = at_rest();
    let mut failed = applied().stack.expect("a stack").status.requests[0].clone();
    let why = "too slow; and what was there before could not be put back: its cluster is gone";
    (failed.stage, failed.why) = (Stage::PartialFailure, why.into());
    stack(&mut s).status.requests = vec![failed];
    stack(&mut s).status.phase = Phase::Stalled(Some(Number(1)));
    s.updates.clear();
    s.cluster.as_mut().expect("a cluster").ready = false;
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::ClusterReady, until: None });
    s.cluster.as_mut().expect("a cluster").ready = true;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Mend));
    *stack(&mut s) = after(&s, Step::Mend);
    assert_eq!(stack(&mut s).status.phase, Phase::RollingBack(Some(Number(1))), "it is that one's still");
    s.cluster = None;
    let stalled = after(&s, Step::Stall(Fault::NoCluster));
    assert_eq!(stalled.status.requests[0].why, why, "and that is said once");
}

#[test]
fn that_a_newer_version_was_looked_at_gives_an_older_one_no_more_time() {
    let mut s = applied();
    look(&mut s).since = Millis(5);
    let on = Some(cluster().uid);
    let other = Reply::Seen {
        attempt: 3,
        on,
        generation: 1,
        digest: Some("two".into()),
        allowed: true,
        sights: Arc::default(),
    };
    learn(&mut s, Step::Look(Aim::Version(Number(2))), other.clone());
    assert_eq!(look(&mut s).since, HOUR, "it has its own time");
    seen(&mut s, ours(1));
    assert_eq!(look(&mut s).since, Millis(5));
    learn(&mut s, Step::Look(Aim::Version(Number(2))), other);
    written(&mut s);
    seen(&mut s, ours(1));
    assert_eq!(look(&mut s).since, HOUR, "something was written");

    look(&mut s).since = Millis(5);
    let on = Some(cluster().uid + 1);
    let other = |on| Reply::Seen {
        attempt: 3,
        on,
        generation: 1,
        digest: Some("two".into()),
        allowed: true,
        sights: Arc::default(),
    };
    learn(&mut s, Step::Look(Aim::Version(Number(2))), other(Some(cluster().uid)));
    learn(&mut s, Step::Look(Aim::Version(Number(2))), other(on));
    let first = Reply::Seen {
        attempt: 3,
        on,
        generation: 1,
        digest: Some("one".into()),
        allowed: true,
        sights: Arc::default(),
    };
    learn(&mut s, Step::Look(FIRST), first);
    assert_eq!(look(&mut s).since, HOUR, "it has not waited on this cluster");
}

#[test]
fn what_was_seen_on_another_cluster_of_the_name_says_nothing() {
    let s = applied();
    let of = |uid: Option<u8>| {
        let cluster = uid.map(|uid| Object::Cluster(Cluster { uid, ..cluster() }));
        let stack = Object::Stack(s.stack.clone().expect("a stack"));
        let objects: Vec<_> = cluster.iter().chain([&stack]).collect();
        Snapshot::of(&objects, &s.memory).memory.look.is_some()
    };
    assert!(of(Some(1)));
    assert!(!of(Some(2)), "it is another one");
    assert!(!of(None), "it is gone");
}

#[test]
fn who_was_not_allowed_looks_again_when_something_else_is_wanted_of_the_cluster() {
    let s = applied();
    let of = |allowed: bool, generation: u64| {
        let mut memory = s.memory.clone();
        memory.look.as_mut().expect("a look").allowed = allowed;
        let cluster = Object::Cluster(Cluster { generation, ..cluster() });
        let stack = Object::Stack(s.stack.clone().expect("a stack"));
        Snapshot::of(&[&cluster, &stack], &memory).memory.look.is_some()
    };
    assert!(of(false, 1), "it is as it was");
    assert!(!of(false, 2), "it may be allowed now");
    assert!(of(false, 0), "what is shown of the cluster is older than the look");
    assert!(of(true, 2), "who may lose what was allowed learns it in time");
}

/// Nothing bounds how often the hub does not take an inventory.
#[test]
fn a_version_begins_by_what_was_seen_just_before_however_late_its_inventory_is_kept() {
    let mut s = starting();
    stack(&mut s).status.inventory = None;
    change_sight(&mut s, |sight| (sight.live, sight.fit) = (None, super::changed()));
    let old = HOUR.plus(Rhythm::default().lease);
    let young = old.since(Millis(1));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Store(FIRST)));
    learn(&mut s, Step::Store(FIRST), Reply::Failed("no answer".into()));
    assert_eq!(decide(&s, young), Decision::Do(Step::Store(FIRST)), "it is tried again");
    assert_eq!(decide(&s, old), Decision::Do(Step::Look(FIRST)), "but not by what was seen so long ago");
    let inventory = Arc::new(Inventory([("x", crate::Origin::Created)].into()));
    learn(&mut s, Step::Store(FIRST), Reply::Stored(inventory));
    assert_eq!(decide(&s, young), Decision::Do(Step::Begin(Number(1))));
    assert_eq!(decide(&s, old), Decision::Do(Step::Look(FIRST)), "nor is it begun by that");
    look(&mut s).at = old;
    assert_eq!(decide(&s, old), Decision::Do(Step::Begin(Number(1))), "what is kept is not kept again");
}

#[test]
fn what_waits_ends_with_its_stack_or_its_cluster() {
    let mut s = at_rest();
    let mut waiting = applied().stack.expect("a stack").status.requests[0].clone();
    (waiting.number, waiting.stage) = (Number(2), Stage::Queued);
    stack(&mut s).status.requests.push(waiting);
    let gone = Snapshot { cluster: None, ..s.clone() };
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Cancel), "nobody asks for it");
    s.updates = applied().updates;
    let gone = Snapshot { updates: s.updates.clone(), ..gone };
    let is = |s: &Snapshot<Plain>, why| {
        let mut s = s.clone();
        if let Some(shown) = &mut s.updates[0].shown {
            (shown.number, shown.stage) = (Some(Number(2)), Stage::Queued);
        }
        assert_eq!(decide(&s, HOUR), Decision::Do(Step::Fail(Number(2), why)));
    };
    is(&gone, Fault::NoCluster);
    stack(&mut s).deleting = true;
    is(&s, Fault::Deleted);
}

#[test]
fn a_stack_that_is_made_again_counts_on_and_shows_what_nobody_knows_once() {
    let mut s = applied();
    // The update of the stack that was there before shows a number that this one has given again.
    let mut stray = s.updates[0].clone();
    (stray.name, stray.uid) = ("old", 9);
    s.updates.push(stray);
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Show(Number(1))));
    let Effect::Write(Write::Status { after: Object::Update(shown), .. }) =
        controller().effect(&s, &Step::Show(Number(1)), at(HOUR))
    else {
        panic!("nothing is shown")
    };
    assert_eq!((shown.name, shown.shown.expect("shown").stage), ("old", Stage::Superseded));

    let mut new = s.updates[0].clone();
    (new.name, new.uid, new.shown) = ("new", 10, None);
    s.updates.push(new);
    s.updates[1].shown.as_mut().expect("shown").number = Some(Number(7));
    assert_eq!(after(&s, Step::Number).status.submitted, Number(8));
}

#[test]
fn what_does_not_work_at_rest_is_told_and_looked_at_again_soon() {
    let mut s = at_rest();
    assert_eq!(told(&s, Wait::NextLook), (Mood::Well, String::new()));
    let ill = |why: &str| Health::Progressing(why.to_owned());
    change_sight(&mut s, |sight| sight.live.as_mut().expect("live").health = ill("0 of 1 pods are ready"));
    assert_eq!(told(&s, Wait::NextLook), (Mood::Unhealthy, "x: 0 of 1 pods are ready".into()));
    let Rhythm { poll, lease, .. } = Rhythm::default();
    for (waited, soon) in [(Millis(0), poll), (Millis(7_000), Millis(7_000)), (Millis(60_000), lease)] {
        look(&mut s).since = Millis(HOUR.0 - waited.0);
        let until = Some(HOUR.plus(soon));
        assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::NextLook, until });
    }
    look(&mut s).since = HOUR;
    let mut on_it = s.clone();
    on_it.cluster.as_mut().expect("a cluster").updates = vec![("s", 3)];
    let until = Some(HOUR.plus(poll));
    assert_eq!(decide(&on_it, HOUR), Decision::Wait { what: Wait::Quiet, until }, "and before it is left");
    change_sight(&mut s, |sight| sight.fit = super::changed());
    assert_eq!(told(&s, Wait::NextLook), (Mood::Drifted, "not as it should be: x (spec.size)".into()));
}

#[test]
fn what_never_will_work_is_told_before_what_may() {
    let mut s = applied();
    let mut sick = ours(1);
    sick.live.as_mut().expect("live").health = Health::Progressing("not yet".into());
    Arc::make_mut(&mut look(&mut s).sights).insert("a", sick.clone());
    sick.live.as_mut().expect("live").health = Health::Ill("it failed".into());
    Arc::make_mut(&mut look(&mut s).sights).insert("z", sick);
    assert_eq!(look(&mut s).unhealthy().as_deref(), Some("z: it failed"));
}

#[test]
fn why_a_cluster_is_not_ready_is_told_and_what_to_do_for_one_who_cannot_go() {
    let mut s = applied();
    let cluster = s.cluster.as_mut().expect("a cluster");
    (cluster.ready, cluster.why) = (false, "its credentials have expired".into());
    let why = "waits for its cluster to be ready (its credentials have expired)";
    assert_eq!(told(&s, Wait::ClusterReady), (Mood::Waiting, why.into()));
    stack(&mut s).deleting = true;
    assert!(told(&s, Wait::ClusterReady).1.contains("cluster remove --force"));
}

#[test]
fn a_version_that_may_not_start_says_so_while_the_one_before_is_looked_at() {
    let mut s = at_rest();
    let mut waiting = applied().stack.expect("a stack").status.requests[0].clone();
    (waiting.number, waiting.stage) = (Number(2), Stage::Queued);
    stack(&mut s).status.requests.push(waiting);
    assert_eq!(told(&s, Wait::Quiet).0, Mood::Well);
    stack(&mut s).wish.paused = true;
    assert_eq!(told(&s, Wait::Quiet), (Mood::Paused, "waits for its stack to be resumed".into()));
}

/// Others may have put something into it since it was seen.
#[test]
fn what_others_may_use_goes_after_all_else_and_after_a_look_of_its_own() {
    let mut s = applied();
    let touched =
        [("x", crate::Origin::Created), ("old", crate::Origin::Created), (ROOM, crate::Origin::Created)];
    let touched = Inventory(touched.into());
    s.stack.as_mut().expect("a stack").status.inventory = Some(Plain::digest_of(&touched));
    s.memory.recorded = Some((Plain::digest_of(&touched), Arc::new(touched)));
    let sights: Sights<Plain> = [("x", ours(1)), ("old", ours(2)), (ROOM, ours(3))].into();
    look(&mut s).sights = Arc::new(sights);
    let write = Decision::Do(Step::Write(Aim::Version(Number(1))));
    assert_eq!(decide(&s, HOUR), write);
    let places =
        |s: &Snapshot<Plain>| match controller().effect(s, &Step::Write(Aim::Version(Number(1))), at(HOUR)) {
            Effect::Call(crate::Call { what: crate::Ask::Write(deeds), .. }) => {
                deeds.iter().map(|deed| deed.place).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
    assert_eq!(places(&s), ["old"]);
    let left: Sights<Plain> = [("x", ours(1)), ("old", Sight::nothing()), (ROOM, ours(3))].into();
    (look(&mut s).sights, look(&mut s).whole) = (Arc::new(left), false);
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Look(Aim::Version(Number(1)))));
    look(&mut s).whole = true;
    assert_eq!(decide(&s, HOUR), write);
    assert_eq!(places(&s), [ROOM]);
}
