//! What is counted, with the names that dashboards of Kubernetes controllers know.

mod counted;
mod per_object;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_control::{Counts, Millis};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

pub use self::counted::{Counted, Crossed, Timed};
pub use self::per_object::PerObject;
use crate::complaint::Complaints;

/// The bounds of durations, in seconds: those of client-go's queue, as far as a clock of milliseconds tells.
const QUEUE_SECONDS: [f64; 8] = [1e-3, 1e-2, 1e-1, 1.0, 10.0, 60.0, 600.0, 3600.0];
/// Those of controller-runtime.
const RECONCILE_SECONDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// How decisions end, as controller-runtime calls it.
const SUCCESS: &str = "success";
const REQUEUE: &str = "requeue";
const REQUEUE_AFTER: &str = "requeue_after";
const ERROR: &str = "error";

/// What is counted of all controllers of a process.
#[derive(Clone)]
pub struct Metrics(Arc<All>);

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

struct All {
    /// Which controllers have seen everything that they watch.
    seen: Mutex<BTreeMap<String, bool>>,
    /// What keeps them from their work, by what it is about.
    troubles: Mutex<BTreeMap<&'static str, String>>,
    /// What goes wrong with their watches.
    complaints: Complaints,
    registry: Mutex<Registry>,
    depth: Family<Queue, Gauge>,
    adds: Family<Queue, Counter>,
    retries: Family<Queue, Counter>,
    waited: Family<Queue, Histogram, fn() -> Histogram>,
    worked: Family<Queue, Histogram, fn() -> Histogram>,
    unfinished: Family<Queue, Gauge<f64, AtomicU64>>,
    longest: Family<Queue, Gauge<f64, AtomicU64>>,
    reconciles: Family<Ended, Counter>,
    errors: Family<Controller, Counter>,
    times: Family<Controller, Histogram, fn() -> Histogram>,
    active: Family<Controller, Gauge>,
    most: Family<Controller, Gauge>,
    masters: Family<Queue, Gauge>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Queue {
    name: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Controller {
    controller: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Ended {
    controller: String,
    result: &'static str,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Metrics {
        let all = All {
            seen: Mutex::default(),
            troubles: Mutex::default(),
            complaints: Complaints::default(),
            registry: Mutex::new(Registry::default()),
            depth: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            waited: Family::new_with_constructor(|| Histogram::new(QUEUE_SECONDS)),
            worked: Family::new_with_constructor(|| Histogram::new(QUEUE_SECONDS)),
            unfinished: Family::default(),
            longest: Family::default(),
            reconciles: Family::default(),
            errors: Family::default(),
            times: Family::new_with_constructor(|| Histogram::new(RECONCILE_SECONDS)),
            active: Family::default(),
            most: Family::default(),
            masters: Family::default(),
        };
        all.register();
        Metrics(Arc::new(all))
    }

    /// Writes all of it in the text format of OpenMetrics, without the mark of its end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        text::encode_registry(out, &self.0.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All of it, in the text format of OpenMetrics.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        self.write(&mut out)?;
        text::encode_eof(&mut out)?;
        Ok(out)
    }

    /// Whether every controller has seen everything that it watches, before which it decides nothing, and nothing keeps them
    /// from their work.
    ///
    /// # Errors
    /// Says who has not, or what does.
    pub fn ready(&self) -> Result<(), String> {
        let seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_empty() {
            return Err("no controller has started yet".into());
        }
        let waits: Vec<_> = seen.iter().filter(|(_, seen)| !**seen).map(|(name, _)| name.as_str()).collect();
        let unlisted = (!waits.is_empty()).then(|| {
            let why = self.0.complaints.all().into_iter().map(|why| format!(": {why}")).collect::<String>();
            format!("not everything is listed yet for {}{why}", waits.join(", "))
        });
        let troubles = self.0.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<_> = troubles.values().cloned().chain(unlisted).collect();
        if all.is_empty() { Ok(()) } else { Err(all.join("; ")) }
    }

    /// What keeps the controllers from their work, as far as one topic goes; `None` if nothing does.
    pub(crate) fn trouble(&self, topic: &'static str, what: Option<String>) {
        let mut troubles = self.0.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        match what {
            Some(what) => troubles.insert(topic, what),
            None => troubles.remove(topic),
        };
    }

    /// What goes wrong with the watches of all controllers.
    pub(crate) fn complaints(&self) -> &Complaints {
        &self.0.complaints
    }

    /// Whether this process holds a lease.
    pub(crate) fn leads(&self, lease: &str, leads: bool) {
        self.0.masters.get_or_create(&Queue { name: lease.to_owned() }).set(leads.into());
    }

    /// What one controller counts.
    pub(crate) fn of(&self, name: &str, workers: usize) -> Meter {
        let queue = Queue { name: name.to_owned() };
        let controller = Controller { controller: name.to_owned() };
        self.0.most.get_or_create(&controller).set(i64::try_from(workers).unwrap_or(i64::MAX));
        // A count that is not there before the first error has no rate: whoever asks for one would miss that error.
        drop(self.0.errors.get_or_create(&controller));
        for result in [SUCCESS, REQUEUE, REQUEUE_AFTER, ERROR] {
            drop(self.0.reconciles.get_or_create(&Ended { controller: name.to_owned(), result }));
        }
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), false);
        Meter { all: Arc::clone(&self.0), queue, controller, before: Counts::default(), seen: false }
    }
}

