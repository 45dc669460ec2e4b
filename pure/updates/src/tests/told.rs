//! What people are told: of drift, of what is deleted, of what never was.

use std::sync::Arc;

use bowline_control::{Controller, Decision, Millis, Standing, Write};

use super::stacks::{after, change_sight, controller, decide, look, stack, starting};
use super::{HOUR, Plain, applied, at, changed, update};
use crate::{
    Aim, Fault, Good, Memory, Mood, Number, Object, Objection, Phase, Reply, Rhythm, Shown, Snapshot, Stage,
    Step, Told, Wait,
};

const LEASE: Millis = Millis(30_000);

/// What is told of a stack that stands so.
fn told(s: &Snapshot<Plain>, standing: Standing<'_, Wait>) -> Told<Plain> {
    match controller().report(s, standing, at(HOUR)) {
        Some(Write::Status { after: Object::Stack(stack), .. }) => stack.told.expect("words"),
        other => panic!("nothing is told: {other:?}"),
    }
}

/// A stack whose version has just succeeded, looked at an hour after the start.
fn succeeded() -> Snapshot<Plain> {
    let mut s = applied();
    let it = stack(&mut s);
    it.status.phase = Phase::Idle;
    it.status.requests.clear();
    it.status.good = Some(Good { number: Number(1), digest: "one".into() });
    s.updates.clear();
    s
}

#[test]
fn a_stack_that_is_being_deleted_says_so_and_what_it_waits_for() {
    let mut s = succeeded();
    assert_eq!(told(&s, Standing::Waiting(&Wait::Quiet)).mood, Mood::Well);
    stack(&mut s).deleting = true;
    s.cluster.as_mut().expect("a cluster").why = "it does not answer".into();
    let failing = "the list cannot be removed";
    for (standing, mood, words) in [
        (Standing::Waiting(&Wait::Quiet), Mood::Going, "waits, for up to 30 s, for writes"),
        (Standing::Waiting(&Wait::ClusterReady), Mood::Going, "its cluster to be ready (it does not answer)"),
        (Standing::Waiting(&Wait::Health), Mood::Going, "everything to become healthy"),
        (Standing::Converged, Mood::Going, "whoever else holds it by a finalizer"),
        (Standing::Failing(failing), Mood::Going, failing),
        (Standing::Stalled(failing), Mood::Stuck, failing),
    ] {
        let told = told(&s, standing);
        assert_eq!(told.mood, mood, "{words}");
        assert!(
            told.words.starts_with("it is being deleted: ") && told.words.contains(words),
            "{}",
            told.words
        );
    }
    stack(&mut s).status.phase = Phase::Stalled(None);
    assert_eq!(told(&s, Standing::Waiting(&Wait::Quiet)).mood, Mood::Going, "nobody need mend it any more");
}

#[test]
fn a_stack_of_which_nothing_succeeded_says_what_became_of_the_newest() {
    let mut s = succeeded();
    stack(&mut s).status.good = None;
    s.memory.look = None;
    let words = |s: &Snapshot<Plain>| told(s, Standing::Converged).words;
    let nothing = "no version has succeeded yet, so nothing of it is on the cluster";
    assert_eq!(words(&s), nothing);
    let ended = |number: u64, stage: Stage, words: &str| {
        let shown =
            Shown { number: Some(Number(number)), stage, tally: None, done: 0, words: words.to_owned() };
        crate::Update { shown: Some(shown), ..update() }
    };
    s.updates = vec![ended(2, Stage::RolledBack, "too slow"), ended(1, Stage::Failed, "bad")];
    assert_eq!(words(&s), format!("{nothing}; version 2 was rolled back: too slow"));
    s.updates.push(ended(3, Stage::Rejected, "not allowed"));
    assert_eq!(words(&s), format!("{nothing}; version 3 was rejected: not allowed"));
    s.updates.push(ended(4, Stage::Superseded, "another"));
    assert_eq!(words(&s), nothing, "it did not fail");
    stack(&mut s).status.submitted = Number(0);
    assert_eq!(words(&s), "no version was submitted yet");
}

