//! Commands that are over in a time: what drains software, and what tells whether it works.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::sync::oneshot;

use crate::launch::{Launched, Program, thread};
use crate::log::{Log, told};
use crate::processes::{await_end, exit};
use crate::protocol::{Env, Exit, Limits};

/// How much is remembered of what a command prints.
const REMEMBERED: usize = 4 << 10;
/// How long the last words of a command are waited for: somebody else may hold its output open.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program: a path, or a name that is looked for in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, beside the little that every process gets.
    pub env: Env,
    /// Where it works; none is `/`.
    pub directory: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
}

/// What became of a command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// It cannot be run on this node.
    #[error("{0}")]
    NotStarted(String),
    /// It took too long, and was killed with all of its group.
    #[error("it was killed, for it had not ended after {} ms{}", after.as_millis(), words(last))]
    Timeout {
        /// How long it had.
        after: Duration,
        /// What it printed last.
        last: String,
    },
    /// It ended, and not well.
    #[error("it ended with {}{}", crate::words::exit(exit), words(last))]
    Ended {
        /// How.
        exit: Exit,
        /// What it printed last.
        last: String,
    },
}

fn words(last: &str) -> String {
    if last.is_empty() { String::new() } else { format!("; its last words: {last}") }
}

impl Command {
    /// Runs it, in a group of processes of its own, and kills that when its time is over. It dies with this process.
    ///
    /// # Errors
    /// If it does not end with code 0.
    pub async fn run(&self) -> Result<(), Failure> {
        self.run_with(None).await
    }

    /// As [`run`](Command::run); what it prints goes to this log.
    ///
    /// # Errors
    /// If it does not end with code 0.
    pub async fn run_logged(&self, log: &Path, limits: Limits) -> Result<(), Failure> {
        let mut log = Log::new(log.to_owned(), limits);
        log.remark(&format!("{} begins", told(&self.command)));
        self.run_with(Some(log)).await
    }

    async fn run_with(&self, log: Option<Log>) -> Result<(), Failure> {
        let command = self.clone();
        let (send, done) = oneshot::channel();
        // It dies with the thread that starts it, and a thread of tokio's may end before the command does.
        let began = thread("command", move || {
            // Nobody may be waiting any more.
            let _ = send.send(command.carry(log));
        });
        if let Err(error) = began {
            return Err(Failure::NotStarted(error.to_string()));
        }
        done.await.unwrap_or_else(|_| Err(Failure::NotStarted("its thread came to harm".to_owned())))
    }

    fn carry(&self, log: Option<Log>) -> Result<(), Failure> {
        let directory = self.directory.as_deref();
        let program =
            Program { command: &self.command, args: &self.args, env: &self.env, directory, mark: None };
        let Launched { mut child, output, report } = program.launch().map_err(Failure::NotStarted)?;
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
        let read = follow(output, log);
        let (ended, end) = mpsc::channel();
        let waiter = thread("command-end", move || {
            await_end(pid);
            let _ = ended.send(());
        });
        // A thread that cannot be started is a time that is over.
        let in_time = waiter.is_ok() && end.recv_timeout(self.timeout).is_ok();
        // It is not reaped yet, so the group is its own. What it has left behind goes too.
        let _ = killpg(pid, Signal::SIGKILL);
        let status = child.wait().map_err(|error| Failure::NotStarted(error.to_string()))?;
        report.read().map_err(Failure::NotStarted)?;
        let last = read.ok().and_then(|read| read.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
        match exit(status) {
            _ if !in_time => Err(Failure::Timeout { after: self.timeout, last }),
            Exit::Code(0) => Ok(()),
            exit => Err(Failure::Ended { exit, last }),
        }
    }
}

/// Reads what it prints, and sends the last line of it at the end.
fn follow(mut output: io::PipeReader, mut log: Option<Log>) -> io::Result<mpsc::Receiver<String>> {
    let (send, read) = mpsc::channel();
    thread("command-output", move || {
        let (mut printed, mut last) = (vec![0; 4 << 10], Vec::new());
        loop {
            match output.read(&mut printed) {
                Ok(0) => break,
                Ok(bytes) => {
                    let printed = &printed[..bytes];
                    log.iter_mut().for_each(|log| log.write(printed));
                    last.extend_from_slice(printed);
                    last.drain(..last.len().saturating_sub(REMEMBERED));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let text = String::from_utf8_lossy(&last);
        let line = text.lines().rev().find(|line| !line.trim().is_empty());
        // Nobody may be waiting any more.
        let _ = send.send(line.map(told).unwrap_or_default());
    })?;
    Ok(read)
}
