//! Who carries effects: to the API, and to the outside.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bowline_control::{Answer, Controller, Effect, EffectOf, Event, Id, KindOf, Object, Refusal, Write};
use futures::FutureExt;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions};
use kube::core::DynamicObject;
use kube::{Api, Client};

use crate::client::REQUEST;
use crate::clock::now;
use crate::herald::{Herald, Notice};
use crate::lead::Mandate;
use crate::raw::Raw;
use crate::sentence::{clause, sentence};
use crate::wire::{Address, Watched, Wire};

/// What a controller calls that is not the API.
pub trait Outside<C: Controller>: Send + Sync + 'static {
    /// Calls it, once. Nothing is sent for it that the mandate does not allow when it is sent.
    fn call(&self, call: C::Call, mandate: &Mandate) -> impl Future<Output = C::Reply> + Send;

    /// Whether a call changes nothing where it goes: then nobody need wait for one that was not answered.
    fn only_reads(&self, _call: &C::Call) -> bool {
        false
    }

    /// What a call is, for the journal.
    fn asked(&self, call: &C::Call) -> String;

    /// What an answer says, for the journal.
    fn heard(&self, reply: &C::Reply) -> String;

    /// What people are told of an answer, and of which object, beside what its status says.
    fn notice(&self, _reply: &C::Reply) -> Option<(ObjectReference, Notice)> {
        None
    }

    /// What the watches show, before it is decided on: for what is counted of objects.
    fn sees(&self, _event: &Event<C::Object>) {}
}

/// There is nothing outside.
pub struct NoOutside;

impl<C> Outside<C> for NoOutside
where
    C: Controller<Call = std::convert::Infallible, Reply = std::convert::Infallible>,
{
    async fn call(&self, call: std::convert::Infallible, _: &Mandate) -> std::convert::Infallible {
        call
    }

    fn asked(&self, call: &std::convert::Infallible) -> String {
        match *call {}
    }

    fn heard(&self, reply: &std::convert::Infallible) -> String {
        match *reply {}
    }
}

/// Carries effects.
pub(crate) struct Carrier<W: Wire, X> {
    pub(crate) client: Client,
    pub(crate) wire: Arc<W>,
    pub(crate) raw: Arc<Raw<W::Object>>,
    pub(crate) watched: Vec<Watched<KindOf<W::Object>>>,
    pub(crate) outside: X,
    /// Who writes, as the server is told.
    pub(crate) manager: String,
    pub(crate) herald: Herald,
}

type AnswerOf<C> = Answer<<C as Controller>::Object, <C as Controller>::Reply>;

impl<W: Wire, X> Carrier<W, X> {
    /// Carries an effect once, and waits for its answer, but not for ever, and not longer than the mandate lasts. One that
    /// panics has no answer: a fault in what is done for one key must not end what is done for all others.
    pub(crate) async fn carry<C>(&self, effect: EffectOf<C>, mandate: Mandate) -> AnswerOf<C>
    where
        C: Controller<Object = W::Object>,
        X: Outside<C>,
    {
        let carried = guarded(&mandate, self.carry_out::<C>(effect, &mandate)).await;
        let panicked =
            || Answer::Unknown("it panicked, which is a fault in Bowline: its log says where".into());
        carried.unwrap_or_else(panicked)
    }

