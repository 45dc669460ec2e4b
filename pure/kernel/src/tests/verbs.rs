//! What each request does.

use super::*;

fn deleting(toy: Toy) -> Head<Toy> {
    let path = toy.key.name;
    let mut head = head([toy]);
    change(&mut head, delete(path, None));
    head
}

#[test]
fn create_stamps_what_the_caller_has_no_say_in() {
    let mut head = head([toy("x", 1)]);
    let mut sent = toy("y", 2).held(&[MARK]).owned(owner(&toy("x", 1))).spec(3);
    sent.meta.version = Version(77);
    sent.meta.generation = Some(5);
    sent.meta.deletion = deletion(0);
    let made = change(&mut head, Request::Create(sent.clone()));
    assert_eq!((made.version, made.before.is_none(), made.removed), (Version(2), true, false));
    sent.meta.version = Version(2);
    sent.meta.generation = Some(1);
    sent.meta.deletion = None;
    assert_eq!(get(&head, "y"), Some(&sent));
    assert_eq!(head.version(), Version(2));
    assert!(matches!(head.perform(Request::Create(toy("z", 3))).0, Ok(Answer::Created(_))));
}

#[test]
fn create_counts_no_generation_where_nobody_does() {
    let mut sent = toy("x", 1);
    sent.meta.generation = None;
    assert_eq!(read(&head([sent]), "x").meta.generation, None);
}

#[test]
fn create_is_refused_where_something_is() {
    let mut head = head([toy("x", 1)]);
    assert_eq!(refused(&mut head, Request::Create(toy("x", 2))), Refusal::AlreadyExists);
}

#[test]
fn create_needs_a_namespace_that_stays() {
    let mut head = head([toy("ns", 1).held(&[Finalizer::Contents])]);
    assert_eq!(refused(&mut head, Request::Create(toy("nsx/a", 2))), Refusal::NoHome);
    change(&mut head, Request::Create(toy("ns/a", 2)));
    change(&mut head, delete("ns", None));
    assert_eq!(refused(&mut head, Request::Create(toy("ns/b", 3))), Refusal::HomeGoes);
    assert_eq!(refused(&mut head, Request::Create(toy("ns/a", 3))), Refusal::AlreadyExists);
}

#[test]
fn replace_needs_the_object_that_the_caller_saw() {
    let mut head = head([toy("x", 1), toy("y", 2)]);
    let mut with = |path, expect| refused(&mut head, Request::Replace(toy(path, 1).spec(1), expect));
    assert_eq!(with("z", Expect::anything()), Refusal::NotFound);
    let stale = Refusal::Stale { expected: Version(2), found: Version(1) };
    assert_eq!(with("x", Expect::version(Version(2))), stale);
    assert_eq!(with("x", Expect::uid(2)), Refusal::Another { expected: 2, found: 1 });
    // Of two beliefs that are wrong, that it is another object says more.
    let both = Expect { version: Some(Version(2)), uid: Some(2) };
    assert_eq!(with("x", both), Refusal::Another { expected: 2, found: 1 });
    let right = Expect { version: Some(Version(1)), uid: Some(1) };
    let made = change(&mut head, Request::Replace(toy("x", 1).spec(1), right));
    assert_eq!((made.version, made.before.map(|before| before.spec)), (Version(3), Some(0)));
}

#[test]
fn replace_keeps_what_is_not_the_callers() {
    let mut head = deleting(toy("x", 1).held(&[MARK]));
    let sent = toy("x", 44).held(&[MARK]).spec(9);
    let found = after(head.perform(replace(sent)).0);
    assert_eq!((found.meta.uid, found.meta.deletion.clone()), (1, deletion(0)));
    assert_eq!(found.meta.version, Version(3));
}

#[test]
fn a_generation_counts_changes_of_the_spec_only() {
    let mut head = head([toy("x", 1)]);
    change(&mut head, replace(Toy { status: 4, ..toy("x", 1) }));
    assert_eq!(read(&head, "x").meta.generation, Some(1));
    change(&mut head, replace(Toy { status: 4, ..toy("x", 1).spec(1) }));
    assert_eq!(read(&head, "x").meta.generation, Some(2));
}

