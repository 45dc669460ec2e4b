//! The client: it asks once, and does not wait for ever.

use std::path::Path;
use std::time::Duration;

use kube::client::RustlsTlsError;
use kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

use crate::fit::{Unfit, chosen, fit, fit_header};
use crate::sentence::sentence;

/// How long a request may take. The loop's safety does not rest on it, its liveness does.
pub const REQUEST: Duration = Duration::from_secs(10);

/// There is no client to be had.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The file does not say how to reach a server.
    #[error("{path} does not say how to reach a server: {}", unloaded(.source))]
    Kubeconfig {
        /// The file.
        path: String,
        /// Why.
        source: KubeconfigError,
    },
    /// No client can be made of what it says.
    #[error("{path} cannot be used: {source}")]
    Unfit {
        /// The file.
        path: String,
        /// Why.
        source: Unfit,
    },
    /// What it says cannot be used.
    #[error("{path} cannot be used: {}", unusable(.source))]
    Unusable {
        /// The file.
        path: String,
        /// Why.
        source: kube::Error,
    },
    /// This is no pod, or one without a ServiceAccount's token.
    #[error("this pod does not say how to reach its server: {0}")]
    InCluster(#[source] InClusterError),
}

/// What cannot be loaded of a kubeconfig: at the bottom of the error nobody knows of which field it is.
fn unloaded(error: &KubeconfigError) -> String {
    let field = match error {
        KubeconfigError::LoadCertificateAuthority(_) | KubeconfigError::ParseCertificates(_) => {
            "certificate-authority"
        }
        KubeconfigError::LoadClientCertificate(_) => "client-certificate",
        KubeconfigError::LoadClientKey(_) => "client-key",
        _ => return sentence(error),
    };
    format!("its {field}, or {field}-data, cannot be read: {}", sentence(error))
}

/// What is wrong with certificates and keys that could be loaded.
fn unusable(error: &kube::Error) -> String {
    let field = match error {
        kube::Error::RustlsTls(RustlsTlsError::AddRootCertificate(_)) => {
            "certificate-authority is no certificate"
        }
        kube::Error::RustlsTls(RustlsTlsError::InvalidServerName(_)) => "tls-server-name is no name",
        kube::Error::RustlsTls(_) => "client-certificate and client-key do not fit",
        _ => return sentence(error),
    };
    format!("its {field}: {}", sentence(error))
}

/// How often a client asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Once. Who asks again by itself does what nobody has decided: a create that was answered too late would be made
    /// twice. This is how controllers ask.
    Once,
    /// Again, if the server says that it is busy: for commands, that people would have to type again.
    Patiently,
}

/// A client that asks once, for the server of a kubeconfig, in its current context or another.
///
/// # Errors
/// If the file cannot be read, or what it says cannot be used.
pub async fn client(kubeconfig: &Path, context: Option<&str>) -> Result<Client, ClientError> {
    let path = kubeconfig.display().to_string();
    let file = Kubeconfig::read_from(kubeconfig);
    let mut file = file.map_err(|source| ClientError::Kubeconfig { path: path.clone(), source })?;
    if let Some(context) = context {
        file.current_context = Some(context.to_owned());
    }
    client_of(file, &path, Manner::Once).await
}

/// A client for the server of a kubeconfig, in its current context; `path` is what people call it.
///
/// # Errors
/// If what it says cannot be used.
pub async fn client_of(kubeconfig: Kubeconfig, path: &str, manner: Manner) -> Result<Client, ClientError> {
    check(&kubeconfig).map_err(|source| ClientError::Unfit { path: path.to_owned(), source })?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let mut config = config.map_err(|source| ClientError::Kubeconfig { path: path.to_owned(), source })?;
    // It names none: this one is the environment's, and has nothing to do with this server.
    config.proxy_url = None;
    client_for(config, path, manner)
}

/// Sees whether a client can be made of it, with the files that it names.
fn check(kubeconfig: &Kubeconfig) -> Result<(), Unfit> {
    // What is missing is named by who looks for it.
    let Some((cluster, user)) = chosen(kubeconfig) else { return Ok(()) };
    fit(&cluster, &user)?;
    let file = user.token_file.filter(|_| user.token.is_none());
    let token = file.and_then(|file| std::fs::read_to_string(file).ok());
    token.map_or(Ok(()), |token| fit_header(&token, "token in the `tokenFile`"))
}

/// A client for the server of the cluster that this process is a pod of, as the pod's ServiceAccount. Its token is read
/// again before it is too old.
///
/// # Errors
/// If this is no pod, or it has no token.
pub fn client_in_cluster(manner: Manner) -> Result<Client, ClientError> {
    let config = Config::incluster().map_err(ClientError::InCluster)?;
    client_for(config, "what this pod was given", manner)
}

fn client_for(mut config: Config, path: &str, manner: Manner) -> Result<Client, ClientError> {
    config.default_retry = manner == Manner::Patiently;
    config.write_timeout = Some(REQUEST);
    Client::try_from(config).map_err(|source| ClientError::Unusable { path: path.to_owned(), source })
}
