//! Text as it should be: nothing unfinished, no stray white space, nothing huge.

use super::{Files, Finding};

/// No committed file is larger: a clone stays quick, and data has a better place.
const MAX_BYTES: usize = 512 * 1024;
/// What a task generates and nobody reads from end to end may be larger, but not without limit either.
const GENERATED: &str = "crates/apiserver/data/";
const MAX_GENERATED_BYTES: usize = 2 * 1024 * 1024;

/// Words that mark unfinished work. (Spelt in two halves here, or this file would break its own rule.)
const MARKERS: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("TB", "D"), concat!("TK", "TK")];
/// Macros that do not get in. Clippy bans them too, but sees only what is compiled.
const MACROS: &[&str] = &[concat!("to", "do!("), concat!("unimplemented", "!("), concat!("d", "bg!(")];
/// The one file that breaks bans on purpose.
const PLANTED: &str = "pure/planted/src/planted.rs";

/// Finds everything of that kind.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, content) in files.all() {
        let limit = if path.starts_with(GENERATED) { MAX_GENERATED_BYTES } else { MAX_BYTES };
        if content.len() > limit {
            let what = format!("{} KiB; such a file has at most {}", content.len() / 1024, limit / 1024);
            findings.push(Finding::new(path, what));
        }
    }
    for (path, text) in files.texts() {
        findings.extend(ending(text).map(|what| Finding::new(path, what)));
        // Not `lines`: it would take a carriage return for a part of the line's end.
        for (index, line) in text.split_terminator('\n').enumerate() {
            let mut faults: Vec<_> = whitespace(path, line).into_iter().map(str::to_owned).collect();
            if path.ends_with(".rs") && path != PLANTED {
                faults.extend(unfinished(line));
                faults.extend(ignored(line));
            }
            if path.ends_with(".md") {
                faults.extend(placeholder(line));
            }
            findings
                .extend(faults.into_iter().map(|what| Finding::new(format!("{path}:{}", index + 1), what)));
        }
    }
    findings
}

fn ending(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        None
    } else if !text.ends_with('\n') {
        Some("does not end with a newline")
    } else if text.ends_with("\n\n") || text == "\n" {
        Some("ends with an empty line")
    } else {
        None
    }
}

fn whitespace(path: &str, line: &str) -> Option<&'static str> {
    if line.ends_with(char::is_whitespace) {
        Some("white space at the end of the line")
    } else if path.ends_with(".rs") && line.contains('\t') {
        Some("a tab; write \\t in a string, spaces elsewhere")
    } else {
        None
    }
}

fn unfinished(line: &str) -> Option<String> {
    let marker = MARKERS.iter().find(|word| has_word(line, word));
    let found = marker.or_else(|| MACROS.iter().find(|name| line.contains(**name)))?;
    Some(format!("`{found}`: finish it, or file an issue and say in the comment how it is now"))
}

/// A marker in a document, or a line that only holds the place of what is to come: one word in capitals.
fn placeholder(line: &str) -> Option<String> {
    let marker = MARKERS.iter().find(|word| has_word(line, word)).copied();
    let word = line.trim();
    let alone = word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let found = marker.or(alone.then_some(word))?;
    Some(format!("`{found}` holds the place of something: write it, or leave it out"))
}

/// A test that is not run guards nothing, and nobody is told that it would fail.
fn ignored(line: &str) -> Option<String> {
    let line = line.trim_start();
    let attribute = line.starts_with("#[") && has_word(line, concat!("ign", "ore"));
    let example = line.starts_with("//") && line.contains(concat!("```ign", "ore"));
    (attribute || example).then(|| "an ignored test: let it run, or remove it".to_owned())
}

fn has_word(line: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(part_of_word) && !line[at + word.len()..].starts_with(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Files::of([(path, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_marker_is_found_with_its_line() {
        for marker in MARKERS.iter().chain(MACROS) {
            let text = format!("fn f() {{}}\n// {marker} later\n");
            let findings = found("a.rs", &text);
            assert!(findings.len() == 1 && findings[0].starts_with("a.rs:2: "), "{marker}: {findings:?}");
            let document = found("a.md", &text);
            // A document may talk about macros.
            let expected = if MARKERS.contains(marker) { 1 } else { 0 };
            assert_eq!(document.len(), expected, "{marker}: {document:?}");
        }
    }

    #[test]
    fn a_line_that_holds_a_place_is_found_in_a_document() {
        for line in ["BENCHTABLE", "  SEE_BELOW", concat!("Times: TB", "D.")] {
            assert_eq!(found("a.md", &format!("# A\n\n{line}\n")).len(), 1, "{line}");
            assert_eq!(found("a.txt", &format!("# A\n\n{line}\n")).len(), 0, "{line}");
        }
        for line in ["A run is INCOMPLETE.", "INCOMPLETE and not the machine.", "OK", "", "---", "`A`", "A 1"]
        {
            assert!(
                !found("a.md", &format!("{line}\nend\n")).iter().any(|it| it.contains("place")),
                "{line}"
            );
        }
    }

    #[test]
    fn a_test_that_is_not_run_is_found() {
        let word = concat!("ign", "ore");
        for line in [
            format!("    #[{word}]"),
            format!("#[{word} = \"slow\"]"),
            format!("#[cfg_attr(windows, {word})]"),
            format!("/// ```{word}"),
            format!("//! ```{word}"),
        ] {
            assert_eq!(found("a.rs", &format!("{line}\nfn f() {{}}\n")).len(), 1, "{line}");
            assert_eq!(found("a.md", &format!("{line}\n")).len(), 0, "{line}");
        }
        for line in [format!("// {word} it"), format!("let {word} = 1;"), format!("#[{word}d]")] {
            assert_eq!(found("a.rs", &format!("{line}\n")).len(), 0, "{line}");
        }
    }

    #[test]
    fn a_marker_inside_a_word_is_none() {
        let inside = format!("let A_{}S = 1; // {}X\n", MARKERS[0], MARKERS[2]);
        assert!(found("a.rs", &inside).is_empty());
    }

    #[test]
    fn the_planted_violations_are_let_be() {
        assert!(found(PLANTED, &format!("{}1)\n", MACROS[2])).is_empty());
    }

    #[test]
    fn stray_white_space_is_found() {
        assert_eq!(found("a.md", "a \n").len(), 1);
        assert_eq!(found("a.md", "a\r\n").len(), 1);
        assert_eq!(found("a.rs", "\ta\n").len(), 1);
        assert_eq!(found("Makefile", "\ta\n").len(), 0);
    }

    #[test]
    fn the_end_of_a_file_is_one_newline() {
        assert_eq!(found("a.md", "a").len(), 1);
        assert_eq!(found("a.md", "a\n\n").len(), 1);
        assert_eq!(found("a.md", "\n").len(), 1);
        assert_eq!(found("a.md", "a\n").len(), 0);
        assert_eq!(found("a.md", "").len(), 0);
    }

    #[test]
    fn a_huge_file_is_found() {
        let line = format!("{}\n", "x".repeat(1023));
        assert!(found("a.svg", &line.repeat(512)).is_empty());
        assert_eq!(found("a.svg", &line.repeat(513)).len(), 1);
        let generated = format!("{GENERATED}a.json");
        assert!(found(&generated, &line.repeat(2048)).is_empty());
        assert_eq!(found(&generated, &line.repeat(2049)).len(), 1);
    }
}
