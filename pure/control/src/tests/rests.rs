//! When a key comes to rest, when it fails, and when it has tried too often.

use super::counter::{Counter, Name, Number, at, loop_of, number, refused, verdict, written};
use crate::{Answer, Event, Loop, Verdict};

const A: Name = Name("a");

/// Carries every effect at once, and shows what it did, until there is nothing to do; tells how many writes that took.
fn settle(this: &mut Loop<Counter>, clock: u64) -> u32 {
    let mut writes = 0;
    while let Some(turn) = this.turn(at(clock)) {
        if turn.effect.is_some() {
            let before = this.cache().get(&A).expect("it is there").version;
            let after = Number { version: before + 1, ..written(Some(turn)) };
            this.answer(&A, Answer::Is(after.clone()), 0, at(clock));
            this.event(Event::Put(after), at(clock));
            writes += 1;
        }
        assert!(writes < 100, "it comes to an end");
    }
    writes
}

#[test]
fn what_is_as_it_should_be_is_not_written() {
    let mut this = loop_of(&[number("a", 1, 3)]);
    assert_eq!(settle(&mut this, 0), 3);
    this.event(Event::Put(this.cache().get(&A).expect("it is there").clone()), at(2));
    assert_eq!(settle(&mut this, 2), 0);
}

#[test]
fn what_waits_says_so_once_and_looks_again_in_time() {
    let mut this = loop_of(&[number("a", 1, 13)]);
    let after = Number { version: 2, ..written(this.turn(at(0))) };
    assert_eq!(after.says, "waits for another number");
    this.answer(&A, Answer::Is(after.clone()), 0, at(0));
    this.event(Event::Put(after), at(0));
    assert_eq!(verdict(this.turn(at(0))), Verdict::Wait("another number"));
    assert_eq!(this.next_due().map(|due| due.0), Some(5_000));
    assert_eq!(settle(&mut this, 5_000), 0);
    assert_eq!(
        this.next_due().map(|due| due.0),
        Some(5_010),
        "who waits for what is over does not keep everybody busy"
    );
}

#[test]
fn a_failure_is_shown_and_tried_again_after_longer_and_longer_rests() {
    let mut this = loop_of(&[number("a", 1, 1)]);
    assert_eq!(verdict(this.turn(at(0))), Verdict::Do("count"));
    this.answer(&A, refused("no room"), 0, at(0));
    assert!(this.turn(at(9)).is_none());
    let turn = this.turn(at(10)).expect("a turn");
    assert_eq!(turn.verdict, Verdict::Failing("no room".into()));
    let after = Number { version: 2, ..written(Some(turn)) };
    assert_eq!(after.says, "failing: no room");
    this.answer(&A, Answer::Is(after.clone()), 0, at(10));
    this.event(Event::Put(after), at(10));
    assert_eq!(verdict(this.turn(at(10))), Verdict::Do("count"));
    this.answer(&A, refused("no room"), 0, at(10));
    assert_eq!(this.next_due().map(|due| due.0), Some(30), "the second rest is twice as long");
    assert_eq!(verdict(this.turn(at(30))), Verdict::Do("count"), "it is shown already");
    assert_eq!(settle(&mut this, 30), 0, "its effect is under way");
}

#[test]
fn trouble_with_an_older_wish_is_not_told_of_a_new_one() {
    let mut this = loop_of(&[number("a", 1, 1)]);
    this.turn(at(0));
    this.answer(&A, refused("no room"), 0, at(0));
    this.event(Event::Put(number("a", 2, 5)), at(1));
    assert_eq!(verdict(this.turn(at(10))), Verdict::Do("count"), "nothing is known of that");

    // Another one of the same name that is wanted to be the same is another one.
    let mut this = loop_of(&[number("a", 1, 1)]);
    this.turn(at(0));
    this.answer(&A, refused("no room"), 0, at(0));
    this.event(Event::Put(Number { uid: 2, ..number("a", 2, 1) }), at(1));
    assert_eq!(verdict(this.turn(at(10))), Verdict::Do("count"), "that was another one");

    // Nor is that of a call that was begun before.
    let call = |this: &mut Loop<Counter>, clock| {
        assert_eq!(verdict(this.turn(at(clock))), Verdict::Do("call"));
    };
    let mut this = loop_of(&[number("a", 1, 99)]);
    call(&mut this, 0);
    this.event(Event::Put(number("a", 2, 98)), at(1));
    this.event(Event::Put(number("a", 3, 99)), at(1));
    this.answer(&A, Answer::Unknown("lost".into()), 0, at(2));
    call(&mut this, 2);
    this.answer(&A, Answer::Unknown("lost".into()), 0, at(3));
    let failing = Verdict::Failing("the outside did not answer".into());
    assert_eq!(verdict(this.turn(at(30))), failing, "this one is of now");
}

