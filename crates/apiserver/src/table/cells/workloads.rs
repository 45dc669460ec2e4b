//! What makes pods, and keeps them.

use serde_json::Value;

use super::pods::has_condition;
use super::{Object, any_text, human_duration, selector, text_of};
use crate::time::Moment;

pub(super) fn of(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    Some(match plural {
        "deployments" => deployment(object),
        "replicasets" => replicas(object, selector::format(object.at("spec.selector"))),
        "replicationcontrollers" => replicas(object, selector::labels(object.at("spec.selector"))),
        "statefulsets" => {
            let ready = ready_of(object);
            let [names, images] = object.containers(CONTAINERS);
            vec![object.name(), ready, object.age(), names, images]
        }
        "daemonsets" => daemon_set(object),
        "jobs" => job(object),
        "cronjobs" => cron_job(object),
        "podtemplates" => {
            let [names, images] = object.containers("template.spec.containers");
            let labels = selector::labels(object.at("template.metadata.labels"));
            vec![object.name(), names, images, labels.into()]
        }
        "controllerrevisions" => {
            let revision = object.number("revision").into();
            vec![object.name(), controller(object).into(), revision, object.age()]
        }
        "poddisruptionbudgets" => {
            let bound = |path| object.at(path).map_or_else(|| "N/A".to_owned(), any_text).into();
            let (least, most) = (bound("spec.minAvailable"), bound("spec.maxUnavailable"));
            vec![object.name(), least, most, object.number("status.disruptionsAllowed").into(), object.age()]
        }
        _ => return None,
    })
}

const CONTAINERS: &str = "spec.template.spec.containers";

fn ready_of(object: &Object<'_>) -> Value {
    format!("{}/{}", object.number("status.readyReplicas"), object.number("spec.replicas")).into()
}

fn deployment(object: &Object<'_>) -> Vec<Value> {
    let [names, images] = object.containers(CONTAINERS);
    let selector = selector::plain(object.at("spec.selector")).unwrap_or_else(|| "<invalid>".to_owned());
    vec![
        object.name(),
        ready_of(object),
        object.number("status.updatedReplicas").into(),
        object.number("status.availableReplicas").into(),
        object.age(),
        names,
        images,
        selector.into(),
    ]
}

fn replicas(object: &Object<'_>, selector: String) -> Vec<Value> {
    let [names, images] = object.containers(CONTAINERS);
    vec![
        object.name(),
        object.number("spec.replicas").into(),
        object.number("status.replicas").into(),
        object.number("status.readyReplicas").into(),
        object.age(),
        names,
        images,
        selector.into(),
    ]
}

fn daemon_set(object: &Object<'_>) -> Vec<Value> {
    let counts = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    ];
    let mut cells = vec![object.name()];
    cells.extend(counts.map(|name| Value::from(object.number(&format!("status.{name}")))));
    cells.push(selector::labels(object.at("spec.template.spec.nodeSelector")).into());
    cells.push(object.age());
    cells.extend(object.containers(CONTAINERS));
    cells.push(selector::format(object.at("spec.selector")).into());
    cells
}

fn job(object: &Object<'_>) -> Vec<Value> {
    let done = object.number("status.succeeded");
    let completions = match (object.at("spec.completions"), object.number("spec.parallelism")) {
        (Some(wanted), _) => format!("{done}/{wanted}"),
        (None, parallelism) if parallelism > 1 => format!("{done}/1 of {parallelism}"),
        (None, _) => format!("{done}/1"),
    };
    let moment = |path| Moment::parse(object.text(path));
    let duration = moment("status.startTime").map_or_else(String::new, |start| {
        let end = moment("status.completionTime").unwrap_or(object.now);
        human_duration(end.since_s(start))
    });
    let mut cells =
        vec![object.name(), job_state(object).into(), completions.into(), duration.into(), object.age()];
    cells.extend(object.containers(CONTAINERS));
    cells.push(selector::format(object.at("spec.selector")).into());
    cells
}

fn job_state(object: &Object<'_>) -> &'static str {
    let conditions = object.list("status.conditions");
    let first = |names: &[&'static str]| names.iter().copied().find(|name| has_condition(conditions, name));
    let ended = first(&["Complete", "Failed"]).or(object.is_going().then_some("Terminating"));
    ended.or(first(&["Suspended", "FailureTarget", "SuccessCriteriaMet"])).unwrap_or("Running")
}

fn cron_job(object: &Object<'_>) -> Vec<Value> {
    let last = object.at("status.lastScheduleTime").map(|_| object.since("status.lastScheduleTime"));
    let suspended = match object.flag("spec.suspend") {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let mut cells = vec![
        object.name(),
        object.text("spec.schedule").into(),
        object.text_or("spec.timeZone", "<none>").into(),
        suspended.into(),
        object.count("status.active").into(),
        last.unwrap_or_else(|| "<none>".to_owned()).into(),
        object.age(),
    ];
    cells.extend(object.containers("spec.jobTemplate.spec.template.spec.containers"));
    cells.push(selector::format(object.at("spec.jobTemplate.spec.selector")).into());
    cells
}

fn controller(object: &Object<'_>) -> String {
    let owners = object.list("metadata.ownerReferences");
    let Some(owner) = owners.iter().find(|owner| owner["controller"] == true) else {
        return "<none>".to_owned();
    };
    let kind = text_of(owner, "kind");
    let kind = match text_of(owner, "apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind.to_owned(),
    };
    format!("{}/{}", kind.to_lowercase(), text_of(owner, "name"))
}
