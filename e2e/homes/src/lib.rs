//! The homes that Bowline can have, for tests that have to hold on each: the hub of its own, and a real Kubernetes.
//!
//! A test takes a [`Home`] and knows it by its kubeconfig only. `Kind::ALL` are the homes to run it on.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use bowline_e2e_hub::{Hub, Kubectl, Scratch};
use bowline_realkube::{Options, RealKube};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;

/// Which home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `bowline hub`, the real binary.
    Embedded,
    /// etcd, kube-apiserver and kube-controller-manager, of the test bed.
    Kubernetes,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 2] = [Kind::Embedded, Kind::Kubernetes];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Embedded => "embedded",
            Kind::Kubernetes => "kubernetes",
        })
    }
}

/// A home that runs. It ends, and its directory goes, when this is dropped.
pub struct Home {
    // Before the directory: it is in use until the server is gone.
    server: Server,
    scratch: Scratch,
}

enum Server {
    Embedded(Hub),
    Kubernetes(RealKube),
}

impl Home {
    /// Starts an empty one, and waits until it is ready.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(kind: Kind) -> Result<Home> {
        let scratch = Scratch::new(&format!("home-{kind}"))?;
        let data = scratch.join("data");
        let server = match kind {
            Kind::Embedded => Server::Embedded(Hub::start(&data)?),
            Kind::Kubernetes => {
                let options = Options { controllers: true, quick: true, audit: true, ..Options::default() };
                Server::Kubernetes(RealKube::start(&data, &options)?)
            }
        };
        Ok(Home { server, scratch })
    }

    /// Which it is.
    pub fn kind(&self) -> Kind {
        match self.server {
            Server::Embedded(_) => Kind::Embedded,
            Server::Kubernetes(_) => Kind::Kubernetes,
        }
    }

    /// How its administrator reaches it.
    pub fn kubeconfig(&self) -> PathBuf {
        match &self.server {
            Server::Embedded(hub) => hub.kubeconfig().to_owned(),
            Server::Kubernetes(kube) => kube.kubeconfig(),
        }
    }

    /// A client that is its administrator. It shows every answer, also one that asks to try again.
    ///
    /// # Errors
    /// If the kubeconfig makes no sense.
    pub async fn client(&self) -> Result<Client> {
        client_of(&self.kubeconfig()).await
    }

    /// kubectl, as its administrator runs it.
    ///
    /// # Errors
    /// If nobody says where the binary is.
    pub fn kubectl(&self) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(&self.kubeconfig(), self.scratch.join("kubectl-cache"))
    }

    /// What was asked of it: the lines of its audit log. That of a hub has writes, and what is done with Secrets.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn audit(&self) -> Result<Vec<Value>> {
        let kube = match &self.server {
            Server::Embedded(hub) => return hub.audit(),
            Server::Kubernetes(kube) => kube,
        };
        let log = kube.audit()?;
        // The last line may still be written.
        let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// A directory of the test, which goes with the home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }
}

/// A client for the current context of a kubeconfig.
///
/// # Errors
/// If it makes no sense.
pub async fn client_of(kubeconfig: &Path) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}
