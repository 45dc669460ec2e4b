//! Hubs in the process of a test: a cluster is a directory, and starts in milliseconds.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use bowline_apiserver::{Config, Server, Service, User};

/// A hub, and its directory, which is gone when this is dropped.
pub struct Cluster {
    // Before the directory: it is in use until the server is gone.
    server: Option<Server>,
    data: Scratch,
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Cluster {
    /// An empty cluster.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn start() -> Result<Cluster> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let data = Scratch(std::env::temp_dir().join(format!("bowline-kube-{}-{count}", std::process::id())));
        let server = Server::start(&data.0).await?;
        Ok(Cluster { server: Some(server), data })
    }

    /// Stops the server; its data stays.
    pub async fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// Starts the server again on its data.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn start_again(&mut self, listen: SocketAddr) -> Result<()> {
        self.stop().await;
        let config = Config { listen, ..Config::local(&self.data.0) };
        self.server = Some(Server::start_with(config).await?);
        Ok(())
    }

    /// How its administrator reaches it over TLS.
    pub fn kubeconfig(&self) -> PathBuf {
        self.data.0.join("admin.kubeconfig")
    }

    /// Its directory.
    pub fn data(&self) -> &Path {
        &self.data.0
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If it does not run.
    pub fn address(&self) -> Result<SocketAddr> {
        Ok(self.server()?.address())
    }

    /// The API without a socket, for somebody in these groups.
    ///
    /// # Errors
    /// If it does not run.
    pub fn service(&self, name: &str, groups: &[&str]) -> Result<Service> {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let user = User { name: name.to_owned(), groups, ..User::default() };
        Ok(self.server()?.service().as_user(user))
    }

    fn server(&self) -> Result<&Server> {
        self.server.as_ref().context("the server does not run")
    }
}
