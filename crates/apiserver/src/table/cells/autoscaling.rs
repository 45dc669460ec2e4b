//! Autoscalers, and the scale that they set.

use serde_json::Value;

use super::{Object, any_text, text_of};

pub(super) fn of(kind: &str, object: &Object<'_>) -> Vec<Value> {
    match kind {
        "Scale" => {
            let [wanted, found] = ["spec.replicas", "status.replicas"].map(|path| object.number(path).into());
            vec![object.name(), wanted, found, object.age()]
        }
        _ => autoscaler(object),
    }
}

fn autoscaler(object: &Object<'_>) -> Vec<Value> {
    let target =
        format!("{}/{}", object.text("spec.scaleTargetRef.kind"), object.text("spec.scaleTargetRef.name"));
    let least = object.at("spec.minReplicas").map_or_else(|| "<unset>".to_owned(), Value::to_string);
    vec![
        object.name(),
        target.into(),
        metrics(object.list("spec.metrics"), object.list("status.currentMetrics")).into(),
        least.into(),
        object.number("spec.maxReplicas").into(),
        object.number("status.currentReplicas").into(),
        object.age(),
    ]
}

fn metrics(wanted: &[Value], current: &[Value]) -> String {
    const MOST: usize = 2;
    if wanted.is_empty() {
        return "<none>".to_owned();
    }
    let shown =
        wanted.iter().enumerate().take(MOST).map(|(index, wanted)| metric(wanted, current.get(index)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    if wanted.len() > MOST { format!("{shown} + {} more...", wanted.len() - MOST) } else { shown }
}

fn metric(wanted: &Value, current: Option<&Value>) -> String {
    let source = match text_of(wanted, "type") {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".to_owned(),
    };
    let target = |name: &str| wanted.get(source)?.get("target")?.get(name);
    let current = |name: &str| current?.get(source)?.get("current")?.get(name);
    let is_of_resource = matches!(source, "resource" | "containerResource");
    let percent = |value: &Value| format!("{value}%");
    let unknown = || "<unknown>".to_owned();
    let (now, goal, average) = match target("averageValue") {
        Some(goal) => {
            let now = current("averageValue").map_or_else(unknown, any_text);
            (now, any_text(goal), if matches!(source, "external" | "object") { " (avg)" } else { "" })
        }
        None if is_of_resource => {
            let now = current("averageUtilization").map_or_else(unknown, percent);
            (now, target("averageUtilization").map_or_else(|| "<auto>".to_owned(), percent), "")
        }
        None => {
            let now = current("value").map_or_else(unknown, any_text);
            (now, target("value").map_or_else(|| "0".to_owned(), any_text), "")
        }
    };
    match is_of_resource {
        true => format!("{}: {now}/{goal}", text_of(&wanted[source], "name")),
        false => format!("{now}/{goal}{average}"),
    }
}
