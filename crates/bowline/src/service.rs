//! What commands have in common that run until they are told to end.

use anyhow::{Context, anyhow};
use bowline_controllers::System;
use bowline_runtime::InstallError;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinError;

/// Runs what a command does, with threads of its own and a log on stderr.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let threads = threads.context("cannot start threads")?;
    log();
    threads.block_on(work)
}

/// What a process says of itself goes to stderr; `RUST_LOG` says how much.
fn log() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing_subscriber::filter::LevelFilter::WARN.into())
        .from_env_lossy();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// Controllers have ended that nobody told to.
pub(crate) fn ended(ended: Result<Result<(), InstallError>, JoinError>) -> anyhow::Error {
    match ended {
        Ok(Ok(())) => anyhow!("the controllers do not run any more"),
        Ok(Err(error)) => anyhow!("the controllers cannot run: {error}"),
        Err(error) => anyhow!("the controllers do not run any more: {error}"),
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
}

impl Signals {
    /// Listens from now on.
    pub(crate) fn new() -> anyhow::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?,
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
        })
    }

    /// Waits for the next, and names it.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}
