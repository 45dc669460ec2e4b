//! Jobs, and what makes them in time.

mod schedule;

use serde_json::{Value, json};

use super::check::Check;
use super::{pod, selectors};
use crate::builtin::fields::{flag, list, maybe_object, maybe_text, number, object, objects, text};
use crate::document::Json;
use crate::metadata::{self, names};

/// A job.
pub(super) fn job(check: &mut Check, json: &Json) {
    generated_labels(check, json);
    whole_spec(check, object(json, "spec"));
    let spec = object(json, "spec");
    let completions = number(spec, "completions").unwrap_or(0);
    if text(spec, "completionMode") == "Indexed" && completions > 0 {
        let name = text(object(json, "metadata"), "name");
        let host = format!("{name}-{}", completions - 1);
        if !names::label(&host).is_empty() {
            let why = format!("will not able to create pod with invalid DNS label: {host}");
            check.invalid("metadata.name", name, why);
        }
    }
}

/// Who lets the selector be generated may not say the labels that it selects by.
fn generated_labels(check: &mut Check, json: &Json) {
    let (metadata, spec) = (object(json, "metadata"), object(json, "spec"));
    if flag(spec, "manualSelector") || maybe_object(spec, "selector").is_none() {
        return;
    }
    let labels = object(object(object(spec, "template"), "metadata"), "labels");
    let uid = text(metadata, "uid");
    if uid.is_empty() {
        return;
    }
    let expected = [
        ("controller-uid", uid),
        ("batch.kubernetes.io/controller-uid", uid),
        ("job-name", text(metadata, "name")),
        ("batch.kubernetes.io/job-name", text(metadata, "name")),
    ];
    for (label, value) in expected {
        let path = "spec.template.metadata.labels";
        match labels.get(label).and_then(Value::as_str) {
            Some(found) if found == value => {}
            Some(_) => check.invalid(path, json!(labels), format!("must be '{value}'")),
            None => check.required(path, &format!("must be '{value}'")),
        }
    }
    let generated = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}});
    if spec.get("selector") != Some(&generated) {
        let written = super::workloads::selector_as_go(spec.get("selector"));
        check.invalid_struct("spec.selector", &written, "`selector` not auto-generated");
    }
}

fn whole_spec(check: &mut Check, spec: &Json) {
    job_spec(check, spec, "spec");
    if maybe_object(spec, "selector").is_none() {
        check.required("spec.selector", "");
    }
    selectors::labels(check, spec.get("selector"), "spec.selector");
    let labels = object(object(object(spec, "template"), "metadata"), "labels");
    if selectors::matches(spec.get("selector"), labels) == Some(false) {
        let value = if labels.is_empty() { Value::Null } else { json!(labels) };
        check.invalid("spec.template.metadata.labels", value, "`selector` does not match template `labels`");
    }
}

