//! How Go writes values into messages.

use std::fmt::Write as _;

/// A string in quotes, as `%q` writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(c),
            _ if is_printed(c) => out.push(c),
            '\0'..='\u{7f}' => put(&mut out, format_args!("\\x{:02x}", u32::from(c))),
            '\u{80}'..='\u{ffff}' => put(&mut out, format_args!("\\u{:04x}", u32::from(c))),
            _ => put(&mut out, format_args!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// A list of strings as `encoding/json` writes it.
pub(super) fn json_list(texts: &[String]) -> String {
    if texts.is_empty() {
        // There is no empty list in what is converted: Go has a nil slice for it.
        return "null".to_owned();
    }
    let texts: Vec<_> = texts.iter().map(|text| json(text)).collect();
    format!("[{}]", texts.join(","))
}

fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // It is made safe for HTML.
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                put(&mut out, format_args!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Rust and Go agree on what can be printed, but for marks, which Rust escapes when they come first.
fn is_printed(c: char) -> bool {
    let mut after_another = String::from("a");
    after_another.push(c);
    after_another.escape_debug().eq(after_another.chars())
}

fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    out.write_fmt(what).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_go_does() {
        let text =
            "a\"\\\u{7}\u{8}\u{c}\n\r\t\u{b}\u{1}\u{7f}\u{80}é\u{301}\u{a0}\u{200b}\u{e000}\u{10ffff}😀'";
        let go = r#""a\"\\\a\b\f\n\r\t\v\x01\x7f\u0080é"#.to_owned()
            + "\u{301}"
            + r#"\u00a0\u200b\ue000\U0010ffff😀'""#;
        assert_eq!(quoted(text), go);
    }

    #[test]
    fn lists_are_written_as_json_that_is_safe_in_html() {
        assert_eq!(json_list(&[]), "null");
        assert_eq!(
            json_list(&["a\"".into(), "<\n\u{1}\u{2028}é".into()]),
            r#"["a\"","\u003c\n\u0001\u2028é"]"#
        );
    }
}
