//! A store of the size that is promised.

use std::collections::BTreeSet;

use super::*;
use crate::View;

const OBJECTS: u32 = 100_000;

/// The paths of many objects in one namespace; a path is for ever, like those that are written down.
fn many() -> Vec<Arc<Toy>> {
    let namespace = Arc::new(toy("ns1", OBJECTS).held(&[Finalizer::Contents]));
    let name = |n| -> &'static str { Box::leak(format!("object-{n:06}").into_boxed_str()) };
    let thing = |n| {
        let mut thing = toy("ns1/a", n).held(&[MARK]);
        thing.key.name = name(n);
        // One owner for all: an index with many entries under one key.
        Arc::new(thing.owned(owner(&namespace)))
    };
    (0..OBJECTS).map(thing).chain([Arc::clone(&namespace)]).collect()
}

/// Quadratic work, at this size, would not end in the time of a test.
#[test]
fn a_large_store_is_loaded_and_emptied_without_quadratic_work() {
    let objects = many();
    let view = View::load(Version(7), objects.iter().cloned());
    assert_eq!(view.collection(&Kind::Thing).map(|things| things.objects().len()), Some(OBJECTS as usize));
    let mut head = Head::load(Version(7), objects);
    for key in head.agenda().clone() {
        assert!(look(&head, key).is_none(), "nothing is due");
        head.settled(&key);
    }
    change(&mut head, delete("ns1", None));
    let mut deleted = BTreeSet::new();
    while let Some(request) = look(&head, key("ns1")) {
        deleted.insert(change(&mut head, request).key);
    }
    assert_eq!(deleted.len(), OBJECTS as usize, "all are held, and all were asked to go");
}
