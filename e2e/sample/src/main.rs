//! The small controller as a process: `bowline-e2e-sample KUBECONFIG [JOURNAL]`. It installs its kinds, and drains on
//! SIGTERM.

use std::path::Path;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let mut arguments = std::env::args().skip(1);
    let kubeconfig = arguments.next().context("which kubeconfig?")?;
    let journal = arguments.next();
    let client = bowline_runtime::client(Path::new(&kubeconfig), None).await?;
    bowline_runtime::install(&client, &bowline_e2e_sample::crds()).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let stop = async move {
        terminate.recv().await;
    };
    let metrics = bowline_runtime::Metrics::new();
    bowline_e2e_sample::run(client, 8, journal.as_deref().map(Path::new), metrics, stop).await?;
    Ok(())
}
