//! Times as objects have them: in whole seconds.

use bowline_control::Millis;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

/// A time of the clock on the wall. It is rounded up: whoever waits since then waits no shorter.
pub(crate) fn time(Millis(millis): Millis) -> Time {
    let second = i64::try_from(millis.div_ceil(1_000)).unwrap_or(i64::MAX);
    Time(Timestamp::from_second(second).unwrap_or(Timestamp::MAX))
}

/// What an object says; what was before 1970 is 1970.
pub(crate) fn millis(time: &Time) -> Millis {
    Millis(u64::try_from(time.0.as_second()).unwrap_or(0).saturating_mul(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_comes_back_and_no_earlier() {
        for (given, back) in [(0, 0), (1, 1_000), (1_000, 1_000), (1_767_225_610_001, 1_767_225_611_000)] {
            assert_eq!(millis(&time(Millis(given))), Millis(back));
        }
        let last = time(Millis(u64::MAX));
        assert_eq!(time(millis(&last)), Time(Timestamp::from_second(last.0.as_second()).expect("a time")));
        assert_eq!(millis(&Time(Timestamp::from_second(-5).expect("a time"))), Millis(0));
    }
}
