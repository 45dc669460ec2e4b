//! Stacks.

use std::sync::Arc;

use bowline_control::{Controller, Decision, Effect, Millis, Standing, Write};

use super::{HOUR, Plain, applied, at, content};
use crate::{
    Aim, Fault, Fit, Good, Health, Look, Number, Object, Objection, Phase, Rhythm, Sight, Snapshot, Stack,
    Stage, Step, Updates, Wait,
};

fn controller() -> Updates<Plain> {
    Updates::new(Rhythm::default())
}

fn decide(s: &Snapshot<Plain>, clock: Millis) -> Decision<Step, Wait> {
    controller().decide(s, at(clock))
}

fn stack(s: &mut Snapshot<Plain>) -> &mut Stack<Plain> {
    s.stack.as_mut().expect("a stack")
}

/// What a step leaves of the stack.
fn after(s: &Snapshot<Plain>, step: Step) -> Stack<Plain> {
    match controller().effect(s, &step, at(HOUR)) {
        Effect::Write(Write::Status { after: Object::Stack(stack), .. }) => stack,
        other => panic!("{step} writes no stack: {other:?}"),
    }
}

fn look(s: &mut Snapshot<Plain>) -> &mut Look<Plain> {
    s.memory.look.as_mut().expect("a look")
}

fn change_sight(s: &mut Snapshot<Plain>, change: impl FnOnce(&mut Sight<Plain>)) {
    let sights = Arc::make_mut(&mut look(s).sights);
    change(sights.get_mut("x").expect("a place"));
}

/// Back to where nothing was changed for the version.
fn starting() -> Snapshot<Plain> {
    let mut s = applied();
    let stack = stack(&mut s);
    stack.status.phase = Phase::Starting(Number(1));
    stack.status.requests[0].stage = Stage::Processing;
    if let Some(shown) = &mut s.updates[0].shown {
        shown.stage = Stage::Processing;
    }
    s
}

#[test]
fn what_is_healthy_succeeds_and_what_is_ill_is_rolled_back_at_once() {
    let mut s = applied();
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Succeed));
    change_sight(&mut s, |sight| sight.live.as_mut().expect("live").health = Health::Ill("it failed".into()));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::BackOut(Fault::Ill)));
    let failed = after(&s, Step::BackOut(Fault::Ill));
    assert_eq!(failed.status.requests[0].why, "x: it failed");
    assert_eq!(failed.status.quarantined[0].why, "x: it failed");
}

#[test]
fn health_is_waited_for_until_the_time_is_over() {
    let mut s = applied();
    change_sight(&mut s, |sight| {
        sight.live.as_mut().expect("live").health = Health::Progressing("1 of 3 pods are ready".into());
    });
    let next = HOUR.plus(Rhythm::default().poll);
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::Health, until: Some(next) });
    assert_eq!(decide(&s, next), Decision::Do(Step::Look(Aim::Version(Number(1)))));
    look(&mut s).since = HOUR.since(Millis(299_999));
    assert!(matches!(decide(&s, HOUR), Decision::Wait { .. }), "a moment before");
    look(&mut s).since = HOUR.since(Millis(300_000));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::BackOut(Fault::Timeout)));
    let told = controller().report(&s, Standing::Waiting(&Wait::Health), at(HOUR));
    let Some(Write::Status { after: Object::Stack(told), .. }) = told else { panic!("nothing is told") };
    assert_eq!(told.told.expect("words").words, "x: 1 of 3 pods are ready");
}

#[test]
fn a_plan_that_deletes_too_much_or_is_another_one_fails_before_anything_changes() {
    let mut s = starting();
    stack(&mut s).wish.deletions = 0;
    s.memory.fetched.as_mut().expect("fetched").content = Ok(Arc::new(content(&[])));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Fail(Number(1), Fault::Deletions)));
    let failed = after(&s, Step::Fail(Number(1), Fault::Deletions));
    assert_eq!((failed.status.phase, failed.status.requests[0].stage), (Phase::Idle, Stage::Failed));
    assert!(
        failed.status.requests[0].why.contains("would delete 1 objects"),
        "{}",
        failed.status.requests[0].why
    );
    assert!(failed.status.quarantined.is_empty(), "what changed nothing may be tried again");

    let mut s = starting();
    stack(&mut s).status.requests[0].plan = Some("another".into());
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Fail(Number(1), Fault::OtherPlan)));
    stack(&mut s).status.requests[0].plan = Some("[]".into());
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Begin(Number(1))));
}

