//! The policy for dependencies. It stands in `deny.toml`, for cargo-deny and for us: one list cannot disagree
//! with itself.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Files;

/// What tidy takes from `deny.toml`.
#[derive(Debug)]
pub(super) struct Policy {
    /// Licences that a dependency may have.
    pub(super) licences: Vec<String>,
    /// Crates of which there is one version.
    pub(super) single: Vec<String>,
}

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    deny_multiple_versions: bool,
}

/// Reads the policy.
pub(super) fn read(files: &Files) -> Result<Policy> {
    parse(files.required("deny.toml")?).context("deny.toml is not what tidy expects")
}

fn parse(text: &str) -> Result<Policy> {
    let Deny { licenses, bans } = toml::from_str(text)?;
    let single: Vec<_> =
        bans.deny.into_iter().filter(|ban| ban.deny_multiple_versions).map(|ban| ban.name).collect();
    // An empty list forbids nothing (versions) or everything (licences): neither is meant.
    ensure!(!licenses.allow.is_empty(), "licenses.allow is empty");
    ensure!(!single.is_empty(), "bans.deny has no entry with deny-multiple-versions");
    Ok(Policy { licences: licenses.allow, single })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_read() -> Result<()> {
        let text = "[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"a\", deny-multiple-versions = true }, { crate = \"b\" }]\n";
        let policy = parse(text)?;
        assert_eq!((policy.licences, policy.single), (vec!["MIT".to_owned()], vec!["a".to_owned()]));
        Ok(())
    }

    #[test]
    fn a_policy_that_says_nothing_is_an_error() {
        assert!(
            parse(
                "[licenses]\nallow = []\n[bans]\ndeny = [{ crate = \"a\", deny-multiple-versions = true }]\n"
            )
            .is_err()
        );
        assert!(parse("[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"a\" }]\n").is_err());
        assert!(parse("[licenses]\n").is_err());
    }
}
