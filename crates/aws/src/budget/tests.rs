//! The bucket, on a clock in our hands.

use super::*;

const LIMITS: Limits = Limits { ceiling: 100, floor: 2, growth: 10, burst: 5, in_flight: 20 };

/// How many calls leave in the milliseconds from `from` to before `to`, asked at each of them.
fn leave(budget: &mut Budget, from: u64, to: u64) -> u64 {
    let mut left = 0;
    for now in from..to {
        while budget.take(Millis(now)).is_ok() {
            left += 1;
        }
    }
    left
}

#[test]
fn a_burst_leaves_at_once_and_then_one_at_a_time() {
    let mut budget = Budget::new(LIMITS, Millis(0));
    assert_eq!(leave(&mut budget, 0, 1), 5);
    assert_eq!(budget.take(Millis(0)), Err(10));
    assert_eq!(budget.take(Millis(9)), Err(1));
    assert_eq!(budget.take(Millis(10)), Ok(()));
    assert_eq!(leave(&mut budget, 11, 1011), 100);
}

#[test]
fn a_rest_saves_no_more_than_a_burst() {
    let mut budget = Budget::new(LIMITS, Millis(0));
    assert_eq!(leave(&mut budget, 1_000_000, 1_000_001), 5);
    // Nor does the longest one overflow.
    assert_eq!(leave(&mut budget, u64::MAX - 1, u64::MAX), 5);
}

#[test]
fn a_refusal_halves_the_rate_and_it_grows_back() {
    let mut budget = Budget::new(LIMITS, Millis(0));
    budget.throttled(Millis(0), Millis(1));
    assert_eq!(budget.rate(), 50);
    // What was saved is gone: the next waits its 20 ms.
    assert_eq!(budget.take(Millis(1)), Err(20));
    // 50 a second, growing by 10 a second: 55 in the first, less what is lost to the rate before each millisecond.
    let first = leave(&mut budget, 1, 1001);
    assert!((53..=55).contains(&first), "{first}");
    assert_eq!(leave(&mut budget, 5001, 5002), 5);
    assert_eq!(budget.rate(), 100);
    // And no further than it was.
    budget.take(Millis(60_000)).ok();
    assert_eq!(budget.rate(), 100);
}

#[test]
fn calls_that_left_before_the_halving_do_not_halve_again() {
    let mut budget = Budget::new(LIMITS, Millis(0));
    for _ in 0..20 {
        budget.throttled(Millis(0), Millis(1));
    }
    assert_eq!(budget.rate(), 50);
    budget.throttled(Millis(2), Millis(3));
    assert_eq!(budget.rate(), 25);
}

#[test]
fn however_many_refusals_the_floor_stays() {
    let mut budget = Budget::new(LIMITS, Millis(0));
    for now in 1..100 {
        budget.throttled(Millis(now), Millis(now));
    }
    assert_eq!(budget.rate(), 2);
    let wait = budget.take(Millis(100)).err();
    assert!(wait.is_some_and(|wait| (1..=500).contains(&wait)), "{wait:?}");
}

#[test]
fn a_clock_that_stands_still_or_goes_back_gives_nothing() {
    let mut budget = Budget::new(LIMITS, Millis(1000));
    assert_eq!(leave(&mut budget, 1000, 1001), 5);
    assert_eq!(budget.take(Millis(10)), Err(10));
    assert_eq!(budget.take(Millis(1005)), Err(5));
}

#[test]
fn limits_of_zero_are_no_wait_without_end() {
    let none = Limits { ceiling: 0, floor: 0, growth: 0, burst: 0, in_flight: 0 };
    let mut budget = Budget::new(none, Millis(0));
    assert_eq!(budget.take(Millis(0)), Ok(()));
    assert_eq!(budget.take(Millis(0)), Err(1000));
    assert_eq!(budget.take(Millis(1000)), Ok(()));
}

#[test]
fn as_many_leave_together_as_may_be_under_way() {
    let mut budget = Budget::new(Limits::of(3, 1000), Millis(0));
    assert_eq!(leave(&mut budget, 0, 1), 3);
    assert_eq!(leave(&mut budget, 1, 11), 10);
    assert_eq!(Limits::of(20, 500), Limits::default());
}
