//! Writes are judged by admission policies before they are done.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Asked;
use super::options::DeleteOptions;
use super::write::Write;
use crate::api::Api;
use crate::document::{Document, Json};
use crate::field_validation::FieldValidation;
use crate::kinds::Kind;
use crate::policy::{Attempt, Operation};
use crate::status::Status;
use crate::versions;

impl Write {
    /// Whether policies may have something to say.
    pub(super) fn may_be_judged(&self) -> bool {
        self.judged && may_be_judged(&self.api, &self.kind, self.part.subresource())
    }

    /// What policies say of an object of the kind itself.
    ///
    /// # Errors
    /// If one stands against it.
    pub(super) fn judge(&self, name: &str, object: &Json, old: Option<&Json>) -> Result<(), Status> {
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        self.judge_as(None, operation, name, object, old)
    }

    /// The same of an object of another kind, which says something of ours.
    ///
    /// # Errors
    /// The same.
    pub(super) fn judge_as(
        &self,
        of: Option<(&str, &str, &str)>,
        operation: Operation,
        name: &str,
        object: &Json,
        old: Option<&Json>,
    ) -> Result<(), Status> {
        if !self.may_be_judged() {
            return Ok(());
        }
        let (group, version, kind) = of.unwrap_or((&self.kind.group, &self.kind.version, &self.kind.kind));
        let mut object = object.clone();
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        object.insert("apiVersion".into(), api_version.into());
        object.insert("kind".into(), kind.into());
        self.api.policies.load().judge(&Attempt {
            api: &self.api,
            kind: &self.kind,
            of,
            subresource: self.part.subresource(),
            operation,
            namespace: &self.namespace,
            name,
            user: &self.user,
            dry_run: self.options.dry_run,
            options: self.options(operation),
            object: Some(&object),
            old,
            warnings: &self.warnings,
        })
    }

    /// The options of the request, as policies see them.
    fn options(&self, operation: Operation) -> Value {
        let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
        let mut options = json!({ "apiVersion": "meta.k8s.io/v1", "kind": kind });
        if self.options.dry_run {
            options["dryRun"] = json!(["All"]);
        }
        if !self.options.manager.is_empty() {
            options["fieldManager"] = self.options.manager.as_str().into();
        }
        // What nobody asked for is not there; warnings are what nobody asks for.
        match self.options.validation {
            FieldValidation::Strict => options["fieldValidation"] = "Strict".into(),
            FieldValidation::Ignore => options["fieldValidation"] = "Ignore".into(),
            FieldValidation::Warn => {}
        }
        options
    }
}

fn may_be_judged(api: &Api, kind: &Kind, subresource: &str) -> bool {
    let policies = api.policies.load();
    !policies.is_empty() && policies.may_mean(api.kinds().all(), kind, subresource)
}

/// What policies say of a deletion. They are evaluated off the async threads.
///
/// # Errors
/// If one stands against it.
pub(super) async fn deletion(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    asked: &Asked,
    options: &DeleteOptions,
    current: &Arc<Document>,
) -> Result<(), Status> {
    if !may_be_judged(api, kind, "") {
        return Ok(());
    }
    let (api, kind, current) = (Arc::clone(api), Arc::clone(kind), Arc::clone(current));
    let (user, warnings, name) = (asked.user.clone(), asked.warnings.clone(), asked.path.name.clone());
    let (dry_run, options) = (options.dry_run, shown(options));
    let judging = move || {
        use bowline_kernel::Object;
        let old = versions::shown(&kind, &current);
        api.policies.load().judge(&Attempt {
            api: &api,
            kind: &kind,
            of: None,
            subresource: "",
            operation: Operation::Delete,
            namespace: &current.key().namespace,
            name: &name,
            user: &user,
            dry_run,
            options,
            object: None,
            old: Some(&old),
            warnings: &warnings,
        })
    };
    match tokio::task::spawn_blocking(judging).await {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

fn shown(options: &DeleteOptions) -> Value {
    let mut shown = json!({ "apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions" });
    if options.dry_run {
        shown["dryRun"] = json!(["All"]);
    }
    if let Some(grace) = options.grace_s {
        shown["gracePeriodSeconds"] = grace.into();
    }
    if let Some(propagation) = options.propagation {
        shown["propagationPolicy"] = format!("{propagation:?}").into();
    }
    for (name, value) in [("uid", &options.uid), ("resourceVersion", &options.version)] {
        if let Some(value) = value {
            shown["preconditions"][name] = value.as_str().into();
        }
    }
    shown
}
