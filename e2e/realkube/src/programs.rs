//! The programs of one directory: started one after the other, ended together.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::error::{Context, Error};
use crate::process::{Guardian, Records};
use crate::{PROGRAMS, stop};

/// The last lines of a log, in an error.
const LOG_LINES: usize = 5;

/// What runs in a directory. It ends when this is dropped.
pub(crate) struct Programs {
    binaries: PathBuf,
    dir: PathBuf,
    records: Records,
    children: Vec<Child>,
    /// None once they are to run on without us.
    guardian: Option<Guardian>,
}

impl Programs {
    /// Makes the directory, of which nobody else can read the keys, and sees that nothing runs in it.
    pub(crate) fn in_dir(binaries: &Path, dir: &Path) -> Result<Self, Error> {
        let make = |dir: &Path| {
            fs::create_dir_all(dir).context(|| format!("create {}", dir.display()))?;
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
                .context(|| format!("protect {}", dir.display()))
        };
        make(dir)?;
        let dir = dir.canonicalize().context(|| format!("find {}", dir.display()))?;
        for part in ["pki", "pid", "log"] {
            make(&dir.join(part))?;
        }
        let records = Records::in_dir(dir.join("pid"));
        for name in PROGRAMS {
            if let Some(process) = records.alive(name) {
                return Err(Error::Running { name, pid: process.pid });
            }
        }
        let guardian = Some(Guardian::hire()?);
        Ok(Self { binaries: binaries.to_owned(), dir, records, children: Vec::new(), guardian })
    }

    /// Where they keep what they have.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Starts one of them.
    pub(crate) fn launch(&mut self, name: &'static str, flags: &[String]) -> Result<(), Error> {
        let program = self.binaries.join(name);
        if !program.is_file() {
            return Err(Error::NoBinary(program));
        }
        let child = self.records.launch(name, Command::new(program).args(flags), &self.log(name))?;
        let guarded = self.guardian.as_mut().map_or(Ok(()), |guardian| guardian.guard(&child));
        self.children.push(child);
        guarded
    }

    /// Waits until the one that was started last is ready.
    pub(crate) fn wait(
        &mut self,
        name: &'static str,
        seconds: u64,
        is_ready: impl Fn() -> bool,
    ) -> Result<(), Error> {
        let limit = Instant::now() + Duration::from_secs(seconds);
        while !is_ready() {
            let child = self.children.last_mut();
            if child.is_some_and(|child| !matches!(child.try_wait(), Ok(None))) {
                return Err(Error::Exited { name, log: self.log_tail(name) });
            }
            if Instant::now() > limit {
                return Err(Error::NotReady { name, seconds, log: self.log_tail(name) });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The file of what one of them says.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.dir.join("log").join(format!("{name}.log"))
    }

    /// The last of what one of them has said.
    pub(crate) fn log_tail(&self, name: &str) -> String {
        let text = fs::read(self.log(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }

    /// Lets them run on after this program.
    pub(crate) fn detach(mut self) {
        self.children.clear();
        if let Some(guardian) = self.guardian.take() {
            guardian.dismiss();
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // Detached: they are no longer ours to end.
        let Some(guardian) = self.guardian.take() else { return };
        // A child that nobody waits for would seem to run for ever.
        let children = std::mem::take(&mut self.children);
        let reapers: Vec<_> =
            children.into_iter().map(|mut child| std::thread::spawn(move || child.wait())).collect();
        stop(&self.dir);
        for reaper in reapers {
            // It has ended, so the thread does too.
            let _ = reaper.join();
        }
        guardian.dismiss();
    }
}

/// The controller-manager and the scheduler have certificates that they made themselves: that they listen
/// has to do.
pub(crate) fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}
