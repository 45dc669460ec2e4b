//! What commands have in common that run until they are told to end.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use bowline_apiserver::{Config, Server, StartError};
use bowline_controllers::{Cloud, Connected, NoCloud, System};
use bowline_runtime::InstallError;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinError;

use crate::exit::{BadUsage, Exit, Refused};
use crate::output;
use crate::signals::Wish;

/// Runs what a command does, with threads of its own and a log on stderr.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    open_many();
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let threads = threads.context("cannot start threads")?;
    log();
    threads.block_on(work)
}

/// Takes as many open files as the system lets it have: every client is one, and what a shell gives at first is for programs
/// that have few.
fn open_many() {
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // If it may not, it goes on with what it has.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}

/// What a process says of itself goes to stderr; `RUST_LOG` says how much.
fn log() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing_subscriber::filter::LevelFilter::WARN.into())
        .from_env_lossy();
    // What libraries of ours say of every request that fails, is said by who asked, in a sentence and once.
    let quiet = ["kube_client=off", "kube_runtime=off", "aws_config=off", "aws_smithy_runtime=off"];
    let quiet = quiet.into_iter().filter_map(|quiet| quiet.parse().ok());
    let filter = quiet.fold(filter, tracing_subscriber::EnvFilter::add_directive);
    let colours =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
}

/// How long somebody else may take to let go of the data: who was killed is not gone at once.
const IN_USE: Duration = Duration::from_secs(3);

/// Starts a server.
pub(crate) async fn start(config: Config) -> anyhow::Result<Server> {
    let start = Instant::now();
    loop {
        match Server::start_with(config.clone()).await {
            Err(error) if error.is_in_use() && start.elapsed() < IN_USE => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            // Its one sentence has the cause in it.
            Err(error @ StartError::Listen { .. }) => {
                return Err(anyhow!("{error}. Another address is chosen by --listen"));
            }
            Err(error) if error.is_of_its_directory() => {
                return Err(anyhow!("{error}. Another directory is chosen by --data"));
            }
            other => return other.map_err(|error| anyhow!("{error}")),
        }
    }
}

/// Finds out where AWS is, if it is wanted.
pub(crate) async fn connect(
    cloud: Option<&Cloud>,
    client: &kube::Client,
) -> anyhow::Result<Option<Connected>> {
    let Some(cloud) = cloud else { return Ok(None) };
    let connected = cloud.connect(client).await.map_err(|why| match why {
        NoCloud::Settings(why) => anyhow!(BadUsage(why)),
        NoCloud::Home(why) => anyhow!(Refused(why)),
    });
    connected.map(Some)
}

/// It was told to end before it had begun.
pub(crate) fn ended_early(signal: &str) -> Exit {
    output::note(&format!("{signal}: it ends before it has begun."));
    Exit::Done
}

/// It was told to end for the second time.
pub(crate) fn ends_at_once(signal: &str) {
    output::note(&format!(
        "{signal} again: it ends at once. What was under way is looked at at the next start."
    ));
}

/// Controllers have ended that nobody told to.
pub(crate) fn ended(ended: Result<Result<(), InstallError>, JoinError>) -> anyhow::Error {
    match ended {
        Ok(Ok(())) => anyhow!("the controllers do not run any more"),
        Ok(Err(error)) if matches!(status_of(&error), Some(401 | 403)) => {
            anyhow!(Refused(format!("the controllers cannot run: {error}")))
        }
        Ok(Err(error)) => anyhow!("the controllers cannot run: {error}"),
        Err(error) => anyhow!("the controllers do not run any more: {error}"),
    }
}

/// What the server answered, if it did.
pub(crate) fn status_of(error: &InstallError) -> Option<u16> {
    match error.source.downcast_ref::<kube::Error>()? {
        kube::Error::Api(status) => Some(status.code),
        _ => None,
    }
}

/// The systems by name.
pub(crate) fn listed(systems: &[System]) -> String {
    systems.iter().map(|system| system.name()).collect::<Vec<_>>().join(", ")
}

/// Ctrl-C and SIGTERM.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    wish: Wish,
}

impl Signals {
    /// Listens from now on.
    pub(crate) fn new() -> anyhow::Result<Signals> {
        // Who listens for it is not ended by it: a file that may not grow (`ulimit -f`) is a write that fails, as on a full disk.
        drop(signal(SignalKind::from_raw(Number::SIGXFSZ as i32)).context("cannot listen for SIGXFSZ")?);
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?,
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
            wish: Wish::default(),
        })
    }

    /// Waits for the next that is a wish of its own, and names it.
    pub(crate) async fn next(&mut self) -> &'static str {
        loop {
            let name = tokio::select! {
                _ = self.interrupt.recv() => "Ctrl-C",
                _ = self.terminate.recv() => "SIGTERM",
            };
            if self.wish.is_new(Instant::now()) {
                return name;
            }
        }
    }
}
