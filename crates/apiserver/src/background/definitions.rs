//! Definitions of kinds: their names are accepted, they are established, and when they go, their objects go first.

use std::sync::Arc;

use bowline_kernel::{Expect, Object, Request};
use serde_json::Value;

use crate::api::Api;
use crate::crd::lifecycle::{self, FINALIZER, Next};
use crate::document::{Document, Json};
use crate::hub::Failure;
use crate::key::Resource;
use crate::part::Part;
use crate::status::Status;
use crate::time::Moment;
use crate::verbs::Write;

/// Does what is due about every definition, until nothing is.
///
/// # Errors
/// If something could not be written.
pub(super) async fn tend(api: Arc<Api>) -> Result<(), Status> {
    loop {
        let due = look(&api);
        if due.is_empty() {
            return Ok(());
        }
        for (definition, next) in due {
            perform(&api, &definition, next).await?;
        }
    }
}

/// The first thing that is due about each definition.
fn look(api: &Api) -> Vec<(Arc<Document>, Next)> {
    let view = api.hub.view();
    let definitions: Vec<(Arc<Document>, Json)> = view
        .collection(&crate::crd::definitions())
        .into_iter()
        .flat_map(|all| all.objects().values())
        .map(|definition| (Arc::clone(definition), definition.json()))
        .collect();
    let others: Vec<&Json> = definitions.iter().map(|(_, json)| json).collect();
    let now = Moment::now();
    let due = definitions.iter().filter_map(|(definition, json)| {
        let objects = view.collection(&instances(json)).map_or(0, |all| all.objects().len());
        lifecycle::look(json, &others, objects, now).map(|next| (Arc::clone(definition), next))
    });
    due.collect()
}

/// Where the objects of a definition are.
fn instances(definition: &Json) -> Resource {
    let spec = &definition["spec"];
    Resource::new(
        spec["group"].as_str().unwrap_or_default(),
        spec["names"]["plural"].as_str().unwrap_or_default(),
    )
}

async fn perform(api: &Arc<Api>, definition: &Arc<Document>, next: Next) -> Result<(), Status> {
    match next {
        Next::DeleteObjects => delete_objects(api, &instances(&definition.json())).await,
        Next::Status(status) => write_status(api, definition, status, false).await,
        Next::Finish(status) => write_status(api, definition, status, true).await,
    }
}

/// Writes a status, and lets a definition go that is finished.
async fn write_status(
    api: &Arc<Api>,
    definition: &Arc<Document>,
    status: Json,
    finished: bool,
) -> Result<(), Status> {
    let kind = api.kind_of(definition.key())?;
    let write = Write { part: Part::Status, ..Write::by_server(api, kind, definition.key()) };
    let mut json = write.shown(definition);
    json.insert("status".into(), Value::Object(status));
    if finished && let Some(finalizers) = json["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|name| name != FINALIZER);
    }
    let document = write.document(&write.tracked(json, definition))?;
    let request = Request::Replace(document, Expect::version(definition.meta().version));
    match api.hub.perform(request).await {
        Ok(_) => Ok(()),
        // Somebody was faster: the next look sees what they did.
        Err(Failure::Refused(_)) => api.hub.settle().await.map_err(Status::from),
        Err(failure) => Err(Status::from(failure)),
    }
}

/// Those that have finalizers stay until these are gone; the definition is looked at again then.
async fn delete_objects(api: &Arc<Api>, resource: &Resource) -> Result<(), Status> {
    let requests: Vec<_> = {
        let view = api.hub.view();
        let objects = view.collection(resource).into_iter().flat_map(|all| all.objects().values());
        objects
            .filter(|object| object.meta().deletion.is_none())
            .map(|object| Request::Delete {
                key: object.key().clone(),
                expect: Expect::uid(object.meta().uid.clone()),
                propagation: None,
                grace_s: 0,
                at: Moment::now(),
            })
            .collect()
    };
    if requests.is_empty() {
        // Whoever holds the objects has to let them go. Their end rings another bell than ours.
        let mut bell = api.hub.bell(resource);
        let _ = tokio::time::timeout(super::REST, bell.changed()).await;
        return Ok(());
    }
    api.hub.perform_all(requests).await.map(drop).map_err(Status::from)
}
