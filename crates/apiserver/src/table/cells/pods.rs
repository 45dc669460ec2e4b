//! Pods.

use serde_json::Value;

use super::{Object, number_of, text_of};

/// What the containers of a pod make of it.
struct Summary {
    reason: String,
    restarts: i64,
    /// The latest restart.
    restarted: String,
    ready: i64,
}

pub(super) fn of(pod: &Object<'_>) -> Vec<Value> {
    let phase = pod.text("status.phase");
    let mut reason = pod.text_or("status.reason", phase);
    let conditions = pod.list("status.conditions");
    if conditions
        .iter()
        .any(|c| text_of(c, "type") == "PodScheduled" && text_of(c, "reason") == "SchedulingGated")
    {
        reason = "SchedulingGated";
    }
    let helpers = pod.list("spec.initContainers").iter().filter(|container| is_helper(container)).count();
    let total = pod.list("spec.containers").len() + helpers;
    let mut summary = Summary { reason: reason.to_owned(), restarts: 0, restarted: String::new(), ready: 0 };
    let of_helpers = initialize(pod, &mut summary);
    if of_helpers.is_done || has_condition(conditions, "Initialized") {
        summary.restarts = of_helpers.restarts;
        summary.restarted = of_helpers.restarted;
        run(pod, &mut summary);
    }
    if pod.is_going() && pod.text("status.reason") == "NodeLost" {
        summary.reason = "Unknown".to_owned();
    } else if pod.is_going() && !matches!(phase, "Succeeded" | "Failed") {
        summary.reason = "Terminating".to_owned();
    }
    let restarts = match pod.ago(&summary.restarted) {
        Some(ago) if summary.restarts != 0 => format!("{} ({ago} ago)", summary.restarts),
        _ => summary.restarts.to_string(),
    };
    let ready = format!("{}/{total}", summary.ready);
    let mut cells = vec![pod.name(), ready.into(), summary.reason.into(), restarts.into(), pod.age()];
    cells.extend(wide(pod, conditions));
    cells
}

fn wide(pod: &Object<'_>, conditions: &[Value]) -> [Value; 4] {
    let address = pod.list("status.podIPs").first().map(|address| text_of(address, "ip")).unwrap_or_default();
    let gates = pod.list("spec.readinessGates");
    let open = gates.iter().filter(|gate| has_condition(conditions, text_of(gate, "conditionType"))).count();
    let gates = if gates.is_empty() { "<none>".to_owned() } else { format!("{open}/{}", gates.len()) };
    [
        if address.is_empty() { "<none>".into() } else { address.into() },
        pod.text_or("spec.nodeName", "<none>").into(),
        pod.text_or("status.nominatedNodeName", "<none>").into(),
        gates.into(),
    ]
}

/// What the init containers that go on running count for.
#[derive(Default)]
struct Helpers {
    restarts: i64,
    restarted: String,
    is_done: bool,
}

fn initialize(pod: &Object<'_>, summary: &mut Summary) -> Helpers {
    let specs = pod.list("spec.initContainers");
    let mut helpers = Helpers { is_done: true, ..Helpers::default() };
    for (index, status) in pod.list("status.initContainerStatuses").iter().enumerate() {
        let spec = specs.iter().find(|spec| text_of(spec, "name") == text_of(status, "name"));
        let helps = spec.is_some_and(is_helper);
        summary.count_restarts(status);
        if helps {
            helpers.restarts += number_of(status, "restartCount");
            latest(&mut helpers.restarted, last_end(status));
        }
        let terminated = &status["state"]["terminated"];
        let waiting = text_of(&status["state"]["waiting"], "reason");
        if terminated.is_object() && number_of(terminated, "exitCode") == 0 {
            continue;
        }
        if helps && status["started"] == true {
            summary.ready += i64::from(status["ready"] == true);
            continue;
        }
        let why = if terminated.is_object() {
            ending(terminated)
        } else if !waiting.is_empty() && waiting != "PodInitializing" {
            waiting.to_owned()
        } else {
            format!("{index}/{}", specs.len())
        };
        summary.reason = format!("Init:{why}");
        helpers.is_done = false;
        break;
    }
    helpers
}

