//! Numbers that are told of each object of a kind.

use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::Metrics;

/// A number of each object of a kind, by its name. Who sets it takes it away when the object is gone.
#[derive(Clone, Debug)]
pub struct PerObject {
    label: &'static str,
    numbers: Family<Vec<(&'static str, String)>, Gauge<f64, AtomicU64>>,
}

impl Metrics {
    /// A number of each object, with its name in this label. A name of a number is given once.
    pub fn per_object(&self, name: &'static str, about: &'static str, label: &'static str) -> PerObject {
        let numbers = Family::default();
        let mut registry = self.0.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, about, Family::clone(&numbers));
        PerObject { label, numbers }
    }
}

impl PerObject {
    /// It is this now.
    pub fn set(&self, object: &str, number: f64) {
        self.numbers.get_or_create(&self.labels(object)).set(number);
    }

    /// There is none any more.
    pub fn remove(&self, object: &str) {
        self.numbers.remove(&self.labels(object));
    }

    fn labels(&self, object: &str) -> Vec<(&'static str, String)> {
        vec![(self.label, object.to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_told_until_its_object_is_gone() {
        let metrics = Metrics::new();
        let ready = metrics.per_object("bowline_cluster_ready", "Whether it can be used", "cluster");
        let told = || metrics.text().expect("text");
        ready.set("prod", 1.0);
        ready.set("toy", 0.0);
        assert!(told().contains("bowline_cluster_ready{cluster=\"prod\"} 1.0\n"), "{}", told());
        ready.remove("prod");
        assert!(!told().contains("\"prod\"") && told().contains("{cluster=\"toy\"} 0.0\n"), "{}", told());
    }
}