#[test]
fn what_the_server_refuses_fails_before_anything_changes_and_is_rolled_back_after() {
    let mut s = starting();
    change_sight(&mut s, |sight| sight.fit = Fit::Refused("spec.selector cannot be changed".into()));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Fail(Number(1), Fault::Refused)));
    assert_eq!(
        after(&s, Step::Fail(Number(1), Fault::Refused)).status.requests[0].why,
        "spec.selector cannot be changed"
    );
    stack(&mut s).status.phase = Phase::Partial(Number(1));
    stack(&mut s).status.requests[0].stage = Stage::Partial;
    s.updates[0].shown.as_mut().expect("shown").stage = Stage::Partial;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::BackOut(Fault::Refused)));
}

#[test]
fn what_cannot_be_read_or_used_is_rejected_with_a_reason() {
    let mut s = applied();
    let it = stack(&mut s);
    it.status.phase = Phase::Idle;
    it.status.requests[0].stage = Stage::Submitted;
    s.updates[0].shown = None;
    s.memory.fetched.as_mut().expect("fetched").allowed = false;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Judge(Number(1), Some(Objection::NotAllowed))));
    s.memory.fetched.as_mut().expect("fetched").allowed = true;
    s.memory.fetched.as_mut().expect("fetched").content = Err("line 3: no kind".into());
    let step = Step::Judge(Number(1), Some(Objection::BadContent));
    assert_eq!(decide(&s, HOUR), Decision::Do(step));
    assert_eq!(after(&s, step).status.requests[0].why, "line 3: no kind");
    s.cluster = None;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Judge(Number(1), Some(Objection::NoCluster))));
}

#[test]
fn who_was_lost_twice_is_rolled_back_and_no_sooner() {
    let mut s = applied();
    stack(&mut s).status.epoch = bowline_control::lease::Epoch(0);
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::TakeOver));
    let once = after(&s, Step::TakeOver);
    assert_eq!(
        (once.status.phase, once.status.resumed, once.status.attempt),
        (Phase::Partial(Number(1)), true, 4)
    );
    stack(&mut s).status.resumed = true;
    let twice = after(&s, Step::TakeOver);
    assert_eq!(twice.status.phase, Phase::RollingBack(Some(Number(1))));
    assert_eq!(twice.status.quarantined.len(), 1);
}

#[test]
fn an_update_that_nobody_knows_any_more_says_so() {
    let mut s = applied();
    stack(&mut s).status.requests.clear();
    stack(&mut s).status.phase = Phase::Idle;
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Show(Number(1))));
    let shown = |s: &Snapshot<Plain>| match controller().effect(s, &Step::Show(Number(1)), at(HOUR)) {
        Effect::Write(Write::Status { after: Object::Update(update), .. }) => {
            update.shown.expect("shown").stage
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(shown(&s), Stage::Superseded);
    stack(&mut s).status.good = Some(Good { number: Number(1), digest: "one".into() });
    assert_eq!(shown(&s), Stage::Succeeded);
}

#[test]
fn what_is_released_is_not_in_quarantine_and_last_good_never_is() {
    let mut s = applied();
    let it = stack(&mut s);
    it.status = after(&applied(), Step::BackOut(Fault::Timeout)).status;
    assert!(it.quarantine(&"one".to_owned()).is_some());
    it.wish.released = vec![Number(1)];
    assert!(it.quarantine(&"one".to_owned()).is_none());
    it.wish.released.clear();
    it.status.good = Some(Good { number: Number(1), digest: "one".into() });
    assert!(it.quarantine(&"one".to_owned()).is_none());
}

#[test]
fn a_version_that_cannot_take_over_says_why_itself() {
    let mut s = applied();
    let it = stack(&mut s);
    let mut newer = it.status.requests[0].clone();
    (newer.number, newer.digest, newer.stage) = (Number(2), "two".into(), Stage::Queued);
    it.status.requests.push(newer);
    s.memory.fetched.as_mut().expect("fetched").digest = "two".into();
    look(&mut s).digest = Some("two".into());
    change_sight(&mut s, |sight| sight.fit = Fit::Refused("no such field".into()));
    let failed = after(&s, Step::Fail(Number(2), Fault::Refused));
    assert_eq!(failed.status.requests[1].why, "no such field");
    assert_eq!(failed.status.phase, Phase::Partial(Number(1)), "what runs goes on");
}

#[test]
fn what_is_to_be_mended_says_what_it_waits_for() {
    let mut s = applied();
    let it = stack(&mut s);
    it.wish.repairs = true;
    it.status.phase = Phase::Idle;
    it.status.requests.clear();
    it.status.good = Some(Good { number: Number(1), digest: "one".into() });
    s.updates.clear();
    change_sight(&mut s, |sight| sight.fit = Fit::Differs);
    look(&mut s).since = Millis(0);
    s.cluster.as_mut().expect("a cluster").updates.clear();
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Mend));
    s.cluster.as_mut().expect("a cluster").paused = true;
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::ClusterUnpaused, until: None });
    s.cluster.as_mut().expect("a cluster").upgrade = true;
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::Upgrade, until: None });
}
