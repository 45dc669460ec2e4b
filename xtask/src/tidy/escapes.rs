//! The bans of `pure/` cannot be waived in `pure/`: a lint that any line may switch off forbids nothing. And
//! threads come into `pure/` by one file only.

use super::{Files, Finding};

/// The one file that may start threads, by a pool of rayon's. The ban on the standard library's holds there too.
const THREADS: &str = "pure/explorer/src/parallel.rs";
/// Lints and groups of lints that hold the bans.
const GUARDS: &[&str] = &["clippy::disallowed", "clippy::all", "clippy::style"];

/// Finds attributes that switch a ban off, and threads where there are to be none.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.ending(".rs").filter(|(path, _)| path.starts_with("pure/")) {
        let mut find = |what: &str, at: usize, why: &str| {
            if !is_comment(text, at) {
                let line = text[..at].matches('\n').count() + 1;
                findings.push(Finding::new(format!("{path}:{line}"), format!("`{what}…` {why}")));
            }
        };
        for guard in GUARDS {
            text.match_indices(guard).for_each(|(at, _)| find(guard, at, "is not switched off in pure/"));
        }
        if path != THREADS {
            let why = format!("is used in {THREADS} only");
            text.match_indices("rayon").for_each(|(at, _)| find("rayon", at, &why));
        }
    }
    findings
}

fn is_comment(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("//"))
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
            for path in ["pure/models/src/lib.rs", THREADS, "pure/models/tests/it.rs"] {
                assert_eq!(found(path, &format!("#![allow({guard})]")), 1, "{guard} in {path}");
            }
        }
        let waiver = "#[expect(clippy::disallowed_methods, reason = \"x\")]";
        assert_eq!(found("pure/explorer/src/lib.rs", waiver), 1);
        assert_eq!(found("crates/bowline/src/main.rs", waiver), 0);
        assert_eq!(found("pure/models/src/lib.rs", "// `clippy::disallowed_types` keeps clocks out."), 0);
    }

    #[test]
    fn threads_come_by_one_file_only() {
        assert_eq!(found(THREADS, "use rayon::prelude::*;"), 0);
        assert_eq!(found("pure/explorer/src/walk.rs", "use rayon::prelude::*;"), 1);
        assert_eq!(found("pure/models/src/lib.rs", "rayon::spawn(|| ());"), 1);
        assert_eq!(found("crates/bowline/src/main.rs", "use rayon::prelude::*;"), 0);
    }
}
