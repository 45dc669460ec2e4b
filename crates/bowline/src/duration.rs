//! How long something may take, as people write it.

use std::time::Duration;

/// Reads a duration such as `30s`, `5m` or `1h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "it takes a whole number and a unit, for example 30s, 5m or 1h".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(seconds).filter(|seconds| *seconds <= 365 * 86_400);
    seconds.map(Duration::from_secs).ok_or_else(|| "it takes a year at most: 8760h".to_owned())
}

/// The same, and more than nothing.
pub(crate) fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("it takes a time of at least one second, for example 30s".into()),
        some => Ok(some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3_600)));
        for wrong in ["", "5", "s", "-1s", "1.5m", "5 m", "5ü", "99999999999999999999h", "9999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("0m"), Ok(Duration::ZERO));
        assert_eq!(some_time("1s"), Ok(Duration::from_secs(1)));
        for wrong in ["0s", "0h", "x"] {
            assert!(some_time(wrong).is_err(), "{wrong}");
        }
    }
}
