//! Events that happen again: one object on the server, whose count grows.
//!
//! Two are the same if they say the same of the same object, word for word. Kube's recorder leaves the words out, so that the
//! second incident of a kind would be told in those of the first. How many different ones are sent is bounded by who sends them.

use std::collections::BTreeMap;

use bowline_control::Millis;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::herald::Notice;

/// What happens again within this time is counted with what was before.
const AGAIN: Millis = Millis(360_000);

/// Sends Events, and counts those that happen again.
pub(crate) struct Series {
    client: Client,
    controller: String,
    told: BTreeMap<Key, Told>,
}

/// Of which object it is, and all that it says.
type Key = (String, bool, String, &'static str, String);

/// An Event that was sent.
struct Told {
    /// The Event's name.
    event: String,
    count: i32,
    last: Millis,
}

impl Series {
    pub(crate) fn new(client: Client, controller: String) -> Series {
        Series { client, controller, told: BTreeMap::new() }
    }

    /// Sends an Event, or counts it once more.
    pub(crate) async fn publish(
        &mut self,
        about: &ObjectReference,
        notice: Notice,
        now: Millis,
    ) -> Result<(), kube::Error> {
        self.told.retain(|_, told| now.since(told.last) < AGAIN);
        let events = Api::namespaced(self.client.clone(), about.namespace.as_deref().unwrap_or("default"));
        let Notice { good, reason, action, note } = notice.clone();
        let key = (about.uid.clone().unwrap_or_default(), good, reason, action, note);
        if let Some(told) = self.told.get_mut(&key) {
            let count = told.count.saturating_add(1);
            match again(&events, &told.event, count).await {
                // The server has forgotten it.
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                sent => {
                    sent?;
                    (told.count, told.last) = (count, now);
                    return Ok(());
                }
            }
        }
        let event = self.event(about, notice);
        let name = event.metadata.name.clone().unwrap_or_default();
        events.create(&PostParams::default(), &event).await?;
        self.told.insert(key, Told { event: name, count: 1, last: now });
        Ok(())
    }

    fn event(&self, about: &ObjectReference, notice: Notice) -> Event {
        let Notice { good, reason, action, note } = notice;
        let now = Timestamp::now();
        let name = about.name.as_deref().unwrap_or(&self.controller);
        Event {
            metadata: ObjectMeta {
                namespace: about.namespace.clone(),
                name: Some(format!("{name}.{:x}", now.as_nanosecond())),
                ..ObjectMeta::default()
            },
            event_time: Some(MicroTime(now)),
            type_: Some(if good { "Normal" } else { "Warning" }.into()),
            reason: Some(reason),
            action: Some(action.into()),
            note: Some(note),
            regarding: Some(about.clone()),
            reporting_controller: Some(self.controller.clone()),
            reporting_instance: Some(self.controller.clone()),
            ..Event::default()
        }
    }
}

async fn again(events: &Api<Event>, name: &str, count: i32) -> Result<(), kube::Error> {
    let series = EventSeries { count, last_observed_time: MicroTime(Timestamp::now()) };
    let patch = Patch::Merge(json!({ "series": series }));
    events.patch(name, &PatchParams::default(), &patch).await.map(drop)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::{Arc, Mutex, PoisonError};

    use http::{Method, Request, Response, StatusCode};
    use kube::client::Body;
    use serde_json::Value;

    use super::*;

    type Sent = Arc<Mutex<Vec<(Method, String, Value)>>>;

    /// One that sends to a server that takes everything, but counts nothing whose name is asked for when it `forgets`.
    fn series(forgets: bool) -> (Series, Sent) {
        let sent = Sent::default();
        let log = Arc::clone(&sent);
        let serve = move |request: Request<Body>| {
            let log = Arc::clone(&log);
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect_bytes().await.expect("a body");
                let body: Value = serde_json::from_slice(&body).expect("JSON");
                let (code, said) = match forgets && parts.method == Method::PATCH {
                    true => (404, json!({ "kind": "Status", "status": "Failure", "code": 404 })),
                    false => (200, json!({ "metadata": {}, "eventTime": null })),
                };
                let told = (parts.method, parts.uri.path().to_owned(), body);
                log.lock().unwrap_or_else(PoisonError::into_inner).push(told);
                let mut response = Response::new(Body::from(said.to_string().into_bytes()));
                *response.status_mut() = StatusCode::from_u16(code).expect("a code");
                Ok::<_, Infallible>(response)
            }
        };
        (Series::new(Client::new(tower::service_fn(serve), "default"), "us".into()), sent)
    }

    fn about(uid: &str) -> ObjectReference {
        ObjectReference {
            name: Some("shop".into()),
            namespace: Some("a".into()),
            uid: Some(uid.into()),
            ..ObjectReference::default()
        }
    }

    fn notice(note: &str) -> Notice {
        Notice { good: false, reason: "RollingBack".into(), action: "Update", note: note.into() }
    }

    /// What was sent: made, or counted so often; and its note.
    fn sent(log: &Sent) -> Vec<(Option<u64>, Value)> {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let all = log.drain(..).map(|(method, path, body)| {
            assert_eq!(method == Method::POST, path.ends_with("/namespaces/a/events"), "{method} {path}");
            (body["series"]["count"].as_u64(), body["note"].clone())
        });
        all.collect()
    }

    #[tokio::test]
    async fn another_incident_is_told_in_its_own_words_and_the_same_is_counted() {
        let (mut series, log) = series(false);
        let said = [
            ("1", "version 2: ill"),
            ("1", "version 3: slow"),
            ("1", "version 2: ill"),
            ("2", "version 2: ill"),
        ];
        for (uid, note) in said {
            series.publish(&about(uid), notice(note), Millis(5)).await.expect("it is sent");
        }
        let new = |note: &str| (None, json!(note));
        let expected =
            [new("version 2: ill"), new("version 3: slow"), (Some(2), Value::Null), new("version 2: ill")];
        assert_eq!(sent(&log), expected);
        // What was so long ago is another time.
        series
            .publish(&about("1"), notice("version 3: slow"), AGAIN.plus(Millis(5)))
            .await
            .expect("it is sent");
        assert_eq!(sent(&log), [new("version 3: slow")]);
        assert_eq!(series.told.len(), 1, "what is over is forgotten");
    }

    #[tokio::test]
    async fn what_the_server_has_forgotten_is_told_anew() {
        let (mut series, log) = series(true);
        for _ in 0..2 {
            series.publish(&about("1"), notice("ill"), Millis(5)).await.expect("it is sent");
        }
        assert_eq!(sent(&log), [(None, json!("ill")), (Some(2), Value::Null), (None, json!("ill"))]);
    }
}
