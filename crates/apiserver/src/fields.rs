//! By which fields the objects of a kind can be selected.

use bowline_kernel::Object;
use bowline_kernel::selector::Fields;
use serde_json::Value;

use crate::document::Document;
use crate::kinds::Kind;
use crate::status::Status;

/// The fields of the built-in kinds, beside name and namespace.
const BUILT_IN: &[(&str, &str, &[&str])] = &[
    (
        "events.k8s.io",
        "events",
        &[
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
            "type",
        ],
    ),
    (
        "",
        "events",
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    ("", "namespaces", &["status.phase", "name"]),
    ("", "nodes", &["spec.unschedulable"]),
    (
        "",
        "pods",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
    ),
    ("", "replicationcontrollers", &["status.replicas"]),
    ("", "secrets", &["type"]),
    ("", "services", &["spec.clusterIP", "spec.type"]),
    ("apps", "replicasets", &["status.replicas"]),
    ("batch", "jobs", &["status.successful"]),
    ("certificates.k8s.io", "certificatesigningrequests", &["spec.signerName"]),
];

fn extra(group: &str, plural: &str) -> &'static [&'static str] {
    BUILT_IN.iter().find(|(of, name, _)| *of == group && *name == plural).map_or(&[], |(_, _, fields)| fields)
}

/// Whether the kind can be selected by `field`.
///
/// # Errors
/// If not, in the words of the real server.
pub(crate) fn check(kind: &Kind, field: &str) -> Result<(), Status> {
    if matches!(field, "metadata.name" | "metadata.namespace") {
        return Ok(());
    }
    if let Some(custom) = &kind.custom {
        let known = custom.selectable().iter().any(|path| path == field);
        return if known { Ok(()) } else { Err(unsupported(field)) };
    }
    let fields = extra(&kind.group, &kind.plural);
    if fields.contains(&field) {
        return Ok(());
    }
    Err(if fields.is_empty() {
        Status::bad_request(format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ))
    } else {
        unsupported(field)
    })
}

fn unsupported(field: &str) -> Status {
    Status::bad_request(format!("field label not supported: {field}"))
}

/// Whether a field stands in the JSON of an object only: to read that takes a while.
pub(crate) fn is_read(field: &str) -> bool {
    !matches!(field, "metadata.name" | "metadata.namespace")
}

/// Whether the object has the fields that are asked for.
pub(crate) fn matches(fields: &Fields, document: &Document) -> bool {
    let key = document.key();
    // Most selectors name the object; its JSON is read only for others.
    let by_name = fields.requirements().iter().all(|requirement| {
        let found = match requirement.field.as_str() {
            "metadata.name" => &*key.name,
            "metadata.namespace" => &*key.namespace,
            _ => return true,
        };
        (found == requirement.value) != requirement.negated
    });
    if !by_name || !fields.requirements().iter().any(|requirement| is_read(&requirement.field)) {
        return by_name;
    }
    let json = Value::Object(document.json());
    fields.requirements().iter().filter(|requirement| is_read(&requirement.field)).all(|requirement| {
        (value(&json, key.resource.plural(), &requirement.field) == requirement.value) != requirement.negated
    })
}

/// The value of a field as selectors compare it: text; empty if it is not there.
fn value(json: &Value, plural: &str, field: &str) -> String {
    let at = |path: &str| path.split('.').try_fold(json, |json, part| json.get(part));
    let found = match (plural, field) {
        // Events are kept in the older form.
        ("events", "reportingController") => at("reportingComponent"),
        ("events", field) if field.starts_with("regarding.") => {
            at(&field.replacen("regarding", "involvedObject", 1))
        }
        ("events", "source") => at("source.component").or_else(|| at("reportingComponent")),
        ("namespaces", "name") => at("metadata.name"),
        ("jobs", "status.successful") => at("status.succeeded"),
        _ => at(field),
    };
    match found {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => match (plural, field) {
            ("pods", "spec.hostNetwork") | ("nodes", "spec.unschedulable") => "false".to_owned(),
            ("jobs" | "replicasets" | "replicationcontrollers", _) => "0".to_owned(),
            _ => String::new(),
        },
    }
}
