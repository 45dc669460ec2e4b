//! Deleted, adopted, shared.

use super::town::{SHOP, Town};
use crate::syncer::{Local, Stage};
use crate::{FenceWish, Phase, Thing, Wait};

fn placed(volumes: &[&'static str]) -> Town {
    let mut town = Town::new(&["east", "west"], volumes);
    town.pin("east");
    town.settle();
    town
}

#[test]
fn data_goes_with_its_namespace_and_the_grant_after_it() {
    let mut town = placed(&["data", "logs"]);
    town.delete_namespace();
    assert_eq!(town.settle(), None);
    assert!(town.placement.is_none() && town.volumes.is_empty());
    assert_eq!(town.deleted.iter().copied().collect::<Vec<_>>(), ["data", "logs"]);
    assert!(town.syncers["east"].here.is_empty());
    let place = |act: &str| town.acts.iter().position(|known| known.contains(act)).expect(act);
    assert!(place("east: Stop") < place("east: Destroy"), "{:?}", town.acts);
}

#[test]
fn a_placement_that_is_deleted_alone_keeps_its_data() {
    let mut town = placed(&["data"]);
    town.placement.as_mut().expect("the placement").deleting = true;
    assert_eq!(town.settle(), None);
    assert!(town.placement.is_none() && town.deleted.is_empty());
    assert!(town.volumes["data"].grant.users.is_empty());
    assert_eq!(town.runners(), Vec::<&str>::new());
}

#[test]
fn a_deletion_while_it_moves_waits_and_goes_on_with_nobody_who_has_it() {
    let mut town = placed(&["data"]);
    town.dead.insert("east");
    town.pin("west");
    town.settle();
    town.delete_namespace();
    assert_eq!(town.settle(), Some(Wait::Released(Thing::Volume("data"), "east")));
    assert_eq!(town.told().phase, Phase::Deleting);
    assert!(town.deleted.is_empty());
    town.dead.clear();
    assert_eq!(town.settle(), None);
    assert!(
        town.steps.contains(&"grant the volume data to west, to delete it".to_owned()),
        "{:?}",
        town.steps
    );
    assert!(town.deleted.contains("data") && town.volumes.is_empty());
}

#[test]
fn a_deletion_whose_holder_is_fenced_is_done_elsewhere() {
    let mut town = placed(&["data"]);
    town.cut.insert("east");
    town.delete_namespace();
    assert_eq!(town.settle(), Some(Wait::Contact(Thing::Volume("data"), "east")));
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), None);
    assert!(town.deleted.contains("data") && town.placement.is_none());
    // Who comes back to a namespace that is no more ends clean too.
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    town.settle();
    assert!(town.syncers["east"].here.is_empty());
}

#[test]
fn what_only_a_dead_target_reaches_is_abandoned_by_a_person() {
    let mut town = placed(&["data"]);
    town.volumes.get_mut("data").expect("data").only = Some("east");
    town.cut.insert("east");
    town.delete_namespace();
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), Some(Wait::Reach("data")));
    assert!(town.told().words.contains("`bowline place abandon data`"), "{}", town.told().words);
    town.volumes.get_mut("data").expect("data").abandoned = true;
    assert_eq!(town.settle(), None);
    assert!(town.placement.is_none() && town.deleted.is_empty());
}

#[test]
fn a_volume_that_nobody_has_described_is_not_made_a_second_time() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    // It is cut off between making the volume and saying what it is.
    let has_made = |town: &Town| town.made.contains("data");
    (0..200).for_each(|_| {
        if !has_made(&town) {
            town.step()
        }
    });
    assert!(has_made(&town) && town.volumes["data"].described.is_none());
    town.cut.insert("east");
    town.pin("west");
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), Some(Wait::Described("data")));
    // It comes back, and says what it is.
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    assert_eq!(town.settle(), None);
    assert_eq!(town.users("data"), ["west"]);
}

#[test]
fn a_volume_that_a_stateful_set_made_moves_with_its_namespace() {
    let mut town = placed(&[]);
    let made = Local { held: None, stage: Stage::Bound, retained: false };
    let here = town.syncers.get_mut("east").expect("east").here.get_mut(SHOP).expect("shop");
    here.volumes.insert("data-0", made);
    // The hub wants to move it before it knows of it.
    town.pin("west");
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data-0")), (vec!["west"], vec!["west"]));
    let place = |act: &str| town.acts.iter().position(|known| known.contains(act)).expect(act);
    assert!(place("Retain(\"data-0\")") < place("Adopt(\"data-0\""), "{:?}", town.acts);
    assert!(place("Adopt(\"data-0\"") < place("Clear(\"shop\")"), "{:?}", town.acts);
}

#[test]
fn a_shared_volume_is_attached_before_it_is_given_up_elsewhere_and_the_last_one_deletes() {
    let mut town = Town::new(&["east", "west"], &[]);
    town.ask_for("films", true);
    town.pin("east");
    town.settle();
    town.dead.insert("east");
    town.pin("west");
    town.settle();
    assert_eq!(town.users("films"), ["east", "west"]);
    town.delete_namespace();
    assert_eq!(town.settle(), Some(Wait::Released(Thing::Volume("films"), "east")));
    assert!(town.deleted.is_empty());
    town.dead.clear();
    assert_eq!(town.settle(), None);
    assert!(town.deleted.contains("films"));
    assert!(town.acts.iter().any(|act| act == "west: Destroy(\"films\")"), "{:?}", town.acts);
}
