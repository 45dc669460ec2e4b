//! The bans of `pure/` cannot be waived in `pure/`: a lint that any line may switch off forbids nothing.

use super::{Files, Finding};

/// The one crate that may use threads; it says so where it does, with a reason.
const EXPLORER: &str = "pure/explorer/";
/// How it says so, white space left out. Unlike an `allow`, it fails when it is no longer needed.
const WAIVER: &str = "#[expect(clippy::disallowed_methods,reason=";
/// Lints and groups of lints that hold the bans.
const GUARDS: &[&str] = &["clippy::disallowed", "clippy::all", "clippy::style"];

/// Finds attributes that switch a ban off.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.ending(".rs").filter(|(path, _)| path.starts_with("pure/")) {
        for guard in GUARDS {
            for (at, _) in text.match_indices(guard) {
                let waived = path.starts_with(EXPLORER) && is_waiver(text, at);
                if waived || is_comment(text, at) {
                    continue;
                }
                let line = text[..at].matches('\n').count() + 1;
                let what = format!(
                    "`{guard}…` is not switched off in pure/ (only {EXPLORER} may, with `{WAIVER} …)]`, for threads)"
                );
                findings.push(Finding::new(format!("{path}:{line}"), what));
            }
        }
    }
    findings
}

fn is_comment(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("//"))
}

/// The attribute around this place, however it is broken into lines, is a waiver.
fn is_waiver(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('#').unwrap_or(at);
    let attribute: String = text[start..].chars().filter(|c| !c.is_whitespace()).take(WAIVER.len()).collect();
    attribute == WAIVER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, line: &str) -> usize {
        check(&Files::of([(path, format!("{line}\n").as_str())])).len()
    }

    #[test]
    fn switching_a_ban_off_is_found() {
        for guard in GUARDS {
            for path in ["pure/models/src/lib.rs", "pure/explorer/src/lib.rs", "pure/models/tests/it.rs"] {
                assert_eq!(found(path, &format!("#![allow({guard})]")), 1, "{guard} in {path}");
            }
        }
        assert_eq!(
            found("pure/models/src/lib.rs", "#[expect(clippy::disallowed_methods, reason = \"x\")]"),
            1
        );
        for bad in [
            "#[expect(clippy::disallowed_types, reason = \"x\")]",
            "#[expect(clippy::disallowed_methods)]",
            "#![expect(clippy::disallowed_methods, reason = \"x\")]",
            "#[allow(clippy::disallowed_methods, reason = \"x\")]",
        ] {
            assert_eq!(found("pure/explorer/src/lib.rs", bad), 1, "{bad}");
        }
    }

    #[test]
    fn the_explorer_may_use_threads_and_other_crates_are_free() {
        assert_eq!(
            found("pure/explorer/src/lib.rs", "#[expect(clippy::disallowed_methods, reason = \"x\")]"),
            0
        );
        let broken = "#[expect(\n    clippy::disallowed_methods,\n    reason = \"x\"\n)]";
        assert_eq!(found("pure/explorer/src/lib.rs", broken), 0);
        assert_eq!(found("crates/bowline/src/main.rs", "#[allow(clippy::disallowed_methods)]"), 0);
        assert_eq!(found("pure/models/src/lib.rs", "// `clippy::disallowed_types` keeps clocks out."), 0);
    }
}
