//! One who wants a lease.

use super::*;
use crate::Moment;

type Me = Candidate<&'static str>;

/// A lease of 10 s that is renewed after 3 s and acted upon for 7 s; who is not answered asks again after 1 s.
fn candidate() -> Me {
    let settings = Settings::new(at(10), at(3), at(1), PerMille(200), at(1)).expect("settings that work");
    Candidate::new("me", settings)
}

fn lease(holder: Option<&'static str>, version: u64, epoch: u64) -> Lease<&'static str> {
    Lease {
        version: Version(version),
        holder,
        term: at(10),
        epoch: Epoch(epoch),
        acquired: Millis(5),
        renewed: Millis(50),
    }
}

/// Does what is decided, which is this, and gives what is sent.
fn does(me: &mut Me, step: Step, seconds: u64) -> Option<Request<&'static str>> {
    assert_eq!(me.decide(at(seconds)), step);
    me.begin(step, Moment { clock: at(seconds), wall: Millis(77), ..Moment::default() })
}

/// The same, and it is accepted as the version given.
fn writes(me: &mut Me, step: Step, seconds: u64, version: u64) -> Lease<&'static str> {
    let Some(Request::Write { lease, .. }) = does(me, step, seconds) else { panic!("{step:?} writes") };
    let lease = Lease { version: Version(version), ..lease };
    me.answered(Answer::Is(lease.clone()), at(seconds));
    lease
}

fn looks(me: &mut Me, seconds: u64, answer: Answer<&'static str>) {
    assert_eq!(does(me, Step::Look, seconds), Some(Request::Read));
    me.answered(answer, at(seconds));
}

fn until(me: &Me, seconds: u64) -> Option<(Epoch, Millis)> {
    me.tenure(at(seconds)).map(|tenure| (tenure.epoch, tenure.until))
}

/// One that holds the lease in epoch 5, since it asked for it at 100 s.
fn holder() -> Me {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    writes(&mut me, Step::Acquire, 100, 2);
    me
}

#[test]
fn what_nobody_holds_is_taken_at_once() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    let request = does(&mut me, Step::Acquire, 101);
    let taken = Lease { acquired: Millis(77), renewed: Millis(77), ..lease(Some("me"), 1, 5) };
    assert_eq!(request, Some(Request::Write { guard: Some(Version(1)), lease: taken.clone() }));
    assert_eq!(until(&me, 101), None, "it is not answered yet");
    me.answered(Answer::Is(Lease { version: Version(2), ..taken }), at(103));
    assert_eq!(until(&me, 103), Some((Epoch(5), at(108))), "from before it was sent");
}

#[test]
fn anothers_is_taken_when_it_has_not_changed_for_its_term_by_ones_own_clock() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(Some("other"), 1, 4)));
    assert_eq!(me.decide(at(101)), Step::Wait(Some(at(110))));
    me.see(lease(Some("other"), 2, 4), at(105));
    assert_eq!(me.decide(at(111)), Step::Wait(Some(at(115))));
    // Seen again, it has not changed.
    me.see(lease(Some("other"), 2, 4), at(111));
    assert_eq!(me.decide(at(114)), Step::Wait(Some(at(115))));
    assert_eq!(writes(&mut me, Step::Acquire, 115, 3).epoch, Epoch(5));
    // Its own term counts, not the taker's.
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(Lease { term: at(30), ..lease(Some("other"), 1, 4) }));
    assert_eq!(me.decide(at(101)), Step::Wait(Some(at(130))));
}

#[test]
fn who_is_overtaken_looks_again() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    does(&mut me, Step::Acquire, 100);
    me.answered(Answer::Outdated, at(101));
    assert_eq!(until(&me, 101), None);
    looks(&mut me, 101, Answer::Is(lease(Some("other"), 2, 5)));
    assert_eq!(me.decide(at(101)), Step::Wait(Some(at(111))));
}

#[test]
fn where_there_is_none_there_may_have_been_one() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Absent);
    assert_eq!(me.decide(at(100)), Step::Wait(Some(at(110))));
    let request = does(&mut me, Step::Acquire, 110);
    let Some(Request::Write { guard: None, lease }) = request else { panic!("{request:?}") };
    assert_eq!((lease.epoch, lease.holder), (Epoch(1), Some("me")));
}

