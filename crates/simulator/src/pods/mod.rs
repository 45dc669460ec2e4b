//! Pods: they get their node, and are at once what they will be. Nothing runs.

mod fate;
mod make;
mod seen;
mod status;

use bowline_control::Decision;

pub(crate) use make::{Template, free_name, make};
pub(crate) use seen::{Seen, available_at};
pub(crate) use status::{NODE_ADDRESS, status};

use crate::step::{Bind, Choice, Step, delete, wait};
use crate::thing::Thing;

/// What is to be done about a pod.
pub(crate) fn decide(pod: &Thing) -> Choice {
    if pod.deleting {
        // There is nothing that would need its time to end.
        return if pod.grace_s > 0 { delete(pod) } else { wait("others to let the pod go") };
    }
    if !pod.spec()["nodeName"].is_string() {
        let gates = pod.spec()["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty());
        if gates {
            return wait("somebody to open the pod's scheduling gates");
        }
        return Decision::Do(Step::Bind(Bind { pod: pod.id.clone(), uid: pod.uid.clone() }));
    }
    Decision::Converged
}

/// The claims that a pod uses.
pub(crate) fn claims(pod: &Thing) -> impl Iterator<Item = &str> {
    let volumes = pod.spec()["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
}
