//! Plans.

use super::{Plain, ROOM, content, differs, live, ours};
use crate::{Act, Content, Fit, Inventory, Origin, Plan, Sight, Sights, Whose};

fn absent() -> Sight<Plain> {
    Sight { live: None, fit: super::changed() }
}

fn touched(entries: &[(&'static str, Origin<Plain>)]) -> Inventory<Plain> {
    Inventory(entries.iter().cloned().collect())
}

fn plan(
    wanted: &Content<Plain>,
    inventory: &Inventory<Plain>,
    sights: &[(&'static str, Sight<Plain>)],
) -> Plan<Plain> {
    let sights: Sights<Plain> = sights.iter().cloned().collect();
    Plan::new(wanted, inventory, &sights)
}

fn acts(plan: &Plan<Plain>) -> Vec<(&'static str, Act<Plain>)> {
    plan.deeds.iter().map(|(_, deed)| (deed.place, deed.act.clone())).collect()
}

#[test]
fn what_is_missing_is_made_and_what_differs_is_applied() {
    let wanted = content(&[("a", 0, 1), ("b", 0, 2), ("c", 0, 3)]);
    let plan = plan(
        &wanted,
        &touched(&[("b", Origin::Created), ("c", Origin::Created)]),
        &[("a", absent()), ("b", differs(Whose::Ours, 9)), ("c", ours(3))],
    );
    assert_eq!(acts(&plan), [("a", Act::Create(1)), ("b", Act::Apply(2, 9))]);
    assert_eq!(
        plan.inventory,
        touched(&[("a", Origin::Created), ("b", Origin::Created), ("c", Origin::Created)])
    );
}

#[test]
fn what_is_somebodys_is_taken_over_as_it_is_now() {
    let wanted = content(&[("a", 0, 1)]);
    let old = touched(&[("a", Origin::Adopted(5))]);
    let plan = plan(&wanted, &old, &[("a", differs(Whose::Nobodys, 6))]);
    assert_eq!(acts(&plan), [("a", Act::Apply(1, 6))]);
    assert_eq!(plan.inventory, touched(&[("a", Origin::Adopted(6))]));
}

#[test]
fn what_is_not_wanted_goes_or_is_given_back_and_what_is_not_ours_is_left() {
    let inventory = touched(&[
        ("made", Origin::Created),
        ("taken", Origin::Adopted(5)),
        ("lost", Origin::Created),
        ("gone", Origin::Created),
    ]);
    let mut held = live(Whose::Ours, 4);
    held.spared = Some("it has somebody's objects in it".into());
    let plan = plan(
        &Content::default(),
        &inventory,
        &[
            ("made", ours(1)),
            ("taken", ours(2)),
            ("lost", differs(Whose::Nobodys, 3)),
            ("gone", Sight::nothing()),
            ("stray", ours(7)),
            ("held", Sight { live: Some(held), fit: Fit::Same }),
        ],
    );
    let mut all = acts(&plan);
    all.sort_by_key(|(place, _)| *place);
    assert_eq!(all, [("made", Act::Delete(1)), ("stray", Act::Delete(7)), ("taken", Act::Restore(5, 2))]);
    assert_eq!(plan.spared, [("held", "it has somebody's objects in it".to_owned())]);
    assert_eq!(plan.deletions(), 2, "what is given back is not deleted");
    assert_eq!(plan.inventory, inventory, "nothing is forgotten before it is seen to be over");
}

#[test]
fn waves_come_one_after_the_other_and_deletions_last() {
    let wanted = content(&[("kind", 0, 1), ("thing", 2, 1), ("other", 2, 1)]);
    let inventory = touched(&[("old", Origin::Created)]);
    let later = Sight { live: None, fit: Fit::Later };
    let first = plan(
        &wanted,
        &inventory,
        &[("kind", absent()), ("thing", later.clone()), ("other", absent()), ("old", ours(1))],
    );
    assert_eq!(places(&first, 10), ["kind"]);
    let then = plan(
        &wanted,
        &inventory,
        &[("kind", ours(1)), ("thing", later), ("other", ours(1)), ("old", ours(1))],
    );
    assert_eq!(places(&then, 10), [""; 0], "nothing goes while something is still to come");
    assert!(!then.is_done());
    let last = plan(
        &wanted,
        &inventory,
        &[("kind", ours(1)), ("thing", ours(1)), ("other", ours(1)), ("old", ours(1))],
    );
    assert_eq!(places(&last, 10), ["old"]);
    let both = plan(
        &wanted,
        &inventory,
        &[("kind", ours(1)), ("thing", absent()), ("other", absent()), ("old", ours(1))],
    );
    assert_eq!(places(&both, 1), ["other"], "no more than may be written at a time");
}

fn places(plan: &Plan<Plain>, most: usize) -> Vec<&'static str> {
    places_but(plan, most, &[])
}

fn places_but(plan: &Plan<Plain>, most: usize, refused: &[&'static str]) -> Vec<&'static str> {
    let refused = refused.iter().map(|place| (*place, String::new())).collect();
    plan.next(most, &refused).into_iter().map(|deed| deed.place).collect()
}

#[test]
fn what_comes_later_is_waited_for_by_all_that_comes_after_it() {
    let wanted = content(&[("namespace", 1, 1), ("server", 3, 1), ("hook", 4, 1)]);
    let later = Sight { live: None, fit: Fit::Later };
    let seen = |namespace| [("namespace", namespace), ("server", later.clone()), ("hook", absent())];
    let first = plan(&wanted, &Inventory::default(), &seen(absent()));
    assert_eq!(places(&first, 10), ["namespace"]);
    let then = plan(&wanted, &Inventory::default(), &seen(ours(1)));
    assert_eq!(places(&then, 10), [""; 0], "a hook would keep its own server from coming");
    let other = content(&[("namespace", 1, 1), ("server", 3, 2), ("hook", 4, 1)]);
    let other = plan(&other, &Inventory::default(), &seen(absent()));
    assert_ne!(first.digest(), other.digest(), "what comes later is a part of what is planned");
}

#[test]
fn what_was_refused_keeps_nothing_else_waiting() {
    let wanted = content(&[("a", 0, 1), ("b", 0, 1), ("c", 1, 1)]);
    let plan = plan(&wanted, &Inventory::default(), &[("a", absent()), ("b", absent()), ("c", absent())]);
    assert_eq!(places_but(&plan, 10, &["a"]), ["b"]);
    assert_eq!(places_but(&plan, 10, &["a", "b"]), ["c"]);
    assert_eq!(places_but(&plan, 10, &["a", "b", "c"]), ["a", "b"], "nothing else is left");
}

#[test]
fn what_others_may_use_does_not_go_while_something_is_to_be_given_back() {
    let inventory = touched(&[("a", Origin::Adopted(5)), (ROOM, Origin::Created)]);
    let plan = plan(&content(&[]), &inventory, &[("a", ours(1)), (ROOM, ours(1))]);
    assert_eq!(places(&plan, 10), ["a"]);
    assert_eq!(places_but(&plan, 10, &["a"]), ["a"], "it may be in there");
}

#[test]
fn what_says_otherwise_where_it_is_is_still_what_it_was() {
    let wanted = content(&[("default/x", 0, 2)]);
    let elsewhere = Sight { live: None, fit: Fit::Elsewhere("default/x") };
    let inventory = touched(&[("x", Origin::Adopted(5))]);
    for fit in [Fit::Same, super::changed()] {
        let there = Sight { fit, ..ours(1) };
        let plan = plan(&wanted, &inventory, &[("default/x", there), ("x", elsewhere.clone())]);
        assert_eq!(plan.inventory, touched(&[("default/x", Origin::Adopted(5))]));
        assert_eq!(plan.trimmed(&wanted), plan.inventory);
    }
}

#[test]
fn what_could_not_be_tried_is_neither_done_nor_refused() {
    let wanted = content(&[("a", 0, 1), ("b", 0, 1)]);
    let untried = Sight { live: None, fit: Fit::Untried("its webhook does not answer".into()) };
    let plan = plan(&wanted, &Inventory::default(), &[("a", untried), ("b", absent())]);
    assert_eq!(places(&plan, 10), ["b"]);
    assert!(!plan.is_done() && plan.refusal().is_none());
}

#[test]
fn what_is_known_of_an_object_that_cannot_be_seen_stays_known() {
    let wanted = content(&[("a", 0, 1), ("b", 0, 1)]);
    let later = Sight { live: None, fit: Fit::Later };
    let inventory = touched(&[("a", Origin::Adopted(5))]);
    let plan = plan(&wanted, &inventory, &[("a", later.clone()), ("b", later)]);
    assert_eq!(plan.inventory, touched(&[("a", Origin::Adopted(5)), ("b", Origin::Created)]));
}

#[test]
fn what_is_left_because_of_others_is_not_forgotten() {
    let mut held = live(Whose::Ours, 4);
    held.spared = Some("somebody has objects in it".into());
    let inventory = touched(&[("held", Origin::Created), ("gone", Origin::Created)]);
    let sights = [("held", Sight { live: Some(held), fit: Fit::Same }), ("gone", Sight::nothing())];
    let plan = plan(&Content::default(), &inventory, &sights);
    assert_eq!(plan.trimmed(&Content::default()), touched(&[("held", Origin::Created)]));
    let told = crate::words::succeeded(Some(&plan));
    assert_eq!(told, "it is on the cluster, and healthy; held is left: somebody has objects in it");
}

#[test]
fn what_belongs_to_another_stack_is_refused_by_name() {
    let wanted = content(&[("a", 0, 1)]);
    let plan =
        plan(&wanted, &Inventory::default(), &[("a", differs(Whose::Anothers("the stack t".into()), 2))]);
    assert_eq!(
        plan.refusal().map(String::as_str),
        Some("a belongs to the stack t; take it out here, or let that one give it up first")
    );
    assert!(plan.deeds.is_empty() && plan.inventory == Inventory::default());
}