#[test]
fn an_epoch_that_was_seen_is_not_used_again() {
    let mut me = holder();
    me.floor = Epoch(40);
    does(&mut me, Step::Renew, 104);
    me.answered(Answer::Outdated, at(104));
    looks(&mut me, 104, Answer::Absent);
    assert_eq!(until(&me, 104), Some((Epoch(5), at(107))), "nobody takes it before that");
    assert_eq!(me.decide(at(104)), Step::Wait(Some(at(107))));
    does(&mut me, Step::StepDown, 107);
    assert_eq!(me.decide(at(107)), Step::Wait(Some(at(114))));
    assert_eq!(writes(&mut me, Step::Acquire, 114, 9).epoch, Epoch(41));
}

#[test]
fn a_holder_renews_and_what_it_renewed_counts_from_before_it_was_sent() {
    let mut me = holder();
    assert_eq!(me.decide(at(102)), Step::Wait(Some(at(103))));
    does(&mut me, Step::Renew, 103);
    assert_eq!(me.decide(at(104)), Step::Wait(Some(at(107))), "one request at a time");
    let renewed = Lease { acquired: Millis(77), renewed: Millis(78), ..lease(Some("me"), 3, 5) };
    me.answered(Answer::Is(renewed), at(106));
    assert_eq!(until(&me, 106), Some((Epoch(5), at(110))));
    assert_eq!(until(&me, 110), None, "and not a moment longer");
}

#[test]
fn a_write_that_was_not_answered_gives_nothing() {
    let mut me = holder();
    does(&mut me, Step::Renew, 103);
    me.answered(Answer::Unknown, at(105));
    assert_eq!(until(&me, 105), Some((Epoch(5), at(107))), "what it has it keeps");
    assert_eq!(me.decide(at(105)), Step::Wait(Some(at(106))), "it does not hurry");
    // It has happened, which is no reason to act longer.
    looks(&mut me, 106, Answer::Is(lease(Some("me"), 3, 5)));
    assert_eq!(until(&me, 106), Some((Epoch(5), at(107))));
    writes(&mut me, Step::Renew, 106, 4);
    assert_eq!(until(&me, 106), Some((Epoch(5), at(113))));
}

#[test]
fn an_acquisition_that_was_not_answered_is_made_again() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    does(&mut me, Step::Acquire, 100);
    me.answered(Answer::Unknown, at(101));
    looks(&mut me, 102, Answer::Is(lease(Some("me"), 2, 5)));
    assert_eq!(until(&me, 102), None);
    assert_eq!(writes(&mut me, Step::Acquire, 102, 3).epoch, Epoch(6), "its own it takes at once");
}

#[test]
fn who_is_exclusive_comes_back_at_once_in_an_epoch_of_its_own() {
    let mut me = Candidate::exclusive("me", candidate().settings);
    looks(&mut me, 100, Answer::Is(lease(Some("me"), 7, 5)));
    assert_eq!(until(&me, 100), None, "what it finds was an earlier run's");
    assert_eq!(writes(&mut me, Step::Acquire, 100, 8).epoch, Epoch(6));
    assert_eq!(until(&me, 100), Some((Epoch(6), at(107))));
    // What is another's, or was just there, is waited for as by anybody.
    let mut me = Candidate::exclusive("me", candidate().settings);
    looks(&mut me, 100, Answer::Is(lease(Some("other"), 7, 5)));
    assert_eq!(me.decide(at(100)), Step::Wait(Some(at(110))));
}

#[test]
fn who_wakes_too_late_steps_down_first() {
    let mut me = holder();
    assert_eq!(until(&me, 107), None);
    does(&mut me, Step::StepDown, 107);
    // Nobody has taken it: it is still its own, in another epoch.
    assert_eq!(writes(&mut me, Step::Acquire, 107, 3).epoch, Epoch(6));
    // Also if something was asked.
    does(&mut me, Step::Renew, 110);
    does(&mut me, Step::StepDown, 114);
    me.answered(Answer::Is(lease(Some("me"), 4, 6)), at(114));
    assert_eq!(until(&me, 114), None, "who has stepped down acquires anew");
    assert_eq!(writes(&mut me, Step::Acquire, 114, 5).epoch, Epoch(7));
}

