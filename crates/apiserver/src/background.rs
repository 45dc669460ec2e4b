//! What the server does by itself, by guarded writes like anybody's: it follows definitions of kinds and
//! aggregated roles, furnishes namespaces, says what is used of quotas, and forgets old events. In a steady state it writes nothing.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::api::Api;
use crate::key::Resource;
use crate::status::Status;

mod definitions;
mod events;
mod flows;
mod namespaces;
mod quotas;
mod roles;

/// How long a task rests when it could not do what it wanted: the disk is full, or somebody was faster.
const REST: Duration = Duration::from_secs(1);

/// The tasks in the background. Dropping this stops them.
pub(crate) struct Background(Vec<JoinHandle<()>>);

impl Background {
    /// Completes roles: whoever is bound to one may rely on it.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) async fn complete_roles(api: &Arc<Api>) -> Result<(), Status> {
        // Roles that gather roles that gather roles: `admin`, `edit`, `view`.
        for _ in 0..3 {
            roles::tend(Arc::clone(api)).await?;
        }
        Ok(())
    }

    /// Starts them.
    pub(crate) fn start(api: &Arc<Api>, authority: &str) -> Background {
        let [schemas, levels] = flows::resources();
        Background(vec![
            tokio::spawn(follow(Arc::clone(api), schemas, flows::tend)),
            tokio::spawn(follow(Arc::clone(api), levels, flows::tend)),
            tokio::spawn(follow(Arc::clone(api), crate::crd::definitions(), definitions::tend)),
            tokio::spawn(follow(Arc::clone(api), roles::cluster_roles(), roles::tend)),
            tokio::spawn(namespaces::run(Arc::clone(api), authority.to_owned())),
            tokio::spawn(events::run(Arc::clone(api))),
            tokio::spawn(quotas::run(Arc::clone(api))),
        ])
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// Tends a resource whenever it has changed.
async fn follow<F: Future<Output = Result<(), Status>> + Send>(
    api: Arc<Api>,
    resource: Resource,
    tend: impl Fn(Arc<Api>) -> F + Send,
) {
    let mut bell = api.hub.bell(&resource);
    loop {
        bell.mark_unchanged();
        match tend(Arc::clone(&api)).await {
            Ok(()) => {
                if bell.changed().await.is_err() {
                    return;
                }
            }
            Err(status) => {
                tracing::warn!(resource = resource.as_str(), error = status.message, "will be tried again");
                tokio::time::sleep(REST).await;
            }
        }
    }
}
