//! Writes to a cluster, each guarded by what was read.

use std::sync::atomic::{AtomicUsize, Ordering};

use bowline_updates::{Act, Deed, Fit, Health, Live, Outcome, Sight, Whose};
use futures::future::BoxFuture;
use http::Method;
use serde_json::{Value, json};

use super::health::health;
use super::inspect::get;
use super::kinds::{Kinds, Served};
use super::look::api_version;
use super::marks::{Actor, MANAGER, guarded, raw_entry, read};
use super::names::{Place, Read, Text};
use super::refused::is_denied;
use super::request::{Asked, Trouble, Way};
use super::returned::returned;
use super::together::{AT_ONCE, all};

type Done = Outcome<Text>;

/// Who gives back what was there before is not who applies: it must not be taken for one who made the object.
const RESTORER: &str = "bowline-restore";
/// How often it is said whose the fields of a new object are, if others write to it meanwhile.
const TRIES: usize = 3;

/// Who writes, and where.
pub(crate) struct Hands<'a> {
    pub(crate) client: Way<'a>,
    pub(crate) kinds: &'a Kinds,
    pub(crate) actor: &'a Actor,
}

impl Hands<'_> {
    /// Does all of it: one that is not answered keeps no other from being done. When as many as are under way at once were not
    /// answered, and none was meanwhile, the rest is not sent: a server that is gone would be waited for again and again.
    pub(crate) async fn write(&self, deeds: &[Deed<Text>]) -> Vec<(Place, Done)> {
        let unanswered = AtomicUsize::new(0);
        let mut work: Vec<BoxFuture<'_, _>> = Vec::new();
        for deed in deeds {
            work.push(Box::pin(self.unless(&unanswered, deed)));
        }
        all(work).await
    }

    async fn unless(&self, unanswered: &AtomicUsize, deed: &Deed<Text>) -> (Place, Done) {
        let Deed { place, act } = deed;
        if unanswered.load(Ordering::Relaxed) >= AT_ONCE {
            let why = format!("{place}: it was not sent: the cluster does not answer");
            return (place.clone(), Outcome::Unknown(why));
        }
        let done = self.one(deed).await;
        match done {
            Err(Trouble::Silence(_)) => drop(unanswered.fetch_add(1, Ordering::Relaxed)),
            _ => unanswered.store(0, Ordering::Relaxed),
        }
        (place.clone(), done.unwrap_or_else(|trouble| not_done(place, act, trouble)))
    }

    async fn one(&self, deed: &Deed<Text>) -> Result<Done, Trouble> {
        let place = &deed.place;
        let served = match &deed.act {
            Act::Create(body) | Act::Apply(body, _) => self.kinds.exact(place, api_version(body)),
            Act::Restore(body, _) => {
                self.kinds.exact(place, api_version(body)).or_else(|| self.kinds.preferred(place))
            }
            Act::Delete(_) => self.kinds.preferred(place),
        };
        let Some(served) = served else { return Ok(Outcome::Outdated) };
        match &deed.act {
            Act::Create(body) => self.create(served, place, body).await,
            Act::Apply(body, read) => self.apply(served, place, body, read).await,
            Act::Restore(before, read) => self.restore(served, place, before, read).await,
            Act::Delete(read) => self.delete(served, place, read).await,
        }
    }

    async fn create(&self, served: &Served, place: &Place, body: &Value) -> Result<Done, Trouble> {
        let settled = served.settled(place);
        let body = self.actor.marked(body, &settled, None);
        let (_, made) = Asked::new(Method::POST, served.collection(&settled.namespace))
            .with("fieldManager", MANAGER)
            .with("fieldValidation", "Strict")
            .body("application/json", &body)
            .send(self.client)
            .await?;
        // It is made; if this is lost, whoever looks sees that it is missing.
        let owned = self.own(served, place, made.clone(), None).await.unwrap_or(made);
        Ok(self.is(&owned))
    }

    /// Says that the fields of an object that was made are ours as applied ones are: a field that is not applied any more
    /// goes then.
    async fn own(
        &self,
        served: &Served,
        place: &Place,
        mut live: Value,
        guard: Option<&Read>,
    ) -> Result<Value, Trouble> {
        for _ in 0..TRIES {
            let Some(entry) = raw_entry(&live) else { return Ok(live) };
            let at = |field: &str| format!("/metadata/managedFields/{entry}/{field}");
            let mut patch = vec![
                json!({ "op": "test", "path": "/metadata/uid", "value": live["metadata"]["uid"] }),
                json!({ "op": "test", "path": at("manager"), "value": MANAGER }),
                json!({ "op": "test", "path": at("operation"), "value": "Update" }),
                json!({ "op": "replace", "path": at("operation"), "value": "Apply" }),
            ];
            if let Some(guard) = guard {
                patch.push(
                    json!({ "op": "replace", "path": "/metadata/resourceVersion", "value": guard.version }),
                );
            }
            let sent = Asked::new(Method::PATCH, served.object(place))
                .with("fieldManager", MANAGER)
                .body("application/json-patch+json", &Value::from(patch))
                .send(self.client)
                .await;
            match sent {
                Ok((_, owned)) => return Ok(owned),
                // Others have written to it meanwhile.
                Err(Trouble::Said { code: 409 | 422, .. }) if guard.is_none() => {}
                Err(trouble) => return Err(trouble),
            }
            let again = get(self.client, served, place).await.map_err(|why| Trouble::Silence(why.into()))?;
            live = again.unwrap_or_default();
        }
        Ok(live)
    }

    async fn apply(
        &self,
        served: &Served,
        place: &Place,
        body: &Value,
        seen: &Read,
    ) -> Result<Done, Trouble> {
        let mut seen = seen.clone();
        if seen.is_raw {
            let Some(live) = self.still(served, place, &seen).await? else { return Ok(Outcome::Outdated) };
            seen = read(&self.own(served, place, live, Some(&seen)).await?);
        }
        let body = guarded(self.actor.marked(body, &served.settled(place), Some(&seen)), &seen);
        let (_, applied) = Asked::new(Method::PATCH, served.object(place))
            .with("fieldManager", MANAGER)
            .with("force", "true")
            .with("fieldValidation", "Strict")
            .body("application/apply-patch+yaml", &body)
            .send(self.client)
            .await?;
        Ok(self.is(&applied))
    }

    /// Gives an object back, as it was but for what others have set since.
    async fn restore(
        &self,
        served: &Served,
        place: &Place,
        before: &Value,
        read: &Read,
    ) -> Result<Done, Trouble> {
        let Some(live) = self.still(served, place, read).await? else { return Ok(Outcome::Outdated) };
        let (_, live) = Asked::new(Method::PUT, served.object(place))
            .with("fieldManager", RESTORER)
            .body("application/json", &guarded(returned(&live, before), read))
            .send(self.client)
            .await?;
        Ok(self.is(&live))
    }

    /// What is there, if it is still what was read.
    async fn still(&self, served: &Served, place: &Place, read: &Read) -> Result<Option<Value>, Trouble> {
        let live = get(self.client, served, place).await.map_err(|why| Trouble::Silence(why.into()))?;
        Ok(live.filter(|live| live["metadata"]["resourceVersion"] == read.version.as_str()))
    }

    async fn delete(&self, served: &Served, place: &Place, read: &Read) -> Result<Done, Trouble> {
        let options = json!({
            "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
            "preconditions": { "uid": read.uid, "resourceVersion": read.version },
        });
        let asked = Asked::new(Method::DELETE, served.object(place)).body("application/json", &options);
        let (_, left) = match asked.send(self.client).await {
            Err(Trouble::Said { code: 404, words, .. }) if !is_denied(&words) => {
                return Ok(Outcome::Is(Box::new(Sight::nothing())));
            }
            answer => answer?,
        };
        if left["kind"] == "Status" || left["metadata"]["deletionTimestamp"].is_null() {
            return Ok(Outcome::Is(Box::new(Sight::nothing())));
        }
        // It goes when those who hold it let go.
        let Outcome::Is(mut sight) = self.is(&left) else { return Ok(Outcome::Outdated) };
        if let Some(live) = &mut sight.live {
            live.spared = Some("it is being deleted".into());
        }
        Ok(Outcome::Is(sight))
    }

    /// What is there after a write.
    fn is(&self, live: &Value) -> Done {
        let whose = self.actor.whose(live);
        let health = if whose == Whose::Ours { health(live) } else { Health::Well };
        let live = Live { whose, body: Value::Null, read: read(live), spared: None, health };
        Outcome::Is(Box::new(Sight { live: Some(live), fit: Fit::Same }))
    }
}

