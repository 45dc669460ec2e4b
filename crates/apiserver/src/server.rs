//! The server: a directory, a listener, and what runs beside them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bowline_kernel::{Object, Version, View};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::api::{self, Api, Copied};
use crate::audit::{Audit, AuditError, AuditLog, Made, Recorder};
use crate::auth::pki::{Certificates, Names, PkiError};
use crate::background::Background;
use crate::crd::Compiled;
use crate::document::Document;
use crate::guest::Guest;
use crate::hub::{Committer, Hub};
use crate::metrics::Metrics;
use crate::service::Service;
use crate::store::{
    self, Anchored, Directory, DirectoryError, FileId, Keyring, NEW_STORE_FILE, Opened, RedbStore, Restores,
    STORE_FILE, State, Unusable,
};
use crate::time::Moment;

mod accept;
mod answers;
mod sending;
#[cfg(test)]
mod tests;

use accept::{accept, renew};

/// How long requests may take to end when the server stops.
const DRAIN: Duration = Duration::from_secs(10);
/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it keeps everything.
    pub data: PathBuf,
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Further names and addresses by which clients know it.
    pub names: Vec<String>,
    /// What else runs in this process, and is asked together with it.
    pub guest: Option<Arc<dyn Guest>>,
    /// How it writes down who did what; without it, it does not.
    pub audit: Option<AuditLog>,
}

impl Config {
    /// A server on a free port of this machine.
    pub fn local(data: impl Into<PathBuf>) -> Config {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        Config { data: data.into(), listen, names: Vec::new(), guest: None, audit: Some(AuditLog::default()) }
    }
}

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// Its file cannot be read.
    #[error(transparent)]
    Store(#[from] Unusable),
    /// An object in its file is not one.
    #[error("the data in {} cannot be used: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which object, and why.
        what: String,
    },
    /// Its audit log cannot be gone on with, or tells of more than there is.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Its keys and certificates cannot be used.
    #[error(transparent)]
    Pki(#[from] PkiError),
    /// It cannot listen.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// What every server has could not be written.
    #[error("cannot write what every hub has: {0}")]
    Bootstrap(String),
}

impl StartError {
    /// Whether somebody else holds the data. Who was killed may do so for a moment longer.
    pub fn is_in_use(&self) -> bool {
        matches!(self, StartError::Directory(DirectoryError::InUse(_)))
    }

    /// Whether the system does not let it use its directory, or what is in there.
    pub fn is_of_its_directory(&self) -> bool {
        matches!(self, StartError::Directory(DirectoryError::Io { .. }) | StartError::Store(_))
    }
}

/// A server that runs. Dropping it stops it at once; [`Server::stop`] lets requests end.
pub struct Server {
    service: Service,
    api: Arc<Api>,
    address: SocketAddr,
    kubeconfig: PathBuf,
    accept: JoinHandle<()>,
    renewal: JoinHandle<()>,
    _background: Background,
    // The committer goes last: it makes durable what is still under way. Then the directory is free.
    _committer: Committer,
    _recorder: Option<Recorder>,
    directory: Arc<Directory>,
    /// The file with the objects, which is open.
    file: Option<FileId>,
}

impl Server {
    /// Starts a server on a free port of this machine, with its data in `dir`: a cluster for a test.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start(dir: impl AsRef<Path>) -> Result<Server, StartError> {
        Server::start_with(Config::local(dir.as_ref())).await
    }

    /// Starts a server.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start_with(config: Config) -> Result<Server, StartError> {
        Server::start_at(config, Moment::now()).await
    }

    /// The same, with the certificates that it would have made at this moment.
    async fn start_at(config: Config, moment: Moment) -> Result<Server, StartError> {
        // What stands against a start is found out before anything is written.
        Directory::look(&config.data)?;
        let unheard = |source| StartError::Listen { address: config.listen, source };
        let listener = TcpListener::bind(config.listen).await.map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        let directory = Arc::new(Directory::take(&config.data)?);
        let metrics = Arc::new(Metrics::new());
        let Loaded { hub, store, keyring, state, compiled } = load(&directory, Arc::clone(&metrics))?;
        let file = directory.file(STORE_FILE);
        let url = format!("https://{address}");
        let pki = Certificates::load(&directory, names(&config, address), url, moment)?;
        let authority = pki.current();
        let recorder =
            config.audit.as_ref().map(|log| record(log, &directory, &hub, state.restores)).transpose()?;
        let hub = Arc::new(hub.audited(recorder.as_ref().map(Recorder::audit)));
        let api = Arc::new(Api::new(
            &directory,
            Arc::clone(&hub),
            metrics,
            address.to_string(),
            config.guest.clone(),
            Copied { keyring, restores: state.restores },
            compiled,
        )?);
        let follow = Arc::downgrade(&api);
        let published = move |view: &View<Document>, changes: &[_]| {
            if let Some(api) = follow.upgrade() {
                api.follow(view, changes);
            }
        };
        let committer = hub.commit_to(store, Box::new(published)).map_err(StartError::Thread)?;
        furnish(&api, authority.ca_pem(), directory.is_new()).await?;
        let background = Background::start(&api, authority.ca_pem());
        write_kubeconfig(&pki, &directory)?;
        let service = Service::new(Arc::clone(&api));
        let pki = Arc::new(pki);
        let renewal = tokio::spawn(renew(Arc::clone(&pki), Arc::downgrade(&directory)));
        let accept = tokio::spawn(accept(listener, pki, service.clone(), api.stopping.subscribe()));
        Ok(Server {
            service,
            api,
            address,
            kubeconfig: directory.join("admin.kubeconfig"),
            accept,
            renewal,
            _background: background,
            _committer: committer,
            _recorder: recorder,
            directory,
            file,
        })
    }

    /// The API without a socket.
    pub fn service(&self) -> Service {
        self.service.clone()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `https://…`
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// How its administrator reaches it.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Whether its objects are still where they were opened. Somebody may have removed the file, or put another one in its
    /// place: then what is written is lost when the server ends.
    pub fn has_its_file(&self) -> bool {
        self.file.is_some() && self.directory.file(STORE_FILE) == self.file
    }

    /// Whether there is a server's data in a directory.
    pub fn has_data_in(directory: &Path) -> bool {
        directory.join(STORE_FILE).exists() || directory.join(NEW_STORE_FILE).exists()
    }

    /// Stops: nothing new is taken, requests end, watches are ended.
    pub async fn stop(mut self) {
        self.api.stopping.send_replace(true);
        // The task that accepts ends by itself, or is cut off when this is dropped.
        let _ = tokio::time::timeout(DRAIN, &mut self.accept).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.api.stopping.send_replace(true);
        self.accept.abort();
        self.renewal.abort();
    }
}

