//! Why an expression does not compile, in Go's words as far as they are known.

use crate::schema::node::compile;

/// What is wrong with a pattern, if anything.
pub(super) fn fault(pattern: &str) -> Option<String> {
    if pattern.is_empty() {
        return None;
    }
    let error = compile(pattern).err()?.to_string();
    let says = |what: &str| error.contains(what);
    let from = |c: char| pattern.rfind(c).map_or(pattern, |at| &pattern[at..]);
    let what = if says("unclosed group") {
        format!("missing closing ): `{pattern}`")
    } else if says("unopened group") {
        format!("unexpected ): `{pattern}`")
    } else if says("unclosed character class") {
        format!("missing closing ]: `{}`", from('['))
    } else if says("look-around") {
        let start = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().find(|start| pattern.contains(start));
        format!("invalid or unsupported Perl syntax: `{}`", start.unwrap_or("(?"))
    } else if says("repetition operator missing expression") {
        let operator = pattern.find(['*', '+', '?']).map_or("*", |at| &pattern[at..=at]);
        format!("missing argument to repetition operator: `{operator}`")
    } else if says("backreferences") || says("unrecognized escape sequence") {
        let escape = pattern.find('\\').map_or("\\", |at| pattern.get(at..at + 2).unwrap_or("\\"));
        format!("invalid escape sequence: `{escape}`")
    } else {
        error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    };
    Some(format!("error parsing regexp: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_worded_as_go_does() {
        for (pattern, expected) in [
            ("(a", "missing closing ): `(a`"),
            ("a)", "unexpected ): `a)`"),
            ("x[a", "missing closing ]: `[a`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("*a", "missing argument to repetition operator: `*`"),
            (r"\y", r"invalid escape sequence: `\y`"),
        ] {
            assert_eq!(fault(pattern), Some(format!("error parsing regexp: {expected}")), "{pattern}");
        }
        assert_eq!(fault("^a*$"), None);
        assert_eq!(fault(""), None);
    }
}
