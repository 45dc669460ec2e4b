//! Who takes part: started, ready, ended.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bowline_realkube::{Options, RealKube, Request, client_of_kubeconfig, status};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Somebody who serves the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contestant {
    /// kube-apiserver on etcd, both as durable as they are by default.
    Kube,
    /// `bowline hub`
    Hub,
}

impl Contestant {
    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Contestant::Kube => "kube-apiserver + etcd",
            Contestant::Hub => "hub",
        }
    }

    /// What its directories are called.
    pub(super) fn slug(self) -> &'static str {
        match self {
            Contestant::Kube => "kube",
            Contestant::Hub => "hub",
        }
    }
}

/// All programs that are needed.
pub(super) struct Field {
    /// Where those of the control plane are, if it takes part.
    pub(super) kube: Option<PathBuf>,
    /// `bowline`
    pub(super) hub: PathBuf,
    /// The one that loads both.
    pub(super) client: PathBuf,
}

impl Field {
    /// Who takes part.
    pub(super) fn contestants(&self) -> Vec<Contestant> {
        self.kube.iter().map(|_| Contestant::Kube).chain([Contestant::Hub]).collect()
    }

    /// Starts a contestant on a directory, and waits until it says that it is ready.
    pub(super) fn start(&self, contestant: Contestant, dir: &Path) -> Result<Running> {
        match (contestant, &self.kube) {
            (Contestant::Kube, None) => bail!("kube-apiserver does not take part"),
            (Contestant::Kube, Some(binaries)) => {
                let kube = RealKube::start_with(binaries, dir, &Options::default())?;
                let ready = kube.ready().etcd + kube.ready().apiserver;
                Ok(Running { ready, process: Process::Kube(Box::new(kube)) })
            }
            (Contestant::Hub, _) => {
                let begun = Instant::now();
                let hub = Hub::start(&self.hub, dir)?;
                Ok(Running { ready: begun.elapsed(), process: Process::Hub(hub) })
            }
        }
    }
}

/// A contestant that runs, until this is dropped.
pub(super) struct Running {
    ready: Duration,
    process: Process,
}

enum Process {
    Kube(Box<RealKube>),
    Hub(Hub),
}

impl Running {
    /// From its start until it was ready.
    pub(super) fn ready_ms(&self) -> f64 {
        self.ready.as_secs_f64() * 1000.0
    }

    /// How its administrator reaches it.
    pub(super) fn kubeconfig(&self) -> PathBuf {
        match &self.process {
            Process::Kube(kube) => kube.kubeconfig(),
            Process::Hub(hub) => hub.dir.join("admin.kubeconfig"),
        }
    }

    /// Its processes.
    pub(super) fn pids(&self) -> Vec<u32> {
        match &self.process {
            Process::Kube(kube) => {
                status(kube.dir()).iter().filter_map(|running| u32::try_from(running.pid).ok()).collect()
            }
            Process::Hub(hub) => vec![hub.child.id()],
        }
    }

    /// Ends it as one that has to end.
    pub(super) fn stop(self) -> Result<()> {
        self.end(Signal::SIGTERM)
    }

    /// Ends it without its knowing.
    pub(super) fn kill(self) -> Result<()> {
        self.end(Signal::SIGKILL)
    }

    fn end(self, signal: Signal) -> Result<()> {
        if let Process::Hub(mut hub) = self.process {
            let pid = Pid::from_raw(i32::try_from(hub.child.id())?);
            kill(pid, signal).context("cannot end the hub")?;
            hub.child.wait().context("cannot wait for the hub")?;
        }
        Ok(())
    }
}

struct Hub {
    child: Child,
    dir: PathBuf,
}

impl Hub {
    fn start(program: &Path, dir: &Path) -> Result<Hub> {
        let mut command = Command::new(program);
        command.arg("hub").arg("--data").arg(dir).args(["--listen", "127.0.0.1:0"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
        let mut hub = Hub { child, dir: dir.to_owned() };
        let mut said = BufReader::new(hub.child.stderr.take().context("the hub says nothing")?);
        // It says where it listens when it does.
        let mut line = String::new();
        said.read_line(&mut line).context("cannot read what the hub says")?;
        ensure!(line.contains("listens on"), "the hub does not start: {line}");
        let client = client_of_kubeconfig(&dir.join("admin.kubeconfig"))?;
        let answer = client.send(&Request::new("GET", "/readyz"))?;
        ensure!(answer.status == 200, "the hub is not ready: {}", answer.text());
        // Whatever else it says, it must not wait for a reader.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Ok(hub)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // Both fail only if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
