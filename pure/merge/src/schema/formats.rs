//! The formats of strings that Kubernetes 1.34 knows. Others are names without a meaning; so are `k8s-short-name`
//! and `k8s-long-name`, which this version knows but does not check yet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Names are compared without their dashes: `date-time` is `datetime`.
fn normal(format: &str) -> String {
    format.replace('-', "")
}

type Check = fn(&str) -> bool;

const KNOWN: &[(&str, Check)] = &[
    ("bsonobjectid", |text| text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit())),
    ("byte", is_base64),
    ("cidr", is_cidr),
    ("creditcard", is_credit_card),
    ("date", is_date),
    ("datetime", is_date_time),
    ("duration", is_duration),
    ("email", is_email),
    ("hexcolor", is_hex_color),
    ("hostname", is_hostname),
    ("ipv4", |text| text.parse::<Ipv4Addr>().is_ok()),
    ("ipv6", |text| text.parse::<Ipv6Addr>().is_ok()),
    ("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    ("isbn10", is_isbn10),
    ("isbn13", is_isbn13),
    ("mac", is_mac),
    ("password", |_| true),
    ("rgbcolor", is_rgb_color),
    ("ssn", is_ssn),
    ("uri", is_uri),
    ("uuid", |text| is_uuid(text, None)),
    ("uuid3", |text| is_uuid(text, Some('3'))),
    ("uuid4", |text| is_uuid(text, Some('4'))),
    ("uuid5", |text| is_uuid(text, Some('5'))),
];

/// Strings are checked against this format.
pub(super) fn is_known(format: &str) -> bool {
    !format.is_empty() && KNOWN.iter().any(|(name, _)| *name == normal(format))
}

/// The string has this format, or the format is not known.
pub(super) fn matches(format: &str, text: &str) -> bool {
    let format = normal(format);
    KNOWN.iter().find(|(name, _)| *name == format).is_none_or(|(_, check)| check(text))
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && !text.is_empty()
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

fn is_cidr(text: &str) -> bool {
    let Some((address, prefix)) = text.split_once('/') else { return false };
    let plain = !prefix.is_empty() && prefix.len() <= 3 && prefix.bytes().all(|b| b.is_ascii_digit());
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    plain && prefix.parse::<u32>().is_ok_and(|prefix| prefix <= most)
}

fn digits(text: &str, separators: &str) -> Option<Vec<u32>> {
    text.chars().filter(|c| !separators.contains(*c)).map(|c| c.to_digit(10)).collect()
}

fn is_credit_card(text: &str) -> bool {
    let digits: Vec<_> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let doubled = |(index, digit): (usize, &u32)| match index % 2 {
        0 => *digit,
        _ if *digit > 4 => digit * 2 - 9,
        _ => digit * 2,
    };
    (13..=19).contains(&digits.len()) && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let Some((date, time)) = lower.split_once('t') else { return false };
    let Some((clock, rest)) = time.split_at_checked(8) else { return false };
    let parts: Vec<_> = clock.split(':').collect();
    let [hour, minute, second] = parts[..] else { return false };
    let two = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let in_range =
        two(hour) && two(minute) && two(second) && hour <= "23" && minute <= "59" && second <= "59";
    // A fraction begins with any character, as long as digits follow.
    let mut after_one = rest.chars();
    let first = after_one.next();
    let zone = after_one.as_str().trim_start_matches(|c: char| c.is_ascii_digit());
    let fraction = first != Some('\n') && zone.len() < after_one.as_str().len();
    is_date(date) && in_range && (is_zone(rest) || (fraction && is_zone(zone)))
}

fn is_zone(text: &str) -> bool {
    let hours_and_minutes = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 5
            && bytes[2] == b':'
            && [0, 1, 3, 4].iter().all(|index| bytes[*index].is_ascii_digit())
    };
    text == "z" || text.strip_prefix(['+', '-']).is_some_and(hours_and_minutes)
}

/// Go's `1h2m3.5s`, or any number with a unit somewhere, as Scala writes durations.
fn is_duration(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "ns", "us", "µs", "ms", "s", "m", "h", "d", "w", "nano", "micro", "milli", "sec", "second", "min",
        "minute", "hr", "hour", "day", "wk", "week",
    ];
    const LONG: &[&str] = &["nano", "micro", "milli", "second", "minute", "hour", "day", "week"];
    if text.trim_start_matches(['+', '-']) == "0" {
        return true;
    }
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let after = rest[start..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let unit_start = after.trim_start();
        let end = unit_start.find(|c: char| !c.is_ascii_alphabetic() && c != 'µ').unwrap_or(unit_start.len());
        let unit = unit_start[..end].to_lowercase();
        if UNITS.contains(&unit.as_str()) || LONG.iter().any(|long| unit.starts_with(long)) {
            return true;
        }
        rest = &unit_start[end..];
    }
    false
}

/// `name@host`, or `Words <name@host>`.
fn is_email(text: &str) -> bool {
    let text = text.trim();
    let address = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((_, address)) => address,
        None => text,
    };
    let atom = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii();
    let dotted = |text: &str| text.split('.').all(|part| !part.is_empty() && part.chars().all(atom));
    let quoted = |text: &str| text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    let literal = |text: &str| text.starts_with('[') && text.ends_with(']');
    address.rsplit_once('@').is_some_and(|(local, domain)| {
        (dotted(local) || quoted(local)) && (dotted(domain) || literal(domain))
    })
}

