//! Stacks.

use std::sync::Arc;

use bowline_control::lease::Epoch;
use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use super::{HOUR, Plain, applied, at, content, update};
use crate::{
    Admission, Aim, Fault, Fit, Good, Health, Look, Memory, Number, Object, Objection, Outcome, Phase, Quota,
    Reply, Rhythm, Sight, Snapshot, Stack, Stage, Status, Step, Update, Updates, Wait,
};

pub(super) fn controller() -> Updates<Plain> {
    Updates::new(Rhythm::default())
}

pub(super) fn decide(s: &Snapshot<Plain>, clock: Millis) -> Decision<Step, Wait> {
    controller().decide(s, at(clock))
}

pub(super) fn stack(s: &mut Snapshot<Plain>) -> &mut Stack<Plain> {
    s.stack.as_mut().expect("a stack")
}

/// What a step leaves of the stack.
pub(super) fn after(s: &Snapshot<Plain>, step: Step) -> Stack<Plain> {
    after_at(s, step, at(HOUR))
}

fn after_at(s: &Snapshot<Plain>, step: Step, now: Moment) -> Stack<Plain> {
    match controller().effect(s, &step, now) {
        Effect::Write(Write::Status { after: Object::Stack(stack), .. }) => stack,
        other => panic!("{step} writes no stack: {other:?}"),
    }
}

pub(super) fn look(s: &mut Snapshot<Plain>) -> &mut Look<Plain> {
    s.memory.look.as_mut().expect("a look")
}

pub(super) fn change_sight(s: &mut Snapshot<Plain>, change: impl FnOnce(&mut Sight<Plain>)) {
    let sights = Arc::make_mut(&mut look(s).sights);
    change(sights.get_mut("x").expect("a place"));
}

/// Back to where nothing was changed for the version.
pub(super) fn starting() -> Snapshot<Plain> {
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
    let admission = |s: &mut Snapshot<Plain>, allowed, waiting, hourly| {
        let used = Quota { waiting, hourly };
        s.memory.fetched.as_mut().expect("fetched").admission = Admission { allowed, used };
    };
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Judge(Number(1), None)));
    for (allowed, waiting, hourly, why) in [
        (false, 0, 0, Objection::NotAllowed),
        (true, 3, 1, Objection::Waiting),
        (true, 1, 4, Objection::Hourly),
    ] {
        admission(&mut s, allowed, waiting, hourly);
        let step = Step::Judge(Number(1), Some(why));
        assert_eq!(decide(&s, HOUR), Decision::Do(step));
        assert_eq!(after(&s, step).status.requests[0].stage, Stage::Rejected);
    }
    s.memory.fetched_for = Some(Number(7));
    assert_eq!(
        decide(&s, HOUR),
        Decision::Do(Step::Fetch(Aim::Version(Number(1)))),
        "what was so for another version may be otherwise now"
    );
    s.memory.fetched_for = Some(Number(1));
    admission(&mut s, true, 2, 3);
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
    stack(&mut s).status.epoch = Epoch(0);
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

    // Who ends in order hands over; of one who was lost before that nothing is handed.
    let handed = Moment { handed: true, ..at(HOUR) };
    let taken = |s: &Snapshot<Plain>, now| after_at(s, Step::TakeOver, now).status;
    assert_eq!(taken(&s, handed).phase, Phase::Partial(Number(1)));
    stack(&mut s).status.resumed = false;
    assert!(!taken(&s, handed).resumed);
    let later = Moment { epoch: Epoch(2), ..handed };
    assert!(taken(&s, later).resumed);
}

#[test]
fn who_takes_over_what_was_given_up_tries_once_more() {
    let mut s = applied();
    stack(&mut s).status.epoch = Epoch(0);
    stack(&mut s).status.phase = Phase::Stalled(Some(Number(1)));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::TakeOver));
    assert_eq!(after(&s, Step::TakeOver).status.phase, Phase::RollingBack(Some(Number(1))));
    let handed = Moment { handed: true, ..at(HOUR) };
    let taken = after_at(&s, Step::TakeOver, handed).status.phase;
    assert_eq!(taken, Phase::RollingBack(Some(Number(1))), "who hands over takes what it remembers along");
    stack(&mut s).deleting = true;
    assert_eq!(
        after(&s, Step::TakeOver).status.phase,
        Phase::Stalled(Some(Number(1))),
        "it is left as it is"
    );
}

