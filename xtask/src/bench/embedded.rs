//! The hub as a process, alone or with its controllers.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_realkube::{Request, client_of_kubeconfig};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long the controllers may take to say that they run.
const READY: Duration = Duration::from_secs(60);

/// What is started.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// `bowline hub`
    Hub,
    /// `bowline hub` that writes no audit log.
    SilentHub,
    /// `bowline up`: the hub and its controllers.
    Up,
}

/// `bowline hub` or `bowline up` on a directory, until this is dropped.
pub(super) struct Embedded {
    child: Child,
    dir: PathBuf,
}

impl Embedded {
    /// Starts it, and waits until it says that it is ready.
    pub(super) fn start(program: &Path, role: Role, dir: &Path) -> Result<Embedded> {
        let mut command = Command::new(program);
        command.args(match role {
            Role::Hub => &["hub"][..],
            Role::SilentHub => &["hub", "--audit-log-path", "off"],
            Role::Up => &["up"],
        });
        Embedded::run(command, dir)
    }

    /// Starts what a command says, with that directory, and waits until it says that it is ready.
    pub(super) fn run(mut command: Command, dir: &Path) -> Result<Embedded> {
        command.arg("--data").arg(dir).args(["--listen", "127.0.0.1:0"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let mut hub = Embedded { child, dir: dir.to_owned() };
        let mut said = BufReader::new(hub.child.stderr.take().context("the hub says nothing")?);
        // It says where it listens when it does.
        let mut line = String::new();
        said.read_line(&mut line).context("cannot read what the hub says")?;
        ensure!(line.contains("listens on"), "the hub does not start: {line}");
        // Whatever else it says, it must not wait for a reader.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let client = client_of_kubeconfig(&dir.join("admin.kubeconfig"))?;
        let begun = Instant::now();
        loop {
            let answer = client.send(&Request::new("GET", "/readyz"))?;
            if answer.status == 200 {
                return Ok(hub);
            }
            ensure!(begun.elapsed() < READY, "the hub is not ready: {}", answer.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// How its administrator reaches it.
    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.dir.join("admin.kubeconfig")
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it with a signal.
    pub(super) fn end(mut self, signal: Signal) -> Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.child.id())?);
        kill(pid, signal).context("cannot end the hub")?;
        self.child.wait().context("cannot wait for the hub")?;
        Ok(())
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        // Both fail only if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
