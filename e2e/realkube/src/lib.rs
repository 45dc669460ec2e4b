//! A real Kubernetes control plane on loopback, for tests and side-by-side measurements.
//!
//! The binaries are those of the test bed, which `cargo xtask testenv` builds. [`RealKube`] starts them on
//! free ports with certificates of their own, and ends them when it is dropped; they also end when the
//! program that started them dies in any other way. [`Client`] sends requests to it as they are written.

mod client;
mod controllers;
mod crew;
mod error;
mod flags;
mod http;
mod kubeconfig;
mod nodes;
mod pki;
mod ports;
mod process;
mod programs;
mod start;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use client::{Client, Identity, Line, Stream};
pub use controllers::{Controllers, Employer};
use error::Context;
pub use error::Error;
pub use http::{Request, Response};
pub use kubeconfig::client as client_of_kubeconfig;
use process::Records;
use programs::Programs;

/// Where the test bed's binaries are, for tests: the stages of `cargo xtask test` that need them set it.
pub const BINARIES: &str = "BOWLINE_KUBE_BIN";

/// The directory that [`BINARIES`] names.
pub fn binaries() -> Result<PathBuf, Error> {
    std::env::var_os(BINARIES).map(PathBuf::from).ok_or(Error::NoBinaries(BINARIES))
}

/// All programs of a control plane, in the order in which they are started.
pub const PROGRAMS: [&str; 5] =
    ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"];

/// What to start beyond etcd and kube-apiserver, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// kube-controller-manager.
    pub controllers: bool,
    /// kube-scheduler, and with it the controllers.
    pub scheduler: bool,
    /// kwok with one fake node, and with it the controllers.
    pub kwok: bool,
    /// Never for measurements: no fsync, and 20 s instead of 5 min for compaction and the resync of quotas.
    pub quick: bool,
    /// kube-apiserver writes down who asked for what: see [`RealKube::audit`].
    pub audit: bool,
    /// Who signs the tokens of service accounts, like `https://oidc.example`, in place of what is usual; that is taken, too.
    pub issuer: Option<String>,
    /// More flags for kube-apiserver.
    pub apiserver_flags: Vec<String>,
}

/// Where kube-apiserver writes down what was asked.
fn audit_log(dir: &Path) -> PathBuf {
    dir.join("audit.log")
}

/// How long it took to get ready.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// etcd.
    pub etcd: Duration,
    /// kube-apiserver, on the etcd that was ready.
    pub apiserver: Duration,
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (etcd, apiserver) = (self.etcd.as_secs_f64(), self.apiserver.as_secs_f64());
        write!(f, "etcd {etcd:.2} kube-apiserver {apiserver:.2} total {:.2}", etcd + apiserver)
    }
}

/// A control plane that runs, until this is dropped.
pub struct RealKube {
    url: String,
    client: Client,
    ready: Seconds,
    programs: Programs,
}

impl RealKube {
    /// Starts one with the binaries that [`BINARIES`] names. What is in the directory already, is kept: a
    /// control plane that was stopped goes on where it was.
    pub fn start(dir: &Path, options: &Options) -> Result<Self, Error> {
        Self::start_with(&binaries()?, dir, options)
    }

    /// Starts one with the binaries of a directory.
    pub fn start_with(binaries: &Path, dir: &Path, options: &Options) -> Result<Self, Error> {
        start::start(binaries, dir, options)
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        self.programs.dir()
    }

    /// Like `https://127.0.0.1:1234`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The administrator's.
    pub fn kubeconfig(&self) -> PathBuf {
        self.dir().join("kubeconfig")
    }

    /// The authority that signs its certificates.
    pub fn ca(&self) -> PathBuf {
        self.dir().join("pki/ca.crt")
    }

    /// The administrator's certificate.
    pub fn certificate(&self) -> PathBuf {
        self.dir().join("pki/admin.crt")
    }

    /// The key to it.
    pub fn key(&self) -> PathBuf {
        self.dir().join("pki/admin.key")
    }

    /// A client that is its administrator.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How long it took to get ready.
    pub fn ready(&self) -> Seconds {
        self.ready
    }

    /// Asks for something that has to be there.
    pub fn get(&self, target: &str) -> Result<Vec<u8>, Error> {
        self.get_as(target, "application/json")
    }

    /// The same, in a certain form.
    pub fn get_as(&self, target: &str, accept: &str) -> Result<Vec<u8>, Error> {
        let response = self.client.send(&Request::new("GET", target).header("Accept", accept))?;
        if response.status != 200 {
            let what = format!("GET {target}");
            return Err(Error::Refused { what, status: response.status, body: response.text() });
        }
        Ok(response.body)
    }

    /// What was asked of kube-apiserver since it was started first, one line of JSON per request that was answered; nothing, if
    /// it was not to be written down.
    pub fn audit(&self) -> Result<String, Error> {
        let path = audit_log(self.dir());
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read.context(|| format!("read {}", path.display())),
        }
    }

    /// Lets it run on after this program. [`stop`] ends it.
    pub fn detach(self) {
        self.programs.detach();
    }
}

/// Ends the control plane of a directory, whoever started it. The directory stays.
pub fn stop(dir: &Path) {
    let records = Records::in_dir(dir.join("pid"));
    for name in PROGRAMS.iter().rev() {
        records.stop(name);
    }
}

/// A program that runs.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// One of [`PROGRAMS`].
    pub name: &'static str,
    /// Its process.
    pub pid: i32,
    /// Its resident memory.
    pub resident_kib: u64,
}

/// What runs of the control plane of a directory.
pub fn status(dir: &Path) -> Vec<Running> {
    let records = Records::in_dir(dir.join("pid"));
    let running = |name: &'static str| {
        let process = records.alive(name)?;
        Some(Running { name, pid: process.pid, resident_kib: process.resident_kib().unwrap_or(0) })
    };
    PROGRAMS.iter().copied().filter_map(running).collect()
}