fn run(pod: &Object<'_>, summary: &mut Summary) {
    let mut is_running = false;
    for status in pod.list("status.containerStatuses").iter().rev() {
        summary.count_restarts(status);
        let state = &status["state"];
        let waiting = text_of(&state["waiting"], "reason");
        if !waiting.is_empty() {
            waiting.clone_into(&mut summary.reason);
        } else if state["terminated"].is_object() {
            summary.reason = ending(&state["terminated"]);
        } else if status["ready"] == true && state["running"].is_object() {
            is_running = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" && is_running {
        let is_ready = has_condition(pod.list("status.conditions"), "Ready");
        summary.reason = if is_ready { "Running" } else { "NotReady" }.to_owned();
    }
}

impl Summary {
    fn count_restarts(&mut self, status: &Value) {
        self.restarts += number_of(status, "restartCount");
        latest(&mut self.restarted, last_end(status));
    }
}

fn last_end(status: &Value) -> &str {
    text_of(&status["lastState"]["terminated"], "finishedAt")
}

/// Moments are written so that the later one is the greater text.
fn latest(known: &mut String, moment: &str) {
    if moment > known.as_str() {
        moment.clone_into(known);
    }
}

fn ending(terminated: &Value) -> String {
    match (text_of(terminated, "reason"), number_of(terminated, "signal")) {
        ("", 0) => format!("ExitCode:{}", number_of(terminated, "exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn is_helper(container: &Value) -> bool {
    text_of(container, "restartPolicy") == "Always"
}

pub(super) fn has_condition(conditions: &[Value], name: &str) -> bool {
    let found = conditions.iter().find(|condition| text_of(condition, "type") == name);
    found.is_some_and(|condition| text_of(condition, "status") == "True")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::time::Moment;

    fn check(spec: Value, status: Value, expected: &str) {
        let pod = json!({
            "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": spec, "status": status,
        });
        let now = Moment::parse("2026-01-01T00:05:00Z").unwrap_or_else(Moment::now);
        let json = pod.as_object().cloned().unwrap_or_default();
        let cells = of(&Object { json: &json, now });
        let cells: Vec<_> = cells[1..4].iter().filter_map(Value::as_str).collect();
        assert_eq!(cells.join(" | "), expected);
    }

    #[test]
    fn the_state_of_a_pod_is_that_of_its_containers() {
        let one = json!({"containers": [{"name": "a"}]});
        let with_init =
            json!({"containers": [{"name": "a"}], "initContainers": [{"name": "i"}, {"name": "j"}]});
        let helped = json!({"containers": [{"name": "a"}],
                            "initContainers": [{"name": "i", "restartPolicy": "Always"}]});
        check(one.clone(), json!({"phase": "Pending"}), "0/1 | Pending | 0");
        let running = json!({"phase": "Running", "containerStatuses": [
            {"name": "a", "ready": true, "state": {"running": {}}, "restartCount": 2,
             "lastState": {"terminated": {"finishedAt": "2026-01-01T00:03:00Z"}}}]});
        check(one.clone(), running, "1/1 | Running | 2 (2m ago)");
        let crash = json!({"phase": "Running", "containerStatuses": [
            {"name": "a", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]});
        check(one.clone(), crash, "0/1 | CrashLoopBackOff | 0");
        let killed = json!({"phase": "Failed", "containerStatuses": [
            {"name": "a", "state": {"terminated": {"signal": 9, "exitCode": 137}}}]});
        check(one, killed, "0/1 | Signal:9 | 0");
        let init = json!({"phase": "Pending", "initContainerStatuses": [
            {"name": "i", "state": {"terminated": {"exitCode": 0}}},
            {"name": "j", "state": {"waiting": {"reason": "PodInitializing"}}}]});
        check(with_init.clone(), init, "0/1 | Init:1/2 | 0");
        let failed = json!({"phase": "Pending", "initContainerStatuses": [
            {"name": "i", "restartCount": 3, "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]});
        check(with_init, failed, "0/1 | Init:Error | 3");
        let helper = json!({"phase": "Running",
            "initContainerStatuses": [{"name": "i", "started": true, "ready": true, "state": {"running": {}}}],
            "containerStatuses": [{"name": "a", "ready": true, "state": {"running": {}}}]});
        check(helped, helper, "2/2 | Running | 0");
    }
}
