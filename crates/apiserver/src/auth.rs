//! Who asks, and whether they may.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use bowline_kernel::{Change, View};

use crate::document::Document;
use crate::hub::Hub;

mod authenticate;
pub mod bootstrap;
mod causes;
mod impersonate;
mod names;
pub mod pki;
pub mod rbac;
pub mod reviews;
#[cfg(test)]
mod testing;
pub mod tokens;
mod words;

pub(crate) use words::quote;

use rbac::Rules;
use tokens::Tokens;

/// Who asks, and whether they may.
pub struct Auth {
    tokens: Tokens,
    rules: ArcSwap<Rules>,
    /// The version of the last durable change to a role or binding.
    changed: AtomicU64,
    /// Held by who builds the rules anew.
    building: Mutex<()>,
}

impl Auth {
    /// The rules of `view`, and accounts whose tokens are signed by `tokens`.
    pub fn new(tokens: Tokens, view: &View<Document>) -> Auth {
        Auth {
            tokens,
            rules: ArcSwap::from_pointee(Rules::build(view)),
            changed: AtomicU64::new(0),
            building: Mutex::new(()),
        }
    }

    /// Tokens of service accounts.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Takes note of changes that have just become visible, before anybody is answered.
    pub fn note(&self, changes: &[Change<Document>]) {
        if let Some(change) = changes.iter().rev().find(|change| rbac::concerns(&change.key.resource)) {
            self.changed.fetch_max(change.version.0, Ordering::AcqRel);
        }
    }

    /// Who may do what, at this moment: all that is visible counts.
    ///
    /// They are built when they are first needed, so that many changes in a row cost one building. The caller
    /// must not hold the view of the hub.
    pub fn rules(&self, hub: &Hub) -> Arc<Rules> {
        let fresh = |rules: &Rules| rules.version().0 >= self.changed.load(Ordering::Acquire);
        let rules = self.rules.load_full();
        if fresh(&rules) {
            return rules;
        }
        // Who comes meanwhile waits: older rules would not know of what they have been told.
        let _turn = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.rules.load_full();
        if fresh(&rules) {
            return rules;
        }
        let rules = Arc::new(Rules::build(&hub.view()));
        self.rules.store(Arc::clone(&rules));
        rules
    }
}
