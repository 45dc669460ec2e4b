use super::*;
use crate::protocol::{Env, Limits};

const NOW: Boottime = Boottime(1_000);
const GRACE: Duration = Duration::from_millis(100);

fn launch(version: &str) -> Launch {
    Launch {
        version: version.into(),
        command: "serve".into(),
        args: Vec::new(),
        env: Env::default(),
        directory: None,
        grace_ms: 100,
        log: Limits::default(),
    }
}

fn fence(order: u64, deadline: Option<u64>) -> Fence {
    Fence { order, deadline: deadline.map(Boottime) }
}

/// A shim in which this runs, as process 7.
fn running(version: &str, deadline: Option<u64>) -> Kept {
    let mut kept = Kept::new(1);
    let begun = kept.start(NOW, launch(version), fence(1, deadline));
    assert_eq!(begun, Ok(Begun::Asked(1)));
    begin(&mut kept);
    kept
}

fn begin(kept: &mut Kept) {
    let launch = kept.take_wanted().expect("it is wanted");
    kept.started(NOW, launch, Ok(7));
    let number = kept.number();
    assert_eq!(kept.answer(number), None);
    kept.could(number, Ok(()));
    assert_eq!(kept.answer(number), Some(Ok(())));
}

fn phase(kept: &Kept) -> Phase {
    kept.status(NOW).run.expect("there is one").phase
}

fn end(kept: &Kept) -> (Exit, Cause) {
    let end = kept.status(NOW).run.and_then(|run| run.end).expect("it has ended");
    (end.exit, end.cause)
}

/// Its first process ends so, and nothing is left.
fn leave(kept: &mut Kept, exit: Exit) {
    kept.left(exit);
    kept.remains(NOW, false);
    kept.heard(kept.number());
    assert_eq!(kept.due(NOW), Due::Bury);
    kept.buried(NOW);
}

fn reason(refused: Result<impl std::fmt::Debug, Refusal>) -> Reason {
    refused.expect_err("it is refused").reason
}

#[test]
fn what_runs_is_not_started_again_and_nothing_beside_it() {
    let mut kept = running("v1", None);
    assert_eq!(phase(&kept), Phase::Running);
    let change = kept.change();
    assert_eq!(kept.start(NOW, launch("v1"), fence(1, None)), Ok(Begun::Already));
    assert_eq!(kept.change(), change);
    assert_eq!(reason(kept.start(NOW, launch("v2"), fence(2, Some(9_000)))), Reason::Another);
    // What was refused has moved nothing.
    assert_eq!(kept.status(NOW).fence, fence(1, None));
    let otherwise = Launch { args: vec!["-v".into()], ..launch("v1") };
    let refusal = kept.start(NOW, otherwise, fence(2, None)).expect_err("it is refused");
    assert!(refusal.message.starts_with("v1 runs otherwise"), "{refusal}");
    let patient = Launch { grace_ms: 1, ..launch("v1") };
    assert_eq!(kept.start(NOW, patient, fence(1, None)), Ok(Begun::Already));
    // Not while it ends either, even the same.
    kept.stop(NOW, GRACE);
    assert_eq!(reason(kept.start(NOW, launch("v1"), fence(2, None))), Reason::Another);
    assert_eq!(kept.due(NOW), Due::Ask(7));
    leave(&mut kept, Exit::Code(0));
    assert_eq!(end(&kept), (Exit::Code(0), Cause::Stop));
    assert_eq!(kept.start(NOW, launch("v2"), fence(2, None)), Ok(Begun::Asked(2)));
}

#[test]
fn who_asks_while_it_starts_waits_for_the_same_start() {
    let mut kept = Kept::new(1);
    assert_eq!(kept.start(NOW, launch("v1"), fence(1, None)), Ok(Begun::Asked(1)));
    assert_eq!(kept.start(NOW, launch("v1"), fence(1, None)), Ok(Begun::Asked(1)));
    assert_eq!(reason(kept.start(NOW, launch("v2"), fence(1, None))), Reason::Another);
    let taken = kept.take_wanted().expect("it is wanted");
    kept.started(NOW, taken, Ok(7));
    assert_eq!(phase(&kept), Phase::Starting);
    assert_eq!(kept.start(NOW, launch("v1"), fence(1, None)), Ok(Begun::Asked(1)));
    kept.could(1, Err("there is no such file".into()));
    assert_eq!(kept.answer(1), None);
    leave(&mut kept, Exit::Code(127));
    assert_eq!(kept.answer(1).map(reason), Some(Reason::CannotStart));
    assert_eq!(end(&kept).0, Exit::NotStarted("there is no such file".into()));
}

