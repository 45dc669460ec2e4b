//! The parent of the software's process. It holds the process and what it prints while agents come and go, and kills it when
//! nobody has said in time that it may go on.
//!
//! `bowline agent shim DIRECTORY` makes sure that there is one and comes back; the shim itself is `bowline agent keep`, in a
//! session of its own. It keeps nothing on disk but logs: what it knows dies with it, and so does the software.
//!
//! - One shim to a directory: it holds a lock there. Before it serves, it kills what a shim before it may have left.
//! - One thread ([`keeper`]) starts, signals, reaps and kills, and waits for nothing but its bell; requests ([`serve`]),
//!   signals, the alarm and the pipes ring it. What is to be done when is in [`state`], without clock and system.
//! - It is the subreaper of all that descends from it: nothing gets away from it by leaving its group or its session, and
//!   something has ended when none of it is left.
//!
//! If the shim is killed itself, the software's first process dies with it (`PR_SET_PDEATHSIG`), and a second process, the
//! guard, kills all others that carry the shim's mark in their environment, and the first one too if it has changed its user
//! (which undoes that wish). What is not covered is this:
//!
//! - when the shim is killed: descendants that have cleared their environment, or run as a user whom the guard may not kill;
//! - when shim and guard are killed at once: all but the first process, until the next shim begins, which kills them;
//! - while the shim itself is stopped (SIGSTOP), or the whole machine: everything. It is killed when they go on.

mod guard;
mod keeper;
mod serve;
mod state;

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;

use nix::sys::prctl::set_child_subreaper;
use nix::unistd::{Pid, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::clock::Boottime;
use crate::home::Home;
use crate::launch::{inherited, thread};
use crate::processes::sweep;
use crate::roles;
use keeper::{Keeper, Shared};

pub(crate) use guard::main as guard;

/// What a shim says when it listens.
pub(crate) const READY: &str = "ready";
/// How often what a shim before has left is looked for and killed before that is given up, every 5 ms.
const SWEEPS: usize = 2_000;
/// How much is read of what a shim says that does not come to listen.
const MOST_WORDS: u64 = 4 << 10;

/// Starts a shim that outlives who called this, and says how that went: [`READY`] or why not, on a line.
pub fn main(directory: &Path) -> ExitCode {
    let said = start(directory).unwrap_or_else(|why| format!("{why}\n"));
    let told = io::stdout().write_all(said.as_bytes());
    match told {
        Ok(()) if said.trim_end() == READY => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// What the new shim says first.
fn start(directory: &Path) -> Result<String, String> {
    let home = Home::at(directory).map_err(|error| error.to_string())?;
    home.prepare().map_err(|error| error.to_string())?;
    let cannot = |error: io::Error| format!("no shim can be started: {error}");
    let log =
        OpenOptions::new().create(true).append(true).mode(0o600).open(home.shim_log()).map_err(cannot)?;
    let mut command = roles::command("keep");
    command.arg(home.path()).env_clear().envs(inherited()).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().map_err(cannot)?;
    let mut said = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output.take(MOST_WORDS)).read_line(&mut said).map_err(cannot)?;
    }
    match said.ends_with('\n') {
        true => Ok(said),
        false => {
            Err(format!("the shim ended before it had begun; {} may say why", home.shim_log().display()))
        }
    }
}

/// Is the shim.
pub(crate) fn keep(directory: &Path) -> ExitCode {
    roles::call_ourselves(c"bowline-shim");
    let said = match begin(directory) {
        Ok(keeper) => {
            // Who started it may be gone.
            let _ = writeln!(io::stdout(), "{READY}");
            keeper.run();
            return ExitCode::SUCCESS;
        }
        Err(why) => why,
    };
    let _ = writeln!(io::stdout(), "{said}");
    ExitCode::FAILURE
}

fn begin(directory: &Path) -> Result<Keeper, String> {
    let home = Home::at(directory).map_err(|error| error.to_string())?;
    home.prepare().map_err(|error| error.to_string())?;
    let lock = home.hold().map_err(|error| error.to_string())?;
    let mark = home.mark().map_err(|error| error.to_string())?;
    let left = sweep(&mark, SWEEPS);
    // Another one each time: the guard of a shim that was killed must not take the next one's software for its own.
    let mark = format!("{mark}{}.{};", Pid::this(), Boottime::now().0);
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(Pid::to_string).collect();
        return Err(format!(
            "what an earlier shim has started cannot be killed (processes {}), and nothing is started beside it",
            left.join(", ")
        ));
    }
    let cannot = |what: &'static str| move |error: nix::Error| format!("{what}: {error}");
    // Who leads a group cannot lead a session, and is not part of another's either.
    let _ = setsid();
    set_child_subreaper(true).map_err(cannot("it cannot keep its descendants"))?;
    let shared = Arc::new(Shared::new().map_err(cannot("there is no alarm"))?);
    let threads = || -> io::Result<()> {
        listen(&shared)?;
        ring_in_time(&shared)?;
        // Whoever listened here before is gone: we hold the lock.
        match fs::remove_file(home.socket()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        serve::open(UnixListener::bind(home.socket())?, &shared)
    };
    threads().map_err(|error| format!("{}: {error}", home.socket().display()))?;
    Ok(Keeper::new(shared, home, mark, lock))
}

/// Children that end, and wishes that the shim does.
fn listen(shared: &Arc<Shared>) -> io::Result<()> {
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGTERM])?;
    let shared = Arc::clone(shared);
    thread("signals", move || {
        for signal in signals.forever() {
            match signal {
                SIGCHLD => shared.ring(|kept| kept.children = true),
                SIGINT | SIGTERM => shared.ring(|kept| kept.leave(Boottime::now())),
                // Nobody's terminal is ours.
                _ => {}
            }
        }
    })?;
    Ok(())
}

/// Deadlines.
fn ring_in_time(shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::clone(shared);
    thread("alarm", move || {
        while shared.alarm.wait().is_ok() {
            shared.ring(|_| ());
        }
        // Without an alarm nothing is fenced: better nothing runs at all.
        std::process::abort();
    })?;
    Ok(())
}
