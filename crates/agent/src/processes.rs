//! The processes of this machine, as `/proc` has them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use crate::protocol::Exit;

/// The variable by which processes are known that a shim has started, and all that they started.
pub(crate) const MARK: &str = "BOWLINE_SHIM";
/// How long those that were killed have to be gone.
const PAUSE: Duration = Duration::from_millis(5);

/// How many fields of a process stand between its parent and the number of its threads.
const THREADS: usize = 15;

/// A process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: Pid,
    /// It has ended with all of its threads, and its parent has not asked how.
    pub(crate) is_dead: bool,
}

/// All processes that can be seen.
pub(crate) fn all() -> Vec<Process> {
    pids().filter_map(look).collect()
}

fn pids() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Pid::from_raw))
}

/// A process, if there is one with this number.
pub(crate) fn look(pid: Pid) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: Pid, stat: &str) -> Option<Process> {
    // The name stands in brackets and may have any in it.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
    // A process whose first thread has ended looks like a dead one, and goes on as long as there are others.
    let threads: u32 = fields.nth(THREADS)?.parse().ok()?;
    let is_dead = state == "X" || state == "Z" && threads <= 1;
    Some(Process { pid, parent: Pid::from_raw(parent), is_dead })
}

/// Those that descend from one, the dead ones too. A subreaper keeps all that it ever started among them.
pub(crate) fn descendants(all: &[Process], of: Pid) -> Vec<Process> {
    let mut known = BTreeSet::from([of]);
    let mut found = Vec::new();
    loop {
        let before = found.len();
        for process in all {
            if known.contains(&process.parent) && known.insert(process.pid) {
                found.push(*process);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// How a child of ours has ended, if it has. It stays as it is: its number is nobody else's until it is [reaped](reap).
pub(crate) fn peek(child: Pid) -> Option<Exit> {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    match waitid(Id::Pid(child), flags) {
        Ok(WaitStatus::Exited(_, code)) => Some(Exit::Code(code)),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(Exit::Signal(signal as i32)),
        Ok(_) | Err(Errno::EINTR) => None,
        // It is no child any more. Nobody but us could have asked, and we did not.
        Err(_) => Some(Exit::Signal(Signal::SIGKILL as i32)),
    }
}

/// Waits until a child of ours has ended, and leaves it as it is.
pub(crate) fn await_end(child: Pid) {
    while waitid(Id::Pid(child), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
}

/// Lets go of a child of ours that has ended.
pub(crate) fn reap(child: Pid) {
    // There is nobody to tell if it is none.
    let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
}

/// How a process ended, in our words.
pub(crate) fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}

/// Kills all whose mark begins like this but ourselves, until there are none: what a shim has started, and what that has
/// started, also if it has left its group and its parents are dead. Not those that have cleared their environment, or belong to
/// somebody else. Says which are left after so many rounds.
pub(crate) fn sweep(mark: &str, rounds: usize) -> Vec<Pid> {
    let mut left = Vec::new();
    let mut clean = 0;
    for _ in 0..rounds {
        left = marked(mark);
        for pid in &left {
            // If it is gone, so much the better.
            let _ = kill(*pid, Signal::SIGKILL);
        }
        // A process that turns into another has no environment for a moment: once is not enough.
        clean = if left.is_empty() { clean + 1 } else { 0 };
        if clean == 2 {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    left
}

fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let us = Pid::this();
    let carries = |pid: &Pid| {
        environment(*pid).split(|byte| *byte == 0).any(|variable| variable.starts_with(wanted.as_bytes()))
    };
    let lives = |pid: &Pid| look(*pid).is_some_and(|process| !process.is_dead);
    pids().filter(|pid| *pid != us && carries(pid) && lives(pid)).collect()
}

/// The environment that a process began with. If its first thread has ended, the others have it.
fn environment(pid: Pid) -> Vec<u8> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let environments = threads.filter_map(|thread| fs::read(thread.path().join("environ")).ok());
    match fs::read(format!("/proc/{pid}/environ")) {
        Ok(environment) if !environment.is_empty() => environment,
        _ => environments.into_iter().find(|environment| !environment.is_empty()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let pid = Pid::from_raw(7);
        let read = |stat: &str| parse(pid, stat).map(|process| (process.parent.as_raw(), process.is_dead));
        let between = "7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0";
        let stat =
            |name: &str, state: &str, threads: u32| format!("7 ({name}) {state} 3 {between} {threads} 0 99");
        assert_eq!(read(&stat("sh", "S", 1)), Some((3, false)));
        assert_eq!(read(&stat("a) Z 1 (b", "R", 1)), Some((3, false)));
        assert_eq!(read(&stat("sh", "Z", 1)), Some((3, true)));
        // Its first thread has ended, and the others go on.
        assert_eq!(read(&stat("java", "Z", 2)), Some((3, false)));
        assert_eq!(
            (read(""), read("7 (sh) S"), read("7 (sh) S x"), read("7 (sh) S 3")),
            (None, None, None, None)
        );
    }

    #[test]
    fn descendants_are_found_in_any_order() {
        let process =
            |pid, parent| Process { pid: Pid::from_raw(pid), parent: Pid::from_raw(parent), is_dead: false };
        let all = [process(5, 4), process(4, 2), process(3, 1), process(2, 1), process(9, 8), process(1, 0)];
        let found = |of| {
            let mut pids: Vec<_> =
                descendants(&all, Pid::from_raw(of)).iter().map(|process| process.pid.as_raw()).collect();
            pids.sort_unstable();
            pids
        };
        assert_eq!(found(1), [2, 3, 4, 5]);
        assert_eq!(found(2), [4, 5]);
        assert_eq!(found(5), [0; 0]);
    }

    #[test]
    fn what_carries_the_mark_is_killed_wherever_it_went_and_nothing_else() {
        let mark = format!("test-{}#", std::process::id());
        let sleeper = |mark: &str| {
            let mut command = Command::new("sleep");
            command.arg("600").env(MARK, mark).stdin(Stdio::null()).process_group(0);
            command.spawn().expect("sleep runs")
        };
        let (mut ours, mut other) = (sleeper(&format!("{mark}7;")), sleeper(&format!("another-{mark}7;")));
        assert_eq!(sweep(&mark, 400), []);
        assert_eq!(ours.wait().expect("it ended").signal(), Some(9));
        assert!(other.try_wait().expect("it is ours").is_none());
        other.kill().expect("it is killed");
        other.wait().expect("it ended");
    }

    #[test]
    fn a_child_that_has_ended_stays_until_it_is_reaped() {
        let mut child = Command::new("sh").args(["-c", "exit 3"]).spawn().expect("sh runs");
        let pid = Pid::from_raw(child.id().try_into().expect("a number"));
        await_end(pid);
        for _ in 0..2 {
            assert_eq!(peek(pid), Some(Exit::Code(3)));
            assert!(look(pid).is_some_and(|process| process.is_dead));
        }
        reap(pid);
        assert_eq!(look(pid), None);
        assert!(child.wait().is_err());
    }
}