fn job_spec(check: &mut Check, spec: &Json, path: &str) {
    const NUMBERS: [&str; 7] = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    for name in NUMBERS {
        check.field_not_negative(spec, path, name);
    }
    if spec.contains_key("maxFailedIndexes") && !spec.contains_key("backoffLimitPerIndex") {
        check.required(format!("{path}.backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    completion(check, spec, path);
    if let Some(policy) = maybe_object(spec, "podFailurePolicy") {
        failure_policy(check, policy, &format!("{path}.podFailurePolicy"));
    }
    replacement(check, spec, path);
    let template = object(spec, "template");
    pod::template(check, template, &format!("{path}.template"));
    let at = format!("{path}.template.spec.restartPolicy");
    match text(object(template, "spec"), "restartPolicy") {
        "Always" | "" => check.required(at, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" if spec.contains_key("podFailurePolicy") => {
            let why = "only \"Never\" is supported when podFailurePolicy is specified";
            check.invalid(at, "OnFailure", why);
        }
        "OnFailure" => {}
        policy => check.one_of(at, policy, &["OnFailure", "Never"]),
    }
}

fn completion(check: &mut Check, spec: &Json, path: &str) {
    let mode = maybe_text(spec, "completionMode");
    if let Some(mode) = mode {
        check.one_of(format!("{path}.completionMode"), mode, &["NonIndexed", "Indexed"]);
    }
    if mode == Some("Indexed") {
        let completions = number(spec, "completions");
        if completions.is_none() {
            check.required(format!("{path}.completions"), "when completion mode is Indexed");
        }
        if let Some(parallelism) = number(spec, "parallelism").filter(|parallelism| *parallelism > 100_000) {
            let why = "must be less than or equal to 100000 when completion mode is Indexed";
            check.invalid(format!("{path}.parallelism"), parallelism, why);
        }
        if let (Some(completions), Some(most)) = (completions, number(spec, "maxFailedIndexes"))
            && most > completions
        {
            check.invalid(
                format!("{path}.maxFailedIndexes"),
                most,
                "must be less than or equal to completions",
            );
        }
    }
    if matches!(mode, None | Some("NonIndexed")) {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if let Some(value) = number(spec, name) {
                check.invalid(format!("{path}.{name}"), value, "requires indexed completion mode");
            }
        }
    }
}

fn failure_policy(check: &mut Check, policy: &Json, path: &str) {
    const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
    for (index, rule) in objects(policy, "rules").enumerate() {
        let path = format!("{path}.rules[{index}]");
        match text(rule, "action") {
            "" => check.required(
                format!("{path}.action"),
                "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]",
            ),
            action => check.one_of(format!("{path}.action"), action, &ACTIONS),
        }
        let (codes, conditions) = (maybe_object(rule, "onExitCodes"), list(rule, "onPodConditions"));
        if let Some(codes) = codes {
            let path = format!("{path}.onExitCodes");
            match text(codes, "operator") {
                "" => check.required(format!("{path}.operator"), "valid values: [\"In\" \"NotIn\"]"),
                operator => check.one_of(format!("{path}.operator"), operator, &["In", "NotIn"]),
            }
            if list(codes, "values").is_empty() {
                let why = "at least one value is required";
                check.push(bowline_merge::FieldError::invalid(format!("{path}.values"), json!([]), why));
            }
        }
        if codes.is_some() && !conditions.is_empty() {
            let why = "specifying both OnExitCodes and OnPodConditions is not supported";
            check.invalid(path, Value::Null, why);
        } else if codes.is_none() && conditions.is_empty() {
            let why = "specifying one of OnExitCodes and OnPodConditions is required";
            check.invalid(path, Value::Null, why);
        }
    }
}

fn replacement(check: &mut Check, spec: &Json, path: &str) {
    let Some(policy) = maybe_text(spec, "podReplacementPolicy") else { return };
    let path = format!("{path}.podReplacementPolicy");
    if spec.contains_key("podFailurePolicy") {
        check.one_of(path, policy, &["Failed"]);
    } else {
        check.one_of(path, policy, &["Failed", "TerminatingOrFailed"]);
    }
}

/// What changes of a job.
pub(super) fn job_update(check: &mut Check, new: &Json, old: &Json) {
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    whole_spec(check, now);
    completions_update(check, now, then);
    check.unchanged("spec.selector", now.get("selector"), then.get("selector"));
    template_update(check, now, object(old, "status"), then);
    for name in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] {
        check.unchanged(&format!("spec.{name}"), now.get(name), then.get(name));
    }
}

fn completions_update(check: &mut Check, now: &Json, then: &Json) {
    let (new, old) = (number(now, "completions"), number(then, "completions"));
    if new == old {
        return;
    }
    let value = now.get("completions").cloned().unwrap_or(Value::Null);
    if text(now, "completionMode") != "Indexed" {
        return check.push(metadata::immutable("spec.completions", value));
    }
    if new.is_none() || old.is_none() || new != number(now, "parallelism") {
        check.invalid("spec.completions", value, "can only be modified in tandem with spec.parallelism");
    }
}

/// The template of a job that is suspended, and was never started, says where its pods may run.
fn template_update(check: &mut Check, now: &Json, status: &Json, then: &Json) {
    let (mut new, old) = (object(now, "template").clone(), object(then, "template"));
    if flag(then, "suspend") && !status.contains_key("startTime") {
        if let Some(spec) = new.get_mut("spec").and_then(Value::as_object_mut) {
            for name in ["affinity", "nodeSelector", "tolerations", "schedulingGates"] {
                crate::builtin::fields::copy(spec, object(old, "spec"), name);
            }
        }
        for part in ["annotations", "labels"] {
            let kept = object(old, "metadata").get(part).cloned();
            if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
                match kept {
                    Some(kept) => drop(metadata.insert(part.into(), kept)),
                    None => drop(metadata.remove(part)),
                }
            }
        }
    }
    if new != *old {
        check.push(metadata::immutable("spec.template", Value::Object(object(now, "template").clone())));
    }
}

/// A cron job.
pub(super) fn cron_job(check: &mut Check, json: &Json, old: Option<&Json>) {
    const MOST: usize = 52;
    let spec = object(json, "spec");
    match text(spec, "schedule") {
        "" => check.required("spec.schedule", ""),
        cron => {
            if let Err(why) = schedule::parse(cron) {
                check.invalid("spec.schedule", cron, why);
            }
            let tolerated = old.is_some_and(|old| text(object(old, "spec"), "schedule").contains("TZ"));
            if cron.contains("TZ") && !tolerated {
                let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
                check.invalid("spec.schedule", cron, why);
            }
        }
    }
    check.field_not_negative(spec, "spec", "startingDeadlineSeconds");
    if let Some(zone) = maybe_text(spec, "timeZone") {
        time_zone(check, zone);
    }
    match text(spec, "concurrencyPolicy") {
        "" => check.required("spec.concurrencyPolicy", ""),
        policy => check.one_of("spec.concurrencyPolicy", policy, &["Allow", "Forbid", "Replace"]),
    }
    let template = object(object(spec, "jobTemplate"), "spec");
    job_spec(check, template, "spec.jobTemplate.spec");
    if let Some(selector) = template.get("selector") {
        check.invalid(
            "spec.jobTemplate.spec.selector",
            selector.clone(),
            "`selector` will be auto-generated",
        );
    }
    if flag(template, "manualSelector") {
        let error = bowline_merge::FieldError::not_supported(
            "spec.jobTemplate.spec.manualSelector",
            true,
            &["nil", "false"],
        );
        check.push(error);
    }
    check.field_not_negative(spec, "spec", "successfulJobsHistoryLimit");
    check.field_not_negative(spec, "spec", "failedJobsHistoryLimit");
    // The names of its jobs have eleven characters more.
    let name = text(object(json, "metadata"), "name");
    if old.is_none() && name.len() > MOST {
        check.invalid("metadata.name", name, format!("must be no more than {MOST} characters"));
    }
}

fn time_zone(check: &mut Check, zone: &str) {
    let wrong = |part: &str| {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
        part.is_empty() || part.len() > 14 || part.starts_with('-') || !part.bytes().all(valid)
    };
    if zone.is_empty() {
        check.invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string");
    } else if zone.split('/').any(wrong) || jiff::tz::TimeZone::get(zone).is_err() {
        check.invalid("spec.timeZone", zone, format!("unknown time zone {zone}"));
    }
}
