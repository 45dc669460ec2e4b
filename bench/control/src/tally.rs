//! What is counted of both contestants, in the same place: where it is decided.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_control::{Controller, Decision, EffectOf, Moment, Standing, Write};
use bowline_e2e_sample::Text;
use bowline_runtime::Address;
use bowline_sample::{Kind, Object, Pairs, Snapshot, Step, Wait};
use serde::{Deserialize, Serialize};

/// How long all pairs may take to be looked at.
const LIMIT: Duration = Duration::from_secs(900);

/// What a pair is called that has this number.
pub(crate) fn name(number: usize) -> String {
    format!("p{number}")
}

/// Counts decisions.
pub(crate) struct Tally {
    decisions: AtomicU64,
    /// By number: it was decided about.
    looked_at: Vec<AtomicBool>,
    missing: AtomicUsize,
    span: Mutex<Span>,
    all_looked_at: Condvar,
}

/// From the first decision until every pair had been looked at once.
#[derive(Default)]
struct Span {
    first: Option<Instant>,
    last: Option<Instant>,
    decisions: u64,
}

/// How a tally stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Standings {
    /// Decisions so far.
    pub(crate) decisions: u64,
    /// Decisions until every pair had been looked at; 0 if one was not.
    pub(crate) sweep_decisions: u64,
    /// How long these took.
    pub(crate) sweep: Duration,
}

impl Tally {
    pub(crate) fn of(objects: usize) -> Tally {
        Tally {
            decisions: AtomicU64::new(0),
            looked_at: (0..objects).map(|_| AtomicBool::new(false)).collect(),
            missing: AtomicUsize::new(objects),
            span: Mutex::default(),
            all_looked_at: Condvar::new(),
        }
    }

    fn decided(&self, address: Option<&Address>) {
        let decisions = self.decisions.fetch_add(1, Ordering::Relaxed) + 1;
        if decisions == 1 {
            self.span().first = Some(Instant::now());
        }
        let number = address.and_then(|address| address.name.strip_prefix('p')?.parse::<usize>().ok());
        let Some(looked_at) = number.and_then(|number| self.looked_at.get(number)) else { return };
        if !looked_at.swap(true, Ordering::Relaxed) && self.missing.fetch_sub(1, Ordering::Relaxed) == 1 {
            let mut span = self.span();
            span.last = Some(Instant::now());
            span.decisions = decisions;
            self.all_looked_at.notify_all();
        }
    }

    /// Waits until every pair has been looked at once, but not for ever.
    pub(crate) fn wait(&self) {
        let waits = |span: &mut Span| span.last.is_none();
        let waited = self.all_looked_at.wait_timeout_while(self.span(), LIMIT, waits);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn standings(&self) -> Standings {
        let span = self.span();
        let sweep = span.last.zip(span.first).map(|(last, first)| last.duration_since(first));
        Standings {
            decisions: self.decisions.load(Ordering::Relaxed),
            sweep_decisions: span.decisions,
            sweep: sweep.unwrap_or_default(),
        }
    }

    fn span(&self) -> std::sync::MutexGuard<'_, Span> {
        self.span.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The controller of pairs, counted.
#[derive(Clone)]
pub(crate) struct Counted {
    pairs: Pairs<Text>,
    tally: std::sync::Arc<Tally>,
}

impl Counted {
    pub(crate) fn by(tally: std::sync::Arc<Tally>) -> Counted {
        Counted { pairs: Pairs::default(), tally }
    }
}

impl Controller for Counted {
    type Key = Address;
    type Object = Object<Text>;
    type Snapshot = Snapshot<Text>;
    type Step = Step;
    type Wait = Wait;
    type Call = Infallible;
    type Reply = Infallible;
    type Memory = ();

    fn kinds(&self) -> &[Kind] {
        self.pairs.kinds()
    }

    fn keys(&self, object: &Object<Text>) -> Vec<Address> {
        self.pairs.keys(object)
    }

    fn snapshot(&self, key: &Address, objects: &[&Object<Text>], memory: &()) -> Snapshot<Text> {
        self.pairs.snapshot(key, objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<Text>, now: Moment) -> Decision<Step, Wait> {
        self.tally.decided(snapshot.pair.as_ref().map(|pair| &pair.name));
        self.pairs.decide(snapshot, now)
    }

    fn effect(&self, snapshot: &Snapshot<Text>, step: &Step, now: Moment) -> EffectOf<Self> {
        self.pairs.effect(snapshot, step, now)
    }

    fn report(
        &self,
        snapshot: &Snapshot<Text>,
        standing: Standing<'_, Wait>,
        now: Moment,
    ) -> Option<Write<Object<Text>>> {
        self.pairs.report(snapshot, standing, now)
    }

    fn learn(&self, memory: &mut (), step: &Step, reply: Infallible, now: Moment) -> Result<(), String> {
        self.pairs.learn(memory, step, reply, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_looked_at_when_each_has_been_once() {
        let tally = Tally::of(3);
        let decided = |number| {
            let address = Address { namespace: "default".into(), name: name(number) };
            tally.decided(Some(&address));
            tally.standings().sweep_decisions
        };
        assert_eq!([0, 1, 1, 0, 7].map(decided), [0; 5], "the third has not been");
        assert_eq!([2, 2, 0].map(decided), [6; 3]);
        assert_eq!(tally.standings().decisions, 8);
        tally.wait();
    }
}
