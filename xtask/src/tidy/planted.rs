//! The bans of `pure/` work: every violation planted in `pure/planted` is reported, and every ban by one of them.

use std::ops::RangeInclusive;

use anyhow::{Context, Result};

use super::{Files, Finding, clippy_conf};
use crate::cargo_json::{Diagnostic, Message, messages};
use crate::workspace::Workspace;

const CRATE: &str = "bowline-planted";
const SOURCE: &str = "pure/planted/src/planted.rs";

/// Lints the crate with and without its violations.
pub(super) fn check(workspace: &Workspace, files: &Files) -> Result<Vec<Finding>> {
    let planted = functions(files.required(SOURCE)?);
    let bans = clippy_conf::pure_bans(files)?;
    let mut findings = surprises(&lint(workspace, &[])?);
    findings.extend(misses(&planted, &bans, &lint(workspace, &["--features", "planted"])?));
    Ok(findings)
}

fn lint(workspace: &Workspace, features: &[&str]) -> Result<Vec<Diagnostic>> {
    let args = ["clippy", "--package", CRATE, "--locked", "--message-format", "json"];
    // Its exit code says nothing here: with violations it fails, and should.
    let output = workspace.cargo(args.iter().chain(features)).output().context("cannot run cargo clippy")?;
    let messages =
        messages(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    anyhow::ensure!(
        !messages.is_empty(),
        "cargo clippy did nothing:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let diagnostics = messages.into_iter().filter_map(|message| match message {
        Message::Said { message } => Some(message),
        _ => None,
    });
    Ok(diagnostics.collect())
}

/// A function of the planted module, and its lines.
struct Function<'a> {
    name: &'a str,
    lines: RangeInclusive<usize>,
}

/// The functions, as rustfmt lays them out: `pub fn` and `}` in the first column.
fn functions(source: &str) -> Vec<Function<'_>> {
    let mut functions = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    for (number, line) in (1..).zip(source.lines()) {
        if let Some(rest) = line.strip_prefix("pub fn ") {
            open = rest.split(['(', '<']).next().map(|name| (name, number));
        } else if let ("}", Some((name, start))) = (line, open) {
            functions.push(Function { name, lines: start..=number });
            open = None;
        }
    }
    functions
}

/// What clippy says about a crate that should be clean.
fn surprises(diagnostics: &[Diagnostic]) -> Vec<Finding> {
    let said = diagnostics.iter().filter(|diagnostic| diagnostic.code.is_some());
    said.map(|diagnostic| {
        Finding::new(CRATE, format!("is not clean without its feature: {}", diagnostic.message))
    })
    .collect()
}

/// Functions that no ban has caught, bans that caught no function, and what is wrong with the module itself.
fn misses(planted: &[Function], bans: &[String], diagnostics: &[Diagnostic]) -> Vec<Finding> {
    let (caught, other): (Vec<_>, Vec<_>) = diagnostics.iter().partition(|diagnostic| is_ban(diagnostic));
    let errors =
        other.into_iter().filter(|diagnostic| diagnostic.level == "error" && diagnostic.code.is_some());
    let mut findings: Vec<_> = errors
        .map(|error| {
            Finding::new(SOURCE, format!("does not compile, so nothing is known: {}", error.message))
        })
        .collect();
    if planted.is_empty() {
        findings.push(Finding::new(SOURCE, "has no function `pub fn …`; has its layout changed?"));
    }
    for function in planted.iter().filter(|function| !caught.iter().any(|ban| is_in(ban, function))) {
        let what = format!("`{}` is not caught: no ban in pure/clippy.toml covers it", function.name);
        findings.push(Finding::new(format!("{SOURCE}:{}", function.lines.start()), what));
    }
    for ban in
        bans.iter().filter(|ban| !caught.iter().any(|caught| caught.message.contains(&format!("`{ban}`"))))
    {
        let what = format!("`{ban}` catches nothing: it is misspelt, or {SOURCE} has no violation of it");
        findings.push(Finding::new("pure/clippy.toml", what));
    }
    findings
}

fn is_ban(diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code.as_ref().map_or("", |code| code.code.as_str());
    diagnostic.level == "error" && (code.starts_with("clippy::disallowed_") || code == "unsafe_code")
}

fn is_in(diagnostic: &Diagnostic, function: &Function) -> bool {
    diagnostic.spans.iter().any(|span| span.is_primary && function.lines.contains(&span.line_start))
}

#[cfg(test)]
mod tests {
    use crate::cargo_json::{Code, Span};

    use super::*;

    const TWO: &str = "//! x\n\npub fn clock() {\n    a\n}\n\npub fn files<'a>(x: &'a u8) {\n    b\n}\n";

    fn diagnostic(code: &str, message: &str, line: usize) -> Diagnostic {
        Diagnostic {
            code: Some(Code { code: code.to_owned() }),
            level: "error".to_owned(),
            message: message.to_owned(),
            spans: vec![Span { is_primary: true, line_start: line }],
        }
    }

    fn found(diagnostics: &[Diagnostic]) -> Vec<String> {
        let bans = ["std::time::Instant".to_owned(), "std::fs::read".to_owned()];
        misses(&functions(TWO), &bans, diagnostics).iter().map(ToString::to_string).collect()
    }

    fn clock() -> Diagnostic {
        diagnostic("clippy::disallowed_types", "use of a disallowed type `std::time::Instant`", 4)
    }

    fn files() -> Diagnostic {
        diagnostic("clippy::disallowed_methods", "use of a disallowed method `std::fs::read`", 8)
    }

    #[test]
    fn functions_are_found_with_their_lines() {
        let found: Vec<_> =
            functions(TWO).into_iter().map(|function| (function.name, function.lines)).collect();
        assert_eq!(found, [("clock", 3..=5), ("files", 7..=9)]);
    }

    #[test]
    fn a_function_that_is_not_caught_and_a_ban_that_catches_nothing_are_found() {
        assert_eq!(found(&[clock(), files()]), Vec::<String>::new());
        let findings = found(&[clock()]);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("planted.rs:7: `files` is not caught"), "{findings:?}");
        assert!(findings[1].contains("`std::fs::read` catches nothing"), "{findings:?}");
    }

    #[test]
    fn a_mere_warning_or_another_lint_is_no_catch() {
        let warning = Diagnostic { level: "warning".to_owned(), ..files() };
        assert_eq!(found(&[clock(), warning]).len(), 2);
        let other = diagnostic("clippy::needless_return", "`std::fs::read`", 8);
        assert_eq!(found(&[clock(), other]).len(), 3, "it is an error besides");
    }

    #[test]
    fn a_module_that_does_not_compile_is_found() {
        let broken = diagnostic("E0425", "cannot find function `x`", 4);
        assert!(found(&[clock(), files(), broken])[0].contains("does not compile"));
    }

    #[test]
    fn an_empty_module_and_an_unclean_crate_are_found() {
        assert_eq!(misses(&[], &[], &[]).len(), 1);
        assert_eq!(surprises(&[clock()]).len(), 1);
        assert_eq!(surprises(&[]).len(), 0);
    }
}
