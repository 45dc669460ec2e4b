//! Drives one loop: what comes in goes to the loop, what the loop decides is carried.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bowline_control::{
    Answer, Controller, Effect, EffectOf, KindOf, Loop, Millis, Moment, Object, Refusal, Settings, Turn,
    Verdict, Write,
};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, FuturesUnordered, select_all};
use kube::Client;

use crate::carrier::{Carrier, Outside};
use crate::clock::now;
use crate::journal::{Journal, Line};
use crate::metrics::{End, Meter, Metrics};
use crate::raw::Raw;
use crate::watch::watch;
use crate::wire::Wire;

/// A sleep goes by a clock that stands still while the machine sleeps: nobody sleeps longer than this without a look
/// at the other one.
const NAP: Duration = Duration::from_secs(5);

/// How a controller is driven.
pub struct Driver<C, W, X> {
    /// What it is called, in metrics, journals and to the server.
    pub name: &'static str,
    /// What decides.
    pub controller: C,
    /// What its objects look like.
    pub wire: W,
    /// What it calls beside the API.
    pub outside: X,
    /// The way to the API.
    pub client: Client,
    /// Its bounds.
    pub settings: Settings,
    /// Effects that may be under way.
    pub workers: usize,
    /// Where decisions are written.
    pub journal: Option<Arc<Journal>>,
    /// Where they are counted.
    pub metrics: Metrics,
}

/// What a driven controller has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Driven {
    /// Decisions.
    pub decisions: u64,
    /// Effects that were carried.
    pub effects: u64,
}

type Carried<C> =
    (<C as Controller>::Key, Under, Answer<<C as Controller>::Object, <C as Controller>::Reply>);

/// Drives a controller until `stop`, and then until what is under way has ended.
pub async fn drive<C, W, X>(driver: Driver<C, W, X>, stop: impl Future<Output = ()> + Send) -> Driven
where
    C: Controller<Object = W::Object> + Send,
    C::Key: fmt::Display + Send + 'static,
    C::Call: Send + 'static,
    C::Reply: Send + 'static,
    C::Memory: Send,
    C::Step: Send,
    W: Wire,
    W::Object: Send + Sync,
    KindOf<W::Object>: Send + Sync,
    <W::Object as Object>::Id: fmt::Display + Send + Sync,
    <W::Object as Object>::Uid: Send + Sync,
    X: Outside<C>,
{
    let Driver { name, controller, wire, outside, client, settings, workers, journal, metrics } = driver;
    let (wire, raw) = (Arc::new(wire), Arc::new(Raw::new()));
    let watched = wire.watched();
    let streams = watched.iter().map(|kind| watch(&client, &wire, &raw, kind.clone()));
    let mut events: futures::stream::SelectAll<BoxStream<'static, _>> = select_all(streams);
    let manager = format!("bowline-{name}");
    let carrier = Arc::new(Carrier { client, wire, raw, watched, outside, manager });
    let mut desk = Desk {
        name,
        room: Loop::new(controller, Settings { seed: (random(), random()), ..settings }),
        meter: metrics.of(name, workers),
        journal,
        done: Driven::default(),
    };
    let mut under_way: FuturesUnordered<BoxFuture<'static, Carried<C>>> = FuturesUnordered::new();
    let mut stop = std::pin::pin!(stop);
    let mut stopping = false;
    loop {
        while under_way.len() < workers
            && let Some((key, under, effect)) = desk.turn()
        {
            let carrier = Arc::clone(&carrier);
            under_way.push(Box::pin(async move { (key, under, carrier.carry::<C>(effect).await) }));
        }
        desk.stand(under_way.len());
        if stopping && desk.room.is_drained() {
            return desk.done;
        }
        tokio::select! {
            Some((key, under, answer)) = under_way.next(), if !under_way.is_empty() => desk.answer(&key, under, answer),
            Some(event) = events.next() => desk.room.event(event, now()),
            () = tokio::time::sleep(desk.nap()) => {}
            () = &mut stop, if !stopping => {
                stopping = true;
                desk.room.drain();
            }
        }
    }
}

/// The loop, and what is told of it.
struct Desk<C: Controller> {
    name: &'static str,
    room: Loop<C>,
    meter: Meter,
    journal: Option<Arc<Journal>>,
    done: Driven,
}

/// A decision whose effect is under way.
struct Under {
    since: Moment,
    decision: String,
    effect: String,
    observed: Vec<(String, String)>,
}

