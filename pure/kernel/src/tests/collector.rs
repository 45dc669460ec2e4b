//! What the garbage collector does.

use super::*;

fn stays(head: &mut Head<Toy>, path: &'static str) {
    settle(head);
    assert!(get(head, path).is_some(), "{path} stays");
}

#[test]
fn what_has_no_owner_is_left_alone() {
    let mut head = head([toy("x", 1)]);
    assert!(head.agenda().is_empty());
    stays(&mut head, "x");
}

#[test]
fn what_lost_its_only_owner_goes() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("y", 2).owned(owner(&x)), toy("z", 3).owned(owner(&toy("y", 2)))]);
    stays(&mut head, "z");
    change(&mut head, delete("x", None));
    settle(&mut head);
    assert_eq!(names(&head), Vec::<&str>::new(), "and what it owned goes with it");
}

#[test]
fn what_takes_time_to_end_is_given_it() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("slow", 2).owned(owner(&x))]);
    change(&mut head, delete("x", None));
    settle(&mut head);
    assert_eq!(read(&head, "slow").meta.deletion, Some(Deletion { at: 39, grace_s: 30 }));
    change(&mut head, delete("slow", None));
    assert_eq!(names(&head), Vec::<&str>::new());
}

#[test]
fn an_owner_is_known_by_its_uid() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("y", 2).owned(owner(&x))]);
    change(&mut head, delete("x", None));
    change(&mut head, Request::Create(toy("x", 3)));
    settle(&mut head);
    assert_eq!(names(&head), ["x"]);
}

#[test]
fn an_owner_of_an_unknown_kind_is_taken_to_live() {
    let mut head = head([toy("y", 2).owned(Owner { key: None, uid: 77, blocks: true })]);
    stays(&mut head, "y");
}

#[test]
fn one_owner_that_lives_is_enough_and_the_others_are_forgotten() {
    let (x, y) = (toy("x", 1), toy("y", 2));
    let mut head = head([x.clone(), y.clone(), toy("z", 3).owned(owner(&x)).owned(owner(&y))]);
    change(&mut head, delete("x", None));
    stays(&mut head, "z");
    assert_eq!(read(&head, "z").meta.owners, [owner(&y)]);
}

#[test]
fn an_owner_that_is_deleted_and_held_still_lives() {
    let x = toy("x", 1).held(&[MARK]);
    let mut head = head([x.clone(), toy("y", 2).owned(owner(&x))]);
    change(&mut head, delete("x", Some(Propagation::Background)));
    stays(&mut head, "y");
}

#[test]
fn what_is_adopted_after_the_look_is_not_removed() {
    let (x, y) = (toy("x", 1), toy("y", 2).owned(owner(&toy("gone", 9))));
    let mut head = head([x.clone(), y.clone()]);
    let decided = look(&head, y.key).expect("it lost its owner");
    change(&mut head, replace(y.clone().owned(owner(&x))));
    assert!(matches!(refused(&mut head, decided), Refusal::Stale { .. }));
    // Neither is another that has the name now.
    let decided = look(&head, y.key).expect("one owner is gone");
    change(&mut head, delete("y", None));
    change(&mut head, Request::Create(toy("y", 3)));
    assert!(matches!(refused(&mut head, decided), Refusal::Another { expected: 2, found: 3 }));
}

#[test]
fn what_is_collected_does_to_what_it_owns_as_its_finalizers_say() {
    let gone = owner(&toy("gone", 9));
    let y = toy("y", 2).owned(gone).held(&[Finalizer::Orphan]);
    let mut head = head([y.clone(), toy("z", 3).owned(owner(&y))]);
    settle(&mut head);
    assert_eq!(names(&head), ["z"]);
}

#[test]
fn orphans_forget_their_owner_before_it_goes() {
    let x = toy("x", 1);
    let z = toy("z", 3).owned(owner(&x)).owned(owner(&toy("y", 2)));
    let mut head = head([x.clone(), toy("y", 2).owned(lax_owner(&x)), z]);
    change(&mut head, delete("x", Some(Propagation::Orphan)));
    let changes: Vec<_> = settle(&mut head).iter().map(|change| (change.key.name, change.removed)).collect();
    assert_eq!(changes, [("y", false), ("z", false), ("x", true)]);
    assert_eq!(read(&head, "y").meta.owners, []);
    assert_eq!(read(&head, "z").meta.owners, [owner(&toy("y", 2))]);
}