#[test]
fn what_has_drifted_is_told_with_its_fields_also_before_it_is_put_right() {
    let mut s = succeeded();
    change_sight(&mut s, |sight| sight.fit = changed());
    let drift = "not as it should be: x (spec.size)";
    assert_eq!(told(&s, Standing::Waiting(&Wait::NextLook)).words, drift);
    let mended = after(&s, Step::Mend);
    assert_eq!(mended.status.phase, Phase::RollingBack(None));
    let said = mended.told.expect("words");
    assert_eq!((said.mood, said.words.as_str(), said.observed), (Mood::Drifted, drift, 1));
    change_sight(&mut s, |sight| sight.live = None);
    Arc::make_mut(&mut look(&mut s).sights).insert("y", super::ours(2));
    let gone = "not as it should be: x (it is not there), y (it is not wanted)";
    assert_eq!(after(&s, Step::Mend).told.expect("words").words, gone);
    stack(&mut s).deleting = true;
    assert_eq!(after(&s, Step::Mend).told.expect("words").words, format!("it is being deleted: {gone}"));
    stack(&mut s).deleting = false;
    // Who could not be put back, and is tried on another cluster of that name, has not drifted.
    stack(&mut s).status.phase = Phase::Stalled(None);
    assert_eq!(after(&s, Step::Mend).told, None);
}

#[test]
fn of_much_that_has_drifted_some_is_named() {
    let mut s = succeeded();
    for place in ["a", "b", "c", "d", "e", "f"] {
        Arc::make_mut(&mut look(&mut s).sights).insert(place, super::ours(2));
    }
    let words = told(&s, Standing::Waiting(&Wait::NextLook)).words;
    assert!(words.contains("e (it is not wanted) and 1 more") && !words.contains("f ("), "{words}");
}

/// The first look was at the hour, and nothing was written since.
fn looked_at(s: &mut Snapshot<Plain>, later: u64) -> Millis {
    look(s).since = HOUR;
    look(s).at = HOUR.plus(Millis(later));
    look(s).at
}

#[test]
fn drift_is_looked_for_as_often_as_is_wanted_also_after_a_version() {
    let mut s = succeeded();
    let quiet = |until| Decision::Wait { what: Wait::Quiet, until: Some(until) };
    let now = looked_at(&mut s, 0);
    assert_eq!(decide(&s, now), quiet(HOUR.plus(LEASE)), "who asks for less is looked at once");
    stack(&mut s).wish.interval = Millis(7_000);
    assert_eq!(decide(&s, now), quiet(HOUR.plus(Millis(7_000))));
    let now = looked_at(&mut s, 28_000);
    assert_eq!(decide(&s, now), quiet(HOUR.plus(LEASE)), "the last look is not late");
    assert_eq!(decide(&s, HOUR.plus(LEASE)), Decision::Do(Step::Look(Aim::LastGood)));
    let now = looked_at(&mut s, 30_000);
    assert_eq!(decide(&s, now), Decision::Do(Step::Leave));
}

#[test]
fn drift_after_a_version_is_told_in_time_and_put_right_in_time_by_who_repairs() {
    let mut s = succeeded();
    stack(&mut s).wish.interval = Millis(7_000);
    change_sight(&mut s, |sight| sight.fit = changed());
    let now = looked_at(&mut s, 7_000);
    assert!(matches!(decide(&s, now), Decision::Wait { what: Wait::Quiet, .. }));
    assert_eq!(told(&s, Standing::Waiting(&Wait::Quiet)).mood, Mood::Drifted);
    stack(&mut s).wish.repairs = true;
    assert_eq!(decide(&s, now), Decision::Do(Step::Mend));
    // What keeps a repair from being begun, keeps it from being begun then too; but nobody waits on the cluster for that.
    for change in [
        (|s: &mut Snapshot<Plain>| stack(s).wish.paused = true) as fn(&mut Snapshot<Plain>),
        |s| s.cluster.as_mut().expect("a cluster").paused = true,
        |s| stack(s).deleting = true,
    ] {
        let mut s = s.clone();
        change(&mut s);
        assert!(matches!(decide(&s, now), Decision::Wait { what: Wait::Quiet, until: Some(_) }), "{s:?}");
    }
    // Whatever is found at the end is put right, by whoever it was written.
    stack(&mut s).wish.repairs = false;
    let now = looked_at(&mut s, 30_000);
    assert_eq!(decide(&s, now), Decision::Do(Step::Mend));
}

