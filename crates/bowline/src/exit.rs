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
    /// It is not finished: INCOMPLETE, or out of time.
    NotFinished,
    /// It was refused: forbidden, in conflict, or not now.
    Refused,
    /// There is no connection.
    NoConnection,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::EndedBadly => 1,
            Exit::BadUsage => 2,
            Exit::NotFinished => 3,
            Exit::Refused => 4,
            Exit::NoConnection => 5,
        }
    }
}

/// An error by which the process ends with a code of its own.
macro_rules! error {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(PartialEq, Eq, Debug)]
        pub(crate) struct $name(pub(crate) String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}
    };
}

error!(
    /// What is wrong with what the user asked for, and what there is instead.
    BadUsage
);
error!(
    /// Why it is not done: it is forbidden, in conflict with something, or not possible now.
    Refused
);
error!(
    /// Why the server cannot be reached.
    NoConnection
);

/// Turns what a command returned into the exit code; an error is said on stderr.
pub(crate) fn end(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = result.unwrap_or_else(|error| {
        output::note(&format!("{} {error:#}", paint(palette::BAD, "error:")));
        code_of(&error)
    });
    ExitCode::from(exit.code())
}

fn code_of(error: &anyhow::Error) -> Exit {
    if error.is::<BadUsage>() {
        Exit::BadUsage
    } else if error.is::<Refused>() {
        Exit::Refused
    } else if error.is::<NoConnection>() {
        Exit::NoConnection
    } else {
        Exit::EndedBadly
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn errors_with_a_code_are_told_from_others_also_behind_context() {
        let usage = Err::<(), _>(BadUsage("no".into())).context("in --size").unwrap_err();
        assert_eq!(code_of(&usage), Exit::BadUsage);
        let refused = Err::<(), _>(Refused("no".into())).context("cluster add").unwrap_err();
        assert_eq!(code_of(&refused), Exit::Refused);
        assert_eq!(code_of(&anyhow!(NoConnection("gone".into()))), Exit::NoConnection);
        assert_eq!(code_of(&anyhow!("disk full")), Exit::EndedBadly);
    }
}
