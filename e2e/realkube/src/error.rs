//! Why a control plane does not start, or does not answer.

use std::io;
use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The test bed has not been built, or not in the place that was named.
    #[error("there is no {0}; `cargo xtask testenv` builds it and says where it is")]
    NoBinary(PathBuf),
    /// Nobody said where the binaries are.
    #[error("{0} is not set: run this by `cargo xtask test`, which sets it")]
    NoBinaries(&'static str),
    /// A file or a process could not be handled.
    #[error("cannot {what}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A key or certificate could not be made.
    #[error("cannot make a certificate")]
    Certificate(#[from] rcgen::Error),
    /// The connection's encryption could not be set up.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
    /// A kubeconfig lacks something, or has what is not supported here.
    #[error("{path}: {what}")]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The directory is that of a control plane that runs.
    #[error("{name} of this directory already runs, as process {pid}; `cargo xtask testenv stop` ends it")]
    Running {
        /// The program.
        name: &'static str,
        /// Its process.
        pid: i32,
    },
    /// A program ended while it was waited for.
    #[error("{name} ended before it was ready; the end of its log:\n{log}")]
    Exited {
        /// The program.
        name: &'static str,
        /// The last lines of its log.
        log: String,
    },
    /// A program does not get ready.
    #[error("{name} is not ready after {seconds} s; the end of its log:\n{log}")]
    NotReady {
        /// The program.
        name: &'static str,
        /// How long it was given.
        seconds: u64,
        /// The last lines of its log.
        log: String,
    },
    /// What came back is not HTTP.
    #[error("the answer is not HTTP/1.1: {0}")]
    Http(String),
    /// The server refused what it should have done.
    #[error("{what}: the server answers {status}: {body}")]
    Refused {
        /// What was asked.
        what: String,
        /// The status code.
        status: u16,
        /// What it said.
        body: String,
    },
}

/// For errors of files and processes: says what was tried.
pub(crate) trait Context<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T> Context<T> for Result<T, io::Error> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| Error::Io { what: what(), source })
    }
}
