//! Drives one loop: what comes in goes to the loop, what the loop decides is carried.

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bowline_control::lease::Epoch;
use bowline_control::{
    Answer, Controller, EffectOf, Event, KindOf, Loop, Millis, Moment, Object, Settings, Turn, Verdict,
};
use futures::StreamExt;
use futures::stream::{BoxStream, SelectAll, select_all};
use kube::Client;
use tokio::task::JoinSet;

use crate::carrier::{Carrier, Outside};
use crate::clock::{NAP, now};
use crate::failures::Failures;
use crate::herald::{self, Forbidden, Herald};
use crate::journal::{Journal, Line};
use crate::lead::{Leader, Mandate};
use crate::metrics::{End, Meter, Metrics};
use crate::raw::Raw;
use crate::watch::watch;
use crate::wire::Wire;
use crate::words::{Decided, described, outcome};

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
    /// Whether it may act; `None` if it always may, because nobody else acts on its objects.
    pub leader: Option<Leader>,
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
    let Driver { name, controller, wire, outside, client, settings, workers, leader, journal, metrics } =
        driver;
    let (wire, raw) = (Arc::new(wire), Arc::new(Raw::new()));
    let watched = wire.watched();
    let shown = {
        let (client, wire, raw, watched, metrics) =
            (client.clone(), Arc::clone(&wire), Arc::clone(&raw), watched.clone(), metrics.clone());
        move || select_all(watched.iter().map(|kind| watch(&client, &wire, &raw, kind.clone(), &metrics)))
    };
    let mut events: SelectAll<BoxStream<'static, _>> = shown();
    let manager = format!("bowline-{name}");
    let (herald, telling) = Herald::new(client.clone(), manager.clone(), Forbidden::Told);
    let carrier = Arc::new(Carrier { client, wire, raw, watched, outside, manager, herald });
    let mut desk = Desk {
        name,
        room: Loop::new(controller, Settings { seed: (random(), random()), ..settings }),
        meter: metrics.of(name, workers),
        journal,
        failures: Failures::new(),
        done: Driven::default(),
        ends: false,
    };
    // Each is a task of its own: what one of them computes keeps neither the others waiting nor the decisions.
    let mut under_way: JoinSet<Carried<C>> = JoinSet::new();
    let mut seat = Seat { leader, epoch: None };
    let mut stop = std::pin::pin!(stop);
    loop {
        if under_way.is_empty() && !desk.ends && seat.begins() {
            desk.begin_anew();
            events = shown();
        }
        while under_way.len() < workers
            && let Some(mandate) = seat.mandate()
            && let Some((key, under, effect)) = desk.turn(&mandate, |call| carrier.outside.asked(call))
        {
            let carrier = Arc::clone(&carrier);
            under_way.spawn(async move { (key, under, carrier.carry::<C>(effect, mandate).await) });
        }
        desk.stand(under_way.len());
        let takes_turns = seat.mandate().is_some();
        if desk.ends && under_way.is_empty() && (!takes_turns || desk.room.is_drained()) {
            break;
        }
        // What is due while nobody can take it would end every nap at once.
        let nap = if takes_turns && under_way.len() < workers { desk.nap() } else { NAP };
        tokio::select! {
            Some(carried) = under_way.join_next(), if !under_way.is_empty() => {
                // Who carries has caught what panicked, and nobody takes a task back.
                let (key, under, answer) = carried.unwrap_or_else(|lost| panic!("an effect has no answer: {lost}"));
                desk.end_with(&seat);
                desk.answer(&key, under, answer, |reply| carrier.outside.heard(reply));
            }
            Some(event) = events.next() => desk.event(event, |event| carrier.outside.sees(event)),
            () = tokio::time::sleep(nap) => {}
            () = seat.changed() => {}
            () = &mut stop, if !desk.ends => desk.end(),
        }
    }
    // Nobody tells anything any more.
    drop(carrier);
    herald::ended(telling).await;
    desk.done
}

/// Whether the loop takes turns.
struct Seat {
    leader: Option<Leader>,
    /// The epoch that it has begun in.
    epoch: Option<Epoch>,
}

impl Seat {
    /// Whether it leads in an epoch that it has not begun in.
    ///
    /// Others may have acted before that. What they wrote may be missing in a cache that lags, and what we remember may not be
    /// so any more. Nothing of theirs is under way now, so who lists now sees all of it, as one does who has just
    /// started; the harness explores that, and nothing between.
    fn begins(&mut self) -> bool {
        let tenure = self.leader.as_ref().and_then(|leader| leader.may_act(now().clock));
        let Some(epoch) = tenure.map(|tenure| tenure.epoch).filter(|epoch| self.epoch != Some(*epoch)) else {
            return false;
        };
        self.epoch = Some(epoch);
        true
    }

    /// The right to take a turn, if it has it now.
    fn mandate(&self) -> Option<Mandate> {
        match &self.leader {
            None => Some(Mandate::always()),
            Some(leader) => Mandate::of(leader, self.epoch?),
        }
    }

