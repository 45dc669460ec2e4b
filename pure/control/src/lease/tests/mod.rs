//! Leases by examples.

mod candidate;
mod judge;

use super::*;

const SECOND: u64 = 1000;

fn at(seconds: u64) -> Millis {
    Millis(seconds * SECOND)
}

#[test]
fn a_holder_stops_before_anybody_may_take_over() {
    let settings = Settings::new(at(10), at(3), at(1), PerMille(200), at(1));
    assert_eq!(settings.map(|settings| settings.acts_for()), Ok(at(7)));
    // A third of a millisecond more would be too long.
    let settings = Settings::new(at(1), Millis(300), Millis(100), PerMille(1), Millis(0));
    assert_eq!(settings.map(|settings| settings.acts_for()), Ok(Millis(999)));
    let settings = Settings::new(at(3), Millis(300), Millis(100), PerMille(333), Millis(0));
    assert_eq!(settings.map(|settings| settings.acts_for()), Ok(Millis(2001)));
}

#[test]
fn the_default_is_fifteen_seconds_in_proportion() {
    assert_eq!(Settings::for_term(at(15)), Ok(Settings::default()));
    assert_eq!(Settings::default().acts_for(), Millis(13_350));
    assert!(Settings::for_term(at(1)).is_ok(), "tests have leases of a second");
}

#[test]
fn settings_that_leave_no_time_to_act_are_refused() {
    for term in [Millis(0), Millis(1500)] {
        assert_eq!(Settings::for_term(term), Err(BadSettings::NotSeconds(term)));
    }
    let refused = Settings::new(at(10), at(7), at(1), PerMille(200), at(1));
    assert_eq!(refused, Err(BadSettings::NoTimeToAct { acts_for: at(7), renew: at(7) }));
    let refused = Settings::new(at(10), at(0), at(1), PerMille(2000), at(1));
    let why = refused.expect_err("clocks that part by more than a lease").to_string();
    assert!(why.contains("may act for 0 ms"), "{why}");
}

#[test]
fn epochs_are_counted() {
    assert_eq!(Epoch(7).next().to_string(), "8");
    assert_eq!(Epoch(u64::MAX).next(), Epoch(u64::MAX));
}