#[test]
fn nothing_gets_onto_the_hub_itself_unless_it_names_who_may() {
    let mut s = starting();
    s.cluster.as_mut().expect("a cluster").exposed = true;
    let fails = Decision::Do(Step::Fail(Number(1), Fault::Exposed));
    assert_eq!(decide(&s, HOUR), fails, "what was started before that was known");
    let mut queued = s.clone();
    (queued.cluster.as_mut().expect("a cluster").ready, stack(&mut queued).status.phase) =
        (false, Phase::Idle);
    stack(&mut queued).status.requests[0].stage = Stage::Queued;
    queued.updates[0].shown.as_mut().expect("shown").stage = Stage::Queued;
    assert_eq!(decide(&queued, HOUR), fails, "what was judged before that was known");
    let failed = after(&queued, Step::Fail(Number(1), Fault::Exposed)).status;
    assert_eq!((failed.requests[0].stage, failed.phase), (Stage::Failed, Phase::Idle));
    assert!(failed.requests[0].why.contains("its cluster is this hub itself"), "{}", failed.requests[0].why);
    let mut new = queued.clone();
    stack(&mut new).status.requests[0].stage = Stage::Submitted;
    let rejects = Step::Judge(Number(1), Some(Objection::Exposed));
    assert_eq!(decide(&new, HOUR), Decision::Do(rejects), "though its namespace is allowed");
    assert!(after(&new, rejects).status.requests[0].why.contains("`bowline cluster add --allow`"));
    // What is on the cluster already is neither touched nor said to be well.
    let mut there = succeeded();
    there.cluster = s.cluster.clone();
    there.cluster.as_mut().expect("a cluster").ready = false;
    assert!(matches!(decide(&there, HOUR), Decision::Wait { what: Wait::ClusterReady, .. }));
}

#[test]
fn a_stack_whose_namespace_may_not_use_the_cluster_any_more_begins_nothing_and_says_so() {
    let mut s = starting();
    s.memory.look.as_mut().expect("a look").allowed = false;
    let fails = Step::Fail(Number(1), Fault::NotAllowed);
    assert_eq!(decide(&s, HOUR), Decision::Do(fails), "though it was judged before that");
    assert!(after(&s, fails).status.requests[0].why.contains("allowedNamespaces"));
    let mut there = succeeded();
    stack(&mut there).wish.repairs = true;
    let now = looked_at(&mut there, 3_600_000);
    change_sight(&mut there, |sight| sight.fit = changed());
    there.cluster.as_mut().expect("a cluster").updates.clear();
    assert_eq!(decide(&there, now), Decision::Do(Step::Mend));
    there.memory.look.as_mut().expect("a look").allowed = false;
    assert!(matches!(decide(&there, now), Decision::Wait { what: Wait::NextLook, until: Some(_) }));
    let said = told(&there, Standing::Waiting(&Wait::NextLook));
    assert_eq!(said.mood, Mood::Stuck);
    assert!(said.words.contains("may not use the cluster any more"), "{}", said.words);
    // It leaves the cluster as it is.
    there.cluster.as_mut().expect("a cluster").updates = vec![("s", 3)];
    assert_eq!(decide(&there, now), Decision::Do(Step::Leave));
    // What is half done stays so, until it may be there again.
    let mut half = applied();
    change_sight(&mut half, |sight| sight.fit = changed());
    half.memory.look.as_mut().expect("a look").allowed = false;
    assert_eq!(decide(&half, HOUR), Decision::Do(Step::BackOut(Fault::NotAllowed)));
    stack(&mut half).status.good = Some(Good { number: Number(1), digest: "one".into() });
    stack(&mut half).status.phase = Phase::RollingBack(None);
    assert_eq!(decide(&half, HOUR), Decision::Do(Step::Stall(Fault::NotAllowed)));
    stack(&mut half).status.phase = Phase::Stalled(None);
    let next = HOUR.plus(half.stack.as_ref().expect("a stack").wish.interval);
    assert_eq!(decide(&half, HOUR), Decision::Wait { what: Wait::Person, until: Some(next) });
    assert_eq!(decide(&half, next), Decision::Do(Step::Look(Aim::LastGood)));
    assert!(told(&half, Standing::Waiting(&Wait::Person)).words.contains("may not use the cluster any more"));
}

/// Who applies thousands of objects comes to no rest at which anything else would be told.
#[test]
fn what_was_told_at_rest_is_not_told_of_what_is_under_way() {
    let mut s = starting();
    let mut tells = |mood, words: &str, step| {
        stack(&mut s).told = Some(Told { mood, words: words.into(), observed: 1 });
        after(&s, step).told.expect("it is told").words
    };
    let (begins, fails) = (Step::Begin(Number(1)), Step::Fail(Number(1), Fault::Refused));
    assert_eq!(tells(Mood::Well, "no version was submitted yet", begins), "");
    assert_eq!(tells(Mood::Waiting, "waits for something", fails), "");
    assert_eq!(tells(Mood::Waiting, "waits for something", Step::Cancel), "waits for something");
    assert_eq!(tells(Mood::Drifted, "not as it should be: x", begins), "not as it should be: x");
}

