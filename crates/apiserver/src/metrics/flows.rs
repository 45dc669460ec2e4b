//! What is counted of priority and fairness, by the names that Kubernetes gives it.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::Metrics;

/// The bounds of waiting, in seconds.
const SECONDS: [f64; 13] = [0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0];

/// Where a request belongs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
pub(crate) struct Flow {
    /// Its level.
    pub priority_level: String,
    /// Its schema.
    pub flow_schema: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Waited {
    priority_level: String,
    flow_schema: String,
    execute: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Rejected {
    priority_level: String,
    flow_schema: String,
    reason: &'static str,
}

pub(super) struct Flows {
    registry: Registry,
    inqueue: Family<Flow, Gauge<i64, AtomicI64>>,
    dispatched: Family<Flow, Counter>,
    rejected: Family<Rejected, Counter>,
    waited: Family<Waited, Histogram>,
}

impl Flows {
    pub(super) fn new() -> Flows {
        let mut registry = Registry::with_prefix("apiserver_flowcontrol");
        let flows = Flows {
            inqueue: Family::default(),
            dispatched: Family::default(),
            rejected: Family::default(),
            waited: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            registry: Registry::default(),
        };
        registry.register("current_inqueue_requests", "Requests that wait for a seat", flows.inqueue.clone());
        registry.register("dispatched_requests", "Requests that got a seat", flows.dispatched.clone());
        registry.register("rejected_requests", "Requests that got none", flows.rejected.clone());
        registry.register(
            "request_wait_duration_seconds",
            "Time to get a seat, or none",
            flows.waited.clone(),
        );
        Flows { registry, ..flows }
    }

    pub(super) fn text(&self, out: &mut String) {
        text::encode_registry(out, &self.registry).expect("text is written to memory");
    }

    fn waited(&self, flow: &Flow, execute: &'static str, waited: Duration) {
        let Flow { priority_level, flow_schema } = flow.clone();
        let labels = Waited { priority_level, flow_schema, execute };
        self.waited.get_or_create(&labels).observe(waited.as_secs_f64());
    }
}

impl Metrics {
    /// A request got a seat.
    pub(crate) fn flow_went(&self, flow: &Flow, waited: Duration) {
        self.flows.dispatched.get_or_create(flow).inc();
        self.flows.waited(flow, "true", waited);
    }

    /// A request got none.
    pub(crate) fn flow_refused(&self, flow: &Flow, reason: &'static str, waited: Duration) {
        let Flow { priority_level, flow_schema } = flow.clone();
        self.flows.rejected.get_or_create(&Rejected { priority_level, flow_schema, reason }).inc();
        self.flows.waited(flow, "false", waited);
    }

    /// A request waits for as long as this lives.
    pub(crate) fn flow_waits(&self, flow: &Flow) -> Waiting {
        let gauge = self.flows.inqueue.get_or_create(flow).clone();
        gauge.inc();
        Waiting(gauge)
    }
}

/// A request that waits.
pub(crate) struct Waiting(Gauge<i64, AtomicI64>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.dec();
    }
}
