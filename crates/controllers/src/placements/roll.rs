//! Which targets there are, and how much is on each: known from what the watches show.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline_control::Event;
use bowline_placements::plain::Plain;
use bowline_placements::{Candidate, Kind, Object, Placements, Reply, Survey, Target};
use bowline_runtime::{Mandate, Metrics, Outside};

use super::gauges::Gauges;

/// All targets, and where all namespaces are to be.
pub(crate) struct Roll {
    known: Mutex<Known>,
    gauges: Gauges,
}

#[derive(Default)]
struct Known {
    targets: BTreeMap<String, Target<Plain>>,
    /// By namespace.
    desired: BTreeMap<String, String>,
}

impl Known {
    fn put(&mut self, object: &Object<Plain>) {
        match object {
            Object::Target(target) => drop(self.targets.insert(target.name.clone(), target.clone())),
            Object::Placement(placement) => match &placement.desired {
                Some(target) => drop(self.desired.insert(placement.name.clone(), target.clone())),
                None => drop(self.desired.remove(&placement.name)),
            },
            Object::Volume(_) | Object::Claim(_) => {}
        }
    }

    fn remove(&mut self, object: &Object<Plain>) {
        match object {
            Object::Target(target) => drop(self.targets.remove(&target.name)),
            Object::Placement(placement) => drop(self.desired.remove(&placement.name)),
            Object::Volume(_) | Object::Claim(_) => {}
        }
    }

    /// How many namespaces are to be on each target.
    fn loads(&self) -> HashMap<&str, u32> {
        let mut loads = HashMap::new();
        for target in self.desired.values() {
            *loads.entry(target.as_str()).or_default() += 1;
        }
        loads
    }
}

impl Roll {
    pub(crate) fn new(metrics: &Metrics) -> Roll {
        Roll { known: Mutex::default(), gauges: Gauges::new(metrics) }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outside<Placements<Plain>> for Roll {
    async fn call(&self, Survey: Survey, _: &Mandate) -> Reply<Plain> {
        let known = self.known();
        let loads = known.loads();
        let candidate = |target: &Target<Plain>| Candidate {
            target: target.clone(),
            load: loads.get(target.name.as_str()).copied().unwrap_or(0),
        };
        Ok(known.targets.values().map(candidate).collect())
    }

    fn only_reads(&self, _: &Survey) -> bool {
        true
    }

    fn asked(&self, _: &Survey) -> String {
        "which targets there are".to_owned()
    }

    fn heard(&self, reply: &Reply<Plain>) -> String {
        match reply {
            Ok(all) => {
                let one =
                    |candidate: &Candidate<Plain>| format!("{} ({})", candidate.target.name, candidate.load);
                all.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Err(why) => format!("failed: {why}"),
        }
    }

    fn sees(&self, event: &Event<Object<Plain>>) {
        {
            let mut known = self.known();
            match event {
                Event::Listed(kind, all) => {
                    match kind {
                        Kind::Target => known.targets.clear(),
                        Kind::Placement => known.desired.clear(),
                        Kind::Volume | Kind::Claim => return,
                    }
                    all.iter().for_each(|object| known.put(object));
                }
                Event::Put(object) => known.put(object),
                Event::Gone(object) => known.remove(object),
                Event::ListBegins(_) => {}
            }
        }
        self.gauges.see(event);
    }
}

#[cfg(test)]
mod tests {
    use bowline_runtime::Wire as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::placements::PlacementWire;

    fn object(kind: Kind, namespace: Option<&str>, name: &str, rest: (&str, Value)) -> Object<Plain> {
        let mut object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": format!("{kind:?}"),
            "metadata": { "name": name, "namespace": namespace, "uid": name, "resourceVersion": "7" }, "spec": {},
        });
        object[rest.0] = rest.1;
        let raw = serde_json::from_value(object).expect("an object");
        PlacementWire.read(kind, &raw).expect("an object of the protocol")
    }

    fn target(name: &str) -> Object<Plain> {
        object(Kind::Target, None, name, ("spec", json!({ "cluster": name })))
    }

    fn placement(namespace: &str, desired: Option<&str>) -> Object<Plain> {
        let status = desired.map_or(json!({}), |desired| json!({ "desired": desired }));
        object(Kind::Placement, Some(namespace), "placement", ("status", status))
    }

    async fn said(roll: &Roll) -> String {
        roll.heard(&roll.call(Survey, &Mandate::always()).await)
    }

    #[tokio::test]
    async fn all_targets_are_there_with_what_is_to_be_on_them() {
        let roll = Roll::new(&Metrics::new());
        roll.sees(&Event::Listed(Kind::Target, vec![target("east"), target("west")]));
        let placed = vec![placement("a", Some("east")), placement("b", Some("east")), placement("c", None)];
        roll.sees(&Event::Listed(Kind::Placement, placed));
        assert_eq!(said(&roll).await, "east (2), west (0)");
        roll.sees(&Event::Put(placement("b", Some("west"))));
        roll.sees(&Event::Gone(placement("a", Some("east"))));
        roll.sees(&Event::Listed(Kind::Claim, Vec::new()));
        assert_eq!(said(&roll).await, "east (0), west (1)");
        roll.sees(&Event::Gone(target("east")));
        roll.sees(&Event::Listed(Kind::Placement, Vec::new()));
        assert_eq!(said(&roll).await, "west (0)");
    }
}
