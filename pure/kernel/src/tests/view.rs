//! What readers and watchers see.

use super::*;
use crate::{Expired, View};

/// Some changes: two namespaces, and a thing that comes, changes and goes.
fn changes() -> Vec<Change<Toy>> {
    let requests = [
        Request::Create(toy("ns1", 1)),
        Request::Create(toy("x", 2)),
        replace(toy("x", 2).spec(1)),
        Request::Create(toy("ns2", 3)),
        delete("x", None),
    ];
    let mut head = Head::empty();
    requests.into_iter().map(|request| change(&mut head, request)).collect()
}

fn view() -> View<Toy> {
    let mut view = View::load(Version(0), []);
    changes().into_iter().for_each(|change| view.publish(change));
    view
}

fn since(view: &View<Toy>, kind: Kind, version: u64) -> Result<Vec<u64>, Expired> {
    Ok(view.since(&kind, Version(version))?.map(|change| change.version.0).collect())
}

fn at(view: &View<Toy>, kind: Kind, version: u64) -> Result<Vec<(&'static str, u8)>, Expired> {
    Ok(view.at(&kind, Version(version))?.values().map(|toy| (toy.key.name, toy.spec)).collect())
}

#[test]
fn what_is_published_is_there() {
    let view = view();
    assert_eq!(view.version(), Version(5));
    assert_eq!(view.get(&key("ns1")).map(|toy| toy.meta.uid), Some(1));
    assert!(view.get(&key("x")).is_none());
    assert_eq!(view.collections().count(), 2);
    let namespaces = view.collection(&Kind::Namespace).expect("there are some");
    assert_eq!((namespaces.objects().len(), namespaces.log().len()), (2, 2));
    assert!(View::<Toy>::load(Version(0), []).collection(&Kind::Thing).is_none());
}

#[test]
#[should_panic(expected = "changes are published in order")]
fn a_gap_is_not_published() {
    let mut view = View::load(Version(0), []);
    view.publish(changes().remove(1));
}

#[test]
fn a_watch_goes_on_where_it_was() {
    let view = view();
    for (version, expected) in [(0, &[2, 3, 5][..]), (1, &[2, 3, 5]), (2, &[3, 5]), (4, &[5]), (5, &[])] {
        assert_eq!(since(&view, Kind::Thing, version).as_deref(), Ok(expected), "since {version}");
    }
    assert_eq!(since(&view, Kind::Namespace, 0), Ok(vec![1, 4]));
}

#[test]
fn a_list_is_as_it_was() {
    let view = view();
    assert_eq!(at(&view, Kind::Thing, 1), Ok(vec![]));
    assert_eq!(at(&view, Kind::Thing, 2), Ok(vec![("x", 0)]));
    assert_eq!(at(&view, Kind::Thing, 4), Ok(vec![("x", 1)]));
    assert_eq!(at(&view, Kind::Thing, 5), Ok(vec![]));
    assert_eq!(at(&view, Kind::Namespace, 3), Ok(vec![("ns1", 0)]));
}

#[test]
fn what_is_forgotten_is_expired_for_that_resource_only() {
    let mut view = view();
    view.forget(&Kind::Thing, Version(2));
    let expired = Expired { asked: Version(1), oldest: Version(2) };
    assert_eq!(since(&view, Kind::Thing, 1), Err(expired));
    assert_eq!(at(&view, Kind::Thing, 1), Err(expired));
    assert_eq!(since(&view, Kind::Thing, 2), Ok(vec![3, 5]));
    assert_eq!(since(&view, Kind::Namespace, 0), Ok(vec![1, 4]));
    view.forget(&Kind::Thing, Version(1));
    assert_eq!(since(&view, Kind::Thing, 1), Err(expired), "nothing comes back");
}

#[test]
fn what_has_not_happened_is_not_forgotten() {
    let mut view = view();
    view.forget(&Kind::Thing, Version(99));
    assert_eq!(since(&view, Kind::Thing, 5), Ok(vec![]));
    view.publish(Change { version: Version(6), ..changes().remove(1) });
    assert_eq!(since(&view, Kind::Thing, 5), Ok(vec![6]));
}

#[test]
fn a_store_that_is_loaded_has_no_history() {
    let view = View::load(Version(9), [Arc::new(toy("x", 2))]);
    let expired = Expired { asked: Version(8), oldest: Version(9) };
    assert_eq!(since(&view, Kind::Thing, 8), Err(expired));
    assert_eq!(since(&view, Kind::Namespace, 8), Err(expired), "also where nothing is");
    assert_eq!(since(&view, Kind::Namespace, 9), Ok(vec![]));
    assert_eq!(at(&view, Kind::Thing, 9), Ok(vec![("x", 0)]));
}
