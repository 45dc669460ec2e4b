//! Events: what `kubectl describe` shows of an object when its status has changed.
//!
//! An Event is a projection of a status that was written, and decides nothing. Nothing rests on it: one that cannot be sent
//! is logged, and not tried again; of one object a few are sent at once, and then one a minute, whatever they say.

use std::collections::BTreeMap;
use std::time::Duration;

use bowline_control::Millis;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::client::REQUEST;
use crate::clock::now;
use crate::sentence::sentence;
use crate::series::Series;

/// Events that may wait to be sent.
const WAITING: usize = 1024;
/// How long those that wait are sent for, when there are no more.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest note that a server takes, in bytes.
const LONGEST: usize = 1024;

/// What is said of an object when its status has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// All is well; if not, it is a warning.
    pub good: bool,
    /// Why, in a word that does not change: that of the condition.
    pub reason: String,
    /// What was done when it was found, in a word.
    pub action: &'static str,
    /// What is so, in a sentence: that of the condition.
    pub note: String,
}

/// What is said in the log of an Event that the server forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forbidden {
    /// That it is not sent: somebody has to allow it.
    Told,
    /// Nothing: the right to send it comes and goes with what it is about.
    Passed,
}

/// Takes notices, and has them sent in their order.
pub struct Herald(mpsc::Sender<(ObjectReference, Notice)>);

impl Herald {
    /// One that sends as `controller`; it has ended when there is no herald any more, and all was sent.
    pub fn new(client: Client, controller: String, forbidden: Forbidden) -> (Herald, JoinHandle<()>) {
        let (herald, notices) = mpsc::channel(WAITING);
        (Herald(herald), tokio::spawn(send(Series::new(client, controller), forbidden, notices)))
    }

    /// Has this said of an object.
    pub fn tell(&self, about: ObjectReference, notice: Notice) {
        let reason = notice.reason.clone();
        if self.0.try_send((about, notice)).is_err() {
            tracing::warn!(reason, "an event is not sent: too many wait");
        }
    }
}

/// Waits until what was told is sent, but not for long.
pub(crate) async fn ended(sending: JoinHandle<()>) {
    let stop = sending.abort_handle();
    if tokio::time::timeout(PATIENCE, sending).await.is_err() {
        stop.abort();
    }
}

async fn send(
    mut series: Series,
    forbidden: Forbidden,
    mut notices: mpsc::Receiver<(ObjectReference, Notice)>,
) {
    let mut allowance = Allowance::default();
    while let Some((about, mut notice)) = notices.recv().await {
        let reason = notice.reason.clone();
        let object = about.name.clone().unwrap_or_default();
        if !allowance.take(about.uid.as_deref().unwrap_or_default(), now().clock) {
            tracing::debug!(object, reason, "an event is not sent: there were many of this object");
            continue;
        }
        notice.note = cut(notice.note);
        match tokio::time::timeout(REQUEST, series.publish(&about, notice, now().clock)).await {
            Ok(Ok(())) => {}
            Ok(Err(kube::Error::Api(status))) if status.code == 403 && forbidden == Forbidden::Passed => {
                tracing::debug!(object, reason, why = status.message, "an event is not sent");
            }
            Ok(Err(error)) => {
                let why = sentence(&error);
                tracing::warn!(object, reason, why, "an event is not sent");
            }
            Err(_) => tracing::warn!(object, reason, "an event is not sent: no answer"),
        }
    }
}

fn cut(mut note: String) -> String {
    if note.len() > LONGEST {
        const MORE: &str = "…";
        let end = (0..=LONGEST - MORE.len()).rev().find(|end| note.is_char_boundary(*end)).unwrap_or(0);
        note.truncate(end);
        note.push_str(MORE);
    }
    note
}

/// How many events may be sent of each object: what flaps must not flood the server.
#[derive(Default)]
struct Allowance {
    /// By uid: how many are left, and since when that is so.
    left: BTreeMap<String, (u64, Millis)>,
    /// When those were forgotten that have all of theirs.
    swept: Millis,
}

/// So many at once,
const BURST: u64 = 10;
/// and one more after each such time.
const EACH: Millis = Millis(60_000);

impl Allowance {
    /// Whether one more may be sent.
    fn take(&mut self, uid: &str, now: Millis) -> bool {
        if now.since(self.swept) >= EACH {
            self.left.retain(|_, (left, since)| *left + now.since(*since).0 / EACH.0 < BURST);
            self.swept = now;
        }
        let (left, since) = self.left.entry(uid.to_owned()).or_insert((BURST, now));
        let more = now.since(*since).0 / EACH.0;
        (*left, *since) = (BURST.min(*left + more), Millis(since.0 + more * EACH.0));
        let may = *left > 0;
        *left -= u64::from(may);
        may
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use http::{Request, Response};
    use kube::client::Body;

    use super::*;

    #[test]
    fn what_flaps_is_told_a_few_times_and_then_once_a_minute() {
        let mut allowance = Allowance::default();
        let mut taken = |uid: &str, seconds: u64| allowance.take(uid, Millis(1_000 * seconds));
        assert_eq!((0..50).filter(|second| taken("a", *second)).count(), 10);
        assert!(taken("b", 50), "each has its own");
        // Every second of an hour: one a minute.
        assert_eq!((60..3_660).filter(|second| taken("a", *second)).count(), 60);
        // It has been quiet for long.
        assert_eq!((9_000..9_020).filter(|second| taken("a", *second)).count(), 10);
        assert!(allowance.left.len() == 1, "who was quiet is forgotten");
    }

    /// Words that change all the time make no Events without end.
    #[tokio::test]
    async fn of_one_object_a_few_are_sent_whatever_they_say() {
        let sent = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&sent);
        let serve = move |_: Request<Body>| {
            count.fetch_add(1, Ordering::Relaxed);
            let said = r#"{ "metadata": {}, "eventTime": null }"#.to_owned();
            std::future::ready(Ok::<_, Infallible>(Response::new(Body::from(said.into_bytes()))))
        };
        let (herald, sending) =
            Herald::new(Client::new(tower::service_fn(serve), "default"), "us".to_owned(), Forbidden::Told);
        for number in 0..100 {
            let about = ObjectReference { uid: Some("a".into()), ..ObjectReference::default() };
            let note = format!("{number} of 100 are ready");
            herald.tell(about, Notice { good: true, reason: "Ready".into(), action: "Update", note });
        }
        drop(herald);
        ended(sending).await;
        assert_eq!(sent.load(Ordering::Relaxed), BURST);
    }

    #[test]
    fn a_note_has_an_end() {
        assert_eq!(cut("ä".repeat(512)), "ä".repeat(512));
        let long = cut("ä".repeat(513));
        assert!(long.len() <= LONGEST && long.ends_with("ä…"), "{long}");
    }
}
