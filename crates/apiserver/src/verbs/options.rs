//! The options of writes.

use bowline_kernel::Propagation;
use bowline_merge::{Cause, FieldError};
use serde_json::{Value, json};

use crate::document::Json;
use crate::field_validation::FieldValidation;
use crate::query::Query;
use crate::status::Status;

/// The options of a write.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteOptions {
    /// Everything is done but the write itself.
    pub dry_run: bool,
    /// Who writes, as `managedFields` names it; empty if the client does not say.
    pub manager: String,
    /// What is done about fields that nobody knows.
    pub validation: FieldValidation,
    /// For apply: take over what others own.
    pub force: Option<bool>,
}

const MANAGER_LENGTH: usize = 128;

impl WriteOptions {
    /// Reads the options, which Kubernetes calls `kind`: `CreateOptions`, `UpdateOptions`, `PatchOptions`.
    ///
    /// # Errors
    /// If they are not valid.
    pub(crate) fn parse(query: &Query, kind: &str, apply: bool) -> Result<WriteOptions, Status> {
        let mut errors = Vec::new();
        let force = query.optional_flag("force");
        let manager = query.get("fieldManager");
        if kind == "PatchOptions" {
            if !apply && force.is_some() {
                errors.push(FieldError::forbidden("force", "may not be specified for non-apply patch"));
            }
            if apply && manager.is_empty() {
                errors.push(FieldError::required("fieldManager", "is required for apply patch"));
            }
        }
        check_manager(manager, &mut errors);
        let dry_run = dry_run(query.all("dryRun"), &mut errors);
        let validation = match query.get("fieldValidation") {
            "Ignore" => FieldValidation::Ignore,
            "" | "Warn" => FieldValidation::Warn,
            "Strict" => FieldValidation::Strict,
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                errors.push(FieldError::not_supported("fieldValidation", other, &supported));
                FieldValidation::Warn
            }
        };
        if !errors.is_empty() {
            return Err(Status::invalid_as("meta.k8s.io", kind, "", &errors));
        }
        Ok(WriteOptions { dry_run, manager: manager.to_owned(), validation, force })
    }
}

fn check_manager(manager: &str, errors: &mut Vec<FieldError>) {
    if manager.chars().count() > MANAGER_LENGTH {
        errors.push(FieldError {
            kind: Cause::TooLong,
            path: "fieldManager".to_owned(),
            value: None,
            detail: format!("may not be more than {MANAGER_LENGTH} bytes"),
        });
    }
    if let Some((index, character)) = manager.char_indices().find(|(_, character)| character.is_control()) {
        let detail = format!("invalid character U+{:04X} (at position {index})", character as u32);
        errors.push(FieldError::invalid("fieldManager", manager, detail));
    }
}

fn dry_run<'a>(values: impl Iterator<Item = &'a str>, errors: &mut Vec<FieldError>) -> bool {
    let values: Vec<_> = values.collect();
    if values.iter().any(|value| *value != "All") {
        errors.push(FieldError::not_supported("dryRun", json!(values), &["All"]));
    }
    !values.is_empty()
}

/// The options of a deletion.
#[derive(Clone, Debug, Default)]
pub(super) struct DeleteOptions {
    /// Everything is done but the deletion itself.
    pub dry_run: bool,
    /// How long whoever runs it may take to end it.
    pub grace_s: Option<u64>,
    /// What becomes of what it owns.
    pub propagation: Option<Propagation>,
    /// It is this one.
    pub uid: Option<String>,
    /// It is at this version.
    pub version: Option<String>,
}

impl DeleteOptions {
    /// Reads the options: a body if there is one, else the query.
    ///
    /// # Errors
    /// If they are not valid.
    pub(super) fn parse(query: &Query, body: Option<&Json>) -> Result<DeleteOptions, Status> {
        let from_query = query_options(query)?;
        let body = body.unwrap_or(&from_query);
        let mut errors = Vec::new();
        let propagation = propagation(body, &mut errors);
        let runs =
            body.get("dryRun").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let dry_run = dry_run(runs, &mut errors);
        if !errors.is_empty() {
            return Err(Status::invalid_as("meta.k8s.io", "DeleteOptions", "", &errors));
        }
        let precondition = |name: &str| {
            let text = body.get("preconditions")?.get(name)?.as_str()?;
            Some(text.to_owned())
        };
        Ok(DeleteOptions {
            dry_run,
            // Less than nothing means at once.
            grace_s: body
                .get("gracePeriodSeconds")
                .and_then(Value::as_i64)
                .map(|grace| grace.max(0).unsigned_abs()),
            propagation,
            uid: precondition("uid"),
            version: precondition("resourceVersion"),
        })
    }
}

fn query_options(query: &Query) -> Result<Json, Status> {
    let mut options = Json::new();
    if !query.get("gracePeriodSeconds").is_empty() {
        options.insert("gracePeriodSeconds".into(), query.number("gracePeriodSeconds")?.into());
    }
    if !query.get("propagationPolicy").is_empty() {
        options.insert("propagationPolicy".into(), query.get("propagationPolicy").into());
    }
    if let Some(orphan) = query.optional_flag("orphanDependents") {
        options.insert("orphanDependents".into(), orphan.into());
    }
    let runs: Vec<_> = query.all("dryRun").collect();
    options.insert("dryRun".into(), json!(runs));
    Ok(options)
}

fn propagation(body: &Json, errors: &mut Vec<FieldError>) -> Option<Propagation> {
    let orphan = body.get("orphanDependents").and_then(Value::as_bool);
    let policy = body.get("propagationPolicy").and_then(Value::as_str);
    match (orphan, policy) {
        (Some(_), Some(policy)) => {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(FieldError::invalid("propagationPolicy", policy, detail));
            None
        }
        (Some(true), None) | (None, Some("Orphan")) => Some(Propagation::Orphan),
        (Some(false), None) | (None, Some("Background")) => Some(Propagation::Background),
        (None, Some("Foreground")) => Some(Propagation::Foreground),
        (None, None) => None,
        (None, Some(other)) => {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            errors.push(FieldError::not_supported("propagationPolicy", other, &supported));
            None
        }
    }
}
