//! Certificates are renewed while the hub runs, a month before they end.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{Names, Pki, PkiError};
use crate::store::Directory;
use crate::time::Moment;

/// The certificates of a hub that runs.
pub(crate) struct Certificates {
    current: ArcSwap<Pki>,
    names: Names,
    /// Where clients reach the server: `https://…`
    server: String,
}

impl Certificates {
    /// Those in the directory; what is missing is made. The administrator's configuration is written.
    ///
    /// # Errors
    /// See [`Pki::load`].
    pub(crate) fn load(
        directory: &Directory,
        names: Names,
        server: String,
        now: Moment,
    ) -> Result<Certificates, PkiError> {
        let pki = Pki::load(directory, &names, now)?;
        Ok(Certificates { current: ArcSwap::from_pointee(pki), names, server })
    }

    /// Writes the administrator's configuration.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_kubeconfig(&self, directory: &Directory) -> Result<(), PkiError> {
        self.current.load().write_kubeconfig(directory, &self.server)
    }

    /// Those that are good now. Connections that are open keep theirs.
    pub(crate) fn current(&self) -> Arc<Pki> {
        self.current.load_full()
    }

    /// Renews what ends soon, and the administrator's configuration with it; says whether there was something.
    ///
    /// # Errors
    /// See [`Pki::load`]. What was good is used on.
    pub(crate) fn renew(&self, directory: &Directory, now: Moment) -> Result<bool, PkiError> {
        let renewed = Pki::load(directory, &self.names, now)?;
        if self.current.load().is_same(&renewed) {
            return Ok(false);
        }
        // If it cannot be written it is tried again the next time: till then this is not what is used.
        renewed.write_kubeconfig(directory, &self.server)?;
        self.current.store(Arc::new(renewed));
        Ok(true)
    }
}
