//! What becomes of a namespace.

use super::*;

fn namespace() -> Toy {
    toy("ns", 1).held(&[Finalizer::Contents])
}

#[test]
fn a_namespace_that_stays_is_left_alone() {
    let mut head = head([namespace(), toy("ns/a", 2)]);
    assert!(look(&head, key("ns")).is_none());
    settle(&mut head);
    assert_eq!(names(&head), ["ns", "a"]);
}

#[test]
fn an_empty_namespace_goes() {
    let mut head = head([namespace(), toy("nsx", 2)]);
    change(&mut head, delete("ns", None));
    settle(&mut head);
    assert_eq!(names(&head), ["nsx"]);
}

#[test]
fn a_namespace_goes_after_its_contents() {
    let contents = [toy("ns/a", 2), toy("ns/b", 3).held(&[MARK]), toy("ns/c", 4).held(&[Finalizer::Orphan])];
    let mut head = head([namespace()].into_iter().chain(contents).chain([toy("x", 5)]));
    change(&mut head, delete("ns", None));
    settle(&mut head);
    assert_eq!(names(&head), ["ns", "x", "b"], "b is held; and nothing is orphaned here");
    assert!(head.agenda().is_empty());
    change(&mut head, replace(toy("ns/b", 3)));
    settle(&mut head);
    assert_eq!(names(&head), ["x"]);
}

#[test]
fn a_namespace_waits_for_what_takes_time_to_end() {
    let mut head = head([namespace(), toy("ns/slow", 2)]);
    change(&mut head, delete("ns", None));
    settle(&mut head);
    assert_eq!(read(&head, "ns/slow").meta.deletion, Some(Deletion { at: 39, grace_s: 30 }));
    change(&mut head, delete("ns/slow", None));
    settle(&mut head);
    assert_eq!(names(&head), Vec::<&str>::new());
}

#[test]
fn a_namespace_without_the_finalizer_is_nobodys_business() {
    let mut head = head([toy("ns", 1).held(&[MARK]), toy("ns/a", 2)]);
    change(&mut head, delete("ns", None));
    settle(&mut head);
    assert_eq!(names(&head), ["ns", "a"]);
}

#[test]
fn another_object_of_the_same_name_is_not_meant() {
    let mut head = head([namespace(), toy("ns/a", 2)]);
    change(&mut head, delete("ns", None));
    let decided = look(&head, key("ns")).expect("it has contents");
    let Request::Delete { expect, .. } = decided else { panic!("its contents go first") };
    assert_eq!(expect, Expect::uid(2));
}

#[test]
fn what_is_held_is_not_walked_past_again_and_again() {
    let mut head = head([namespace(), toy("ns/a", 2).held(&[MARK]), toy("ns/b", 3)]);
    change(&mut head, delete("ns", None));
    let decided = look(&head, key("ns")).expect("it has contents");
    let first = change(&mut head, decided);
    assert_eq!(first.key.name, "a");
    assert_eq!(head.contents(&key("ns")).map(|toy| toy.key.name).collect::<Vec<_>>(), ["b", "a"]);
}
