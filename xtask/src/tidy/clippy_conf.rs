//! The five `clippy.toml`. Clippy reads the nearest one and merges nothing, so each has all that is shared,
//! and there is no sixth that would hide one of them.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Files, Finding};

/// Where they are. Every crate is below one of these.
const CONFIGURATIONS: &[&str] =
    &[PURE, "bench/clippy.toml", "crates/clippy.toml", "e2e/clippy.toml", "xtask/clippy.toml"];
/// The one that keeps `pure/` pure.
const PURE: &str = "pure/clippy.toml";
/// Lines of a function.
const FUNCTION_LINES: u32 = 60;
/// Macros that no crate uses.
const SHARED: &[&str] = &["std::dbg", "std::todo", "std::unimplemented"];

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Configuration {
    too_many_lines_threshold: Option<u32>,
    #[serde(default)]
    disallowed_types: Vec<Ban>,
    #[serde(default)]
    disallowed_methods: Vec<Ban>,
    #[serde(default)]
    disallowed_macros: Vec<Ban>,
}

/// What may not be used, and why.
#[derive(Deserialize)]
struct Ban {
    path: String,
    reason: Option<String>,
}

impl Configuration {
    fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context("a ban is written `{ path = \"…\", reason = \"…\" }`")
    }

    fn bans(&self) -> impl Iterator<Item = &Ban> {
        self.disallowed_types.iter().chain(&self.disallowed_methods).chain(&self.disallowed_macros)
    }
}

/// Finds configurations that are missing, incomplete, or in the way.
pub(super) fn check(files: &Files) -> Result<Vec<Finding>> {
    let is_configuration = |path: &str| path.ends_with("clippy.toml") && !CONFIGURATIONS.contains(&path);
    let hiding = files.all().map(|(path, _)| path).filter(|path| is_configuration(path));
    let mut findings: Vec<_> = hiding
        .map(|path| Finding::new(path, "hides the shared one; clippy reads only the nearest"))
        .collect();
    for path in CONFIGURATIONS {
        let configuration = Configuration::parse(files.required(path)?).context(*path)?;
        findings.extend(check_one(&configuration).into_iter().map(|what| Finding::new(*path, what)));
    }
    Ok(findings)
}

fn check_one(configuration: &Configuration) -> Vec<String> {
    let mut faults = Vec::new();
    if configuration.too_many_lines_threshold != Some(FUNCTION_LINES) {
        faults.push(format!("too-many-lines-threshold is not {FUNCTION_LINES}"));
    }
    for name in SHARED {
        if !configuration.disallowed_macros.iter().any(|ban| ban.path == *name) {
            faults.push(format!("does not ban `{name}`, which all of them do"));
        }
    }
    let silent =
        configuration.bans().filter(|ban| ban.reason.as_ref().is_none_or(|reason| reason.trim().is_empty()));
    faults.extend(silent.map(|ban| format!("`{}` is banned without a reason", ban.path)));
    faults
}

/// All paths that are banned in `pure/`.
pub(super) fn pure_bans(files: &Files) -> Result<Vec<String>> {
    let configuration = Configuration::parse(files.required(PURE)?).context(PURE)?;
    Ok(configuration.bans().map(|ban| ban.path.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"too-many-lines-threshold = 60
disallowed-macros = [
  { path = "std::dbg", reason = "a" },
  { path = "std::todo", reason = "a" },
  { path = "std::unimplemented", reason = "a" },
]
"#;

    fn found(path: &str, text: &str) -> Result<Vec<String>> {
        let good = CONFIGURATIONS.iter().filter(|other| **other != path).map(|path| (*path, GOOD));
        let findings = check(&Files::of(good.chain([(path, text)])))?;
        Ok(findings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_fault_is_found_in_each_file() -> Result<()> {
        for path in CONFIGURATIONS {
            assert_eq!(found(path, GOOD)?, Vec::<String>::new());
            for (from, to) in [
                ("60", "100"),
                ("std::dbg", "std::other"),
                ("std::todo", "x"),
                ("\"a\" }", "\"\" }"),
                (", reason = \"a\"", ""),
            ] {
                let findings = found(path, &GOOD.replacen(from, to, 1))?;
                assert!(findings.len() == 1 && findings[0].starts_with(path), "{from} -> {to}: {findings:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_configuration_that_hides_another_is_found() -> Result<()> {
        assert_eq!(found("pure/models/clippy.toml", "")?.len(), 1);
        assert_eq!(found("crates/bowline/.clippy.toml", "")?.len(), 1);
        Ok(())
    }

    #[test]
    fn a_missing_one_is_an_error() {
        assert!(check(&Files::of([(PURE, GOOD)])).is_err());
    }
}
