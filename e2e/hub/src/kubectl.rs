//! The real kubectl, with a cache of its own: what it remembers of one hub is not true of another.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use bowline_realkube::binaries;

use crate::Hub;

/// Names another kubectl than that of the test bed: `cargo xtask kubectls` sets it.
pub const KUBECTL: &str = "BOWLINE_KUBECTL";

/// kubectl as somebody runs it.
pub struct Kubectl {
    binary: PathBuf,
    arguments: Vec<String>,
}

/// What kubectl said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

impl Kubectl {
    /// The administrator's, with the binary of the test bed.
    ///
    /// # Errors
    /// If nobody says where it is.
    pub fn new(hub: &Hub, cache: PathBuf) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(hub.kubeconfig(), cache)
    }

    /// The same for any server.
    ///
    /// # Errors
    /// If nobody says where it is.
    pub fn with_kubeconfig(kubeconfig: &Path, cache: PathBuf) -> Result<Kubectl> {
        let arguments = vec![
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--cache-dir={}", cache.display()),
        ];
        let binary = match std::env::var_os(KUBECTL) {
            Some(binary) => binary.into(),
            None => binaries()?.join("kubectl"),
        };
        Ok(Kubectl { binary, arguments })
    }

    /// Runs a command, written as on a command line; `input` is its standard input.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn run(&self, line: &str, input: &str) -> Result<Said> {
        let mut child =
            self.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take().context("its input is piped")?;
        // It may end without having read all.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Said {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        })
    }

    /// A command that has not been started.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(&self.arguments).args(line.split(' ').map(|word| word.replace('~', " ")));
        command
    }

    /// Runs a command that has to succeed, and says what it printed.
    ///
    /// # Errors
    /// If it does not.
    pub fn ok(&self, line: &str, input: &str) -> Result<String> {
        let said = self.run(line, input)?;
        ensure!(said.code == 0, "kubectl {line}: {said:#?}");
        Ok(said.out)
    }

    /// Runs a command that has to print this.
    ///
    /// # Errors
    /// If it does not.
    pub fn says(&self, line: &str, input: &str, expected: &str) -> Result<()> {
        let out = self.ok(line, input)?;
        ensure!(out.contains(expected), "kubectl {line}: {expected:?} is not in {out:?}");
        Ok(())
    }

    /// Runs a command that has to fail, and to complain like this.
    ///
    /// # Errors
    /// If it does not.
    pub fn complains(&self, line: &str, input: &str, expected: &str) -> Result<()> {
        let said = self.run(line, input)?;
        ensure!(
            said.code != 0 && said.err.contains(expected),
            "kubectl {line}: {expected:?} is not in {said:#?}"
        );
        Ok(())
    }
}