/// What a write is that was not done.
fn not_done(place: &Place, act: &Act<Text>, trouble: Trouble) -> Done {
    match trouble {
        Trouble::Open(why) | Trouble::Silence(why) => Outcome::Unknown(format!("{place}: {why}")),
        // A webhook may answer with any code, and says the same the next time.
        Trouble::Said { code: 404 | 409, words, .. } if is_denied(&words) => {
            Outcome::Refused(format!("{place}: {words}"))
        }
        Trouble::Said { code: 409, .. } => Outcome::Outdated,
        // What a new object lacks is not itself: it is its namespace, or its kind.
        Trouble::Said { code: 404, .. } if !matches!(act, Act::Create(_)) => Outcome::Outdated,
        Trouble::Said { words, .. } => Outcome::Refused(format!("{place}: {words}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::discreet::discreet;
    use super::super::fake::{ALL, Fake, Has, actor, kinds};
    use super::*;

    #[test]
    fn what_was_not_done_is_told_apart() {
        let place =
            Place { group: String::new(), kind: "Pod".into(), namespace: "a".into(), name: "b".into() };
        let told = |code, words: &str| Trouble::Said { code, words: words.into(), about: String::new() };
        let said = |code| told(code, "why");
        let create = Act::Create(Value::Null);
        let delete = Act::Delete(Read { uid: "u".into(), version: "1".into(), made: None, is_raw: false });
        let refused = Outcome::Refused("Pod a/b: why".into());
        assert_eq!(not_done(&place, &create, said(409)), Outcome::Outdated);
        assert_eq!(not_done(&place, &create, said(404)), refused);
        assert_eq!(not_done(&place, &delete, said(404)), Outcome::Outdated);
        assert_eq!(not_done(&place, &delete, said(422)), refused);
        let denied = r#"admission webhook "a.b.c" denied the request: why"#;
        // Of a Secret its words are left out, and that it is denied is told all the same.
        for (code, denied) in [404, 409].into_iter().zip([denied, &discreet(denied)]) {
            let refused = Outcome::Refused(format!("Pod a/b: {denied}"));
            assert_eq!(not_done(&place, &delete, told(code, denied)), refused);
        }
        assert_eq!(not_done(&place, &delete, told(409, &discreet("it was changed"))), Outcome::Outdated);
        let unknown = Outcome::Unknown("Pod a/b: why".into());
        assert_eq!(not_done(&place, &create, Trouble::Silence("why".into())), unknown);
    }

    const MAP: Has<'_> = ("v1", "ConfigMap", "configmaps", true, ALL);

    fn deeds(count: usize) -> Vec<Deed<Text>> {
        let body = |name: usize| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name.to_string(), "namespace": "a" } });
        let deed = |body: Value| Deed { place: Place::of(&body).expect("a place"), act: Act::Create(body) };
        (100..100 + count).map(|name| deed(body(name))).collect()
    }

    async fn written(server: &Fake, count: usize) -> usize {
        let (kinds, actor) = (kinds(&[MAP]).await, actor());
        let hands = Hands { client: server.way(), kinds: &kinds, actor: &actor };
        let outcomes = hands.write(&deeds(count)).await;
        assert_eq!(outcomes.len(), count);
        outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Is(_))).count()
    }

    #[tokio::test]
    async fn what_is_denied_is_not_gone() {
        let denied = r#"admission webhook "a.b.c" denied the request: why"#;
        for (words, is_gone) in [("not found", true), (denied, false)] {
            let server = Fake::new(move |_| (404, json!({ "message": words })));
            let (kinds, actor) = (kinds(&[MAP]).await, actor());
            let hands = Hands { client: server.way(), kinds: &kinds, actor: &actor };
            let read = Read { uid: "u".into(), version: "1".into(), made: None, is_raw: false };
            let deed = Deed { act: Act::Delete(read), ..deeds(1).remove(0) };
            let outcomes = hands.write(&[deed]).await;
            assert_eq!(matches!(outcomes[0].1, Outcome::Is(_)), is_gone, "{outcomes:?}");
        }
    }

    #[tokio::test]
    async fn one_that_fails_keeps_no_other_from_being_written() {
        let first = AtomicUsize::new(0);
        let server = Fake::new(move |_| match first.fetch_add(1, Ordering::Relaxed) {
            0 => (500, json!({ "message": "a webhook does not answer" })),
            _ => (201, json!({ "metadata": { "uid": "u" } })),
        });
        assert_eq!(written(&server, 3 * AT_ONCE).await, 3 * AT_ONCE - 1);
    }

    #[tokio::test]
    async fn a_server_that_is_gone_is_not_waited_for_again_and_again() {
        let server = Fake::silent();
        assert_eq!(written(&server, 3 * AT_ONCE).await, 0);
        assert_eq!(server.heard().len(), AT_ONCE, "{:?}", server.heard());
    }
}
