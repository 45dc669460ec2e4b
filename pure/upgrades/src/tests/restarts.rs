//! How soon software is started again.

use bowline_control::Millis;

use super::Plain;
use crate::agent::{Death, Restarts, Software};

fn crash(since: u64, at: u64) -> Option<Death> {
    Some(Death { since: Millis(since), at: Millis(at), at_start: false })
}

#[test]
fn each_death_in_a_row_waits_twice_as_long_and_the_fourth_is_one_too_many() {
    let mut restarts: Restarts<Plain> = Restarts::default();
    let mut waits = Vec::new();
    for death in 1..=12 {
        let at = death * 100_000;
        // Seen twice, it has died once.
        restarts.see(&"v1", crash(at - 10, at));
        restarts.see(&"v1", crash(at - 10, at));
        waits.push((restarts.due().expect("it died").0 - at, restarts.has_failed()));
    }
    assert_eq!(&waits[..5], [(250, false), (500, false), (1_000, false), (2_000, true), (4_000, true)]);
    assert_eq!(waits[11], (30_000, true));
}

#[test]
fn who_has_lived_for_a_while_begins_anew_and_so_does_another_version() {
    let mut restarts: Restarts<Plain> = Restarts::default();
    (1..=4).for_each(|death| restarts.see(&"v1", crash(death * 1_000, death * 1_000 + 10)));
    assert!(restarts.has_failed());
    restarts.see(&"v1", crash(10_000, 70_000));
    assert!(!restarts.has_failed());
    restarts.see(&"v2", crash(80_000, 80_001));
    assert_eq!(restarts.due(), Some(Millis(80_251)));
    restarts.see(&"v2", None);
    assert_eq!(restarts.due(), Some(Millis(80_251)), "it runs again, and has died before");
    restarts.see(&"v1", None);
    assert_eq!(restarts.due(), None);
}

#[test]
fn what_cannot_be_started_has_failed_at_once_and_is_tried_again_when_it_is_due() {
    let mut restarts: Restarts<Plain> = Restarts::default();
    restarts.see(&"v1", Some(Death { since: Millis(5), at: Millis(5), at_start: true }));
    let died = |at| restarts.died("v1", String::new(), Millis(at));
    let expected = |is_due| Software::Died { version: "v1", is_due, has_failed: true, how: String::new() };
    assert_eq!((died(254), died(255)), (expected(false), expected(true)));
}