impl<C> Desk<C>
where
    C: Controller,
    C::Key: fmt::Display,
    <C::Object as Object>::Id: fmt::Display,
{
    /// The next decision that has an effect.
    fn turn(&mut self) -> Option<(C::Key, Under, EffectOf<C>)> {
        loop {
            let since = now();
            let Turn { key, verdict, observed, effect, waited } = self.room.turn(since)?;
            self.done.decisions += 1;
            self.meter.turn(waited);
            let decision = told(&verdict);
            let _span = tracing::info_span!("decision", controller = self.name, %key, decision).entered();
            let observed =
                observed.iter().map(|(id, version)| (id.to_string(), version.to_string())).collect();
            let Some(effect) = effect else {
                tracing::debug!("nothing is to be done");
                let is_timed = matches!(verdict, Verdict::Wait(_)) && self.room.known(&key).due.is_some();
                self.meter.ended(if is_timed { End::RequeueAfter } else { End::Success }, Millis(0));
                let under = Under { since, decision, effect: String::new(), observed };
                self.write(&key.to_string(), &under, None);
                continue;
            };
            self.done.effects += 1;
            let described = described(&effect);
            tracing::debug!(effect = described, "is carried");
            return Some((key, Under { since, decision, effect: described, observed }, effect));
        }
    }

    fn answer(&mut self, key: &C::Key, under: Under, answer: Answer<C::Object, C::Reply>) {
        let now = now();
        let (outcome, result) = outcome(&answer);
        let (decision, effect) = (&under.decision, &under.effect);
        if result == End::Error {
            tracing::warn!(controller = self.name, %key, decision, effect, outcome, "an effect did not work");
        } else {
            tracing::debug!(controller = self.name, %key, decision, effect, outcome, "is answered");
        }
        self.meter.ended(result, now.clock.since(under.since.clock));
        self.write(&key.to_string(), &under, Some(&outcome));
        // What failed together shall not come back together.
        let jitter = (random() >> 48) as u16;
        self.room.answer(key, answer, jitter, now);
    }

    fn write(&self, key: &str, under: &Under, outcome: Option<&str>) {
        let Some(journal) = &self.journal else { return };
        let time = i64::try_from(under.since.wall.0).unwrap_or(i64::MAX);
        journal.write(&Line {
            time: jiff::Timestamp::from_millisecond(time).unwrap_or_default().to_string(),
            build: env!("CARGO_PKG_VERSION"),
            controller: self.name,
            key,
            observed: &under.observed,
            decision: &under.decision,
            effect: outcome.map(|_| under.effect.as_str()),
            outcome,
        });
    }

    fn stand(&mut self, under_way: usize) {
        if self.room.has_seen_everything() {
            self.meter.has_seen_everything();
        }
        self.meter.stand(self.room.counts(now()), under_way);
    }

    /// How long nothing will happen, if nothing comes in.
    fn nap(&self) -> Duration {
        let due = self.room.next_due().map(|due| Duration::from_millis(due.since(now().clock).0));
        due.unwrap_or(NAP).min(NAP)
    }
}

fn told<Step: fmt::Display, Wait: fmt::Display>(verdict: &Verdict<Step, Wait>) -> String {
    match verdict {
        Verdict::Look => "look what became of the last write".into(),
        Verdict::Do(step) => step.to_string(),
        Verdict::Wait(what) => format!("wait for {what}"),
        Verdict::Converged => "all is as it should be".into(),
        Verdict::Failing(why) => format!("say that the last step did not work: {why}"),
        Verdict::Stalled(why) => format!("stalled: {why}"),
    }
}

fn described<O: Object<Id: fmt::Display>, Call: fmt::Debug>(effect: &Effect<O, Call>) -> String {
    match effect {
        Effect::Look(id) => format!("look at {id}"),
        Effect::Call(call) => format!("call {call:?}"),
        Effect::Write(write) => {
            let verb = match write {
                Write::Create(_) => "create",
                Write::Change { .. } => "change",
                Write::Status { .. } => "change the status of",
                Write::Delete(_) => "delete",
            };
            match write.before() {
                Some(before) => format!("{verb} {} at version {}", write.id(), before.version()),
                None => format!("{verb} {}", write.id()),
            }
        }
    }
}

fn outcome<O: Object, Reply>(answer: &Answer<O, Reply>) -> (String, End) {
    match answer {
        Answer::Is(object) => (format!("it is at version {}", object.version()), End::Requeue),
        Answer::Gone => ("it is not there".into(), End::Requeue),
        Answer::Refused(Refusal::Outdated) => ("refused: it was outdated".into(), End::Requeue),
        Answer::Refused(Refusal::Other(why)) => (format!("refused: {why}"), End::Error),
        Answer::Unknown(why) => (format!("no answer: {why}"), End::Error),
        Answer::Replied(_) => ("replied".into(), End::Requeue),
    }
}

/// A random number.
fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|error| panic!("there is no randomness: {error}"))
}
