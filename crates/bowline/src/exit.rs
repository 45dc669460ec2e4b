//! How the process ends: the codes that scripts rely on.

use std::fmt;
use std::process::ExitCode;

use crate::output;
use crate::palette::{self, paint};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Done, and well.
    Done,
    /// It ended badly: something is violated, unreached or not as expected.
    EndedBadly,
    /// The command or its input makes no sense.
    BadUsage,
    /// It is not finished: INCOMPLETE.
    NotFinished,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::EndedBadly => 1,
            Exit::BadUsage => 2,
            Exit::NotFinished => 3,
        }
    }
}

/// What is wrong with what the user asked for, and what there is instead.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct BadUsage(pub(crate) String);

impl fmt::Display for BadUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadUsage {}

/// Turns what a command returned into the exit code; an error is said on stderr.
pub(crate) fn end(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = result.unwrap_or_else(|error| {
        output::note(&format!("{} {error:#}", paint(palette::BAD, "error:")));
        code_of(&error)
    });
    ExitCode::from(exit.code())
}

fn code_of(error: &anyhow::Error) -> Exit {
    if error.is::<BadUsage>() { Exit::BadUsage } else { Exit::EndedBadly }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn bad_usage_is_told_from_other_errors_also_behind_context() {
        let usage = Err::<(), _>(BadUsage("no".into())).context("in --size").unwrap_err();
        assert_eq!(code_of(&usage), Exit::BadUsage);
        assert_eq!(code_of(&anyhow!("disk full")), Exit::EndedBadly);
    }
}