#[test]
fn what_is_done_is_shown_now_and_then_and_in_the_end() {
    let mut s = starting();
    change_sight(&mut s, |sight| (sight.live, sight.fit) = (None, super::changed()));
    let begun = after(&s, Step::Begin(Number(1)));
    assert_eq!(begun.status.requests[0].tally, Some(1));
    s.stack = Some(begun);
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Show(Number(1))));
    let shown = |s: &Snapshot<Plain>| match controller().effect(s, &Step::Show(Number(1)), at(HOUR)) {
        Effect::Write(Write::Status { after: Object::Update(update), .. }) => update,
        other => panic!("{other:?}"),
    };
    s.updates = vec![shown(&s)];
    assert_eq!(s.updates[0].shown.as_ref().map(|shown| (shown.tally, shown.done)), Some((Some(1), 0)));
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Write(Aim::Version(Number(1)))));

    // What a write has left is shown when it is time.
    let written = |s: &Snapshot<Plain>, later: u64| {
        let mut memory = s.memory.clone();
        let outcomes = vec![("x", Outcome::Is(Box::new(super::ours(1))))];
        let reply = Reply::Written { attempt: 3, outcomes };
        let step = Step::Write(Aim::Version(Number(1)));
        let now = at(HOUR.plus(Millis(later)));
        controller().learn(&mut memory, &step, reply, now).expect("it is written");
        Snapshot { memory, ..s.clone() }
    };
    let soon = written(&s, 5);
    assert_eq!(decide(&soon, HOUR), Decision::Do(Step::Show(Number(1))), "nothing was shown for long");
    let sooner = written(&soon, 9);
    assert_eq!(
        decide(&sooner, HOUR),
        Decision::Do(Step::Look(Aim::Version(Number(1)))),
        "a second has not passed"
    );
    assert_eq!(shown(&soon).shown.map(|shown| shown.done), Some(1));
    let mut over = s.clone();
    over.stack = Some(after(&over, Step::Succeed));
    over.memory = Memory::default();
    assert_eq!(shown(&over).shown.map(|shown| (shown.stage, shown.done)), Some((Stage::Succeeded, 1)));
}

#[test]
fn no_more_versions_get_their_number_than_there_is_room_for() {
    let mut s = applied();
    let new = Update { shown: None, ..s.updates[0].clone() };
    s.updates.extend((0..2_000).map(|n| Update { uid: 8, version: Version(n + 10), ..new.clone() }));
    s.updates.truncate(1_500);
    stack(&mut s).status.requests.resize(999, applied().stack.expect("a stack").status.requests[0].clone());
    assert_eq!(after(&s, Step::Number).status.requests.len(), 1_000);
    stack(&mut s).status.requests.push(applied().stack.expect("a stack").status.requests[0].clone());
    assert_ne!(decide(&s, HOUR), Decision::Do(Step::Number), "there is no room");
}

#[test]
fn nothing_is_kept_for_a_stack_that_goes() {
    let mut s = applied();
    let it = stack(&mut s);
    (it.deleting, it.status.phase) = (true, Phase::Idle);
    it.status.requests.clear();
    s.updates.clear();
    s.cluster.as_mut().expect("a cluster").updates.clear();
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Forget));
    controller().learn(&mut s.memory, &Step::Forget, Reply::Forgotten, at(HOUR)).expect("it is done");
    // In whatever attempt the stack is.
    let objects =
        [Object::Stack(stack(&mut s).clone()), Object::Cluster(s.cluster.clone().expect("a cluster"))];
    let again = controller().snapshot(&"s", &objects.iter().collect::<Vec<_>>(), &s.memory);
    assert_eq!(decide(&again, HOUR), Decision::Do(Step::LetGo));
    // Also if its cluster is gone.
    let gone = controller().snapshot(&"s", &[&objects[0]], &s.memory);
    assert_eq!(decide(&gone, HOUR), Decision::Do(Step::LetGo));
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
    s.memory.refused.insert("y", "that is the other one's".into());
    assert_eq!(after(&s, Step::Fail(Number(2), Fault::Refused)).status.requests[1].why, "no such field");
    let back = after(&s, Step::BackOut(Fault::Refused));
    assert_eq!(back.status.requests[0].why, "that is the other one's");
}

