//! What is woken by what a watch says.

use super::counter::{Name, Number, at, loop_of, number, verdict};
use crate::{Answer, Event, Moment, Still, Verdict, Version};

#[test]
fn people_go_first() {
    let done = |name, version| Number { is: 1, ..number(name, version, 1) };
    let mut this = loop_of(&[done("a", 1), done("b", 2)]);
    while this.turn(at(0)).is_some() {}
    this.event(Event::Put(done("a", 3)), at(1));
    this.event(Event::Put(Number { is: 1, ..number("b", 4, 2) }), at(1));
    assert_eq!(this.turn(at(1)).map(|turn| turn.key), Some(Name("b")), "a person wants something else of b");
    assert_eq!(this.turn(at(1)).map(|turn| turn.key), Some(Name("a")));
}

#[test]
fn a_list_removes_what_it_does_not_show() {
    let mut this = loop_of(&[number("a", 1, 0), number("b", 2, 0)]);
    while this.turn(at(0)).is_some() {}
    this.event(Event::Listed((), vec![number("b", 2, 0)]), at(1));
    assert!(this.cache().get(&Name("a")).is_none());
    assert_eq!(this.cache().len(), 1);
    let woken: Vec<_> = std::iter::from_fn(|| this.turn(at(1))).map(|turn| turn.key).collect();
    assert_eq!(woken, [Name("a"), Name("b")]);
    assert!(this.cache().has_nothing_of(&Name("a")) && !this.cache().has_nothing_of(&Name("b")));
}

#[test]
fn who_begins_anew_knows_nothing_until_it_is_shown() {
    let mut this = loop_of(&[number("a", 1, 1), number("b", 2, 1)]);
    let turn = this.turn(at(0)).expect("a turn");
    // It waits until its cache has reached that.
    this.answer(&turn.key, Answer::Is(Number { is: 1, ..number("a", 3, 1) }), 0, at(0));
    this.begin_anew();
    assert_eq!((this.cache().len(), this.next_due()), (0, None));
    assert!(this.memo(&turn.key).is_none());
    assert!(this.turn(at(1)).is_none(), "nothing is listed");
    this.event(Event::Listed((), vec![number("b", 4, 1)]), at(1));
    let keys: Vec<_> = std::iter::from_fn(|| this.turn(at(1))).map(|turn| turn.key).collect();
    assert_eq!(keys, [Name("b")]);
}

#[test]
fn a_turn_tells_what_it_rests_on() {
    let mut this = loop_of(&[number("a", 7, 1)]);
    let turn = this.turn(at(5)).expect("a turn");
    assert_eq!(turn.observed, [(Name("a"), Version(7))]);
    assert_eq!(turn.waited.0, 5);
}

#[test]
fn an_answer_that_nobody_waits_for_is_nothing() {
    let mut this = loop_of(&[number("a", 7, 0)]);
    while this.turn(at(0)).is_some() {}
    this.answer(&Name("a"), crate::Answer::Gone, 0, at(1));
    this.answer(&Name("nobody"), crate::Answer::Gone, 0, at(1));
    assert!(this.turn(at(1)).is_none());
}

#[test]
fn a_loop_goes_on_from_a_still() {
    let mut this = loop_of(&[number("a", 1, 2)]);
    assert_eq!(verdict(this.turn(at(0))), Verdict::Do("count"));
    let known = this.known(&Name("a"));
    assert!(known.memo.doing.is_some() && !known.waits);
    let objects = vec![this.cache().get(&Name("a")).expect("it is there").clone()];
    let still = Still { objects, reached: vec![((), Version(1))], keys: vec![known] };
    let mut other =
        crate::Loop::resume(super::counter::Counter, super::counter::SETTINGS, still, Moment::default());
    assert!(other.turn(at(1)).is_none(), "its effect is under way");
    other.answer(&Name("a"), crate::Answer::Unknown("silence".into()), 0, at(1));
    assert_eq!(verdict(other.turn(at(1))), Verdict::Look);
}
