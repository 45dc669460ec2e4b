//! Processes that are found again by another program, and that end with the one that started them.
//!
//! A file holds "pid starttime" of each: a number that the system has given to another process meanwhile is
//! never signalled.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::error::{Context, Error};

/// How long a process may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// A process as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// Also the number of its group.
    pub(crate) pid: i32,
    started: u64,
}

impl Recorded {
    /// That process, if there is one now.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Some(Self { pid, started: parse_stat(&stat)?.1 })
    }

    fn parse(text: &str) -> Option<Self> {
        let (pid, started) = text.trim().split_once(' ')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// It is that process still, and has not ended.
    pub(crate) fn is_alive(self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        matches!(parse_stat(&stat), Some((state, started)) if started == self.started && state != 'Z')
    }

    /// Its resident memory in KiB.
    pub(crate) fn resident_kib(self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches("kB").trim().parse().ok()
    }

    /// Ends its group: kindly first.
    pub(crate) fn end(self) {
        // It may end by itself between the look and the signal: then there is nothing left to do.
        for (signal, patience) in [(Signal::SIGTERM, PATIENCE), (Signal::SIGKILL, Duration::from_secs(2))] {
            if !self.is_alive() {
                return;
            }
            let pid = Pid::from_raw(self.pid);
            let _ = killpg(pid, signal).or_else(|_| kill(pid, signal));
            let limit = Instant::now() + patience;
            while self.is_alive() && Instant::now() < limit {
                std::thread::sleep(PAUSE);
            }
        }
    }
}

