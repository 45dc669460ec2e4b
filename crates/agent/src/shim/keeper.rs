//! The one thread that starts, signals, reaps and kills.

use std::fs::File;
use std::io::{PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::state::{Due, Kept};
use crate::clock::{Alarm, Boottime};
use crate::home::Home;
use crate::launch::{Launched, Program, inherited, thread};
use crate::log::Log;
use crate::processes::{all, descendants, peek, reap};
use crate::protocol::Launch;
use crate::roles;

/// How soon after a kill it is looked whether all are dead; it gets later with every look.
const SOON: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_millis(250);
/// How soon a guard is started again that could not be.
const GUARD_AGAIN: Duration = Duration::from_secs(1);
/// How long those are waited for that have not been answered when all is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the threads of a shim share.
pub(super) struct Shared {
    kept: Mutex<Kept>,
    bell: Condvar,
    pub(super) alarm: Alarm,
}

impl Shared {
    pub(super) fn new() -> nix::Result<Shared> {
        let kept = Mutex::new(Kept::new(std::process::id()));
        Ok(Shared { kept, bell: Condvar::new(), alarm: Alarm::new()? })
    }

    /// A thread that has panicked has left it whole: every change of it is one call that does not panic.
    pub(super) fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is new to the keeper.
    pub(super) fn ring(&self, say: impl FnOnce(&mut Kept)) {
        let mut kept = self.lock();
        say(&mut kept);
        kept.rung = true;
        self.bell.notify_all();
    }

    /// Wakes who waits for news, for this long at most.
    pub(super) fn wait<'a>(&self, kept: MutexGuard<'a, Kept>, most: Duration) -> MutexGuard<'a, Kept> {
        self.bell.wait_timeout(kept, most).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn notify(&self) {
        self.bell.notify_all();
    }
}

/// The keeper.
pub(super) struct Keeper {
    shared: Arc<Shared>,
    home: Home,
    mark: String,
    guard: Option<Guard>,
    /// How often it was looked whether those that were killed are dead.
    looks: u32,
    _lock: File,
}

struct Guard {
    pid: Pid,
    /// It ends when this does.
    _tie: PipeWriter,
}

impl Keeper {
    pub(super) fn new(shared: Arc<Shared>, home: Home, mark: String, lock: File) -> Keeper {
        let mut keeper = Keeper { shared, home, mark, guard: None, looks: 0, _lock: lock };
        keeper.watch();
        keeper
    }

