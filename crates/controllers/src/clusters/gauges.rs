//! What is counted of each cluster: whether it can be used, and when it was last looked at.
//!
//! The time of a look belongs here and not into the status: a look that finds nothing new writes nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bowline_clusters::Cluster;
use bowline_control::{Event, Millis};
use bowline_runtime::{Metrics, PerObject};

use super::wire::Text;

/// The numbers of all clusters that are there.
pub(crate) struct Gauges {
    ready: PerObject,
    looked: PerObject,
    /// By name: which one is there.
    there: Mutex<BTreeMap<String, String>>,
}

impl Gauges {
    pub(crate) fn new(metrics: &Metrics) -> Gauges {
        let of = |name, about| metrics.per_object(name, about, "cluster");
        Gauges {
            ready: of("bowline_cluster_ready", "Whether the cluster can be used, as its status says"),
            looked: of(
                "bowline_cluster_last_look_timestamp_seconds",
                "When this process last looked at the cluster",
            ),
            there: Mutex::default(),
        }
    }

    /// What is shown of clusters: who is gone has no numbers any more.
    pub(crate) fn see(&self, event: &Event<Cluster<Text>>) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::ListBegins(()) => {}
            Event::Listed((), clusters) => {
                let stays = |name: &str| clusters.iter().any(|cluster| cluster.name == name);
                let gone: Vec<_> = there.keys().filter(|name| !stays(name)).cloned().collect();
                gone.iter().for_each(|name| self.forget(&mut there, name));
                clusters.iter().for_each(|cluster| self.show(&mut there, cluster));
            }
            Event::Put(cluster) => self.show(&mut there, cluster),
            Event::Gone(cluster) => self.forget(&mut there, &cluster.name),
        }
    }

    /// A cluster was looked at.
    pub(crate) fn looked(&self, name: &str, uid: &str, at: Millis) {
        let there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        // One that has gone meanwhile must not come back.
        if there.get(name).is_some_and(|there| there == uid) {
            self.looked.set(name, at.0 as f64 / 1_000.0);
        }
    }

    fn show(&self, there: &mut BTreeMap<String, String>, cluster: &Cluster<Text>) {
        let Cluster { name, uid, status, .. } = cluster;
        let before = there.insert(name.clone(), uid.clone());
        if before.is_some_and(|before| before != *uid) {
            self.looked.remove(name);
        }
        let ready = status.as_ref().is_some_and(|status| status.finding.found.is_ready());
        self.ready.set(name, if ready { 1.0 } else { 0.0 });
    }

    fn forget(&self, there: &mut BTreeMap<String, String>, name: &str) {
        there.remove(name);
        self.ready.remove(name);
        self.looked.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use bowline_clusters::{Finding, Found, Status, Way};
    use bowline_control::Version;

    use super::*;

    fn cluster(name: &str, uid: &str, found: Option<Found>) -> Cluster<Text> {
        let finding = |found| Finding { found, words: String::new(), release: None, place: None };
        Cluster {
            name: name.into(),
            uid: uid.into(),
            version: Version(1),
            generation: 1,
            deleting: false,
            held: false,
            way: Way::Embedded,
            named: false,
            status: found.map(|found| Status { finding: finding(found), observed: 1 }),
            place: None,
            server: None,
        }
    }

    #[test]
    fn each_cluster_has_its_numbers_until_it_is_gone() {
        let metrics = Metrics::new();
        let gauges = Gauges::new(&metrics);
        let told = || {
            let text = metrics.text().expect("text");
            let lines = text.lines().filter(|line| line.starts_with("bowline_cluster_"));
            let mut lines: Vec<_> = lines.map(|line| line["bowline_cluster_".len()..].to_owned()).collect();
            lines.sort();
            lines
        };
        let (a, b) = (cluster("a", "1", Some(Found::Usable)), cluster("b", "2", None));
        gauges.see(&Event::Listed((), vec![a.clone(), b.clone()]));
        gauges.looked("a", "1", Millis(1_500));
        let look = "last_look_timestamp_seconds{cluster=\"a\"} 1.5";
        assert_eq!(told(), [look, "ready{cluster=\"a\"} 1.0", "ready{cluster=\"b\"} 0.0"]);
        gauges.see(&Event::Gone(b.clone()));
        gauges.looked("b", "2", Millis(2_000));
        assert_eq!(told(), [look, "ready{cluster=\"a\"} 1.0"], "a look that ends late brings nothing back");
        // Another one of its name was not looked at.
        gauges.see(&Event::Put(cluster("a", "3", Some(Found::Silent))));
        gauges.looked("a", "1", Millis(3_000));
        assert_eq!(told(), ["ready{cluster=\"a\"} 0.0"]);
        gauges.see(&Event::Listed((), vec![b]));
        assert_eq!(told(), ["ready{cluster=\"b\"} 0.0"]);
    }
}
