//! What the server counts, for Prometheus.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::guest::Guest;

mod flows;

pub(crate) use flows::Flow;
use flows::Flows;

/// The bounds of durations, in seconds.
const SECONDS: [f64; 13] =
    [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// The bounds of what is committed together.
const CHANGES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0];

/// What the server counts.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    durations: Family<Verb, Histogram>,
    commits: Histogram,
    batches: Histogram,
    refused: Counter,
    reads_only: Gauge<i64, AtomicI64>,
    watchers: Gauge<i64, AtomicI64>,
    version: Gauge<i64, AtomicI64>,
    flows: Flows,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Labels {
    method: String,
    code: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Verb {
    method: String,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("bowline_hub");
        let metrics = Metrics {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            commits: Histogram::new(SECONDS),
            batches: Histogram::new(CHANGES),
            refused: Counter::default(),
            reads_only: Gauge::default(),
            watchers: Gauge::default(),
            version: Gauge::default(),
            flows: Flows::new(),
            registry: Registry::default(),
        };
        registry.register("requests", "Requests answered", metrics.requests.clone());
        registry.register("request_seconds", "Time to answer, watches aside", metrics.durations.clone());
        registry.register("commit_seconds", "Time to make a batch durable", metrics.commits.clone());
        registry.register("commit_changes", "Changes made durable together", metrics.batches.clone());
        registry.register("commits_refused", "Batches that could not be written", metrics.refused.clone());
        let reads_only = "1 while writes are refused because there is no room for them";
        registry.register("reads_only", reads_only, metrics.reads_only.clone());
        registry.register("watchers", "Watches that are open", metrics.watchers.clone());
        registry.register("resource_version", "The version of the last change", metrics.version.clone());
        Metrics { registry, ..metrics }
    }

    /// A request was answered.
    pub(crate) fn answered(&self, method: &Method, code: StatusCode, took: Duration) {
        let method = label(method).to_owned();
        self.durations.get_or_create(&Verb { method: method.clone() }).observe(took.as_secs_f64());
        self.requests.get_or_create(&Labels { method, code: code.as_u16() }).inc();
    }

    /// A batch was made durable.
    pub(crate) fn committed(&self, changes: usize, version: u64, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        self.batches.observe(u32::try_from(changes).map_or(f64::MAX, f64::from));
        self.version.set(i64::try_from(version).unwrap_or(i64::MAX));
    }

    /// A batch could not be written.
    pub(crate) fn refused(&self) {
        self.refused.inc();
    }

    /// A watch is open for as long as this lives.
    pub(crate) fn watcher(&self) -> Open {
        self.watchers.inc();
        Open(self.watchers.clone())
    }

    /// Everything, that of a guest too, in the text format.
    pub(crate) fn text(&self, reads_only: bool, guest: Option<&dyn Guest>) -> String {
        self.reads_only.set(reads_only.into());
        let mut out = String::new();
        text::encode_registry(&mut out, &self.registry).expect("text is written to memory");
        self.flows.text(&mut out);
        if let Some(guest) = guest {
            guest.metrics(&mut out);
        }
        text::encode_eof(&mut out).expect("text is written to memory");
        out
    }
}

/// A method as it is counted. Anything may be sent as one, by anybody: each would be kept for ever.
fn label(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS
        | Method::CONNECT
        | Method::TRACE => method.as_str(),
        _ => "OTHER",
    }
}

/// An open watch.
pub(crate) struct Open(Gauge<i64, AtomicI64>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_somebody_made_up_are_counted_as_one() {
        let metrics = Metrics::new();
        metrics.answered(&Method::GET, StatusCode::OK, Duration::ZERO);
        for number in 0..100 {
            let method = Method::from_bytes(format!("X{number}").as_bytes()).expect("a method");
            metrics.answered(&method, StatusCode::FORBIDDEN, Duration::ZERO);
        }
        let text = metrics.text(true, None);
        let lines: Vec<_> =
            text.lines().filter(|line| line.starts_with("bowline_hub_requests_total")).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(text.contains(r#"bowline_hub_requests_total{method="OTHER",code="403"} 100"#), "{text}");
    }
}
