//! The models by themselves.

use bowline_explorer::{Model, Options, check};

use super::{chores, objects, watch};
use crate::naive::{is_well_formed, reach};

/// Checks that states are told apart by what is shown of them, and what the explorer asks of every model.
fn is_sound<M: Model>(model: &M) {
    let report = check(model, &Options { properties: Some(&[]), ..Options::default() }).expect("a run");
    let (states, generated, depth) = reach(model).counts();
    assert_eq!(
        (report.distinct, report.generated, report.depth),
        (states as u64, generated as u64, depth as u32)
    );
    is_well_formed(model);
}

#[test]
fn every_model_is_well_formed() {
    let size = objects::OBJECTS.size("updates=1,others=2").expect("a size that works");
    is_sound(&objects::Objects::new(&size, &objects::SHIPPED));
    let size = watch::WATCH.size("writes=2").expect("a size that works");
    is_sound(&watch::Watch::new(&size, &watch::SHIPPED));
    let size = chores::COLLECTOR.size("objects=2,restarts=1").expect("a size that works");
    is_sound(&chores::Chores::collector(&size, &chores::SHIPPED));
    let size = chores::NAMESPACES.size("contents=1,writes=1").expect("a size that works");
    is_sound(&chores::Chores::namespaces(&size, &chores::SHIPPED));
}

#[test]
fn states_are_small() {
    fn bytes<M: Model>() -> usize {
        size_of::<M::State>()
    }
    assert!(bytes::<objects::Objects>() <= 64);
    assert!(bytes::<watch::Watch>() <= 64);
    assert!(bytes::<chores::Chores>() <= 64);
}