#[test]
fn who_sees_another_steps_down_whatever_its_clock_says() {
    for other in [lease(Some("other"), 3, 6), lease(None, 3, 5), lease(Some("me"), 3, 6)] {
        let mut me = holder();
        me.see(other, at(101));
        assert_eq!(until(&me, 101), None);
        assert_eq!(me.decide(at(101)), Step::StepDown);
    }
}

#[test]
fn a_watch_that_lags_shows_nothing_new() {
    let mut me = holder();
    me.see(lease(Some("other"), 1, 4), at(101));
    assert_eq!(until(&me, 101), Some((Epoch(5), at(107))));
    // And one that is ahead of an answer shows more than that.
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    does(&mut me, Step::Acquire, 100);
    me.see(lease(Some("other"), 3, 6), at(102));
    me.answered(Answer::Is(lease(Some("me"), 2, 5)), at(103));
    assert_eq!(until(&me, 103), None);
    does(&mut me, Step::StepDown, 103);
    assert_eq!(me.decide(at(103)), Step::Wait(Some(at(113))));
}

#[test]
fn a_watch_is_no_look() {
    let mut me = holder();
    does(&mut me, Step::Renew, 103);
    me.answered(Answer::Outdated, at(103));
    me.see(lease(Some("me"), 3, 5), at(103));
    assert_eq!(me.decide(at(103)), Step::Look, "it may be older than what was refused");
}

#[test]
fn who_leaves_ends_what_is_under_way_and_gives_the_lease_back() {
    let mut me = holder();
    me.drain();
    assert_eq!(until(&me, 101), None, "nothing is begun");
    assert_eq!(me.decide(at(104)), Step::Wait(Some(at(107))), "nor renewed");
    me.leave();
    let given = writes(&mut me, Step::Release, 104, 3);
    assert_eq!((given.holder, given.epoch), (None, Epoch(5)));
    assert_eq!(me.decide(at(104)), Step::Left);
    // Who is told to end when nothing is under way any more leaves all the same.
    let mut me = holder();
    me.leave();
    me.drain();
    writes(&mut me, Step::Release, 104, 3);
    assert_eq!(me.decide(at(104)), Step::Left);
    // What is another's is not given away.
    let mut me = candidate();
    me.leave();
    looks(&mut me, 100, Answer::Is(lease(Some("other"), 1, 4)));
    assert_eq!(me.decide(at(200)), Step::Left);
}

#[test]
fn who_leaves_while_it_acquires_gives_that_back_too() {
    let mut me = candidate();
    looks(&mut me, 100, Answer::Is(lease(None, 1, 4)));
    does(&mut me, Step::Acquire, 100);
    me.drain();
    me.leave();
    assert_eq!(me.decide(at(101)), Step::Wait(None));
    me.answered(Answer::Is(lease(Some("me"), 2, 5)), at(101));
    assert_eq!(until(&me, 101), None);
    writes(&mut me, Step::Release, 101, 3);
    assert_eq!(me.decide(at(101)), Step::Left);
}

#[test]
fn every_write_changes_the_lease_also_when_the_clock_on_the_wall_goes_back() {
    let mut me = candidate();
    let ahead = Lease { renewed: Millis(1_000), ..lease(None, 1, 4) };
    looks(&mut me, 100, Answer::Is(ahead));
    let taken = writes(&mut me, Step::Acquire, 100, 2);
    assert_eq!((taken.acquired, taken.renewed), (Millis(1_001), Millis(1_001)));
    let renewed = writes(&mut me, Step::Renew, 103, 3);
    assert_eq!((renewed.acquired, renewed.renewed), (Millis(1_001), Millis(1_002)));
    me.leave();
    assert_eq!(writes(&mut me, Step::Release, 104, 4).renewed, Millis(1_003));
}

#[test]
fn an_answer_that_nobody_waits_for_says_nothing() {
    let mut me = holder();
    let before = me.clone();
    me.answered(Answer::Unknown, at(101));
    assert_eq!(me, before);
}
