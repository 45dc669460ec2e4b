//! What is true after any history.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::histories::{Event, Store, event};
use super::*;
use crate::View;

const KINDS: [Kind; 2] = [Kind::Namespace, Kind::Thing];

/// Everything that is due is on the agenda, everything on the agenda is there, and a chore gets somewhere.
fn agenda_is_complete(head: &Head<Toy>) {
    for object in head.objects() {
        let Some(request) = look(head, object.key) else { continue };
        assert!(head.agenda().contains(&object.key), "{:?} is due for {request:?}", object.key);
        let (outcome, change) = head.clone().perform(request.clone());
        assert!(outcome.is_ok() && change.is_some(), "{request:?} gets nowhere: {outcome:?}");
    }
    assert!(head.agenda().iter().all(|key| head.get(key).is_some()));
}

/// The same objects and indexes as if they had been loaded.
fn indexes_are_right(head: &Head<Toy>) {
    let mut loaded = Head::load(head.version(), head.objects().cloned());
    let mut head = head.clone();
    for key in loaded.agenda().iter().chain(&head.agenda().clone()).copied().collect::<Vec<_>>() {
        loaded.settled(&key);
        head.settled(&key);
    }
    assert_eq!(head, loaded);
}

/// What the kernel promises of any object.
fn objects_are_right(store: &Store) {
    for object in store.head.objects() {
        assert!(!object.meta.is_done(), "what is done is gone");
        assert!(object.meta.version <= store.head.version());
    }
    let uids: std::collections::BTreeSet<_> = store.head.objects().map(|object| object.meta.uid).collect();
    assert_eq!(uids.len(), store.head.objects().count());
}

/// Lists at every version, and watches from every version, against what was recorded.
fn view_is_right(store: &Store) {
    let version = store.view.version().0;
    for (kind, asked) in KINDS.iter().flat_map(|kind| (0..=version).map(move |asked| (kind, asked))) {
        let (at, since) = (store.view.at(kind, Version(asked)), store.view.since(kind, Version(asked)));
        if asked < store.lost[kind] {
            assert!(
                at.is_err() && since.is_err_and(|e| e.asked.0 == asked && e.oldest.0 == store.lost[kind])
            );
            continue;
        }
        let recorded = store.snapshots[&asked].iter().filter(|object| object.key.resource == *kind);
        let recorded: BTreeMap<_, _> = recorded.map(|object| (&object.key, object)).collect();
        assert_eq!(at, Ok(recorded), "{kind:?} at {asked}");
        let later = store.durable.iter().filter(|change| change.key.resource == *kind);
        let later: Vec<_> = later.filter(|change| change.version.0 > asked).collect();
        assert_eq!(since.map(Iterator::collect), Ok(later), "{kind:?} since {asked}");
    }
}

/// The view and what is pending make the head; and what is loaded is what was.
fn view_follows_head(store: &Store) {
    let mut view = store.view.clone();
    store.pending.iter().for_each(|change| view.publish(change.clone()));
    assert_eq!(view.version(), store.head.version());
    let seen = |view: &View<Toy>| -> Vec<_> {
        view.collections().flat_map(|(_, collection)| collection.objects().values()).cloned().collect()
    };
    assert_eq!(seen(&view), store.objects());
    let loaded = View::load(view.version(), seen(&view));
    assert_eq!((loaded.version(), seen(&loaded)), (view.version(), seen(&view)));
}

/// What clients do about an object that is being deleted: they let it go.
fn agreement(object: &Toy) -> Request<Toy> {
    if object.meta.deletion.as_ref().is_some_and(|deletion| deletion.grace_s > 0) {
        let (key, expect) = (object.key, Expect::anything());
        return Request::Delete { key, expect, propagation: None, grace_s: 0, at: 7 };
    }
    let mut object = object.clone();
    object.meta.finalizers.retain(|finalizer| !matches!(finalizer, Finalizer::Named(_)));
    replace(object)
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec(event(), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_agenda_is_complete_and_indexes_are_right(events in events()) {
        let mut store = Store::new();
        for event in &events {
            store.happen(event);
            agenda_is_complete(&store.head);
            indexes_are_right(&store.head);
            objects_are_right(&store);
        }
    }

    #[test]
    fn readers_see_every_durable_change_once_and_in_order(events in events()) {
        let mut store = Store::new();
        for event in &events {
            store.happen(event);
            view_follows_head(&store);
        }
        view_is_right(&store);
    }

    #[test]
    fn what_is_taken_back_never_was(before in events(), after in events()) {
        let mut store = Store::new();
        before.iter().for_each(|event| store.happen(event));
        store.happen(&Event::Commit);
        let (version, objects) = (store.head.version(), store.objects());
        let writes = after.iter().filter(|event| !matches!(event, Event::Commit | Event::Restart));
        writes.for_each(|event| store.happen(event));
        store.happen(&Event::Refuse);
        prop_assert_eq!((store.head.version(), store.objects()), (version, objects));
        agenda_is_complete(&store.head);
        indexes_are_right(&store.head);
    }

    /// Once clients let go of what is deleted, everything that is deleted goes.
    #[test]
    fn chores_come_to_an_end_and_deletion_with_them(events in events()) {
        let mut store = Store::new();
        events.iter().for_each(|event| store.happen(event));
        loop {
            settle(&mut store.head);
            let going: Vec<_> = store.head.objects().filter(|object| object.meta.deletion.is_some()).collect();
            if going.is_empty() {
                break;
            }
            let requests: Vec<_> = going.into_iter().map(|object| agreement(object)).collect();
            let changes: Vec<_> = requests.into_iter().map(|request| store.head.perform(request).1).collect();
            prop_assert!(changes.iter().any(Option::is_some), "stuck: {:?}", store.objects());
        }
        agenda_is_complete(&store.head);
    }
}
