//! Clients: over TLS by the kubeconfig, and in process without a socket.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bowline_e2e_kube::Cluster;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Status;
use kube::{Client, Config};

/// Every test is over long before; one that hangs says where.
const AT_MOST: Duration = Duration::from_secs(60);

/// The administrator over TLS.
pub(crate) async fn over_tls(cluster: &Cluster) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(cluster.kubeconfig())?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    // Every answer of the hub is to be seen, also the first one.
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

/// The administrator in process.
pub(crate) fn in_process(cluster: &Cluster) -> Result<Client> {
    Ok(Client::new(cluster.service("admin", &["system:masters", "system:authenticated"])?, "default"))
}

/// Runs a test on a fresh cluster over TLS, and on another in process.
pub(crate) async fn both<F>(test: impl Fn(Client) -> F) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    for tls in [true, false] {
        let mut cluster = Cluster::start().await?;
        let client = if tls { over_tls(&cluster).await? } else { in_process(&cluster)? };
        let how = if tls { "over TLS" } else { "in process" };
        in_time(test(client)).await.context(how)?;
        cluster.stop().await;
    }
    Ok(())
}

/// Runs something that has to be over soon.
pub(crate) async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(AT_MOST, work).await.context("it takes too long")?
}

/// Asks until there is an answer.
pub(crate) async fn eventually<T, F>(mut ask: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What the server said against a request.
pub(crate) fn refusal<T: std::fmt::Debug>(answer: kube::Result<T>) -> Result<Box<Status>> {
    match answer {
        Err(kube::Error::Api(status)) => Ok(status),
        other => bail!("the server did not refuse: {other:?}"),
    }
}

/// The code and the reason of a refusal.
pub(crate) fn refused<T: std::fmt::Debug>(answer: kube::Result<T>) -> Result<(u16, String)> {
    let status = refusal(answer)?;
    Ok((status.code, status.reason.clone()))
}
