//! Embedded clusters: API servers inside the hub, each with a directory of its own, whose workloads are simulated.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bowline_apiserver::{Config, Server, StartError, User};
use bowline_controllers::{Embed, NotStarted, Running};
use bowline_runtime::Metrics;
use futures::future::BoxFuture;
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The file that says at which port a cluster was last: people keep its kubeconfig.
const PORT: &str = "port";

/// The embedded clusters of a hub.
pub(crate) struct Embedded {
    root: PathBuf,
    /// By name: there is one of a name.
    running: Mutex<BTreeMap<String, Instance>>,
}

struct Instance {
    uid: String,
    server: Server,
    client: Client,
    stop: watch::Sender<bool>,
    simulator: JoinHandle<()>,
}

impl Embedded {
    /// Those whose directories are under `root`.
    pub(crate) fn new(root: PathBuf) -> Embedded {
        Embedded { root, running: Mutex::default() }
    }

    /// Stops all, with their data on disk: they come back with the hub.
    pub(crate) async fn stop_all(&self) {
        let all = std::mem::take(&mut *self.lock());
        futures::future::join_all(all.into_values().map(Instance::stop)).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Instance>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A directory is one cluster's for ever: another one of that name finds nothing of it.
    fn directory(&self, name: &str, uid: &str) -> PathBuf {
        self.root.join(format!("{name}.{uid}"))
    }

    /// Removes what clusters left behind that are not there any more: those whose finalizer somebody took off. What has
    /// another name than we give is not ours.
    pub(crate) fn sweep(&self, there: &BTreeSet<String>) {
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| is_left_behind(&entry.file_name().to_string_lossy(), there)) {
            let path = entry.path();
            if let Err(error) = std::fs::remove_dir_all(&path) {
                tracing::warn!(path = %path.display(), %error, "what a cluster left behind cannot be removed");
            }
        }
    }

    async fn start_in(&self, name: &str, uid: &str, began: bool) -> Result<Running, NotStarted> {
        let directory = self.directory(name, uid);
        let lost = |runs| NotStarted::Lost { directory: directory.display().to_string(), runs };
        let another = match self.lock().get(name) {
            // It runs on: who has a copy of its kubeconfig can still save what it holds.
            Some(running) if running.uid == uid && !running.server.has_its_file() => return Err(lost(true)),
            Some(running) if running.uid == uid => return Ok(running.told()),
            other => other.map(|running| running.uid.clone()),
        };
        // One that went without us being asked.
        if let Some(another) = another {
            self.stop_in(name, &another).await.map_err(NotStarted::Failed)?;
        }
        if began && !Server::has_data_in(&directory) {
            return Err(lost(false));
        }
        let server = start(&directory).await.map_err(NotStarted::Failed)?;
        let (stop, mut stopped) = watch::channel(false);
        let client = client(&server);
        let simulated = client.clone();
        let simulator = tokio::spawn(async move {
            let stopped = async move { drop(stopped.wait_for(|stop| *stop).await) };
            bowline_simulator::simulate(simulated, Metrics::new(), stopped).await;
        });
        let instance = Instance { uid: uid.to_owned(), server, client, stop, simulator };
        let told = instance.told();
        self.lock().insert(name.to_owned(), instance);
        Ok(told)
    }

    async fn stop_in(&self, name: &str, uid: &str) -> Result<(), String> {
        let running = {
            let mut all = self.lock();
            let is_this = all.get(name).is_some_and(|running| running.uid == uid);
            if is_this { all.remove(name) } else { None }
        };
        if let Some(instance) = running {
            instance.stop().await;
        }
        let directory = self.directory(name, uid);
        let failed =
            |error: &dyn std::fmt::Display| format!("{} cannot be removed: {error}", directory.display());
        let path = directory.clone();
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(path)).await;
        match removed.map_err(|error| failed(&error))? {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
            _ => Ok(()),
        }
    }
}

impl Embed for Embedded {
    fn start<'a>(
        &'a self,
        name: &'a str,
        uid: &'a str,
        began: bool,
    ) -> BoxFuture<'a, Result<Running, NotStarted>> {
        Box::pin(self.start_in(name, uid, began))
    }

    fn client(&self, name: &str, uid: &str) -> Option<Client> {
        self.lock().get(name).filter(|running| running.uid == uid).map(|running| running.client.clone())
    }

    fn stop<'a>(&'a self, name: &'a str, uid: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.stop_in(name, uid))
    }
}