#[test]
fn what_is_withdrawn_before_it_began_is_said_to_be() {
    let mut kept = Kept::new(1);
    assert_eq!(kept.start(NOW, launch("v1"), fence(1, None)), Ok(Begun::Asked(1)));
    kept.stop(NOW, GRACE);
    assert_eq!(kept.take_wanted(), None);
    assert_eq!(kept.answer(1).map(reason), Some(Reason::CannotStart));
}

#[test]
fn starts_of_a_version_are_counted_until_another_comes() {
    let mut kept = running("v1", None);
    let restarts = |kept: &Kept| kept.status(NOW).run.map(|run| run.restarts);
    for times in 0..3 {
        assert_eq!(restarts(&kept), Some(times));
        leave(&mut kept, Exit::Code(1));
        assert_eq!(end(&kept), (Exit::Code(1), Cause::Itself));
        assert!(kept.start(NOW, launch("v1"), fence(1, None)).is_ok());
        begin(&mut kept);
    }
    leave(&mut kept, Exit::Signal(11));
    assert!(kept.start(NOW, launch("v2"), fence(1, None)).is_ok());
    begin(&mut kept);
    assert_eq!(restarts(&kept), Some(0));
}

#[test]
fn only_a_later_order_moves_the_deadline_and_it_may_move_it_both_ways() {
    let mut kept = running("v1", Some(2_000));
    kept.extend(fence(3, Some(3_000)));
    kept.extend(fence(2, Some(1_500)));
    kept.extend(fence(3, Some(1_500)));
    assert_eq!(kept.next(), Some(Boottime(3_000)));
    assert_eq!(kept.start(NOW, launch("v1"), fence(2, Some(1_200))), Ok(Begun::Already));
    assert_eq!(kept.due(Boottime(2_999)), Due::Nothing);
    kept.extend(fence(4, None));
    assert_eq!((kept.next(), kept.due(Boottime(u64::MAX))), (None, Due::Nothing));
    kept.extend(fence(5, Some(1_100)));
    assert_eq!(kept.due(Boottime(1_100)), Due::Kill);
}

#[test]
fn at_its_deadline_it_is_killed_whatever_else_is_under_way() {
    type Before = fn(&mut Kept);
    let before: [Before; 4] = [
        |_| (),
        |kept| kept.stop(NOW, Duration::from_secs(600)),
        |kept| {
            kept.stop(NOW, Duration::from_secs(600));
            // Its first process obeyed, and others have not.
            kept.left(Exit::Code(0));
            kept.remains(NOW, true);
        },
        |kept| kept.leave(NOW),
    ];
    for (number, before) in before.iter().enumerate() {
        let mut kept = running("v1", Some(2_000));
        before(&mut kept);
        kept.due(NOW);
        assert_ne!(kept.due(Boottime(1_050)), Due::Kill, "{number}");
        assert_eq!(kept.due(Boottime(2_000)), Due::Kill, "{number}");
    }
    let mut kept = running("v1", Some(2_000));
    assert_eq!(kept.due(Boottime(2_500)), Due::Kill);
    // It is too late to say that it may go on.
    kept.extend(fence(2, Some(9_000)));
    assert_eq!(kept.due(Boottime(2_501)), Due::Kill);
    leave(&mut kept, Exit::Signal(9));
    assert_eq!(end(&kept), (Exit::Signal(9), Cause::Deadline));
}

