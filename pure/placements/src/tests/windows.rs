//! Moved only in some hours.

use bowline_control::Millis;

use super::town::Town;
use crate::{FenceWish, Mood, Phase, Wait, Window};

const HOUR: u64 = 3_600_000;
/// From one to two o'clock; a town begins shortly after midnight.
const AT_ONE: Window = Window { days: 0, opens: 60, minutes: 60 };

/// A namespace on east that is wanted on west, and may go at one.
fn waiting() -> Town {
    let mut town = Town::new(&["east", "west"], &["data"]);
    town.pin("east");
    town.settle();
    town.stay_until(AT_ONE, None);
    town.pin("west");
    let wait = town.settle();
    assert!(matches!(wait, Some(Wait::Window("west", _))), "{wait:?}");
    town
}

fn releases(town: &Town) -> bool {
    town.steps.iter().any(|step| step.starts_with("take "))
}

#[test]
fn outside_its_window_it_stays_where_it_runs_and_says_when_it_opens() {
    let town = waiting();
    assert_eq!((town.runners(), releases(&town)), (vec!["east"], false));
    let told = town.told();
    assert_eq!((told.phase, told.mood), (Phase::Granted, Mood::Waiting));
    assert_eq!(
        told.words,
        "waits for its window, which opens on Thursday at 01:00 UTC, to go to west: `bowline place move --now` does not wait for it"
    );
}

#[test]
fn nothing_is_written_while_it_waits() {
    let mut town = waiting();
    let before = town.writes;
    for _ in 0..50 {
        town.now = town.now.plus(Millis(60_000));
        town.settle();
    }
    assert_eq!(town.writes, before);
}

#[test]
fn in_its_window_it_goes_by_itself() {
    let mut town = waiting();
    assert_eq!(town.wakes(), Some(town.now.plus(Millis(60_000))), "a clock on the wall may jump");
    town.now = Millis(HOUR - 5_000);
    town.settle();
    assert_eq!(town.wakes(), Some(Millis(HOUR)));
    town.now = Millis(HOUR);
    assert_eq!(town.settle(), None);
    assert_eq!((town.runners(), town.users("data")), (vec!["west"], vec!["west"]));
}

#[test]
fn what_has_begun_goes_on_when_the_window_shuts() {
    let mut town = waiting();
    town.now = Millis(2 * HOUR - 1_000);
    while !releases(&town) {
        town.step();
    }
    town.now = Millis(3 * HOUR);
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
}

#[test]
fn who_is_wanted_back_in_the_middle_goes_back_at_any_time() {
    let mut town = waiting();
    town.now = Millis(2 * HOUR - 1_000);
    while !releases(&town) {
        town.step();
    }
    town.now = Millis(3 * HOUR);
    town.pin("east");
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["east"]);
}

#[test]
fn a_person_in_a_hurry_names_where_it_goes_at_once_and_only_there() {
    let mut town = waiting();
    town.stay_until(AT_ONE, Some("west"));
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
    town.pin("east");
    assert!(matches!(town.settle(), Some(Wait::Window("east", _))));
    assert_eq!(town.runners(), ["west"]);
}

#[test]
fn who_runs_nowhere_is_placed_at_any_time() {
    let mut town = Town::new(&["east"], &["data"]);
    town.stay_until(AT_ONE, None);
    town.pin("east");
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["east"]);
}

#[test]
fn who_is_behind_a_fence_goes_at_any_time() {
    let mut town = waiting();
    town.cut.insert("east");
    town.blocked.insert("east");
    town.fence("east", FenceWish::Confirmed);
    assert_eq!(town.settle(), None);
    assert_eq!(town.users("data"), ["west"]);
}

#[test]
fn a_target_that_drains_keeps_it_until_its_window() {
    let mut town = Town::new(&["east"], &[]);
    town.settle();
    town.join("west");
    // What was learned of the targets is not believed any more.
    town.now = town.now.plus(Millis(2_000));
    town.stay_until(AT_ONE, None);
    town.target("east").wish.drains = true;
    assert!(matches!(town.settle(), Some(Wait::Window("west", _))));
    assert_eq!(town.runners(), ["east"]);
    town.now = Millis(HOUR);
    assert_eq!(town.settle(), None);
    assert_eq!(town.runners(), ["west"]);
}