#[test]
fn who_asks_for_orphans_and_for_the_foreground_loses_nothing() {
    let x = toy("x", 1).held(&[Finalizer::Foreground, Finalizer::Orphan]);
    let mut head = head([x.clone(), toy("y", 2).owned(owner(&x))]);
    change(&mut head, delete("x", None));
    settle(&mut head);
    assert_eq!(names(&head), ["y"]);
}

#[test]
fn in_the_foreground_an_owner_goes_after_what_blocks_it() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("y", 2).owned(owner(&x)).held(&[MARK])]);
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert_eq!(names(&head), ["x", "y"], "y is held");
    change(&mut head, replace(toy("y", 2).owned(owner(&x))));
    settle(&mut head);
    assert_eq!(names(&head), Vec::<&str>::new());
}

#[test]
fn in_the_foreground_an_owner_does_not_wait_for_what_does_not_block_it() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("y", 2).owned(lax_owner(&x)).held(&[MARK])]);
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert_eq!(names(&head), ["y"]);
    assert!(read(&head, "y").meta.deletion.is_some());
}

#[test]
fn in_the_foreground_what_is_owned_goes_in_the_foreground_in_turn() {
    let x = toy("x", 1);
    let y = toy("y", 2).owned(owner(&x)).held(&[Finalizer::Orphan]);
    let mut head = head([x.clone(), y.clone(), toy("z", 3).owned(owner(&y)).held(&[MARK])]);
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert_eq!(finalizers(&head, "y"), [Finalizer::Foreground], "whatever it says itself");
    assert!(read(&head, "z").meta.deletion.is_some());
}

#[test]
fn in_the_foreground_what_has_another_owner_stays_and_is_not_waited_for() {
    let (x, y) = (toy("x", 1), toy("y", 2));
    let mut head = head([x.clone(), y.clone(), toy("z", 3).owned(owner(&x)).owned(owner(&y))]);
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert_eq!(names(&head), ["y", "z"]);
}

/// It is taken to belong to something that lives, so nobody would delete it.
#[test]
fn in_the_foreground_an_owner_does_not_wait_for_what_names_it_by_an_unknown_kind() {
    let x = toy("x", 1);
    let mut head = head([x.clone(), toy("y", 2).owned(Owner { key: None, ..owner(&x) })]);
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert_eq!(names(&head), ["y"]);
}

#[test]
fn a_circle_does_not_wait_for_itself() {
    for size in 1..=5 {
        let paths = ["v", "w", "x", "y", "z"];
        let bare = |index: usize| toy(paths[index % size], (index % size) as u32);
        let mut head = head((0..size).map(|index| bare(index).owned(owner(&bare(index + 1)))));
        settle(&mut head);
        assert_eq!(head.objects().count(), size, "it holds itself");
        change(&mut head, delete("v", Some(Propagation::Foreground)));
        settle(&mut head);
        assert_eq!(names(&head), Vec::<&str>::new(), "a circle of {size}");
    }
}

#[test]
fn a_circle_still_waits_for_others() {
    let (x, y) = (toy("x", 1), toy("y", 2));
    let held = toy("z", 3).owned(owner(&x)).held(&[MARK]);
    let circle = [x.clone().owned(owner(&y)), y.owned(owner(&x))];
    let mut head = head(circle.into_iter().chain([held.clone()]));
    change(&mut head, delete("x", Some(Propagation::Foreground)));
    settle(&mut head);
    assert!(get(&head, "x").is_some(), "z blocks it");
    change(&mut head, replace(Toy { meta: Meta { finalizers: Vec::new(), ..held.meta.clone() }, ..held }));
    settle(&mut head);
    assert_eq!(names(&head), Vec::<&str>::new());
}
