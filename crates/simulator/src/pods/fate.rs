//! What becomes of a pod.

use crate::thing::{Kind, Thing};

/// What people write at a pod, or at the template of one, to have it go wrong.
const ANNOTATION: &str = "bowline.dev/simulate";

/// What becomes of a pod.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It runs, and is ready.
    Ready,
    /// It runs, and is never ready.
    Unready,
    /// It crashes again and again.
    CrashLoop,
    /// It has ended well.
    Succeeded,
    /// It has ended badly.
    Failed,
}

/// What becomes of a pod. What has ended stays as it ended.
pub(crate) fn fate(pod: &Thing) -> Fate {
    match pod.status["phase"].as_str() {
        Some("Succeeded") => return Fate::Succeeded,
        Some("Failed") => return Fate::Failed,
        _ => {}
    }
    let restarts = pod.spec()["restartPolicy"].as_str().is_none_or(|policy| policy == "Always");
    match pod.annotations.get(ANNOTATION).map(String::as_str) {
        Some("never-ready") => Fate::Unready,
        Some("crash-loop") => Fate::CrashLoop,
        // What is always started again never ends: its owner would replace it for ever.
        Some("failed") if restarts => Fate::CrashLoop,
        Some("failed") => Fate::Failed,
        _ if !restarts && pod.owner.as_ref().is_some_and(|owner| owner.kind == Kind::Job.name()) => {
            Fate::Succeeded
        }
        _ => Fate::Ready,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::thing::Id;

    fn pod(policy: &str, annotation: Option<&str>, of_a_job: bool) -> Thing {
        let job = Thing::blank(Id::new(Kind::Job, "ns", "j"), json!({}));
        let spec = json!({"spec": {"restartPolicy": policy}});
        let pod = Thing::child(&job, Kind::Pod, "p", spec);
        pod.edit(|pod| {
            pod.owner = pod.owner.take().filter(|_| of_a_job);
            pod.annotations.extend(annotation.map(|value| (ANNOTATION.to_owned(), value.to_owned())));
        })
    }

    #[test]
    fn a_pod_is_ready_unless_somebody_says_otherwise() {
        assert_eq!(fate(&pod("Always", None, false)), Fate::Ready);
        assert_eq!(fate(&pod("Never", None, false)), Fate::Ready);
        assert_eq!(fate(&pod("Always", Some("never-ready"), false)), Fate::Unready);
        assert_eq!(fate(&pod("Always", Some("crash-loop"), false)), Fate::CrashLoop);
        assert_eq!(fate(&pod("Always", Some("typo"), false)), Fate::Ready);
    }

    #[test]
    fn only_what_is_not_started_again_ends() {
        assert_eq!(fate(&pod("Never", None, true)), Fate::Succeeded);
        assert_eq!(fate(&pod("OnFailure", Some("failed"), true)), Fate::Failed);
        assert_eq!(fate(&pod("Always", Some("failed"), false)), Fate::CrashLoop);
        let ended = pod("Never", None, true).edit(|pod| pod.status = json!({"phase": "Failed"}));
        assert_eq!(fate(&ended), Fate::Failed);
    }
}
