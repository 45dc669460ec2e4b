//! Placed, moved, and moved while it moves.

use super::town::{SHOP, Town};
use crate::{Mood, Phase, Refusal, Thing, UseState, Wait};

#[test]
fn a_namespace_is_placed_volumes_first() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    let place = |step: &str| town.steps.iter().position(|known| known == step).expect(step);
    assert!(
        place("grant the volume data to east") < place("grant the namespace shop to east"),
        "{:?}",
        town.steps
    );
    assert_eq!((town.told().phase, town.told().mood), (Phase::Granted, Mood::Well));
    assert_eq!(town.told().words, "on east, in epoch 1");
    assert_eq!(town.volumes["data"].described.as_deref(), Some("csi"));
}

#[test]
fn at_rest_nothing_is_written() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    let before = town.writes;
    for _ in 0..5 {
        town.now = town.now.plus(bowline_control::Millis(5_000));
        town.settle();
    }
    assert_eq!(town.writes, before);
}

#[test]
fn a_move_stops_gives_up_grants_attaches_and_starts() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town.pin("west");
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
    assert_eq!(town.volumes["data"].grant.epoch.0, 2);
    let acts = town.acts.join("\n");
    let order = [
        "east: Stop(\"shop\")",
        "east: Unclaim(\"data\")",
        "east: Remove(\"data\")",
        "east: Say(Volume(\"data\"), Released)",
        "west: Make(\"data\"",
        "west: Claim(\"data\"",
        "west: Start(\"shop\"",
    ];
    let places: Vec<_> = order.iter().map(|act| acts.find(act).expect(act)).collect();
    assert!(places.is_sorted(), "{acts}");
    assert!(town.syncers["east"].here.is_empty());
}

#[test]
fn a_move_back_while_it_moves_waits_until_all_is_given_up() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town.dead.insert("east");
    town.pin("west");
    assert_eq!(town.settle(), Some(Wait::Released(Thing::Volume("data"), "east")));
    assert_eq!(town.told().phase, Phase::Releasing);
    assert_eq!(town.told().words, "waits for east to give up the volume data");
    // It is not up any more, and may still be attached.
    assert_eq!((town.runners(), town.users("data")), (vec![], vec!["east"]));
    town.pin("east");
    town.settle();
    assert_eq!(town.runners(), Vec::<&str>::new());
    town.dead.clear();
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    assert_eq!(town.volumes["data"].grant.epoch.0, 2);
}

#[test]
fn a_move_back_before_the_volumes_are_taken_away_takes_them_all_the_same() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    // It was moved away and back again after the first of two writes.
    let placement = town.placement.as_mut().expect("the placement");
    placement.grant.users.get_mut("east").expect("a user").state = UseState::Releasing;
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    assert_eq!((town.placement().grant.epoch.0, town.volumes["data"].grant.epoch.0), (2, 2));
}

#[test]
fn a_target_that_cannot_be_had_stops_nothing() {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town.pin("north");
    assert_eq!(town.settle(), Some(Wait::Unavailable("north", Refusal::Unknown)));
    assert_eq!(town.told().mood, Mood::Stalled);
    town.target("west").wish.cordoned = true;
    town.pin("west");
    assert_eq!(town.settle(), Some(Wait::Unavailable("west", Refusal::Cordoned)));
    town.target("west").wish.cordoned = false;
    town.volumes.get_mut("data").expect("data").only = Some("east");
    assert_eq!(town.settle(), Some(Wait::Unavailable("west", Refusal::Tied("data"))));
    assert!(town.told().words.contains("nothing was stopped"), "{}", town.told().words);
    assert_eq!(town.runners(), ["east"]);
}

#[test]
fn a_target_is_chosen_and_left_when_it_drains() {
    let mut town = Town::new(&["east", "north", "west"], &["data"]);
    town.target("east").wish.taints.insert("gpu");
    town.target("north").wish.capacity = Some(0);
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
    // It stays, though another one is free now.
    town.target("east").wish.taints.clear();
    town.settle();
    assert_eq!(town.runners(), ["west"]);
    town.target("west").wish.drains = true;
    town.now = town.now.plus(bowline_control::Millis(5_000));
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["east"], vec!["east"]));
    // With nowhere to go it stays, and says so.
    town.target("east").wish.drains = true;
    town.now = town.now.plus(bowline_control::Millis(5_000));
    assert_eq!(town.settle(), Some(Wait::Target));
    assert_eq!(town.runners(), ["east"]);
}

#[test]
fn a_namespace_of_somebody_else_is_not_touched() {
    let mut town = Town::new(&["east"], &["data"]);
    let here = crate::syncer::Here { ours: false, runs: true, ..Default::default() };
    town.syncers.get_mut("east").expect("east").here.insert(SHOP, here.clone());
    town.pin("east");
    assert_eq!(town.settle(), Some(Wait::Ready("east")));
    assert_eq!(town.syncers["east"].here[SHOP], here);
    assert_eq!(town.syncers["east"].act(), Err(crate::syncer::Idle::Foreign(SHOP)));
}