/// Thousands of objects are many batches, and no look is between them.
#[test]
fn who_may_have_lost_the_cluster_looks_before_anything_more_is_written() {
    let first = Aim::Version(Number(1));
    let mut half = applied();
    change_sight(&mut half, |sight| sight.fit = changed());
    for whole in [false, true] {
        look(&mut half).whole = whole;
        assert_eq!(decide(&half, HOUR), Decision::Do(Step::Write(first)));
        let mut other = half.clone();
        other.cluster.as_mut().expect("a cluster").generation += 1;
        assert_eq!(decide(&other, HOUR), Decision::Do(Step::Look(first)), "something else is wanted of it");
        look(&mut other).generation += 1;
        assert_eq!(decide(&other, HOUR), Decision::Do(Step::Write(first)), "it was looked at since");
    }
    let mut begins = starting();
    assert_eq!(decide(&begins, HOUR), Decision::Do(Step::Begin(Number(1))));
    begins.cluster.as_mut().expect("a cluster").generation += 1;
    assert_eq!(decide(&begins, HOUR), Decision::Do(Step::Look(first)), "it may still fail");
}

#[test]
fn a_stack_that_is_half_done_goes_on_as_soon_as_its_namespace_may_use_the_cluster_again() {
    let mut half = applied();
    change_sight(&mut half, |sight| sight.fit = changed());
    half.memory.look.as_mut().expect("a look").allowed = false;
    let fails = Step::BackOut(Fault::NotAllowed);
    assert_eq!(after(&half, fails).status.quarantined, [], "its content is not to blame");
    assert_eq!(after(&half, Step::BackOut(Fault::Ill)).status.quarantined.len(), 1);
    stack(&mut half).status.good = Some(Good { number: Number(1), digest: "one".into() });
    stack(&mut half).status.phase = Phase::Stalled(Some(Number(1)));
    assert!(matches!(decide(&half, HOUR), Decision::Wait { what: Wait::Person, .. }));
    let aim = Aim::LastGood;
    let (look, attempt) = (half.memory.look.clone().expect("a look"), half.memory.attempt);
    let seen = |allowed| Reply::Seen {
        attempt,
        on: look.on,
        generation: look.generation,
        digest: look.digest.clone(),
        allowed,
        sights: Arc::clone(&look.sights),
    };
    let learns = |memory: &mut Memory<Plain>, allowed, seconds: u64| {
        let then = HOUR.plus(Millis(seconds * 1_000));
        controller().learn(memory, &Step::Look(aim), seen(allowed), at(then)).expect("a look");
        then
    };
    let mut again = half.clone();
    let now = learns(&mut again.memory, true, 1);
    assert_eq!(decide(&again, now), Decision::Do(Step::Write(aim)), "it waits for nothing");
    let now = learns(&mut again.memory, true, 2);
    assert_eq!(decide(&again, now), Decision::Do(Step::Write(aim)), "nothing was written since");
    // Who was allowed all the time has tried, and waits.
    half.memory.look.as_mut().expect("a look").allowed = true;
    let now = learns(&mut half.memory, true, 1);
    assert!(matches!(decide(&half, now), Decision::Wait { what: Wait::Person, .. }));
}

#[test]
fn a_stack_without_a_cluster_is_not_well() {
    let mut s = succeeded();
    (stack(&mut s).status.good, s.cluster, s.memory.look) = (None, None, None);
    let said = told(&s, Standing::Converged);
    assert_eq!(
        (said.mood, said.words.as_str()),
        (Mood::Waiting, "waits for its cluster, which is not there")
    );
}

#[test]
fn what_is_ready_has_what_is_wanted_on_the_cluster() {
    let mut s = succeeded();
    let ready = |s: &Snapshot<Plain>| Mood::ALL.map(|mood| s.stack.as_ref().expect("a stack").is_ready(mood));
    let only = |some: &[Mood]| Mood::ALL.map(|mood| some.contains(&mood));
    assert_eq!(ready(&s), only(&[Mood::Well, Mood::Drifted]));
    stack(&mut s).status.phase = Phase::RollingBack(None);
    assert_eq!(ready(&s), only(&[]));
    (stack(&mut s).status.phase, stack(&mut s).status.good) = (Phase::Idle, None);
    assert_eq!(ready(&s), only(&[]), "none has succeeded");
    stack(&mut s).status.submitted = Number(0);
    assert_eq!(ready(&s), only(&[Mood::Well]), "nothing is wanted");
}

#[test]
fn the_rhythm_is_what_these_tests_rest_on() {
    assert_eq!(Rhythm::default().lease, LEASE);
}