    async fn changed(&mut self) {
        match &mut self.leader {
            None => std::future::pending().await,
            Some(leader) => leader.changed().await,
        }
    }
}

/// The loop, and what is told of it.
struct Desk<C: Controller> {
    name: &'static str,
    room: Loop<C>,
    meter: Meter,
    journal: Option<Arc<Journal>>,
    failures: Failures<C::Key>,
    done: Driven,
    /// It was told to end: what is not answered then is no trouble.
    ends: bool,
}

/// A decision whose effect is under way.
struct Under {
    since: Moment,
    decided: Decided,
    effect: String,
    epoch: Option<Epoch>,
    observed: Vec<(String, String)>,
}

impl<C> Desk<C>
where
    C: Controller,
    C::Key: fmt::Display,
    <C::Object as Object>::Id: fmt::Display,
{
    fn begin_anew(&mut self) {
        self.room.begin_anew();
        self.meter.begin_anew();
        self.failures.begin_anew();
    }

    /// It was told to end: nothing is begun any more.
    fn end(&mut self) {
        self.ends = true;
        self.room.drain();
    }

    /// Who wants the lease may have been told before the loop was.
    fn end_with(&mut self, seat: &Seat) {
        if seat.leader.as_ref().is_some_and(Leader::ends) {
            self.end();
        }
    }

    fn event(&mut self, event: Event<C::Object>, sees: impl Fn(&Event<C::Object>)) {
        sees(&event);
        self.room.event(event, now());
    }

    /// The next decision that has an effect.
    fn turn(
        &mut self,
        mandate: &Mandate,
        asked: impl Fn(&C::Call) -> String,
    ) -> Option<(C::Key, Under, EffectOf<C>)> {
        let epoch = mandate.epoch();
        loop {
            let since = Moment { epoch: epoch.unwrap_or_default(), handed: mandate.is_handed(), ..now() };
            let Turn { key, verdict, observed, effect, waited } = self.room.turn(since)?;
            self.done.decisions += 1;
            self.meter.turn(waited);
            let decided = Decided::by(&verdict);
            let Decided { decision, reason } = &decided;
            let _span =
                tracing::info_span!("decision", controller = self.name, %key, decision, reason).entered();
            // It is put into words only where somebody reads them: most decisions find nothing to do.
            let observed = observed.iter().filter(|_| self.journal.is_some());
            let observed = observed.map(|(id, version)| (id.to_string(), version.to_string())).collect();
            let Some(effect) = effect else {
                tracing::debug!("nothing is to be done");
                if !matches!(verdict, Verdict::Stalled(_)) {
                    self.failures.rests(&key);
                }
                let is_timed = matches!(verdict, Verdict::Wait(_)) && self.room.known(&key).due.is_some();
                self.meter.ended(if is_timed { End::RequeueAfter } else { End::Success }, Millis(0));
                let under = Under { since, decided, effect: String::new(), epoch, observed };
                self.write(&key, &under, None);
                continue;
            };
            self.done.effects += 1;
            let described = described(&effect, &asked);
            tracing::debug!(effect = described, "is carried");
            return Some((key, Under { since, decided, effect: described, epoch, observed }, effect));
        }
    }

    fn answer(
        &mut self,
        key: &C::Key,
        under: Under,
        answer: Answer<C::Object, C::Reply>,
        heard: impl Fn(&C::Reply) -> String,
    ) {
        let now = now();
        let (outcome, mut result) = outcome(&answer, heard);
        let is_left = self.ends && matches!(answer, Answer::Unknown(_));
        // What failed together shall not come back together.
        let jitter = (random() >> 48) as u16;
        if self.room.answer(key, answer, jitter, now).is_some() {
            result = End::Error;
        }
        let (Decided { decision, reason }, effect) = (&under.decided, &under.effect);
        if is_left {
            tracing::info!(controller = self.name, %key, decision, reason, effect, outcome, "is left as it is");
        } else if result == End::Error && self.failures.is_new(key, decision, &outcome) {
            tracing::warn!(controller = self.name, %key, decision, reason, effect, outcome, "an effect did not work");
        } else {
            tracing::debug!(controller = self.name, %key, decision, reason, effect, outcome, "is answered");
        }
        self.meter.ended(result, now.clock.since(under.since.clock));
        self.write(key, &under, Some(&outcome));
    }

    fn write(&self, key: &C::Key, under: &Under, outcome: Option<&str>) {
        let Some(journal) = &self.journal else { return };
        let time = i64::try_from(under.since.wall.0).unwrap_or(i64::MAX);
        journal.write(&Line {
            time: jiff::Timestamp::from_millisecond(time).unwrap_or_default().to_string(),
            build: env!("CARGO_PKG_VERSION"),
            controller: self.name,
            key: &key.to_string(),
            epoch: under.epoch.map(|epoch| epoch.0),
            observed: &under.observed,
            decision: &under.decided.decision,
            reason: under.decided.reason.as_deref(),
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

/// A random number.
pub(crate) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|error| panic!("there is no randomness: {error}"))
}