    async fn carry_out<C>(&self, effect: EffectOf<C>, mandate: &Mandate) -> AnswerOf<C>
    where
        C: Controller<Object = W::Object>,
        X: Outside<C>,
    {
        let Some(limit) = mandate.left(REQUEST) else {
            return Answer::Unknown(format!("{} before it was sent", mandate.over()));
        };
        let began = now().clock;
        let silence = |_| Seen::Unknown(format!("no answer within {} ms", limit.as_millis()));
        let seen = match effect {
            Effect::Call(call) => {
                let only_reads = self.outside.only_reads(&call);
                let replied = mandate.during(self.outside.call(call, mandate)).await;
                return replied.map_or_else(
                    |over| {
                        if !only_reads {
                            // What it sent last may still be done.
                            mandate.leaves_open(now().clock, REQUEST);
                        }
                        Answer::Unknown(format!("{over} before it was answered"))
                    },
                    |reply| {
                        if let Some((about, notice)) = self.outside.notice(&reply) {
                            self.herald.tell(about, notice);
                        }
                        Answer::Replied(reply)
                    },
                );
            }
            Effect::Look(id) => tokio::time::timeout(limit, self.look(&id)).await.unwrap_or_else(silence),
            Effect::Write(write) => {
                let seen = tokio::time::timeout(limit, self.write(&write)).await.unwrap_or_else(silence);
                match seen {
                    Seen::Unknown(_) => mandate.leaves_open(began, limit),
                    Seen::Is(_) => self.tell(&write),
                    Seen::Gone | Seen::Outdated | Seen::Refused(_) => {}
                }
                seen
            }
        };
        match seen {
            Seen::Is(object) => Answer::Is(object),
            Seen::Gone => Answer::Gone,
            Seen::Outdated => Answer::Refused(Refusal::Outdated),
            Seen::Refused(why) => Answer::Refused(Refusal::Other(why)),
            Seen::Unknown(why) => Answer::Unknown(why),
        }
    }

    async fn look(&self, id: &IdOf<W>) -> Seen<W::Object> {
        let Some(watched) = self.watched(id) else { return unwatched() };
        let name = self.wire.address(id).name;
        // A list by name: that an object is not there is an answer, and comes from the store and not from a cache.
        let one = ListParams::default().fields(&format!("metadata.name={name}"));
        match self.api(watched, id).list(&one).await {
            Ok(list) => match list.items.into_iter().next() {
                Some(raw) => self.seen(watched, raw),
                None => Seen::Gone,
            },
            // Who has only looked has changed nothing.
            Err(error) => Seen::Unknown(sentence(&error)),
        }
    }

    async fn write(&self, write: &Write<W::Object>) -> Seen<W::Object> {
        let id = write.id();
        let Some(watched) = self.watched(&id) else { return unwatched() };
        let api = self.api(watched, &id);
        let address = self.wire.address(&id);
        let params = PostParams { dry_run: false, field_manager: Some(self.manager.clone()) };
        let answer = match write {
            Write::Create(object) => {
                let mut raw = DynamicObject::new(&address.name, &watched.resource);
                raw.metadata.namespace = Some(address.namespace).filter(|_| watched.namespaced);
                self.wire.draw(object, &mut raw);
                api.create(&params, &raw).await
            }
            Write::Change { before, after } => {
                let Some(mut raw) = self.whole(watched, before) else { return Seen::Outdated };
                self.wire.draw(after, &mut raw);
                api.replace(&address.name, &params, &raw).await
            }
            Write::Status { before, after } => {
                let Some(mut raw) = self.whole(watched, before) else { return Seen::Outdated };
                self.wire.draw_status(after, &mut raw);
                api.replace_status(&address.name, &params, &raw).await
            }
            Write::Delete(object) => return self.delete(&api, watched, object, &address.name).await,
        };
        match answer {
            Ok(raw) => self.seen(watched, raw),
            Err(error) => refused(&error, matches!(write, Write::Create(_))),
        }
    }

    /// Tells people of a status that was written, if it says something new.
    fn tell(&self, write: &Write<W::Object>) {
        let Write::Status { before, after } = write else { return };
        let id = write.id();
        let notices = self.wire.notices(before, after);
        let Some(watched) = self.watched(&id).filter(|_| !notices.is_empty()) else { return };
        let Address { namespace, name } = self.wire.address(&id);
        let about = ObjectReference {
            api_version: Some(watched.resource.api_version.clone()),
            kind: Some(watched.resource.kind.clone()),
            namespace: Some(namespace).filter(|_| watched.namespaced),
            name: Some(name),
            uid: Some(self.wire.uid(&before.uid())),
            // Not its version: what happens again is counted, and of another version it would be something else.
            ..ObjectReference::default()
        };
        notices.into_iter().for_each(|notice| self.herald.tell(about.clone(), notice));
    }