#[test]
fn a_write_that_changes_nothing_takes_no_version() {
    let mut head = head([toy("x", 1).held(&[MARK])]);
    let mut sent = read(&head, "x");
    sent.meta.version = Version(55);
    unchanged(&mut head, replace(sent.clone()));
    unchanged(&mut head, Request::Apply(key("x"), 0));
    change(&mut head, delete("x", None));
    sent.meta.deletion = None;
    unchanged(&mut head, replace(sent));
    unchanged(&mut head, delete("x", None));
    unchanged(&mut head, delete("x", Some(Propagation::Background)));
}

#[test]
fn an_object_that_goes_takes_no_new_finalizer_and_goes_with_its_last() {
    let other = Finalizer::Named("other");
    let mut head = deleting(toy("x", 1).held(&[MARK, other.clone()]));
    assert_eq!(
        refused(&mut head, replace(toy("x", 1).held(&[MARK, Finalizer::Named("new")]))),
        Refusal::LateFinalizer
    );
    change(&mut head, replace(toy("x", 1).held(std::slice::from_ref(&other))));
    assert_eq!(refused(&mut head, replace(toy("x", 1).held(&[MARK, other]))), Refusal::LateFinalizer);
    let gone = change(&mut head, replace(toy("x", 1).spec(8)));
    assert!(gone.removed && head.get(&key("x")).is_none());
    assert_eq!((gone.version, gone.after.meta.version, gone.after.spec), (Version(4), Version(4), 8));
    assert_eq!(gone.after.meta.deletion, deletion(0));
}

#[test]
fn the_last_finalizer_is_not_enough_while_somebody_has_time_to_end_it() {
    let mut head = head([toy("x", 1).held(&[MARK])]);
    let slowly =
        Request::Delete { key: key("x"), expect: Expect::anything(), propagation: None, grace_s: 30, at: 7 };
    change(&mut head, slowly);
    change(&mut head, replace(toy("x", 1)));
    assert_eq!(read(&head, "x").meta.deletion, deletion(30));
    let gone = change(&mut head, delete("x", None));
    assert!(gone.removed);
    assert_eq!(gone.after.meta.deletion, deletion(0));
}

#[test]
fn delete_without_a_reason_to_wait_removes_at_once() {
    let mut head = head([toy("x", 1)]);
    let gone = change(&mut head, delete("x", Some(Propagation::Background)));
    assert!(gone.removed && names(&head).is_empty());
    assert_eq!(gone.after.meta.deletion, None, "nobody will see that it was being deleted");
    assert_eq!((gone.after.meta.version, gone.after.meta.generation), (Version(2), Some(1)));
    assert_eq!(refused(&mut head, delete("x", None)), Refusal::NotFound);
    let wrong =
        Request::Delete { key: key("y"), expect: Expect::uid(9), propagation: None, grace_s: 0, at: 7 };
    change(&mut head, Request::Create(toy("y", 2)));
    assert_eq!(refused(&mut head, wrong), Refusal::Another { expected: 9, found: 2 });
}

/// Deletes what somebody runs, and gives no time.
fn end(head: &mut Head<Toy>) {
    let (outcome, told) = head.perform(delete("run", None));
    let told = told.expect("it is told").after;
    assert_eq!(read(head, "run"), *told, "it is still there");
    assert_eq!((&told.meta.deletion, told.meta.generation), (&deletion(0), Some(2)));
    let rest = outcome.ok().and_then(|answer| answer.rest()).expect("there is no time left");
    let gone = change(head, rest);
    assert!(gone.removed && get(head, "run").is_none());
    assert_eq!(gone.after.meta, MetaOf::<Toy> { version: gone.version, ..told.meta.clone() });
}

#[test]
fn who_runs_an_object_sees_that_it_is_to_end_before_it_is_gone() {
    end(&mut head([toy("run", 1)]));
    let mut head = head([toy("run", 1)]);
    let slowly = Request::Delete {
        key: key("run"),
        expect: Expect::anything(),
        propagation: None,
        grace_s: 30,
        at: 9,
    };
    let begun = head.perform(slowly).0.expect("it is there");
    assert!(begun.rest().is_none(), "there is time");
    end(&mut head);
}

#[test]
fn what_held_an_object_was_seen_to() {
    let mut head = deleting(toy("run", 1).held(&[MARK]));
    let (outcome, _) = head.perform(delete("run", None));
    assert!(outcome.is_ok_and(|answer| answer.rest().is_none()), "it is still held");
    let gone = change(&mut head, replace(toy("run", 1)));
    assert!(gone.removed, "its end is no news");
}