#[test]
fn nothing_is_started_after_its_deadline() {
    let mut kept = Kept::new(1);
    assert_eq!(reason(kept.start(NOW, launch("v1"), fence(1, Some(1_000)))), Reason::Late);
    // An old order is not what counts.
    kept.extend(fence(3, Some(900)));
    assert_eq!(reason(kept.start(NOW, launch("v1"), fence(2, None))), Reason::Late);
    assert!(kept.start(NOW, launch("v1"), fence(4, Some(1_001))).is_ok());
}

#[test]
fn it_is_asked_once_and_killed_when_its_time_is_over() {
    let mut kept = running("v1", None);
    kept.stop(NOW, GRACE);
    assert_eq!((kept.due(NOW), kept.due(NOW), phase(&kept)), (Due::Ask(7), Due::Nothing, Phase::Stopping));
    // Longer is not what was promised; shorter is.
    kept.stop(NOW, GRACE * 9);
    assert_eq!(kept.next(), Some(NOW.after(GRACE)));
    kept.stop(NOW, GRACE / 2);
    assert_eq!(kept.next(), Some(NOW.after(GRACE / 2)));
    assert_eq!(kept.due(NOW.after(GRACE / 2)), Due::Kill);
    leave(&mut kept, Exit::Signal(9));
    assert_eq!(end(&kept), (Exit::Signal(9), Cause::Grace));
}

#[test]
fn what_it_leaves_behind_has_its_time_if_it_was_asked_to_end_and_none_if_not() {
    let mut kept = running("v1", None);
    kept.left(Exit::Code(1));
    kept.remains(NOW, true);
    assert_eq!(kept.due(NOW), Due::Kill);
    let mut kept = running("v1", None);
    kept.stop(NOW, GRACE);
    assert_eq!(kept.due(NOW), Due::Ask(7));
    kept.left(Exit::Code(0));
    kept.remains(NOW, true);
    assert_eq!((kept.due(NOW), phase(&kept)), (Due::Nothing, Phase::Stopping));
    assert_eq!(kept.due(NOW.after(GRACE)), Due::Kill);
    leave(&mut kept, Exit::Code(0));
    assert_eq!(end(&kept), (Exit::Code(0), Cause::Stop));
}

#[test]
fn it_has_ended_when_its_last_words_are_known_or_nobody_can_wait_for_them() {
    let mut kept = running("v1", None);
    kept.left(Exit::Code(1));
    kept.remains(NOW, false);
    assert_eq!((kept.due(NOW), kept.next()), (Due::Nothing, Some(NOW.after(LAST_WORDS))));
    assert_eq!(kept.due(NOW.after(LAST_WORDS)), Due::Bury);
    kept.heard(kept.number() - 1);
    assert_eq!(kept.due(NOW), Due::Nothing);
    kept.heard(kept.number());
    assert_eq!(kept.due(NOW), Due::Bury);
}

#[test]
fn the_shim_goes_when_nothing_runs() {
    let mut kept = running("v1", None);
    assert_eq!(reason(kept.end()), Reason::Running);
    assert!(!kept.is_over());
    leave(&mut kept, Exit::Code(0));
    assert!(!kept.is_over());
    kept.end().expect("nothing runs");
    assert!(kept.is_over());
    assert_eq!(reason(kept.start(NOW, launch("v1"), fence(2, None))), Reason::Ending);
}

#[test]
fn a_shim_that_is_told_to_end_asks_what_runs_to_end_first() {
    let mut kept = running("v1", None);
    kept.leave(NOW);
    assert_eq!((kept.due(NOW), kept.is_over()), (Due::Ask(7), false));
    assert_eq!(kept.next(), Some(NOW.after(GRACE)));
    leave(&mut kept, Exit::Code(0));
    assert!(kept.is_over());
}

#[test]
fn to_kill_is_not_to_ask() {
    let mut kept = running("v1", None);
    kept.stop(NOW, GRACE);
    kept.kill();
    assert_eq!(kept.due(NOW), Due::Kill);
    leave(&mut kept, Exit::Signal(9));
    assert_eq!(end(&kept), (Exit::Signal(9), Cause::Kill));
    // There is nothing to do to what has ended.
    let change = kept.change();
    kept.kill();
    kept.stop(NOW, GRACE);
    assert_eq!((kept.change(), kept.due(NOW)), (change, Due::Nothing));
}
