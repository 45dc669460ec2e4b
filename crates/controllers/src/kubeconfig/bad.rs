//! What is wrong with a kubeconfig, in words that repeat no credentials.

use bowline_runtime::Unfit;

/// Why a kubeconfig cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadKubeconfig {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is not one.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It does not say which context is to be used, or one that is not there.
    #[error("it has no context {0:?}: it has {1}")]
    NoContext(String, String),
    /// A context names something that is not there.
    #[error("its context {context:?} names the {what} {name:?}, which is not there")]
    Missing {
        /// The context.
        context: String,
        /// `cluster` or `user`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// It would have a program run.
    #[error(
        "its user {0:?} gets credentials from a program: the hub runs none. Make a ServiceAccount in the cluster, \
         bind it to a role, and put its token into the kubeconfig (`kubectl create token`)"
    )]
    Program(String),
    /// It has a name and a password.
    #[error(
        "{0} is not supported: Kubernetes takes no names and passwords since 1.19. Put a token (`kubectl create token`) or a \
         client certificate into it instead"
    )]
    Password(String),
    /// What has to be base64 is not.
    #[error("{0} is not base64: {1}. It holds the content of a file, as `base64 -w0 FILE` prints it")]
    Encoding(String, String),
    /// What was encoded is no certificate, or no key.
    #[error("{0} holds no {1} in PEM: nothing in it begins with -----BEGIN")]
    NotPem(String, &'static str),
    /// It names a file.
    #[error(
        "{0} names a file, {1}, which is not on the hub's machine: put the content into the kubeconfig \
         (`kubectl config view --flatten`)"
    )]
    File(&'static str, String),
    /// It names a file that cannot be read here.
    #[error("{0} names the file {1}, which cannot be read: {2}")]
    UnreadableFile(&'static str, String, String),
    /// No client can be made of it.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}
