//! Aggregated cluster roles have the rules of those that they select.

use std::sync::Arc;

use crate::admission;
use crate::api::Api;
use crate::auth::rbac::aggregation::{self, MANAGER};
use crate::document::Edit;
use crate::hub::Failure;
use crate::key::Resource;
use crate::status::Status;
use crate::verbs::Write;

/// The resource that is followed.
pub(super) fn cluster_roles() -> Resource {
    Resource::new("rbac.authorization.k8s.io", "clusterroles")
}

/// Brings all aggregated roles up to date.
///
/// # Errors
/// If one could not be written.
pub(super) async fn tend(api: Arc<Api>) -> Result<(), Status> {
    let updates = aggregation::updates(&api.hub.view());
    for (key, rules) in updates {
        let kind = api.kind_of(&key)?;
        let mut write = Write { manager: MANAGER.to_owned(), ..Write::by_server(&api, kind, &key) };
        write.options.force = Some(true);
        let edit: Edit = Arc::new(move |current| {
            let current = current.ok_or_else(|| Status::not_found(&write.kind, &write.name))?;
            let config = aggregation::config(&write.name, &rules);
            let applied = admission::apply(&write, Some(&write.shown(current)), &config)?;
            write.updated(applied, current, true)
        });
        match api.hub.modify(&key, edit, false).await {
            // It may be gone by now, or something else.
            Ok(_) | Err(Failure::Refused(_)) => {}
            Err(failure) => return Err(Status::from(failure)),
        }
    }
    Ok(())
}