fn is_hex_color(text: &str) -> bool {
    let hex = text.strip_prefix('#').unwrap_or(text);
    matches!(hex.len(), 3 | 6) && hex.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_hostname(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || !c.is_ascii();
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.starts_with(word)
            && label.ends_with(word)
            && label.chars().all(|c| word(c) || c == '-')
    };
    let labels: Vec<_> = text.split('.').collect();
    // A name of several labels ends with a domain of letters; one alone has at most one dash, at its second place.
    let ends_well = match labels[..] {
        [only] => {
            only.chars().skip(1).all(word) || only.chars().enumerate().all(|(at, c)| word(c) || at == 1)
        }
        [.., last] => last.chars().count() >= 2 && last.chars().all(char::is_alphabetic),
        [] => false,
    };
    text.len() <= 255 && ends_well && labels.iter().all(|part| label(part))
}

fn is_isbn10(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != '-' && *c != ' ').collect();
    let Some((body, check)) = plain.split_at_checked(9) else { return false };
    let Some(digits) = digits(body, "") else { return false };
    let check = match check {
        "X" => 10,
        other if other.len() == 1 => match other.parse() {
            Ok(digit) => digit,
            Err(_) => return false,
        },
        _ => return false,
    };
    let sum: u32 = (1..).zip(&digits).map(|(weight, digit)| weight * digit).sum();
    (sum + 10 * check).is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let Some(digits) = digits(text, "- ") else { return false };
    let weighted = |(index, digit): (usize, &u32)| if index.is_multiple_of(2) { *digit } else { 3 * digit };
    digits.len() == 13 && digits.iter().enumerate().map(weighted).sum::<u32>().is_multiple_of(10)
}

fn is_mac(text: &str) -> bool {
    let groups = |separator: char, length: usize| {
        let parts: Vec<_> = text.split(separator).collect();
        let bytes = parts.len() * length / 2;
        matches!(bytes, 6 | 8 | 20)
            && parts.iter().all(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    groups(':', 2) || groups('-', 2) || groups('.', 4)
}

fn is_rgb_color(text: &str) -> bool {
    let inner = text.strip_prefix("rgb(").and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let parts: Vec<_> = inner.split(',').map(str::trim).collect();
        parts.len() == 3 && parts.iter().all(|part| part.parse::<u8>().is_ok() && !part.starts_with('+'))
    })
}

fn is_ssn(text: &str) -> bool {
    let digits: Vec<_> = text.split(['-', ' ']).collect();
    let lengths: Vec<_> = digits.iter().map(|part| part.len()).collect();
    let shape = matches!(lengths[..], [3, 2, 4] | [5, 4] | [3, 6] | [9]);
    shape && digits.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
}

/// What Go takes for the target of a request: absolute, or a path from the root.
fn is_uri(text: &str) -> bool {
    let printable = text.chars().all(|c| !c.is_control() && c != ' ');
    if !printable || text.is_empty() {
        return false;
    }
    if text.starts_with('/') || text == "*" {
        return true;
    }
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && !rest.is_empty()
    })
}

fn is_uuid(text: &str, version: Option<char>) -> bool {
    let plain: String = text.chars().filter(|c| *c != '-').collect();
    let at = |index: usize| plain.chars().nth(index).unwrap_or(' ').to_ascii_lowercase();
    let dashes: Vec<_> = text.char_indices().filter(|(_, c)| *c == '-').map(|(index, _)| index).collect();
    let places = [8, 12, 16, 20];
    let well_placed = (0..dashes.len()).all(|nth| places.contains(&(dashes[nth] - nth)))
        && dashes.windows(2).all(|pair| pair[1] - pair[0] > 1);
    plain.len() == 32
        && plain.bytes().all(|b| b.is_ascii_hexdigit())
        && well_placed
        && version.is_none_or(|version| at(12) == version)
        && (!matches!(version, Some('4' | '5')) || "89ab".contains(at(16)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_and_bad_examples() {
        for (format, good, bad) in [
            ("bsonobjectid", "507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901"),
            ("byte", "aGVsbG8=", "a"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("cidr", "fd00::/64", "fd00::"),
            ("creditcard", "4111-1111-1111-1111", "4111-1111-1111-1112"),
            ("date", "2024-02-29", "2023-02-29"),
            ("date-time", "2014-12-15T19:30:20.000Z", "2014-12-15 19:30:20Z"),
            ("date-time", "2014-12-15T19:30:20+01:00", "2014-12-15T24:30:20Z"),
            ("date-time", "2014-12-15t19:30:20z", "2014-12-15T19:30:20"),
            ("date-time", "2014-12-15T19:30:20\u{fffd}5Z", "2014-12-15T19:30:20\u{fffd}Z"),
            ("date-time", "2014-12-15T19:30:20\u{fffd}5-01:00", "2014-12-15T19:30:20\u{fffd}.5-1:00"),
            ("duration", "1h30m", "soon"),
            ("duration", "22 ns", "22"),
            ("email", "a@b.c", "a b"),
            ("hexcolor", "#FFFFFF", "#FFFFF"),
            ("hostname", "example.com", "-example.com"),
            ("ipv4", "1.2.3.4", "1.2.3"),
            ("ipv6", "::1", "1.2.3.4"),
            ("isbn", "978-0321751041", "978-0321751042"),
            ("isbn10", "0321751043", "0321751044"),
            ("mac", "01:23:45:67:89:ab", "01:23:45:67:89"),
            ("rgbcolor", "rgb(255,255,25)", "rgb(256,0,0)"),
            ("ssn", "111-22-3333", "111-222-333"),
            ("uri", "http://a.b/c", "a b"),
            ("uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-44665544000"),
            ("uuid4", "550E8400E29B41D4A716446655440000", "550e8400-e29b-31d4-a716-446655440000"),
        ] {
            assert!(is_known(format), "{format}");
            assert!(matches(format, good), "{format} {good}");
            assert!(!matches(format, bad), "{format} {bad}");
        }
        assert!(!is_known("int32") && !is_known("") && matches("nonsense", "anything"));
    }
}