    /// Until the shim is to go. It has to be on the thread that lives as long as the process: what it starts dies with it.
    pub(super) fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut kept = shared.lock();
        while !kept.is_over() {
            kept.rung = false;
            if std::mem::take(&mut kept.children) || self.looks > 0 {
                self.look(&mut kept);
            }
            self.watch();
            if let Some(launch) = kept.take_wanted() {
                self.start(&mut kept, launch);
            }
            self.act(&mut kept);
            // Who waits for news looks whether there are any.
            shared.notify();
            if kept.rung {
                continue;
            }
            let most = match (self.looks, &self.guard) {
                (0, Some(_)) => Duration::MAX,
                (0, None) => GUARD_AGAIN,
                (looks, _) => (SOON * looks).min(LATER),
            };
            if shared.alarm.set(kept.next()).is_err() {
                // Without an alarm nothing is fenced: better nothing runs at all.
                std::process::abort();
            }
            kept = match most {
                Duration::MAX => shared.bell.wait_while(kept, |kept| !kept.rung),
                most => {
                    let waited = shared.bell.wait_timeout_while(kept, most, |kept| !kept.rung);
                    Ok(waited.unwrap_or_else(PoisonError::into_inner).0)
                }
            }
            .unwrap_or_else(PoisonError::into_inner);
        }
        let farewell = Boottime::now().after(FAREWELL);
        while kept.unanswered > 0 && Boottime::now() < farewell {
            kept = shared.wait(kept, farewell.since(Boottime::now()));
        }
        // Before the lock is let go: after that it may be another's.
        let _ = std::fs::remove_file(self.home.socket());
    }

    /// Does what is due.
    fn act(&mut self, kept: &mut Kept) {
        let now = Boottime::now();
        match kept.due(now) {
            Due::Nothing => self.looks = 0,
            Due::Ask(group) => {
                let group = pid(group);
                // Who is stopped does not hear; who is gone need not.
                let _ = killpg(group, Signal::SIGTERM);
                let _ = killpg(group, Signal::SIGCONT);
                self.looks = 0;
            }
            Due::Kill => {
                self.kill(kept);
                self.looks = self.looks.saturating_add(1);
            }
            Due::Bury => {
                kept.first().map(pid).into_iter().for_each(reap);
                kept.buried(now);
                kept.rung = true;
                self.looks = 0;
            }
        }
    }

    /// Kills the group, at one stroke, and whoever has left it. Its first process is not reaped before all are dead: so its
    /// number is nobody else's.
    fn kill(&self, kept: &Kept) {
        if let Some(first) = kept.first() {
            let _ = killpg(pid(first), Signal::SIGKILL);
        }
        for process in self.rest().iter().filter(|process| !process.is_dead) {
            let _ = kill(process.pid, Signal::SIGKILL);
        }
    }

    /// All that descend from us but the guard.
    fn rest(&self) -> Vec<crate::processes::Process> {
        let mut rest = descendants(&all(), Pid::this());
        rest.retain(|process| self.guard.as_ref().is_none_or(|guard| guard.pid != process.pid));
        rest
    }

    /// Looks who has ended.
    fn look(&mut self, kept: &mut Kept) {
        if let Some(guard) = self.guard.take_if(|guard| peek(guard.pid).is_some()) {
            reap(guard.pid);
        }
        let first = kept.first().map(pid);
        let mut any = false;
        for process in self.rest() {
            match (Some(process.pid) == first, process.is_dead) {
                (true, true) => {
                    if let Some(exit) = peek(process.pid) {
                        kept.left(exit);
                    }
                }
                // It was left to us by somebody who is dead too. Or its parent lives, and will ask itself.
                (false, true) if process.parent == Pid::this() => reap(process.pid),
                (false, true) => {}
                (_, false) => any = true,
            }
        }
        kept.remains(Boottime::now(), any);
    }

    fn start(&self, kept: &mut Kept, launch: Launch) {
        let program = Program {
            command: &launch.command,
            args: &launch.args,
            env: &launch.env,
            directory: launch.directory.as_deref(),
            mark: Some(&self.mark),
        };
        let now = Boottime::now();
        match program.launch() {
            Ok(launched) => {
                let log = Log::new(self.home.log(), launch.log);
                let begins = format!("{} begins, process {}", launch.version, launched.child.id());
                kept.started(now, launch, Ok(launched.child.id()));
                if self.follow(kept.number(), launched, log, begins).is_err() {
                    // Nobody would read what it prints, nor whether it runs.
                    kept.kill();
                }
            }
            Err(why) => kept.started(now, launch, Err(why)),
        }
    }

    /// Hears whether it could be run, and what it prints.
    fn follow(&self, number: u64, launched: Launched, mut log: Log, begins: String) -> std::io::Result<()> {
        let Launched { child: _, mut output, report } = launched;
        let shared = Arc::clone(&self.shared);
        thread("report", move || {
            let could = report.read();
            shared.ring(|kept| kept.could(number, could));
        })?;
        let shared = Arc::clone(&self.shared);
        thread("output", move || {
            log.remark(&begins);
            let mut printed = vec![0; 16 << 10];
            loop {
                match output.read(&mut printed) {
                    Ok(0) => break,
                    Ok(bytes) => log.write(&printed[..bytes]),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            shared.ring(|kept| kept.heard(number));
        })?;
        Ok(())
    }

    /// Sees that there is a guard.
    fn watch(&mut self) {
        if self.guard.is_none() {
            // It is tried again, and said by nobody: who runs the shim cannot do anything about it.
            self.guard = self.post().ok();
        }
    }

    fn post(&self) -> std::io::Result<Guard> {
        let (watched, tie) = std::io::pipe()?;
        let mut command = roles::command("guard");
        command.arg(&self.mark).env_clear().envs(inherited()).current_dir("/").process_group(0);
        command.stdin(watched).stdout(Stdio::null());
        let child = command.spawn()?;
        Ok(Guard { pid: pid(child.id()), _tie: tie })
    }
}

fn pid(number: u32) -> Pid {
    // Linux has no greater ones than 2^22.
    Pid::from_raw(i32::try_from(number).unwrap_or(i32::MAX))
}
