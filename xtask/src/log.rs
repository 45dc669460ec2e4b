//! Where the output of a task goes: straight to the terminal, or kept until it is known whether anybody wants it.

use std::fmt::Display;
use std::io::{IsTerminal, Read, Write};
use std::process::Command;

use anyhow::{Context, Result};

use crate::tail::Tail;

/// Takes what a task and the commands it starts print.
pub(crate) struct Log {
    live: bool,
    kept: Vec<u8>,
    tail: Option<Tail>,
}

/// How a command ended, and all that it printed to both streams, in order.
pub(crate) struct Ran {
    /// It exited with 0.
    pub(crate) success: bool,
    /// Standard output and standard error as they came.
    pub(crate) output: String,
}

impl Log {
    /// Everything is shown at once.
    pub(crate) fn live() -> Self {
        Self { live: true, kept: Vec::new(), tail: None }
    }

    /// Nothing is shown; [`Log::kept`] has it.
    pub(crate) fn quiet() -> Self {
        Self { live: false, kept: Vec::new(), tail: None }
    }

    /// Quiet, but on a terminal the last line is shown after a label, so that it is seen to go on.
    pub(crate) fn quiet_after(label: String) -> Self {
        Self { tail: Tail::on_terminal(label), ..Self::quiet() }
    }

    /// Takes the last line away, with its label, if one is shown.
    pub(crate) fn clear_tail(&self) {
        self.tail.iter().for_each(Tail::clear);
    }

    /// What a quiet log has taken so far.
    pub(crate) fn kept(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }

    /// Takes a line.
    pub(crate) fn line(&mut self, text: impl Display) {
        self.take(format!("{text}\n").as_bytes());
    }

    /// Runs a command to its end. An error means that it could not be run at all.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<Ran> {
        // One pipe for both streams, so that errors stand where they happened.
        let (mut reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        command.stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
        command.stdin(std::process::Stdio::null());
        let unset = |name| std::env::var_os(name).is_none();
        if std::io::stdout().is_terminal() && unset("NO_COLOR") && unset("CARGO_TERM_COLOR") {
            command.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        // `command` owns the writing ends: while they are open the pipe never ends.
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut output = Vec::new();
        let mut buffer = [0; 8192];
        loop {
            let count = reader.read(&mut buffer).context("cannot read what a command prints")?;
            if count == 0 {
                break;
            }
            output.extend_from_slice(&buffer[..count]);
            self.take(&buffer[..count]);
        }
        let status = child.wait().with_context(|| format!("cannot wait for {command:?}"))?;
        Ok(Ran { success: status.success(), output: String::from_utf8_lossy(&output).into_owned() })
    }

    fn take(&mut self, bytes: &[u8]) {
        if !self.live {
            self.kept.extend_from_slice(bytes);
            self.tail.iter_mut().for_each(|tail| tail.take(bytes));
            return;
        }
        let mut stdout = std::io::stdout().lock();
        // Nobody reads any more (`| head`): the checks go on, their exit code still counts.
        let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept_in_order_and_failure_is_seen() -> Result<()> {
        let mut log = Log::quiet();
        log.line("first");
        let ran =
            log.run(Command::new("sh").args(["-c", "echo out; echo err >&2; echo out again; exit 3"]))?;
        assert!(!ran.success);
        assert_eq!(ran.output, "out\nerr\nout again\n");
        assert_eq!(log.kept(), "first\nout\nerr\nout again\n");
        Ok(())
    }

    #[test]
    fn a_command_that_does_not_exist_is_an_error() {
        assert!(Log::quiet().run(&mut Command::new("/nowhere/at/all")).is_err());
    }
}
