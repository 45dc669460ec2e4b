//! A hub whose workloads are simulated, to try `kubectl` on: `cargo run -p bowline-simulator --example simulated -- DIR`.

use anyhow::{Context, Result};
use bowline_apiserver::Server;
use bowline_runtime::{Metrics, client};

#[tokio::main]
async fn main() -> Result<()> {
    let dir = std::env::args().nth(1).context("where is its data to be?")?;
    let server = Server::start(&dir).await?;
    println!("export KUBECONFIG={}", server.kubeconfig().display());
    let stop = async {
        // Without a signal to wait for, it ends at once.
        let _ = tokio::signal::ctrl_c().await;
    };
    bowline_simulator::simulate(client(server.kubeconfig(), None).await?, Metrics::new(), stop).await;
    server.stop().await;
    Ok(())
}
