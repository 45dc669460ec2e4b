//! What a controller counts of its own: how often something was, and how long it took.

use std::sync::PoisonError;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use super::Metrics;

type Labels = Vec<(&'static str, String)>;

/// The bounds of what takes from a second to a day, in seconds.
const LONG_SECONDS: [f64; 10] = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 43_200.0, 86_400.0];

/// How often something was, by one label. The name gets `_total` where it is told.
#[derive(Clone, Debug)]
pub struct Counted {
    label: &'static str,
    counts: Family<Labels, Counter>,
}

/// How often something was, by two labels. The name gets `_total` where it is told.
#[derive(Clone, Debug)]
pub struct Crossed {
    labels: [&'static str; 2],
    counts: Family<Labels, Counter>,
}

/// How long something took, by one label.
#[derive(Clone, Debug)]
pub struct Timed {
    label: &'static str,
    times: Family<Labels, Histogram, fn() -> Histogram>,
}

impl Metrics {
    /// Counts something, by this label. A name is given once.
    pub fn counted(&self, name: &'static str, about: &'static str, label: &'static str) -> Counted {
        let counts = Family::default();
        let mut registry = self.0.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, about, Family::clone(&counts));
        Counted { label, counts }
    }

    /// Counts something, by these labels. A name is given once.
    pub fn crossed(&self, name: &'static str, about: &'static str, labels: [&'static str; 2]) -> Crossed {
        let counts = Family::default();
        let mut registry = self.0.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, about, Family::clone(&counts));
        Crossed { labels, counts }
    }

    /// Measures how long something takes, by this label. A name is given once.
    pub fn timed(&self, name: &'static str, about: &'static str, label: &'static str) -> Timed {
        let long: fn() -> Histogram = || Histogram::new(LONG_SECONDS);
        let times = Family::new_with_constructor(long);
        let mut registry = self.0.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, about, Family::clone(&times));
        Timed { label, times }
    }
}

impl Counted {
    /// It was once more.
    pub fn add(&self, value: &str) {
        self.counts.get_or_create(&vec![(self.label, value.to_owned())]).inc();
    }
}

impl Crossed {
    /// It was once more.
    pub fn add(&self, values: [&str; 2]) {
        let labels = self.labels.iter().zip(values);
        self.counts.get_or_create(&labels.map(|(label, value)| (*label, value.to_owned())).collect()).inc();
    }
}

impl Timed {
    /// It took so long.
    pub fn took(&self, value: &str, seconds: f64) {
        self.times.get_or_create(&vec![(self.label, value.to_owned())]).observe(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_and_measured_is_told_by_its_label() {
        let metrics = Metrics::new();
        let counted = metrics.counted("bowline_things", "How many", "phase");
        let timed = metrics.timed("bowline_thing_seconds", "How long", "phase");
        counted.add("Done");
        counted.add("Done");
        timed.took("Done", 20.0);
        metrics.crossed("bowline_ways", "How often", ["from", "to"]).add(["a", "b"]);
        let told = metrics.text().expect("text");
        for line in [
            "bowline_things_total{phase=\"Done\"} 2\n",
            "bowline_ways_total{from=\"a\",to=\"b\"} 1\n",
            "bowline_thing_seconds_sum{phase=\"Done\"} 20.0\n",
            "bowline_thing_seconds_bucket{le=\"15.0\",phase=\"Done\"} 0\n",
            "bowline_thing_seconds_bucket{le=\"60.0\",phase=\"Done\"} 1\n",
        ] {
            assert!(told.contains(line), "no {line} in {told}");
        }
    }
}
