//! What is put on the agenda where it is easily forgotten.

use super::*;

fn settle_and_check(head: &mut Head<Toy>) {
    settle(head);
    assert!(head.agenda().is_empty());
}

#[test]
fn what_is_gone_is_not_on_the_agenda() {
    let mut head = head([toy("x", 1).held(&[MARK])]);
    change(&mut head, delete("x", None));
    assert_eq!(head.agenda().len(), 1);
    change(&mut head, replace(toy("x", 1)));
    assert!(head.agenda().is_empty());
}

#[test]
fn what_a_removal_that_is_taken_back_brings_back_is_due_again() {
    let mut head = head([toy("x", 1).held(&[Finalizer::Foreground])]);
    change(&mut head, delete("x", None));
    let removal = change(&mut head, replace(toy("x", 1)));
    settle_and_check(&mut head);
    head.revert(&removal);
    assert!(head.agenda().contains(&key("x")));
    settle(&mut head);
    assert!(names(&head).is_empty());
}

#[test]
fn what_gets_back_an_owner_that_is_gone_is_due_again() {
    let orphan = toy("y", 2).owned(owner(&toy("gone", 9)));
    let mut head = head([orphan]);
    let forgotten = change(&mut head, replace(toy("y", 2)));
    settle_and_check(&mut head);
    head.revert(&forgotten);
    assert!(head.agenda().contains(&key("y")));
}

#[test]
fn what_loses_an_owner_that_is_taken_back_is_due_again() {
    let mut head = head([toy("y", 2).owned(owner(&toy("x", 1)))]);
    let made = change(&mut head, Request::Create(toy("x", 1)));
    settle_and_check(&mut head);
    head.revert(&made);
    assert!(head.agenda().contains(&key("y")));
}

/// Each waits for the next; the last of them closes the circle far from the one that is looked at.
#[test]
fn who_waits_in_a_circle_is_due_when_it_is_closed_anywhere() {
    let paths = ["v", "w", "x", "y", "z"];
    let bare = |index: usize| toy(paths[index % 5], (index % 5) as u32);
    let closed_by = |last: usize| {
        let mut head = head((0..5).map(|index| bare(index).owned(owner(&bare(index + 1)))));
        for index in (0..5).filter(|index| *index != last) {
            change(&mut head, delete(paths[index], Some(Propagation::Foreground)));
        }
        for key in head.agenda().clone() {
            if look(&head, key).is_none() {
                head.settled(&key);
            }
        }
        change(&mut head, delete(paths[last], Some(Propagation::Foreground)));
        head
    };
    for (last, path) in paths.iter().enumerate() {
        assert_eq!(closed_by(last).agenda().len(), 5, "closed by {path}");
    }
}
