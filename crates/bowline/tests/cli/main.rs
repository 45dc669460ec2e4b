//! The real binary, run as a user runs it.

mod documents;
mod faults;
mod identities;
mod listing;
mod pipes;
mod refusals;
mod runs;
mod signals;
mod traces;
mod warnings;

use std::path::PathBuf;
use std::process::{Command, Output};

/// The binary.
fn bowline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
    // What the machine prefers must not change what tests see.
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
    command
}

/// What a run of the binary gave.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn new(output: &Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails with all that the binary said unless it ended with this code.
    #[track_caller]
    fn exits(self, code: i32) -> Ran {
        let Ran { stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }

    /// Fails unless stdout has this piece.
    #[track_caller]
    fn says(self, piece: &str) -> Ran {
        assert!(self.stdout.contains(piece), "no {piece:?} in\n{}", self.stdout);
        self
    }

    /// Fails unless stderr has this piece.
    #[track_caller]
    fn notes(self, piece: &str) -> Ran {
        assert!(self.stderr.contains(piece), "no {piece:?} in\n{}", self.stderr);
        self
    }

    /// stdout as JSON.
    #[track_caller]
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in\n{}", self.stdout))
    }
}

/// Runs the binary with arguments that have no blanks in them.
#[track_caller]
fn run(arguments: &str) -> Ran {
    let output = bowline().args(arguments.split_whitespace()).output();
    Ran::new(&output.expect("the binary starts"))
}

/// An empty directory for a test, which has to be named because tests run side by side.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("an old directory can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a directory can be made");
    folder
}