impl All {
    fn register(&self) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = registry.sub_registry_with_prefix("workqueue");
        queue.register("depth", "Keys that wait", self.depth.clone());
        queue.register("adds", "Keys that were added", self.adds.clone());
        queue.register("retries", "Keys that failed and come again", self.retries.clone());
        queue.register("queue_duration_seconds", "How long keys have waited", self.waited.clone());
        queue.register("work_duration_seconds", "How long effects took", self.worked.clone());
        queue.register(
            "unfinished_work_seconds",
            "How old the work under way is, summed",
            self.unfinished.clone(),
        );
        queue.register(
            "longest_running_processor_seconds",
            "How old the oldest of it is",
            self.longest.clone(),
        );
        let runtime = registry.sub_registry_with_prefix("controller_runtime");
        runtime.register("reconcile", "Decisions, by how they ended", self.reconciles.clone());
        runtime.register("reconcile_errors", "Effects that did not work", self.errors.clone());
        runtime.register(
            "reconcile_time_seconds",
            "How long a decision and its effect took",
            self.times.clone(),
        );
        runtime.register("active_workers", "Effects under way", self.active.clone());
        runtime.register("max_concurrent_reconciles", "Effects that may be under way", self.most.clone());
        let election = registry.sub_registry_with_prefix("leader_election");
        election.register("master_status", "Whether this process leads", self.masters.clone());
    }
}

/// What one controller counts.
pub(crate) struct Meter {
    all: Arc<All>,
    queue: Queue,
    controller: Controller,
    before: Counts,
    seen: bool,
}

/// How a decision ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// It has come to rest.
    Success,
    /// Its effect worked: it is decided again.
    Requeue,
    /// It waits for a time.
    RequeueAfter,
    /// Its effect did not work.
    Error,
}

impl Meter {
    pub(crate) fn turn(&self, waited: Millis) {
        self.all.waited.get_or_create(&self.queue).observe(seconds(waited));
    }

    pub(crate) fn ended(&self, result: End, took: Millis) {
        let controller = self.controller.controller.clone();
        let result = match result {
            End::Success => SUCCESS,
            End::Requeue => REQUEUE,
            End::RequeueAfter => REQUEUE_AFTER,
            End::Error => {
                self.all.errors.get_or_create(&self.controller).inc();
                ERROR
            }
        };
        self.all.reconciles.get_or_create(&Ended { controller, result }).inc();
        self.all.times.get_or_create(&self.controller).observe(seconds(took));
        self.all.worked.get_or_create(&self.queue).observe(seconds(took));
    }