/// Gives the Secrets of a hub that does not run a new key: they are encrypted anew, and older keys are gone. Says how many
/// they are.
///
/// # Errors
/// If there is no hub in `data`, it runs, or its data cannot be used.
pub fn rotate_key(data: &Path) -> Result<usize, StartError> {
    let directory = Directory::take_hub(data)?;
    Ok(store::rotate_key(&directory)?)
}

/// Further names of the server: what is said, and the address it listens on.
fn names(config: &Config, address: SocketAddr) -> Names {
    let mut names = Names { dns: Vec::new(), addresses: vec![address.ip()] };
    for name in &config.names {
        match name.parse() {
            Ok(address) => names.addresses.push(address),
            Err(_) => names.dns.push(name.clone()),
        }
    }
    names
}

/// What was kept.
struct Loaded {
    hub: Hub,
    store: Anchored<RedbStore>,
    keyring: Keyring,
    state: State,
    compiled: Compiled,
}

/// Reads everything that is kept.
fn load(directory: &Directory, metrics: Arc<Metrics>) -> Result<Loaded, StartError> {
    for warning in store::exposed(directory) {
        tracing::warn!("{warning}");
    }
    let Opened { store, keyring, state, kept } = store::open(directory)?;
    let path = directory.join(STORE_FILE);
    let damaged = |key: &crate::key::Key, what: &dyn std::fmt::Display| StartError::Damaged {
        path: path.clone(),
        what: format!("{} {}/{}: {what}", key.resource.as_str(), key.namespace, key.name),
    };
    // Where owners are depends on the kinds, and these on definitions, which are owned by nobody.
    let definitions = kept.iter().filter(|(key, _)| key.resource == crate::crd::definitions());
    let mut custom = Vec::new();
    for (key, record) in definitions {
        let definition = Document::kept(key.clone(), record.clone(), &|_, _, _, _| None);
        custom.push(Arc::new(definition.map_err(|error| damaged(key, &error))?));
    }
    let mut compiled = Compiled::default();
    let kinds = api::kinds_of(&mut compiled, custom.iter());
    let owner = |api_version: &str, kind: &str, name: &str, namespace: &str| {
        kinds.owner(api_version, kind, name, namespace)
    };
    let mut documents = Vec::with_capacity(kept.len());
    for (key, record) in kept {
        let document = Document::kept(key.clone(), record, &owner).map_err(|error| damaged(&key, &error))?;
        debug_assert_eq!(document.key(), &key);
        documents.push(Arc::new(document));
    }
    Ok(Loaded { hub: Hub::new(state.version, documents, metrics), store, keyring, state, compiled })
}

/// Writes what every hub has. One that is not new has it already, but for what changed since: on a full disk that has to wait.
async fn furnish(api: &Arc<Api>, authority: &str, is_new: bool) -> Result<(), StartError> {
    let furnished = async {
        api.bootstrap(authority).await?;
        Background::complete_roles(api).await
    };
    match furnished.await {
        Err(full) if full.code == 507 && !is_new => {
            let error = full.message;
            tracing::error!(%error, "what every hub has could not be brought up to date; make room, and start the hub again");
            Ok(())
        }
        done => done.map_err(|status| StartError::Bootstrap(status.message)),
    }
}

/// Writes how the administrator reaches the server. On a full disk what there was is better than no server.
fn write_kubeconfig(pki: &Certificates, directory: &Directory) -> Result<(), PkiError> {
    match pki.write_kubeconfig(directory) {
        Err(PkiError::Io { file, source }) if source.kind() == std::io::ErrorKind::StorageFull => {
            tracing::error!(error = %source, file, "could not be written: it says where the hub was before");
            Ok(())
        }
        written => written,
    }
}

/// Goes on with the log of who did what.
fn record(
    log: &AuditLog,
    directory: &Directory,
    hub: &Hub,
    restores: Restores,
) -> Result<Recorder, AuditError> {
    let (view, directory) = (hub.view(), directory.join(""));
    let store = view.version();
    // What was restored, and has not run since, has no log yet.
    let restored = restores.times > 0 && store.0 <= restores.version;
    if let Some(acknowledged) =
        Audit::acknowledged(log, &directory)?.filter(|acknowledged| *acknowledged > store)
    {
        return Err(AuditError::Behind { store, acknowledged });
    }
    let objects = |is_meant: &dyn Fn(Version) -> bool| {
        let all = view.collections().flat_map(|(_, all)| all.objects().values());
        all.filter(|object| is_meant(object.meta().version)).map(|object| Made::is(object)).collect()
    };
    Audit::start(log, &directory, (store, restored), objects)
}
