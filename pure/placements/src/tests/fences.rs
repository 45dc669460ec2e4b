//! Cut off, fenced, and back.

use bowline_control::Millis;

use super::town::Town;
use crate::{By, FenceState, FenceWish, Mood, Phase, Refusal, Thing, Wait};

fn placed() -> Town {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town
}

#[test]
fn a_hub_that_is_away_stops_nobody_and_nobody_is_replaced() {
    let mut town = placed();
    town.cut.insert("east");
    town.settle();
    assert_eq!(town.runners(), ["east"]);
    town.pin("west");
    assert_eq!(town.settle(), Some(Wait::Contact(Thing::Volume("data"), "east")));
    assert_eq!((town.told().phase, town.told().mood), (Phase::Fencing, Mood::Stalled));
    assert!(town.told().words.contains("`bowline place fence east`"), "{}", town.told().words);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    // It comes back, and gives it up.
    town.cut.clear();
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
}

#[test]
fn a_fence_lets_a_namespace_go_on_elsewhere_and_the_target_ends_clean() {
    let mut town = placed();
    town.cut.insert("east");
    town.pin("west");
    town.settle();
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
    assert_eq!(town.target("east").fence.state, FenceState::Fenced);
    assert_eq!(town.target("east").fence.by, By::Driver);
    // It cannot be unfenced while it may still use what it had.
    town.fence("east", FenceWish::Open);
    town.settle();
    assert_eq!(town.target("east").fence.state, FenceState::Fenced);
    assert!(town.syncers["east"].here["shop"].runs);
    // Nothing is placed on it meanwhile.
    town.pin("east");
    assert_eq!(town.settle(), Some(Wait::Unavailable("east", Refusal::Fenced)));
    town.pin("west");
    town.cut.clear();
    assert_eq!(town.settle(), None);
    assert_eq!(town.target("east").fence.state, FenceState::Open);
    assert!(town.syncers["east"].here.is_empty());
    assert_eq!(town.runners(), ["west"]);
    // And back.
    town.pin("east");
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    assert_eq!(town.volumes["data"].grant.epoch.0, 3);
}

#[test]
fn without_a_driver_a_person_says_that_it_is_fenced() {
    let mut town = placed();
    town.target("east").wish.driver = false;
    town.cut.insert("east");
    town.pin("west");
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), Some(Wait::Fence("east")));
    let told = town.target("east").told.clone().expect("something is told");
    assert_eq!(told.mood, Mood::Stalled);
    assert!(told.words.contains("--confirmed"), "{}", told.words);
    // The target came back, and nobody wants a fence any more.
    town.fence("east", FenceWish::Open);
    town.settle();
    assert_eq!(town.target("east").fence.state, FenceState::Open);
    assert_eq!(town.runners(), ["east"]);
    // The machines are switched off, and a person says so.
    town.blocked.insert("east");
    town.fence("east", FenceWish::Confirmed);
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
    assert_eq!(town.target("east").fence.by, By::Person);
}

#[test]
fn a_fence_that_is_only_asked_for_makes_nothing_void() {
    let mut town = placed();
    town.target("east").wish.driver = false;
    town.fence("east", FenceWish::Fenced);
    town.settle();
    assert_eq!(town.target("east").fence.state, FenceState::Requested);
    assert_eq!(town.target("east").fence.epoch.0, 0);
    assert_eq!(town.runners(), ["east"]);
}

#[test]
fn where_volumes_enforce_epochs_a_lease_is_enough_and_who_lost_the_hub_stops() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    for target in ["east", "west"] {
        let wish = &mut town.target(target).wish;
        (wish.enforces, wish.driver, wish.evicts) = (true, false, Some(Millis(60_000)));
    }
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["east"]);
    town.cut.insert("east");
    town.settle();
    assert_eq!(town.runners(), Vec::<&str>::new());
    assert_eq!(town.target("east").fence.state, FenceState::Open);
    town.now = town.now.plus(Millis(60_000));
    assert_eq!(town.settle(), None);
    assert_eq!(town.target("east").fence.by, By::Epochs);
    assert_eq!(town.runners(), ["west"]);
    town.cut.clear();
    assert_eq!(town.settle(), None);
    assert_eq!(town.target("east").fence.state, FenceState::Open);
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
}

#[test]
fn a_syncer_that_restarts_stops_nothing() {
    let mut town = placed();
    let before = town.syncers["east"].here.clone();
    let known = town.syncers.get_mut("east").expect("east");
    (known.view, known.tenure) = (None, Some(7));
    let acts = town.acts.len();
    town.settle();
    assert_eq!(town.syncers["east"].here, before);
    assert!(
        town.acts[acts..].iter().all(|act| act.contains("Read") || act.contains("Report")),
        "{:?}",
        town.acts
    );
}

#[test]
fn a_hub_that_is_empty_stops_nothing() {
    let mut town = placed();
    let before = town.syncers["east"].here.clone();
    (town.placement, town.claims) = (None, Default::default());
    town.volumes.clear();
    town.settle();
    assert_eq!(town.syncers["east"].here, before);
}

#[test]
fn a_target_is_deleted_when_nothing_is_on_it_any_more() {
    let mut town = placed();
    town.target("east").deleting = true;
    town.settle();
    assert!(town.targets.contains_key("east"));
    town.pin("west");
    town.settle();
    assert!(!town.targets.contains_key("east"));
    assert_eq!(town.runners(), ["west"]);
}

#[test]
fn a_fence_that_was_only_asked_for_sends_nobody_away() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.target("east").wish.driver = false;
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["east"]);
    town.fence("east", FenceWish::Fenced);
    town.settle();
    // Nobody wants it any more, and it is not down yet.
    town.fence("east", FenceWish::Open);
    town.target("east").fence.state = FenceState::Unfencing;
    town.now = town.now.plus(Millis(5_000));
    town.placement_acts();
    assert_eq!(town.placement().desired, Some("east"));
    town.settle();
    assert_eq!(town.runners(), ["east"]);
}
