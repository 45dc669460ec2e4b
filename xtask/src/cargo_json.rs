//! The lines that cargo prints with `--message-format json`, as far as tasks look at them.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

/// One line.
#[derive(Debug, Deserialize)]
#[serde(tag = "reason")]
pub(crate) enum Message {
    /// Something the compiler or clippy says.
    #[serde(rename = "compiler-message")]
    Said {
        /// What it says.
        message: Diagnostic,
    },
    /// Something that was built.
    #[serde(rename = "compiler-artifact")]
    Built(Artifact),
    /// All the rest.
    #[serde(other)]
    Other,
}

/// What the compiler or a lint says about the source.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagnostic {
    /// The lint or error code; none for summaries ("aborting due to …").
    pub(crate) code: Option<Code>,
    /// `error`, `warning`, …
    pub(crate) level: String,
    /// The first line of what it says.
    pub(crate) message: String,
    /// Where.
    pub(crate) spans: Vec<Span>,
}

/// The name of a lint or the code of an error.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Code {
    /// Like `clippy::disallowed_types` or `E0425`.
    pub(crate) code: String,
}

/// A place in the source.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Span {
    /// The place that the diagnostic is about, not one that explains it.
    pub(crate) is_primary: bool,
    /// The first line of it, from 1.
    pub(crate) line_start: usize,
}

/// A library, binary or test that was built.
#[derive(Debug, Deserialize)]
pub(crate) struct Artifact {
    /// Which of the package's targets.
    pub(crate) target: Target,
    /// The program, where it is one.
    pub(crate) executable: Option<PathBuf>,
    /// The manifest of its package.
    pub(crate) manifest_path: PathBuf,
    /// How it was built.
    pub(crate) profile: Profile,
}

/// How something was built, as far as anybody asks.
#[derive(Debug, Deserialize)]
pub(crate) struct Profile {
    /// It is what runs tests, not what they are about.
    pub(crate) test: bool,
}

/// A target of a package.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    /// `lib`, `test`, `bin`, …
    pub(crate) kind: Vec<String>,
    /// Its name.
    pub(crate) name: String,
}

/// Parses all lines.
pub(crate) fn messages(stdout: &[u8]) -> Result<Vec<Message>> {
    serde_json::Deserializer::from_slice(stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .context("cannot read cargo's messages; has their format changed?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_lines_are_passed_over_and_broken_ones_are_not() -> Result<()> {
        let read = messages(b"{\"reason\":\"build-finished\",\"success\":true}\n{\"reason\":\"new\"}\n")?;
        assert!(matches!(read[..], [Message::Other, Message::Other]));
        assert!(messages(b"{\"reason\":").is_err());
        Ok(())
    }

    #[test]
    fn a_program_is_read_with_its_package_and_whether_it_runs_tests() -> Result<()> {
        let read = messages(
            br#"{"reason":"compiler-artifact","package_id":"path+file:///r/e2e/up#bowline-e2e-up@0.1.0",
                "manifest_path":"/r/e2e/up/Cargo.toml","target":{"kind":["test"],"name":"up","doctest":false},
                "profile":{"opt_level":"0","test":true},"executable":"/r/target/debug/deps/up-1","fresh":true}"#,
        )?;
        let [Message::Built(built)] = &read[..] else { anyhow::bail!("it is something else: {read:?}") };
        assert!(built.profile.test && built.manifest_path.ends_with("e2e/up/Cargo.toml"), "{built:?}");
        assert_eq!(built.executable.as_deref(), Some(std::path::Path::new("/r/target/debug/deps/up-1")));
        Ok(())
    }
}
