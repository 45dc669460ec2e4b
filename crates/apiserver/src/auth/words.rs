//! Words that messages are made of, as Go writes them.

use std::fmt::Write as _;

/// A string in quotes, as Go's `%q` writes it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            _ if character.is_ascii_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            _ if character.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A list of strings, as Go's `%q` writes it: `["a" "b"]`.
pub(super) fn quote_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = texts.into_iter().map(quote).collect();
    format!("[{}]", quoted.join(" "))
}

/// Several errors in one: each once, in brackets if there are several.
pub(super) fn aggregate(errors: impl IntoIterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for error in errors {
        if !distinct.contains(&error) {
            distinct.push(error);
        }
    }
    if distinct.len() == 1 { distinct.remove(0) } else { format!("[{}]", distinct.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_go_does() {
        for (text, quoted) in [
            ("a", r#""a""#),
            ("a\"b\\", r#""a\"b\\""#),
            ("\n\u{0}\u{7f}", r#""\n\x00\x7f""#),
            ("ä\u{85}", r#""ä\u0085""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
        assert_eq!(quote_all(["a", "b c"]), r#"["a" "b c"]"#);
    }

    #[test]
    fn errors_are_joined() {
        assert_eq!(aggregate(["a".into()]), "a");
        assert_eq!(aggregate(["a".into(), "b".into(), "a".into()]), "[a, b]");
    }
}
