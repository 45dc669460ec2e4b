//! Times as Go reads them.

use crate::go;
use crate::schema::node::Node;

const MICRO: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";

/// A string that is a time.
pub(crate) fn is_time(node: &Node) -> bool {
    node.format == "date-time"
}

/// A time with microseconds.
pub(crate) fn is_micro(named: Option<&str>) -> bool {
    named == Some(MICRO)
}

/// What Go says of a text that is no time; none if it is one.
pub(crate) fn fault(text: &str, micro: bool) -> Option<String> {
    let layout = if micro { "2006-01-02T15:04:05.000000Z07:00" } else { "2006-01-02T15:04:05Z07:00" };
    // Each part of the layout, how many digits it has, and the highest number that it may be.
    let parts: &[(&str, usize, u32, &str)] = &[
        ("2006", 4, 9999, "year"),
        ("-", 0, 0, ""),
        ("01", 2, 12, "month"),
        ("-", 0, 0, ""),
        ("02", 2, 31, "day"),
        ("T", 0, 0, ""),
        ("15", 2, 23, "hour"),
        (":", 0, 0, ""),
        ("04", 2, 59, "minute"),
        (":", 0, 0, ""),
        ("05", 2, 59, "second"),
    ];
    let mut rest = text;
    for (part, digits, most, name) in parts {
        let Some(after) = read(rest, part, *digits) else {
            return Some(cannot(text, layout, rest, part));
        };
        let number: u32 = rest[..rest.len() - after.len()].parse().unwrap_or(0);
        if *digits > 0 && (number > *most || (number == 0 && matches!(*name, "month" | "day"))) {
            return Some(format!("parsing time {}: {name} out of range", go::quote(text)));
        }
        rest = after;
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let after = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if micro && fraction.len() - after.len() != 6 {
            return Some(cannot(text, layout, rest, ".000000"));
        }
        if fraction.len() > after.len() {
            rest = after;
        }
    } else if micro {
        return Some(cannot(text, layout, rest, ".000000"));
    }
    let zone = rest.strip_prefix('Z').or_else(|| {
        let after = rest.strip_prefix(['+', '-'])?;
        read(read(read(after, "07", 2)?, ":", 0)?, "00", 2)
    });
    match zone {
        None => Some(cannot(text, layout, rest, "Z07:00")),
        Some("") => None,
        Some(extra) => Some(format!("parsing time {}: extra text: {}", go::quote(text), go::quote(extra))),
    }
}

fn cannot(text: &str, layout: &str, rest: &str, part: &str) -> String {
    let [text, layout, rest, part] = [text, layout, rest, part].map(go::quote);
    format!("parsing time {text} as {layout}: cannot parse {rest} as {part}")
}

fn read<'a>(rest: &'a str, part: &str, digits: usize) -> Option<&'a str> {
    if digits == 0 {
        return rest.strip_prefix(part);
    }
    let (number, after) = rest.split_at_checked(digits)?;
    number.bytes().all(|b| b.is_ascii_digit()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_go_reads_them() {
        for good in ["2024-01-31T12:00:00Z", "2024-01-31T12:00:00.5+01:00"] {
            assert_eq!(fault(good, false), None);
        }
        assert_eq!(fault("2024-01-31T12:00:00.000000Z", true), None);
        for (text, expected) in [
            ("zz", r#"parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006""#),
            (
                "2024-01-31",
                r#"parsing time "2024-01-31" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#,
            ),
            ("2024-13-31T12:00:00Z", r#"parsing time "2024-13-31T12:00:00Z": month out of range"#),
            ("2024-01-31T12:00:00Zx", r#"parsing time "2024-01-31T12:00:00Zx": extra text: "x""#),
        ] {
            assert_eq!(fault(text, false), Some(expected.to_owned()));
        }
    }
}
