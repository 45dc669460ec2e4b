//! What all requests share.

use std::sync::Arc;

use arc_swap::ArcSwap;
use bowline_kernel::Change;
use tokio::sync::watch;

use crate::auth::Auth;
use crate::builtin_table;
use crate::crd;
use crate::document::Document;
use crate::hub::Hub;
use crate::key::Resource;
use crate::kinds::Kinds;

/// What all requests share.
pub struct Api {
    /// The objects.
    pub hub: Arc<Hub>,
    /// The kinds that are served.
    pub kinds: ArcSwap<Kinds>,
    /// Who asks, and whether they may.
    pub auth: Auth,
    /// Turns true when the server stops.
    pub stopping: watch::Sender<bool>,
}

impl Api {
    /// What is derived from objects follows them, before anybody is told that they have changed.
    pub fn follow(&self, changes: &[Change<Document>]) {
        self.auth.refresh(&self.hub.view(), changes);
        if changes.iter().any(|change| change.key.resource == crd::definitions()) {
            self.kinds.store(Arc::new(kinds_of(self.hub.view().collection(&crd::definitions()))));
        }
    }
}

/// All kinds: those that are built in, and those that definitions add.
pub fn kinds_of(definitions: Option<&bowline_kernel::Collection<Document>>) -> Kinds {
    let custom = definitions.into_iter().flat_map(|definitions| definitions.objects().values());
    let custom = custom.flat_map(|definition| crd::kinds(&definition.json()));
    Kinds::new(builtin_table::kinds().into_iter().chain(custom))
}