impl Instance {
    fn told(&self) -> Running {
        Running {
            client: self.client.clone(),
            server: self.server.url(),
            kubeconfig: self.server.kubeconfig().display().to_string(),
        }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        // One that panicked has ended, too.
        let _ = self.simulator.await;
        self.server.stop().await;
    }
}

/// Whether a directory is that of a cluster that is not there: its name ends with a uid.
fn is_left_behind(name: &str, there: &BTreeSet<String>) -> bool {
    let uid = name.rsplit_once('.').map_or("", |(_, uid)| uid);
    let is_uid = uid.len() == 36 && uid.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_uid && !there.contains(uid)
}

/// A client in this process.
pub(crate) fn client(server: &Server) -> Client {
    let service = server.service().as_user(User {
        name: "bowline".into(),
        groups: vec!["system:masters".into(), "system:authenticated".into()],
        ..User::default()
    });
    Client::new(service, "default")
}

/// Starts a server where it was before; if that port is taken, elsewhere.
async fn start(directory: &Path) -> Result<Server, String> {
    std::fs::create_dir_all(directory.parent().unwrap_or(directory))
        .map_err(|error| format!("{} cannot be made: {error}", directory.display()))?;
    let file = directory.join(PORT);
    let before = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u16>().ok());
    let at = |port| Config { listen: SocketAddr::from(([127, 0, 0, 1], port)), ..Config::local(directory) };
    let server = match Server::start_with(at(before.unwrap_or(0))).await {
        Err(StartError::Listen { .. }) => Server::start_with(at(0)).await,
        other => other,
    };
    let server = server.map_err(|error| error.to_string())?;
    let port = server.address().port();
    if before != Some(port)
        && let Err(error) = std::fs::write(&file, format!("{port}\n"))
    {
        tracing::warn!(file = %file.display(), %error, "the cluster will have another port when it starts again");
    }
    Ok(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_a_directory(name: &str, run: impl AsyncFnOnce(&Embedded)) {
        let root = std::env::temp_dir().join(format!("bowline-embedded-{name}-{}", std::process::id()));
        let embedded = Embedded::new(root.clone());
        tokio::runtime::Runtime::new().expect("a runtime").block_on(async {
            run(&embedded).await;
            embedded.stop_all().await;
        });
        std::fs::remove_dir_all(root).expect("a directory");
    }

    /// One whose finalizer was taken off goes without anybody being asked to stop it.
    #[test]
    fn another_one_of_a_name_makes_an_end_of_the_one_before() {
        in_a_directory("another", async |embedded| {
            let server = async |uid| embedded.start_in("toy", uid, false).await.expect("it starts").server;
            let first = server("1").await;
            assert_eq!(server("1").await, first, "it runs");
            server("2").await;
            assert!(!embedded.directory("toy", "1").exists() && embedded.directory("toy", "2").exists());
        });
    }

    #[test]
    fn without_its_files_it_is_not_made_anew() {
        in_a_directory("lost", async |embedded| {
            let directory = embedded.directory("toy", "1");
            let told = |runs| NotStarted::Lost { directory: directory.display().to_string(), runs };
            let lost = async |began| embedded.start_in("toy", "1", began).await.err();
            assert_eq!(lost(false).await, None, "the first time it is made");
            assert_eq!(lost(true).await, None);
            // Another one in its place is not the one that is open.
            let file = directory.join("hub.redb");
            std::fs::copy(&file, directory.join("copy")).expect("a copy");
            std::fs::rename(directory.join("copy"), &file).expect("a file");
            assert_eq!(lost(true).await, Some(told(true)));
            std::fs::remove_dir_all(&directory).expect("a directory");
            assert_eq!(lost(true).await, Some(told(true)));
            embedded.stop_all().await;
            assert_eq!(lost(true).await, Some(told(false)));
            assert!(!directory.exists(), "nothing is made in its place");
        });
    }

    #[test]
    fn what_is_not_ours_is_not_left_behind() {
        let uid = "9e425605-ba54-46e6-8e8f-5cbe734e2b8a";
        let there = BTreeSet::from([uid.to_owned()]);
        assert!(!is_left_behind(&format!("toy.{uid}"), &there));
        assert!(is_left_behind(&format!("toy.{uid}"), &BTreeSet::new()));
        for name in ["toy.bak", "toy", "notes.txt", ".", &format!("{uid}x")] {
            assert!(!is_left_behind(name, &BTreeSet::new()), "{name}");
        }
    }
}
