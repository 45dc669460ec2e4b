//! What priority and fairness cannot be without is put back if somebody removes it.

use std::sync::Arc;

use crate::api::Api;
use crate::flow;
use crate::key::Resource;
use crate::status::Status;

/// The resources that are followed.
pub(super) fn resources() -> [Resource; 2] {
    ["flowschemas", "prioritylevelconfigurations"].map(|plural| Resource::new(flow::GROUP, plural))
}

/// Puts back what is missing.
///
/// # Errors
/// If it could not be written.
pub(super) async fn tend(api: Arc<Api>) -> Result<(), Status> {
    let due = flow::defaults::missing(&api.hub.view());
    api.write(due).await
}
