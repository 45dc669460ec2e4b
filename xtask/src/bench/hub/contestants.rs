//! Who takes part: started, ready, ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bowline_realkube::{Options, RealKube, status};
use nix::sys::signal::Signal;

use crate::bench::embedded::{Embedded, Role};

/// Somebody who serves the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contestant {
    /// kube-apiserver on etcd, both as durable as they are by default.
    Kube,
    /// `bowline hub`
    Hub,
    /// The same without its audit log: what the log costs is what this one saves.
    Silent,
}

impl Contestant {
    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Contestant::Kube => "kube-apiserver + etcd",
            Contestant::Hub => "hub",
            Contestant::Silent => "hub without audit log",
        }
    }

    /// What its directories are called.
    pub(super) fn slug(self) -> &'static str {
        match self {
            Contestant::Kube => "kube",
            Contestant::Hub => "hub",
            Contestant::Silent => "silent",
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
        let ours = [Contestant::Hub, Contestant::Silent];
        self.kube.iter().map(|_| Contestant::Kube).chain(ours).collect()
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
            (Contestant::Hub | Contestant::Silent, _) => {
                let role = if contestant == Contestant::Hub { Role::Hub } else { Role::SilentHub };
                let begun = Instant::now();
                let hub = Embedded::start(&self.hub, role, dir)?;
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
    Hub(Embedded),
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
            Process::Hub(hub) => hub.kubeconfig(),
        }
    }

    /// Its processes.
    pub(super) fn pids(&self) -> Vec<u32> {
        match &self.process {
            Process::Kube(kube) => {
                status(kube.dir()).iter().filter_map(|running| u32::try_from(running.pid).ok()).collect()
            }
            Process::Hub(hub) => vec![hub.pid()],
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
        match self.process {
            Process::Kube(_) => Ok(()),
            Process::Hub(hub) => hub.end(signal),
        }
    }
}
