//! The client: it asks once, and does not wait for ever.

use std::path::Path;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

/// How long a request may take. The loop's safety does not rest on it, its liveness does.
pub const REQUEST: Duration = Duration::from_secs(10);

/// There is no client to be had.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The file does not say how to reach a server.
    #[error("{path} does not say how to reach a server: {source}")]
    Kubeconfig {
        /// The file.
        path: String,
        /// Why.
        source: KubeconfigError,
    },
    /// What it says cannot be used.
    #[error("{path} cannot be used: {source}")]
    Unusable {
        /// The file.
        path: String,
        /// Why.
        source: kube::Error,
    },
}

/// A client for the server of a kubeconfig, in its current context or another.
///
/// # Errors
/// If the file cannot be read, or what it says cannot be used.
pub async fn client(kubeconfig: &Path, context: Option<&str>) -> Result<Client, ClientError> {
    let path = kubeconfig.display().to_string();
    let unread = |source| ClientError::Kubeconfig { path: path.clone(), source };
    let file = Kubeconfig::read_from(kubeconfig).map_err(unread)?;
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let config = Config::from_custom_kubeconfig(file, &options).await.map_err(unread)?;
    Client::try_from(once(config)).map_err(|source| ClientError::Unusable { path: path.clone(), source })
}

/// A client for the server of a kubeconfig, in its current context.
///
/// # Errors
/// If what it says cannot be used.
pub async fn client_of(kubeconfig: Kubeconfig) -> Result<Client, ClientError> {
    let path = "the kubeconfig".to_owned();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let config = config.map_err(|source| ClientError::Kubeconfig { path: path.clone(), source })?;
    Client::try_from(once(config)).map_err(|source| ClientError::Unusable { path, source })
}

/// Who asks again by itself does what nobody has decided: a create that was answered too late would be made twice.
fn once(mut config: Config) -> Config {
    config.default_retry = false;
    config.write_timeout = Some(REQUEST);
    config
}