/// The state and the start time. The name before them may hold anything, also brackets and spaces.
fn parse_stat(stat: &str) -> Option<(char, u64)> {
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// The records of one directory.
pub(crate) struct Records(PathBuf);

impl Records {
    pub(crate) fn in_dir(dir: PathBuf) -> Self {
        Self(dir)
    }

    /// The process of that name, if it runs.
    pub(crate) fn alive(&self, name: &str) -> Option<Recorded> {
        let text = fs::read_to_string(self.0.join(name)).ok()?;
        Recorded::parse(&text).filter(|process| process.is_alive())
    }

    /// Starts a program in a group of its own; what it prints goes to the log.
    pub(crate) fn launch(&self, name: &str, command: &mut Command, log: &Path) -> Result<Child, Error> {
        let file = File::create(log).context(|| format!("write {}", log.display()))?;
        let errors = file.try_clone().context(|| format!("share {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(file).stderr(errors).process_group(0);
        let child = command.spawn().context(|| format!("start {name}"))?;
        let pid = i32::try_from(child.id()).unwrap_or(0);
        // It has only just been started, and we have not waited for it: it has an entry, even if it has ended.
        let started = Recorded::of(pid).map_or(0, |process| process.started);
        let record = self.0.join(name);
        fs::write(&record, format!("{pid} {started}\n")).context(|| format!("write {}", record.display()))?;
        Ok(child)
    }

    /// Ends the process of that name, if it runs, and forgets it.
    pub(crate) fn stop(&self, name: &str) {
        if let Some(process) = self.alive(name) {
            process.end();
        }
        // A record that stays behind names a process that no longer runs: nobody is misled.
        let _ = fs::remove_file(self.0.join(name));
    }
}

/// Ends groups of processes when this program ends, however it ends: a shell that waits at the other end of
/// a pipe. (`PR_SET_PDEATHSIG` would take `unsafe`.)
pub(crate) struct Guardian {
    shell: Child,
    pipe: Option<ChildStdin>,
}

/// Reads numbers of groups until the pipe is closed. `off` instead of a number sends it home.
const GUARD: &str = r#"
groups=
while read -r group; do
  [ "$group" = off ] && exit
  groups="$groups -$group"
done
[ -n "$groups" ] || exit
kill -s TERM -- $groups 2>/dev/null
sleep 5
kill -s KILL -- $groups 2>/dev/null
"#;

impl Guardian {
    pub(crate) fn hire() -> Result<Self, Error> {
        let mut shell = Command::new("sh")
            .args(["-c", GUARD])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context(|| "start sh".to_owned())?;
        let pipe = shell.stdin.take();
        Ok(Self { shell, pipe })
    }

    /// From now on that group ends with us.
    pub(crate) fn guard(&mut self, child: &Child) -> Result<(), Error> {
        self.tell(&child.id().to_string())
    }

    /// Lets the groups live on.
    pub(crate) fn dismiss(mut self) {
        // Without its shell nobody is guarded, which is what is wanted.
        let _ = self.tell("off");
        self.pipe = None;
        let _ = self.shell.wait();
    }

    fn tell(&mut self, word: &str) -> Result<(), Error> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        writeln!(pipe, "{word}")
            .and_then(|()| pipe.flush())
            .context(|| "write to the guarding shell".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_confuse_the_stat_line() {
        let rest: Vec<_> = (4..22).map(|number| number.to_string()).collect();
        let stat = format!("17 (a) b (c)) S {} 4711 99 100\n", rest.join(" "));
        assert_eq!(parse_stat(&stat), Some(('S', 4711)));
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_process_is_known_by_its_start_and_not_by_its_number_alone() {
        let me = i32::try_from(std::process::id()).ok().and_then(Recorded::of);
        assert!(me.is_some_and(Recorded::is_alive));
        assert!(me.is_some_and(|me| !Recorded { started: me.started + 1, ..me }.is_alive()));
        assert!(me.and_then(Recorded::resident_kib).is_some_and(|kib| kib > 100));
    }

    fn scratch(name: &str) -> Result<PathBuf, Error> {
        let dir = std::env::temp_dir().join(format!("bowline-realkube-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).context(|| format!("create {}", dir.display()))?;
        Ok(dir)
    }

    #[test]
    fn what_was_launched_is_found_and_ended() -> Result<(), Error> {
        let dir = scratch("launch")?;
        let records = Records::in_dir(dir.clone());
        let mut command = Command::new("sh");
        command.args(["-c", "echo hello; sleep 600 & wait"]);
        let mut child = records.launch("sleeper", &mut command, &dir.join("log"))?;
        let process = records.alive("sleeper");
        assert_eq!(process.map(|process| process.pid), i32::try_from(child.id()).ok());
        let printed = || fs::read_to_string(dir.join("log")).is_ok_and(|log| log == "hello\n");
        let limit = Instant::now() + Duration::from_secs(10);
        while !printed() && Instant::now() < limit {
            std::thread::sleep(PAUSE);
        }
        // Reaped by another thread, as a parent would: a zombie is not alive, but keeps its number.
        let reaper = std::thread::spawn(move || child.wait());
        records.stop("sleeper");
        assert!(process.is_some_and(|process| !process.is_alive()));
        assert!(records.alive("sleeper").is_none() && !dir.join("sleeper").exists());
        assert!(reaper.join().is_ok_and(|status| status.is_ok_and(|status| !status.success())));
        assert!(printed());
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }

    fn guarded(after: impl FnOnce(Guardian)) -> Result<(Recorded, Child, PathBuf), Error> {
        let dir = scratch(&format!("guard-{:?}", std::thread::current().id()))?;
        let records = Records::in_dir(dir.clone());
        let child = records.launch("sleeper", Command::new("sleep").arg("600"), &dir.join("log"))?;
        let process =
            Recorded::of(i32::try_from(child.id()).unwrap_or(0)).ok_or(Error::NoBinaries("/proc"))?;
        let mut guardian = Guardian::hire()?;
        guardian.guard(&child)?;
        after(guardian);
        Ok((process, child, dir))
    }

    #[test]
    fn a_guarded_process_ends_when_the_pipe_closes() -> Result<(), Error> {
        // The pipe closes when its owner ends, however it ends; dropping it is the same to the shell.
        let (process, mut child, dir) = guarded(drop)?;
        let _ = child.wait();
        assert!(!process.is_alive());
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }

    #[test]
    fn a_dismissed_guardian_lets_it_live() -> Result<(), Error> {
        let (process, mut child, dir) = guarded(Guardian::dismiss)?;
        assert!(process.is_alive());
        let reaper = std::thread::spawn(move || child.wait());
        process.end();
        assert!(reaper.join().is_ok());
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }
}