    async fn delete(
        &self,
        api: &Api<DynamicObject>,
        watched: &Watched<KindOf<W::Object>>,
        object: &W::Object,
        name: &str,
    ) -> Seen<W::Object> {
        let only_this = Preconditions {
            uid: Some(self.wire.uid(&object.uid())),
            resource_version: Some(object.version().to_string()),
        };
        let mut params = DeleteParams::background().preconditions(only_this);
        // What is being deleted has its time to end. Who deletes it once more says that it has ended.
        if self.raw.at(object).is_some_and(|raw| raw.metadata.deletion_timestamp.is_some()) {
            params.grace_period_seconds = Some(0);
        }
        match api.delete(name, &params).await {
            Ok(answer) => answer.either(|raw| self.seen(watched, raw), |_| Seen::Gone),
            Err(error) => refused(&error, false),
        }
    }

    /// The object as it was read, whole. If it has moved on, the server would refuse the write.
    fn whole(&self, watched: &Watched<KindOf<W::Object>>, before: &W::Object) -> Option<DynamicObject> {
        let mut raw = self.raw.at(before)?;
        // What was listed does not say its type.
        raw.types.get_or_insert(kube::core::TypeMeta {
            api_version: watched.resource.api_version.clone(),
            kind: watched.resource.kind.clone(),
        });
        Some(raw)
    }

    fn seen(&self, watched: &Watched<KindOf<W::Object>>, raw: DynamicObject) -> Seen<W::Object> {
        let meta = &raw.metadata;
        let held = !meta.finalizers.as_ref().is_none_or(Vec::is_empty);
        let has_time = meta.deletion_grace_period_seconds.is_some_and(|seconds| seconds > 0);
        if meta.deletion_timestamp.is_some() && !held && !has_time {
            return Seen::Gone;
        }
        match self.wire.read(watched.kind, &raw) {
            Some(object) => Seen::Is(object),
            None => Seen::Refused(format!(
                "what is called {} is not readable",
                meta.name.clone().unwrap_or_default()
            )),
        }
    }

    fn watched(&self, id: &IdOf<W>) -> Option<&Watched<KindOf<W::Object>>> {
        self.watched.iter().find(|watched| watched.kind == id.kind())
    }

    fn api(&self, watched: &Watched<KindOf<W::Object>>, id: &IdOf<W>) -> Api<DynamicObject> {
        let client = self.client.clone();
        if watched.namespaced {
            Api::namespaced_with(client, &self.wire.address(id).namespace, &watched.resource)
        } else {
            Api::all_with(client, &watched.resource)
        }
    }
}

type IdOf<W> = <<W as Wire>::Object as Object>::Id;

/// What is known after a request.
enum Seen<O> {
    Is(O),
    Gone,
    Outdated,
    Refused(String),
    Unknown(String),
}

/// Does something, and lives on if it panics.
async fn guarded<T>(mandate: &Mandate, work: impl Future<Output = T>) -> Option<T> {
    // Nothing is read again that it may have left half done: what it shares with others is behind locks.
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(done) => Some(done),
        Err(panic) => {
            // It may have been sent before that.
            mandate.leaves_open(now().clock, REQUEST);
            // What it says may be nobody's business; answers are shown to people, the log is not.
            tracing::error!(panic = words(&*panic), "an effect panicked: this is a fault in Bowline");
            None
        }
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it does not say why")
}

fn unwatched<O>() -> Seen<O> {
    Seen::Refused("nobody watches objects of this kind".into())
}

/// What an error says of the write.
fn refused<O>(error: &kube::Error, is_create: bool) -> Seen<O> {
    let kube::Error::Api(status) = error else { return Seen::Unknown(sentence(error)) };
    match status.code {
        409 => Seen::Outdated,
        // What a new object lacks is not itself: it is its namespace, or its kind.
        404 if !is_create => Seen::Outdated,
        // The server has given up, and does not say on what.
        500 | 502 | 503 | 504 => Seen::Unknown(clause(&status.message)),
        _ => Seen::Refused(clause(&status.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_panics_has_no_answer_and_ends_nobody_else() {
        let mandate = Mandate::always();
        assert_eq!(guarded(&mandate, async { 7 }).await, Some(7));
        for work in [None, Some("no")] {
            let panics = async { work.map_or_else(|| panic!("no"), |words| panic!("{words}")) };
            assert_eq!(guarded::<()>(&mandate, panics).await, None);
        }
        assert_eq!(words(&"no"), "no");
        assert_eq!(words(&String::from("no")), "no");
    }
}