    /// Everything that it watches has been listed.
    pub(crate) fn has_seen_everything(&mut self) {
        if !std::mem::replace(&mut self.seen, true) {
            let mut all = self.all.seen.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(self.controller.controller.clone(), true);
        }
    }

    /// The queue begins anew, and counts anew.
    pub(crate) fn begin_anew(&mut self) {
        self.before = Counts::default();
    }

    /// How the queue stands.
    pub(crate) fn stand(&mut self, counts: Counts, active: usize) {
        let all = &self.all;
        all.depth.get_or_create(&self.queue).set(i64::try_from(counts.depth).unwrap_or(i64::MAX));
        all.adds.get_or_create(&self.queue).inc_by(counts.adds - self.before.adds);
        all.retries.get_or_create(&self.queue).inc_by(counts.retries - self.before.retries);
        all.unfinished.get_or_create(&self.queue).set(seconds(counts.unfinished));
        all.longest.get_or_create(&self.queue).set(seconds(counts.longest));
        all.active.get_or_create(&self.controller).set(i64::try_from(active).unwrap_or(i64::MAX));
        self.before = counts;
    }
}

fn seconds(time: Millis) -> f64 {
    std::time::Duration::from_millis(time.0).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_leads_is_told_as_client_go_tells_it() {
        let metrics = Metrics::new();
        let says = |line: &str| metrics.text().is_ok_and(|text| text.lines().any(|told| told == line));
        metrics.leads("controllers", true);
        assert!(says("leader_election_master_status{name=\"controllers\"} 1"));
        metrics.leads("controllers", false);
        assert!(says("leader_election_master_status{name=\"controllers\"} 0"));
    }

    #[test]
    fn nobody_is_ready_before_everything_is_listed_and_while_there_is_trouble() {
        let metrics = Metrics::new();
        assert!(metrics.ready().is_err_and(|why| why.contains("no controller")));
        let mut meter = metrics.of("pairs", 1);
        metrics.trouble("lease", Some("somebody else leads".into()));
        let both = "somebody else leads; not everything is listed yet for pairs";
        assert_eq!(metrics.ready(), Err(both.to_owned()));
        meter.has_seen_everything();
        assert_eq!(metrics.ready(), Err("somebody else leads".to_owned()));
        metrics.trouble("lease", None);
        assert_eq!(metrics.ready(), Ok(()));
    }

    #[test]
    fn what_has_not_happened_yet_is_counted_as_nothing() {
        let metrics = Metrics::new();
        let meter = metrics.of("pairs", 1);
        let says = |line: &str| {
            let text = metrics.text().expect("text");
            assert!(text.lines().any(|told| told == line), "no {line} in {text}");
        };
        says("controller_runtime_reconcile_errors_total{controller=\"pairs\"} 0");
        for result in ["success", "requeue", "requeue_after", "error"] {
            says(&format!(
                "controller_runtime_reconcile_total{{controller=\"pairs\",result=\"{result}\"}} 0"
            ));
        }
        meter.ended(End::Error, Millis(1));
        says("controller_runtime_reconcile_errors_total{controller=\"pairs\"} 1");
    }

    #[test]
    fn a_queue_that_begins_anew_is_counted_on() {
        let metrics = Metrics::new();
        let mut meter = metrics.of("pairs", 1);
        let two = Counts { adds: 2, ..Counts::default() };
        meter.stand(two, 0);
        meter.begin_anew();
        meter.stand(Counts { adds: 1, ..two }, 0);
        let text = metrics.text().expect("text");
        assert!(text.contains("workqueue_adds_total{name=\"pairs\"} 3"), "{text}");
    }
}
