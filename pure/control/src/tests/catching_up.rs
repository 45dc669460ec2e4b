//! A key is decided again when its cache has reached its own last write, and not before.

use super::counter::{Name, Number, at, loop_of, number, outdated, verdict, written};
use crate::{Answer, Effect, Event, Verdict};

const A: Name = Name("a");

#[test]
fn nothing_is_decided_before_everything_was_listed() {
    let mut this = crate::Loop::new(super::counter::Counter, super::counter::SETTINGS);
    this.event(Event::Put(number("a", 1, 1)), at(0));
    assert!(this.turn(at(0)).is_none());
    this.event(Event::Listed((), vec![number("a", 1, 1)]), at(0));
    assert_eq!(verdict(this.turn(at(0))), Verdict::Do("count"));
}

#[test]
fn a_write_is_waited_for() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 2, ..written(this.turn(at(0))) };
    this.answer(&A, Answer::Is(after.clone()), 0, at(1));
    assert!(this.turn(at(1)).is_none(), "the cache shows version 1");
    // Something else happens to it that is older.
    this.event(Event::Put(number("a", 1, 2)), at(2));
    assert!(this.turn(at(2)).is_none(), "the cache still shows version 1");
    this.event(Event::Put(after), at(3));
    assert_eq!(verdict(this.turn(at(3))), Verdict::Do("count"));
}

#[test]
fn an_event_that_came_before_the_answer_is_enough() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 2, ..written(this.turn(at(0))) };
    this.event(Event::Put(after.clone()), at(1));
    assert!(this.turn(at(1)).is_none(), "its effect is under way");
    this.answer(&A, Answer::Is(after), 0, at(2));
    assert_eq!(verdict(this.turn(at(2))), Verdict::Do("count"));
}

#[test]
fn an_object_that_went_meanwhile_is_not_waited_for() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 2, ..written(this.turn(at(0))) };
    this.answer(&A, Answer::Is(after.clone()), 0, at(1));
    this.event(Event::Gone(Number { version: 3, ..after }), at(2));
    assert_eq!(verdict(this.turn(at(2))), Verdict::Converged);
}

#[test]
fn another_of_the_same_name_is_not_what_was_written_unless_it_is_later() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 5, ..written(this.turn(at(0))) };
    this.answer(&A, Answer::Is(after), 0, at(1));
    this.event(Event::Put(Number { uid: 2, ..number("a", 3, 2) }), at(2));
    assert!(this.turn(at(2)).is_none());
    this.event(Event::Put(Number { uid: 2, ..number("a", 6, 2) }), at(3));
    assert_eq!(verdict(this.turn(at(3))), Verdict::Do("count"));
}

#[test]
fn a_list_that_begins_after_the_answer_shows_what_was_written() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 5, ..written(this.turn(at(0))) };
    // This list was under way when the answer came: it may be older.
    this.event(Event::ListBegins(()), at(1));
    this.answer(&A, Answer::Is(after), 0, at(2));
    this.event(Event::Listed((), vec![number("a", 1, 2)]), at(3));
    assert!(this.turn(at(3)).is_none());
    this.event(Event::ListBegins(()), at(4));
    this.event(Event::Listed((), vec![]), at(5));
    assert_eq!(verdict(this.turn(at(5))), Verdict::Converged);
}

/// It may have been made and have gone before the list was, and then no event tells: the explorer found that, with two
/// pairs, a list and somebody who deletes.
#[test]
fn what_a_list_does_not_show_that_may_be_older_is_looked_at() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 5, ..written(this.turn(at(0))) };
    this.event(Event::ListBegins(()), at(1));
    this.answer(&A, Answer::Is(after), 0, at(2));
    this.event(Event::Listed((), vec![]), at(3));
    assert_eq!(verdict(this.turn(at(3))), Verdict::Look);
    this.answer(&A, Answer::Gone, 0, at(4));
    assert_eq!(verdict(this.turn(at(4))), Verdict::Converged);
}

#[test]
fn what_was_refused_as_outdated_is_looked_at() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    written(this.turn(at(0)));
    this.answer(&A, outdated(), 0, at(1));
    let turn = this.turn(at(1)).expect("a turn");
    assert_eq!((turn.verdict, turn.effect), (Verdict::Look, Some(Effect::Look(A))));
    this.answer(&A, Answer::Is(number("a", 4, 2)), 0, at(2));
    assert!(this.turn(at(2)).is_none(), "the cache shows version 1");
    this.event(Event::Put(number("a", 4, 2)), at(3));
    assert_eq!(verdict(this.turn(at(3))), Verdict::Do("count"));
}

#[test]
fn what_was_never_answered_is_looked_at() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    written(this.turn(at(0)));
    this.answer(&A, Answer::Unknown("silence".into()), 0, at(1));
    assert_eq!(verdict(this.turn(at(1))), Verdict::Look);
    this.answer(&A, Answer::Gone, 0, at(2));
    assert!(this.turn(at(2)).is_none(), "the cache still shows it");
    this.event(Event::Gone(number("a", 4, 2)), at(3));
    assert_eq!(verdict(this.turn(at(3))), Verdict::Converged);
}

#[test]
fn a_look_that_fails_is_tried_again_after_a_rest() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    written(this.turn(at(0)));
    this.answer(&A, outdated(), 0, at(1));
    assert_eq!(verdict(this.turn(at(1))), Verdict::Look);
    this.answer(&A, Answer::Unknown("silence".into()), 0, at(2));
    assert!(this.turn(at(2)).is_none());
    assert_eq!(this.next_due().map(|due| due.0), Some(12));
    assert_eq!(verdict(this.turn(at(12))), Verdict::Look);
}

#[test]
fn a_cache_that_never_catches_up_is_not_waited_for_for_ever() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    let after = Number { version: 2, ..written(this.turn(at(0))) };
    this.answer(&A, Answer::Is(after), 0, at(1));
    assert_eq!(this.next_due().map(|due| due.0), Some(101));
    assert!(this.turn(at(100)).is_none());
    assert_eq!(verdict(this.turn(at(101))), Verdict::Look);
}
