//! The real kube-controller-manager for a server that is not ours, and what runs its pods.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error};
use crate::pki::Pki;
use crate::programs::Programs;
use crate::{crew, kubeconfig};

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

/// A kube-controller-manager that runs, until this is dropped; and a kube-scheduler and kwok, if there are nodes.
pub struct Controllers(Programs);

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
        kubeconfig::write(&dir.join("kubeconfig"), employer.url, "admin", &pki)?;
        for user in ["kcm", "sched"] {
            kubeconfig::write(&pki.path(&format!("{user}.kubeconfig")), employer.url, user, &pki)?;
        }
        crew::controllers(&mut programs, true)?;
        Ok(Self(programs))
    }

    /// Starts kube-scheduler and kwok too, with one node.
    pub fn add_nodes(&mut self) -> Result<(), Error> {
        crew::scheduler(&mut self.0)?;
        let client = kubeconfig::client(&self.0.dir().join("kubeconfig"))?;
        crew::kwok(&mut self.0, &client)
    }

    /// What they have to say, each by its name.
    pub fn log(&self, program: &'static str) -> PathBuf {
        self.0.log(program)
    }
}
