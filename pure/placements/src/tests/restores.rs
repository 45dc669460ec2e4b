//! A hub that came back older than its syncers.

use super::town::Town;
use crate::{FenceWish, Wait};

#[test]
fn who_uses_a_volume_keeps_it_and_the_hub_goes_on_above() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let backup = (town.placement().clone(), town.volumes.clone());
    town.pin("west");
    town.settle();
    assert_eq!(town.users("data"), ["west"]);
    // The backup says that it is on east.
    town.restore(backup, 1);
    town.cut.insert("west");
    assert_eq!(town.settle(), Some(Wait::Report("west")));
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
    town.cut.clear();
    assert_eq!(town.settle(), None);
    // It was found on west, and is wanted on east.
    assert!(town.steps.contains(&"record who uses the volume data".to_owned()), "{:?}", town.steps);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    assert!(town.volumes["data"].grant.epoch.0 > 1_000);
}

#[test]
fn nothing_is_stopped_where_the_backup_is_right() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let backup = (town.placement().clone(), town.volumes.clone());
    let acts = town.acts.len();
    town.restore(backup, 1);
    assert_eq!(town.settle(), None);
    assert!(town.acts[acts..].iter().all(|act| !act.contains("Stop")), "{:?}", town.acts);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    assert!(town.syncers["east"].accepted.0 >= 1_000);
}

#[test]
fn who_does_not_report_is_fenced_after_the_restore() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let backup = (town.placement().clone(), town.volumes.clone());
    town.cut.insert("east");
    town.pin("west");
    town.fence("east", FenceWish::Fenced);
    town.settle();
    assert_eq!(town.users("data"), ["west"]);
    // The backup knows nothing of the fence.
    let target = town.target("east");
    (target.fence, target.wish.fence) = (crate::Fence::default(), FenceWish::Open);
    town.restore(backup, 1);
    town.pin("west");
    assert_eq!(town.settle(), Some(Wait::Report("east")));
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    assert_eq!(town.settle(), None);
    assert!(town.syncers["east"].here.is_empty());
    assert_eq!(town.users("data"), ["west"]);
}