#[test]
fn who_takes_the_place_of_what_failed_leaves_why_it_failed() {
    let mut s = applied();
    let it = stack(&mut s);
    let mut newer = it.status.requests[0].clone();
    (newer.number, newer.stage) = (Number(2), Stage::Queued);
    let begun = |s: &Snapshot<Plain>| after(s, Step::Begin(Number(2))).status.requests[0].why.clone();
    it.status.requests[0].why = "too slow".into();
    it.status.requests.push(newer);
    assert_eq!(begun(&s), "version 2 took its place after it had changed the cluster");
    stack(&mut s).status.phase = Phase::RollingBack(Some(Number(1)));
    let why = "version 2 took its place while what was there before it was put back; it had failed: too slow";
    assert_eq!(begun(&s), why);
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
    change_sight(&mut s, |sight| sight.fit = super::changed());
    look(&mut s).since = Millis(0);
    s.cluster.as_mut().expect("a cluster").updates.clear();
    assert_eq!(decide(&s, HOUR), Decision::Do(Step::Mend));
    s.cluster.as_mut().expect("a cluster").paused = true;
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::ClusterUnpaused, until: None });
    s.cluster.as_mut().expect("a cluster").upgrade = true;
    assert_eq!(decide(&s, HOUR), Decision::Wait { what: Wait::Upgrade, until: None });
}

#[test]
fn the_oldest_updates_that_ended_go_but_for_that_of_the_last_good_version() {
    let ended = |number: u64, stage: Stage| {
        let shown =
            crate::Shown { number: Some(Number(number)), stage, tally: None, done: 0, words: String::new() };
        Update {
            name: ["", "a", "b", "c", "d", "e"][number as usize],
            uid: number as u8,
            shown: Some(shown),
            ..update()
        }
    };
    let mut s = applied();
    let it = s.stack.as_mut().expect("a stack");
    it.status = Status {
        submitted: Number(4),
        good: Some(crate::Good { number: Number(1), digest: "one".into() }),
        epoch: Epoch(1),
        attempt: 3,
        ..Status::default()
    };
    it.wish.history = 1;
    // Of one that the stack does not know yet nobody knows what it is.
    let stages = [(1, Stage::Succeeded), (2, Stage::Superseded), (3, Stage::RolledBack), (5, Stage::Failed)];
    s.updates = stages.map(|(number, stage)| ended(number, stage)).into();
    let discards = |s: &Snapshot<Plain>| decide(s, HOUR) == Decision::Do(Step::Discard(Number(2)));
    assert!(discards(&s), "{:?}", decide(&s, HOUR));
    let deleted = controller().effect(&s, &Step::Discard(Number(2)), at(HOUR));
    assert_eq!(deleted, Effect::Write(Write::Delete(Object::Update(s.updates[1].clone()))));
    s.stack.as_mut().expect("a stack").wish.history = 2;
    assert!(!discards(&s), "there are no more than are kept");
    s.stack.as_mut().expect("a stack").wish.history = 0;
    s.stack.as_mut().expect("a stack").wish.paused = true;
    assert!(discards(&s));
    // What is shown is not what is known.
    let mut request = applied().stack.expect("a stack").status.requests.remove(0);
    (request.number, request.update, request.uid) = (Number(2), "b", 2);
    request.stage = Stage::Queued;
    s.stack.as_mut().expect("a stack").status.requests.push(request);
    assert!(!discards(&s));
}
