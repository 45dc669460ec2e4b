//! Moments as Go reads them, and what it says of those that it does not.

use serde_json::Value;

use crate::time::{Micros, Moment};

/// The parts of Go's layouts: how many digits, or which letter.
const LAYOUT: [(&str, usize); 11] = [
    ("2006", 4),
    ("-", 0),
    ("01", 2),
    ("-", 0),
    ("02", 2),
    ("T", 0),
    ("15", 2),
    (":", 0),
    ("04", 2),
    (":", 0),
    ("05", 2),
];
const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";
/// What Go takes for no moment at all.
const ZERO: &str = "0001-01-01T00:00:00Z";

/// A moment to the second, as it is written; null if it is none.
///
/// # Errors
/// In Go's words.
pub(super) fn seconds(text: &str) -> Result<Value, String> {
    if text == ZERO {
        return Ok(Value::Null);
    }
    let rest = fields(text).map_err(|rest| said(text, SECONDS, rest))?;
    // A fraction is passed over, whatever its length.
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => rest,
    };
    check_zone(text, SECONDS, zone)?;
    match Moment::parse(text) {
        Some(moment) => Ok(moment.to_string().into()),
        None => Err(out_of_range(text)),
    }
}

/// A moment to the microsecond, as it is written; null if it is none.
///
/// # Errors
/// In Go's words.
pub(super) fn micros(text: &str) -> Result<Value, String> {
    let rest = fields(text).map_err(|rest| said(text, MICROS, rest))?;
    let fraction = rest.get(1..7).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    if !rest.starts_with('.') || fraction.is_none() {
        return Err(said(text, MICROS, (rest, ".000000")));
    }
    check_zone(text, MICROS, &rest[7..])?;
    match Micros::parse(text) {
        Some(moment) => Ok(moment.to_string().into()),
        None => Err(out_of_range(text)),
    }
}

/// What is left after the seconds; or what is left where it does not fit, and what should be there.
fn fields(text: &str) -> Result<&str, (&str, &'static str)> {
    let mut rest = text;
    for (part, digits) in LAYOUT {
        let fits = if digits == 0 {
            rest.starts_with(part)
        } else {
            rest.get(..digits).is_some_and(|found| found.bytes().all(|digit| digit.is_ascii_digit()))
        };
        if !fits {
            return Err((rest, part));
        }
        rest = &rest[part.len()..];
    }
    Ok(rest)
}

fn check_zone(text: &str, layout: &str, zone: &str) -> Result<(), String> {
    let offset = |zone: &str| {
        let bytes = zone.as_bytes();
        let digits = [1, 2, 4, 5].iter().all(|index| bytes.get(*index).is_some_and(u8::is_ascii_digit));
        bytes.len() == 6 && matches!(bytes[0], b'+' | b'-') && bytes[3] == b':' && digits
    };
    if zone == "Z" || offset(zone) {
        return Ok(());
    }
    Err(match zone.strip_prefix('Z') {
        Some(extra) => format!("parsing time {text:?}: extra text: {extra:?}"),
        None => said(text, layout, (zone, "Z07:00")),
    })
}

fn said(text: &str, layout: &str, (rest, part): (&str, &str)) -> String {
    format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}")
}

fn out_of_range(text: &str) -> String {
    let number =
        |from: usize| text.get(from..from + 2).and_then(|digits| digits.parse::<u8>().ok()).unwrap_or(0);
    let what = match (number(5), number(11), number(14), number(17)) {
        (month, ..) if !(1..=12).contains(&month) => "month",
        (_, hour, ..) if hour > 23 => "hour",
        (_, _, minute, _) if minute > 59 => "minute",
        (_, _, _, second) if second > 59 => "second",
        _ => "day",
    };
    format!("parsing time {text:?}: {what} out of range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_by_the_real_server() {
        let written =
            |result: Result<Value, String>| result.map(|value| value.as_str().unwrap_or("null").to_owned());
        let second = |text: &str, expected: Result<&str, &str>| {
            let expected = expected.map(str::to_owned).map_err(|what| format!("parsing time {text:?}{what}"));
            assert_eq!(written(seconds(text)), expected);
        };
        second("2026-11-16T04:00:00+02:00", Ok("2026-11-16T02:00:00Z"));
        second("2026-11-16T04:00:00.5Z", Ok("2026-11-16T04:00:00Z"));
        second("0001-01-01T00:00:00Z", Ok("null"));
        second("", Err(" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\""));
        second(
            "2026-11-16 04:00",
            Err(" as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 04:00\" as \"T\""),
        );
        second("2026-13-16T04:00:00Z", Err(": month out of range"));
        let micro = |text: &str, expected: Result<&str, &str>| {
            let layout = "2006-01-02T15:04:05.000000Z07:00";
            let expected = expected.map(str::to_owned);
            let expected =
                expected.map_err(|what| format!("parsing time {text:?} as {layout:?}: cannot parse {what}"));
            assert_eq!(written(micros(text)), expected);
        };
        micro("2026-11-16T04:00:00.123456+02:00", Ok("2026-11-16T02:00:00.123456Z"));
        micro("2026-11-16T02:00:00.12Z", Err("\".12Z\" as \".000000\""));
        micro("2026-11-16T02:00:00.1234567Z", Err("\"7Z\" as \"Z07:00\""));
        micro("2026-11-16T02:00:00Z", Err("\"Z\" as \".000000\""));
    }
}