#[test]
fn failures_are_forgotten_when_it_has_come_to_rest() {
    let mut this = loop_of(&[number("a", 1, 1)]);
    this.turn(at(0));
    this.answer(&A, refused("no room"), 0, at(0));
    assert_eq!(settle(&mut this, 10), 3, "it is shown, works, and is shown to be well");
    this.event(Event::Put(Number { is: 1, ..number("a", 9, 2) }), at(20));
    assert_eq!(verdict(this.turn(at(20))), Verdict::Do("count"));
    this.answer(&A, refused("no room"), 0, at(20));
    assert_eq!(this.next_due().map(|due| due.0), Some(30), "it is the first failure again");
}

#[test]
fn too_many_effects_are_stalled_and_say_so() {
    let mut this = loop_of(&[number("a", 1, 10)]);
    assert_eq!(settle(&mut this, 0), 5, "four steps, and the words");
    let said = &this.cache().get(&A).expect("it is there").says;
    assert_eq!(said, "stalled: 4 steps in a row have not led anywhere; the next would be to count");
    // Others' changes do not lift it, and nothing is written.
    let other = this.cache().get(&A).expect("it is there").clone();
    this.event(Event::Put(Number { version: 20, ..other }), at(1));
    assert_eq!(settle(&mut this, 1), 0);
    assert_eq!(this.next_due().map(|due| due.0), Some(1_000));
    assert_eq!(
        settle(&mut this, 1_000),
        4,
        "it is tried again when a long time has passed; the words are there"
    );
}

#[test]
fn a_person_lifts_a_stall() {
    let mut this = loop_of(&[number("a", 1, 10)]);
    settle(&mut this, 0);
    let other = this.cache().get(&A).expect("it is there").clone();
    this.event(Event::Put(Number { version: 20, wanted: 5, ..other }), at(1));
    assert_eq!(settle(&mut this, 1), 2, "one step, and it says that all is well");
}

#[test]
fn what_the_outside_says_is_remembered() {
    let mut this = loop_of(&[number("a", 1, 99)]);
    assert_eq!(verdict(this.turn(at(0))), Verdict::Do("call"));
    let trouble = this.answer(&A, Answer::Replied(Err("throttled".into())), 0, at(0));
    assert_eq!(trouble, Some("throttled"));
    assert!(this.turn(at(9)).is_none(), "it rests");
    let shown = Number { version: 2, ..written(this.turn(at(10))) };
    this.answer(&A, Answer::Is(shown.clone()), 0, at(10));
    this.event(Event::Put(shown), at(10));
    assert_eq!(verdict(this.turn(at(10))), Verdict::Do("call"));
    assert_eq!(this.answer(&A, Answer::Replied(Ok(7)), 0, at(11)), None);
    assert_eq!(this.memo(&A).map(|memo| memo.memory), Some(7));
    assert_eq!(verdict(this.turn(at(11))), Verdict::Converged);
}

#[test]
fn who_is_drained_begins_nothing_more() {
    let mut this = loop_of(&[number("a", 1, 10), number("b", 1, 10)]);
    assert_eq!(verdict(this.turn(at(0))), Verdict::Do("count"));
    this.drain();
    assert!(!this.is_drained());
    this.answer(&A, Answer::Unknown("silence".into()), 0, at(1));
    // What waited has its turn; what was answered is not begun again.
    assert_eq!(verdict(this.turn(at(1))), Verdict::Do("count"));
    this.answer(&Name("b"), Answer::Unknown("silence".into()), 0, at(1));
    assert!(this.turn(at(1)).is_none());
    assert!(this.is_drained());
}
