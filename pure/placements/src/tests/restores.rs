//! A hub that came back older than its syncers.

use super::town::{JUMP, SHOP, Town, new_placement, new_target};
use crate::{FenceState, FenceWish, Object, Wait};

/// Where a namespace is, with its volume.
fn placed(target: &'static str) -> Town {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin(target);
    town.settle();
    town
}

fn is_on(town: &Town, target: &'static str) {
    assert_eq!((town.runners(), town.users("data")), (vec![target], vec![target]), "{:?}", town.acts);
}

#[test]
fn who_uses_a_volume_keeps_it_and_the_hub_goes_on_above() {
    let mut town = placed("east");
    let backup = town.backup();
    town.pin("west");
    town.settle();
    assert_eq!(town.users("data"), ["west"]);
    // The backup says that it is on east.
    town.restore(backup);
    town.cut.insert("west");
    assert_eq!(town.settle(), Some(Wait::Report("west")));
    is_on(&town, "west");
    town.cut.clear();
    assert_eq!(town.settle(), None);
    // It was found on west, and is wanted on east.
    assert!(town.steps.contains(&"record who uses the volume data".to_owned()), "{:?}", town.steps);
    is_on(&town, "east");
    assert!(town.volumes["data"].grant.epoch.0 > JUMP);
}

#[test]
fn nothing_is_stopped_where_the_backup_is_right() {
    let mut town = placed("east");
    let (backup, acts) = (town.backup(), town.acts.len());
    town.restore(backup);
    assert_eq!(town.settle(), None);
    assert!(town.acts[acts..].iter().all(|act| !act.contains("Stop")), "{:?}", town.acts);
    is_on(&town, "east");
    assert!(town.syncers["east"].accepted.0 > JUMP);
}

#[test]
fn who_does_not_report_is_fenced_after_the_restore() {
    let mut town = placed("east");
    let backup = town.backup();
    town.cut.insert("east");
    town.pin("west");
    town.fence("east", FenceWish::Fenced);
    town.settle();
    assert_eq!(town.users("data"), ["west"]);
    // The backup knows nothing of the fence.
    town.restore(backup);
    town.pin("west");
    assert_eq!(town.settle(), Some(Wait::Report("east")));
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), None);
    is_on(&town, "west");
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    assert_eq!(town.settle(), None);
    assert!(town.syncers["east"].here.is_empty());
    assert_eq!(town.users("data"), ["west"]);
}

#[test]
fn a_fence_that_was_only_asked_for_may_be_in_force_and_is_not_taken_down_before_it_is_known_what_it_keeps_out()
 {
    let mut town = placed("east");
    town.target("east").wish.driver = false;
    town.cut.insert("east");
    town.pin("west");
    town.fence("east", FenceWish::Fenced);
    assert_eq!(town.settle(), Some(Wait::Fence("east")));
    let backup = town.backup();
    town.blocked.insert("east");
    town.fence("east", FenceWish::Confirmed);
    assert_eq!(town.settle(), None);
    is_on(&town, "west");
    town.restore(backup);
    town.fence("east", FenceWish::Open);
    assert_eq!(town.settle(), Some(Wait::Report("east")));
    assert_eq!(town.target("east").fence.state, FenceState::Requested);
    let told = town.target("east").told.clone().expect("something is told");
    assert!(told.words.contains("because the hub was restored"), "{}", told.words);
    town.cut.clear();
    assert_eq!(town.settle(), None);
    assert_eq!(town.target("east").fence.state, FenceState::Open);
    town.blocked.clear();
    assert!(town.syncers["east"].here.is_empty());
    is_on(&town, "west");
}

#[test]
fn what_a_person_has_vouched_for_before_a_restore_is_not_believed_after_it() {
    let mut town = placed("east");
    town.target("east").wish.driver = false;
    (town.cut, town.blocked) = (["east"].into(), ["east"].into());
    town.pin("west");
    town.fence("east", FenceWish::Confirmed);
    assert_eq!(town.settle(), None);
    let backup = town.backup();
    // It was let in again, and has everything.
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    town.settle();
    town.blocked.clear();
    town.pin("east");
    assert_eq!(town.settle(), None);
    is_on(&town, "east");
    town.restore(backup);
    town.cut.insert("east");
    assert_eq!(town.settle(), Some(Wait::Report("east")));
    is_on(&town, "east");
    town.cut.clear();
    town.fence("east", FenceWish::Open);
    assert_eq!(town.settle(), None);
    is_on(&town, "west");
}

/// A store that was put back by other means than ours is found out by what syncers know.
#[test]
fn a_restore_that_nobody_has_told_of_is_noticed() {
    for (moves, last) in [(&["west"][..], "west"), (&["west", "east"], "east")] {
        let mut town = placed("east");
        let backup = town.backup();
        for target in moves {
            town.pin(target);
            town.settle();
        }
        is_on(&town, last);
        let given = town.volumes["data"].grant.epoch;
        let acts = town.acts.len();
        town.come_back(backup);
        assert_eq!(town.settle(), None);
        is_on(&town, "east");
        let noticed = town.steps.iter().filter(|step| step.contains("because the hub was restored")).count();
        assert_eq!(noticed, 2, "{:?}", town.steps);
        assert!(town.steps.contains(&"find out who uses the volume data".to_owned()), "{:?}", town.steps);
        assert!(town.volumes["data"].grant.epoch > given);
        assert!(town.targets.values().all(|target| target.restore == 1 && target.fence.epoch.0 > 0));
        let stops = town.acts[acts..].iter().any(|act| act.contains("Stop"));
        assert_eq!(stops, last == "west", "{:?}", &town.acts[acts..]);
    }
}

#[test]
fn a_hub_that_is_empty_finds_out_what_runs_before_it_places_anything() {
    // One is asked for again, and one was made by a cluster, and nobody asks for it.
    let mut town = Town::new(&["east", "west"], &["data", "logs"]);
    town.pin("west");
    town.settle();
    let before = town.syncers["west"].here.clone();
    let targets = ["east", "west"].map(|name| Object::Target(new_target(name)));
    town.claims.clear();
    town.come_back(targets.into());
    assert_eq!(town.settle(), None);
    assert_eq!(town.syncers["west"].here, before);
    assert!(town.targets.values().all(|target| target.restore == 1));
    // Somebody does not know where it runs.
    town.placement = Some(new_placement());
    town.ask_for("data", false);
    town.pin("east");
    assert_eq!(town.settle(), None);
    for volume in ["data", "logs"] {
        assert_eq!((town.runners(), town.users(volume)), (vec!["east"], vec!["east"]), "{:?}", town.acts);
    }
    assert!(town.syncers["east"].here[SHOP].runs && town.syncers["west"].here.is_empty());
}

#[test]
fn a_volume_that_may_be_somewhere_is_not_made_anew_after_a_restore() {
    let mut town = placed("east");
    let mut backup = town.backup();
    for object in &mut backup {
        if let Object::Volume(volume) = object {
            volume.described = None;
        }
    }
    // It was described, and given up by everybody.
    town.placement.as_mut().expect("the placement").deleting = true;
    town.settle();
    town.restore(backup);
    assert_eq!(town.settle(), Some(Wait::Described("data")));
    assert_eq!(town.users("data"), Vec::<&str>::new());
}
