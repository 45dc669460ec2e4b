//! What two servers never have in common, in a text: ids, times of today, keys.

/// Finds patterns of fixed shape: `h` is a hexadecimal digit, `d` a decimal one, all else stands for itself.
fn matches(text: &[u8], shape: &[u8]) -> bool {
    text.len() >= shape.len()
        && shape.iter().zip(text).all(|(wanted, byte)| match wanted {
            b'h' => byte.is_ascii_digit() || (b'a'..=b'f').contains(byte),
            b'd' => byte.is_ascii_digit(),
            other => other == byte,
        })
}

const UUID: &[u8] = b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
const TIME: &[u8] = b"dddd-dd-ddTdd:dd:dd";

/// The text with every id replaced.
pub(crate) fn replace_uuids(text: &str, mut name: impl FnMut(&str) -> String) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().windows(UUID.len()).position(|window| matches(window, UUID)) {
        let (before, from) = rest.split_at(at);
        let (uuid, after) = from.split_at(UUID.len());
        result += before;
        result += &name(uuid);
        rest = after;
    }
    result + rest
}

/// The text with every time of today (or of a day beside it) replaced; other times are a script's own.
pub(crate) fn replace_times(text: &str, today: i64) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().windows(TIME.len()).position(|window| matches(window, TIME)) {
        let (before, from) = rest.split_at(at);
        result += before;
        let fraction = from[TIME.len()..].strip_prefix('.').unwrap_or_default();
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let mut end = TIME.len() + if digits > 0 { digits + 1 } else { 0 };
        end += usize::from(from[end..].starts_with('Z'));
        let (time, after) = from.split_at(end);
        if (day(time) - today).abs() <= 1 {
            // That it is precise to the microsecond is a part of the answer.
            result += if digits > 0 { "<precise time>" } else { "<time>" };
        } else {
            result += time;
        }
        rest = after;
    }
    result + rest
}

/// The day of a time, counted from 1970.
fn day(time: &str) -> i64 {
    let part = |from: usize, to: usize| {
        time.get(from..to).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0)
    };
    let (year, month, day) = (part(0, 4), part(5, 7), part(8, 10));
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469
}

/// Today, counted from 1970.
pub(crate) fn today() -> i64 {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    seconds.ok().and_then(|seconds| i64::try_from(seconds.as_secs() / 86_400).ok()).unwrap_or(0)
}

/// Words after which a number is a resource version of the server's.
const BEFORE_VERSIONS: &[&str] = &["resource version: ", ", current: ", "the ResourceVersion in record ("];

/// The text with the server's resource versions in messages replaced, and what stands in brackets after one.
pub(crate) fn replace_versions(text: &str) -> String {
    let mut result = text.to_owned();
    for words in BEFORE_VERSIONS {
        if let Some(at) = result.find(words) {
            let (before, from) = result.split_at(at + words.len());
            let rest = from.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == from.len() {
                continue;
            }
            let rest = rest.strip_prefix(" (").map_or(rest, |inside| {
                inside.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(')').unwrap_or(rest)
            });
            result = format!("{before}<version>{rest}");
        }
    }
    result
}

/// The text with the versions in objects that a message quotes replaced, however often they are quoted.
pub(crate) fn replace_quoted_versions(text: &str) -> String {
    let mut parts = text.split("resourceVersion");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.trim_start_matches(['\\', '"', ':', ' ']);
        let rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
        result += "resourceVersion";
        if rest.len() < value.len() && value.len() < part.len() {
            result += &part[..part.len() - value.len()];
            result += "<version>";
            result += rest;
        } else {
            result += part;
        }
    }
    result
}

/// The text with the random end of the volumes replaced that Pods get for their tokens.
pub(crate) fn replace_volumes(text: &str) -> String {
    const NAME: &str = "kube-api-access-";
    let mut parts = text.split(NAME);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        result += NAME;
        result += if rest.len() < part.len() { "<generated>" } else { "" };
        result += rest;
    }
    result
}

/// The text with the digest of the certificate replaced by which somebody is known.
pub(crate) fn replace_digests(text: &str) -> String {
    const NAME: &str = "X509SHA256=";
    let mut parts = text.split(NAME);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result += NAME;
        result += "<digest>";
        result += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    result
}

/// A key, a certificate or a token, as a whole.
pub(crate) fn secret(text: &str) -> Option<&'static str> {
    let jwt = text.starts_with("eyJ") && text.matches('.').count() == 2 && !text.contains(' ');
    let pem = text.starts_with("-----BEGIN ");
    // The same in base64.
    let data = text.starts_with("LS0tLS1CRUdJTi");
    (jwt && text.len() > 100).then_some("<token>").or((pem || data).then_some("<certificate or key>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(day("1970-01-01T00:00:00Z"), 0);
        assert_eq!(day("2000-02-29T00:00:00Z"), 11_016);
        assert_eq!(day("2026-11-16T00:00:00Z"), 20_773);
    }

    #[test]
    fn times_of_today_are_replaced_and_others_are_not() {
        let today = day("2026-11-16T00:00:00Z");
        let replaced = |text: &str| replace_times(text, today);
        assert_eq!(
            replaced("at 2026-11-16T02:17:27Z, or 2026-11-15T23:59:59.123456Z."),
            "at <time>, or <precise time>."
        );
        assert_eq!(replaced("2020-01-01T00:00:00Z"), "2020-01-01T00:00:00Z");
        assert_eq!(replaced("äö 2026-11-16 T"), "äö 2026-11-16 T");
    }

    #[test]
    fn ids_are_replaced_inside_of_texts() {
        let text = "UID in precondition: 0a1b2c3d-0000-1111-2222-0123456789ab, in 0a1b2c3d-0000-1111-2222";
        assert_eq!(
            replace_uuids(text, |_| "X".to_owned()),
            "UID in precondition: X, in 0a1b2c3d-0000-1111-2222"
        );
    }

    #[test]
    fn versions_of_quoted_objects_are_replaced() {
        let quoted = r#"Invalid value: "{\"resourceVersion\":\"231\",\"x\":\"231\"}""#;
        assert_eq!(replace_quoted_versions(quoted), quoted.replacen("231", "<version>", 1));
        let words = "metadata.resourceVersion: Invalid value";
        assert_eq!(replace_quoted_versions(words), words);
        assert_eq!(replace_volumes("/kube-api-access-x7k2p/a"), "/kube-api-access-<generated>/a");
    }

    #[test]
    fn versions_in_messages_are_replaced() {
        assert_eq!(
            replace_versions("too old resource version: 1 (234)"),
            "too old resource version: <version>"
        );
        assert_eq!(
            replace_versions("Too large resource version: 99, current: 12"),
            "Too large resource version: <version>, current: <version>"
        );
        assert_eq!(replace_versions("size: 12 (34)"), "size: 12 (34)");
        let record = "(1) does not match the ResourceVersion in record (251). The";
        assert_eq!(replace_versions(record), record.replace("251", "<version>"));
        assert_eq!(replace_digests("X509SHA256=a300ce75 x"), "X509SHA256=<digest> x");
    }
}
