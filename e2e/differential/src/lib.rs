//! Request scripts that are run on two servers, whose answers must be equal: a real kube-apiserver says how
//! Kubernetes behaves, and the other one has to behave so too.
//!
//! A [`Script`] is data: requests, one after the other, as a person would write them down. [`run`] sends them
//! and notes the answers, without what differs between two servers by nature (ids, times, versions).
//! [`compare`] finds what differs nevertheless, and [`Purpose`] knows which of that is wanted, and why.

mod compare;
mod normal;
mod purpose;
mod quoted;
mod run;
mod script;
mod text;
mod vars;
mod watch;

pub use compare::{Difference, compare};
pub use purpose::{Entry, Purpose};
pub use run::{Answer, Transcript, run};
pub use script::{Script, read_all};

/// Why scripts could not be read or run. That answers differ is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("cannot read {path}")]
    File {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A script or the table of differences is not what it should be.
    #[error("{place}: {what}")]
    Wrong {
        /// The file, and the place in it.
        place: String,
        /// What is wrong.
        what: String,
    },
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn all_scripts_are_understood_and_send_many_requests() -> Result<(), Error> {
        // Cargo says it when it runs tests: a target directory may be shared between clones.
        let crate_dir = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let scripts = read_all(&Path::new(&crate_dir).join("scripts"))?;
        let requests: usize = scripts.iter().map(Script::requests).sum();
        assert!(requests > 600, "only {requests} requests are left");
        Ok(())
    }
}