#[test]
fn delete_of_what_is_held_begins_its_deletion() {
    let head = deleting(toy("x", 1).held(&[MARK]));
    let found = read(&head, "x");
    assert_eq!((found.meta.deletion, found.meta.generation), (deletion(0), Some(2)));
}

#[test]
fn the_holder_of_an_object_is_asked_once() {
    let mut head = head([toy("kept", 1)]);
    let asked = change(&mut head, delete("kept", None)).after;
    assert_eq!((asked.meta.finalizers.as_slice(), asked.meta.generation), ([MARK].as_slice(), Some(1)));
    assert_eq!(asked.meta.deletion, deletion(0));
    unchanged(&mut head, delete("kept", None));
    let gone = change(&mut head, replace(toy("kept", 1)));
    assert!(gone.removed);
}

#[test]
fn a_second_delete_shortens_and_never_lengthens() {
    let mut head = head([toy("x", 1)]);
    let with = |grace_s, at| Request::Delete {
        key: key("x"),
        expect: Expect::anything(),
        propagation: Some(Propagation::Orphan),
        grace_s,
        at,
    };
    let begun = change(&mut head, with(30, 7));
    assert_eq!(begun.after.meta.generation, Some(2));
    unchanged(&mut head, with(30, 9));
    unchanged(&mut head, with(31, 9));
    // Nor does it choose anew what becomes of what it owns.
    let late = Request::Delete {
        key: key("x"),
        expect: Expect::anything(),
        propagation: Some(Propagation::Background),
        grace_s: 30,
        at: 9,
    };
    unchanged(&mut head, late);
    let shorter = change(&mut head, with(5, 9));
    assert_eq!(shorter.after.meta.deletion, Some(Deletion { at: 9, grace_s: 5 }));
    assert_eq!(shorter.after.meta.generation, Some(2), "it was wanted before");
    change(&mut head, with(0, 9));
    unchanged(&mut head, with(5, 11));
}

#[test]
fn propagation_chooses_one_of_the_collectors_finalizers() {
    use Finalizer::{Foreground, Orphan};
    use Propagation as P;
    let both = [Foreground, MARK, Orphan];
    for (has, propagation, then) in [
        (&[MARK][..], None, &[MARK][..]),
        (&[MARK], Some(P::Background), &[MARK]),
        (&[MARK], Some(P::Foreground), &[MARK, Foreground]),
        (&[MARK], Some(P::Orphan), &[MARK, Orphan]),
        (&[], Some(P::Foreground), &[Foreground]),
        (&[Foreground, MARK], None, &[Foreground, MARK]),
        (&[Foreground, MARK], Some(P::Foreground), &[Foreground, MARK]),
        (&[Foreground, MARK], Some(P::Orphan), &[MARK, Orphan]),
        (&[Orphan, MARK], Some(P::Foreground), &[MARK, Foreground]),
        (&[Orphan, MARK], Some(P::Background), &[MARK]),
        (&both, Some(P::Orphan), &[MARK, Orphan]),
    ] {
        let mut head = head([toy("x", 1).held(has)]);
        change(&mut head, delete("x", propagation));
        assert_eq!(finalizers(&head, "x"), then, "{has:?} {propagation:?}");
    }
}

#[test]
fn who_deletes_again_may_choose_anew_what_becomes_of_what_it_owns() {
    let mut head = deleting(toy("x", 1).held(&[Finalizer::Foreground]));
    change(&mut head, delete("x", Some(Propagation::Orphan)));
    assert_eq!(finalizers(&head, "x"), [Finalizer::Orphan]);
    let gone = change(&mut head, delete("x", Some(Propagation::Background)));
    assert!(gone.removed);
}

#[test]
fn apply_changes_what_is_there_or_makes_it() {
    let mut head = Head::empty();
    let made = change(&mut head, Request::Apply(key("applied"), 3));
    assert_eq!((made.before, made.after.spec, made.after.meta.generation), (None, 3, Some(1)));
    let made = change(&mut head, Request::Apply(key("applied"), 4));
    assert_eq!((made.after.spec, made.after.meta.generation), (7, Some(2)));
    assert_eq!(refused(&mut head, Request::Apply(key("applied"), 255)), Refusal::Change("too much"));
}
