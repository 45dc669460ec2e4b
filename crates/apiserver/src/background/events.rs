//! Events are forgotten after an hour.

use std::sync::Arc;
use std::time::Duration;

use bowline_kernel::{Expect, Object, Request};
use serde_json::Value;

use crate::api::Api;
use crate::document::{Document, Json};
use crate::hub::off_thread;
use crate::key::Resource;
use crate::time::Moment;

const KEPT_S: i64 = 60 * 60;
const EVERY: Duration = Duration::from_secs(60);

/// Looks every minute for what is too old.
pub(super) async fn run(api: Arc<Api>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let events = all(&api);
        let now = Moment::now();
        let requests = off_thread(true, move || old(&events, now)).await;
        if !requests.is_empty()
            && let Err(failure) = api.hub.perform_all(requests).await
        {
            tracing::warn!(?failure, "old events could not be removed");
        }
    }
}

/// Whoever wants to write waits for this, and not while all of them are read.
fn all(api: &Api) -> Vec<Arc<Document>> {
    let view = api.hub.view();
    let events = view.collection(&Resource::new("", "events"));
    events.into_iter().flat_map(|all| all.objects().values()).cloned().collect()
}

fn old(events: &[Arc<Document>], now: Moment) -> Vec<Request<Document>> {
    events
        .iter()
        .filter(|event| last_seen(&event.json()).is_some_and(|seen| now.since_s(seen) > KEPT_S))
        .map(|event| Request::Delete {
            key: event.key().clone(),
            // One that has just happened again stays.
            expect: Expect::version(event.meta().version),
            propagation: None,
            grace_s: 0,
            at: now,
        })
        .collect()
}

/// When it last happened, as far as anybody says.
fn last_seen(event: &Json) -> Option<Moment> {
    let at = |value: Option<&Value>| value.and_then(Value::as_str).and_then(Moment::parse);
    let series = event.get("series").and_then(|series| series.get("lastObservedTime"));
    let created = event.get("metadata").and_then(|metadata| metadata.get("creationTimestamp"));
    [series, event.get("lastTimestamp"), event.get("eventTime"), created].into_iter().filter_map(at).max()
}
