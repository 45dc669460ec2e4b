//! The real kube-controller-manager for a server that is not ours, and what runs its pods.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error};
use crate::flags::Ports;
use crate::pki::Pki;
use crate::programs::{Programs, listens};
use crate::start::{STAGES, plain_ok};
use crate::{PROGRAMS, flags, kubeconfig, nodes, ports};

/// A server that wants controllers. All paths are of files in PEM.
#[derive(Clone, Copy, Debug)]
pub struct Employer<'a> {
    /// Like `https://127.0.0.1:1234`.
    pub url: &'a str,
    /// The authority that signs its certificates.
    pub ca: &'a Path,
    /// The key to it.
    pub ca_key: &'a Path,
    /// The key that signs tokens of service accounts.
    pub tokens_key: &'a Path,
}

/// A kube-controller-manager that runs, until this is dropped.
pub struct Controllers {
    programs: Programs,
    pki: Pki,
}

impl Controllers {
    /// Starts one with the binaries of a directory. To the server it is `system:kube-controller-manager`, and each
    /// of its controllers has a service account, as in a real control plane.
    pub fn start_with(binaries: &Path, dir: &Path, employer: &Employer<'_>) -> Result<Self, Error> {
        let mut programs = Programs::in_dir(binaries, dir)?;
        let dir = &programs.dir().to_owned();
        let read = |path: &Path| fs::read_to_string(path).context(|| format!("read {}", path.display()));
        let pki = Pki::of_authority(
            dir.join("pki"),
            (&read(employer.ca)?, &read(employer.ca_key)?),
            &read(employer.tokens_key)?,
        )?;
        kubeconfig::write(&pki.path("kcm.kubeconfig"), employer.url, "kcm", &pki)?;
        let [port] = ports::free();
        let flags = flags::controllers(dir, port, true);
        programs.launch(PROGRAMS[2], &flags)?;
        programs.wait(PROGRAMS[2], 60, || listens(port))?;
        Ok(Self { programs, pki })
    }

    /// Starts what runs pods too: a kube-scheduler, and a kwok that plays a node, as its administrator.
    ///
    /// # Errors
    /// If they do not come up.
    pub fn run_pods(&mut self, employer: &Employer<'_>) -> Result<(), Error> {
        let Self { programs, pki } = self;
        let dir = &programs.dir().to_owned();
        kubeconfig::write(&pki.path("sched.kubeconfig"), employer.url, "sched", pki)?;
        kubeconfig::write(&dir.join("kubeconfig"), employer.url, "admin", pki)?;
        let [scheduler, kwok] = ports::free();
        let ports = Ports { etcd: 0, peer: 0, apiserver: 0, scheduler, kwok };
        programs.launch(PROGRAMS[3], &flags::scheduler(dir, &ports))?;
        programs.wait(PROGRAMS[3], 60, || listens(scheduler))?;
        let stages = dir.join("kwok-pods.yaml");
        fs::write(&stages, STAGES).context(|| format!("write {}", stages.display()))?;
        programs.launch(PROGRAMS[4], &flags::kwok(dir, &ports))?;
        programs.wait(PROGRAMS[4], 60, || plain_ok(kwok, "/healthz"))?;
        let client = kubeconfig::client(&dir.join("kubeconfig"))?;
        nodes::make(&client, || programs.log_tail(PROGRAMS[4]))
    }

    /// What it has to say.
    pub fn log(&self) -> PathBuf {
        self.programs.log(PROGRAMS[2])
    }

    /// What the scheduler has to say.
    pub fn scheduler_log(&self) -> PathBuf {
        self.programs.log(PROGRAMS[3])
    }
}
