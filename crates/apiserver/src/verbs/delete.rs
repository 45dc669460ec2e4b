//! Deletions: of one object, and of many.

use std::sync::Arc;

use bowline_kernel::{Answer, Expect, Object, Propagation, Refusal, Request};

use super::options::DeleteOptions;
use crate::api::Api;
use crate::builtin;
use crate::document::{self, Document};
use crate::hub::Failure;
use crate::key::NAMESPACES;
use crate::kinds::Kind;
use crate::status::Status;
use crate::time::Moment;

/// Namespaces that a hub cannot be without.
const KEPT_NAMESPACES: &[&str] = &["default", "kube-system", "kube-public"];

/// What a deletion came to.
#[derive(Debug)]
pub enum Deleted {
    /// The object is gone; this is its last state.
    Gone(Arc<Document>),
    /// The object is being deleted.
    Going(Arc<Document>),
}

/// Deletes an object.
///
/// # Errors
/// If it is not there, or not what the caller believes.
pub async fn delete(
    api: &Api,
    kind: &Kind,
    namespace: &str,
    name: &str,
    options: &DeleteOptions,
) -> Result<Deleted, Status> {
    if kind.resource == *NAMESPACES && KEPT_NAMESPACES.contains(&name) {
        return Err(Status::forbidden(kind, name, "this namespace may not be deleted"));
    }
    let key = kind.key(namespace, name);
    let current = api.hub.ahead(&key);
    let version = options.version.as_deref().map(|text| document::version(text).unwrap_or_default());
    let propagation = options.propagation.or_else(|| {
        let held = current.as_ref().is_some_and(|current| holds(current));
        if held { None } else { builtin::default_propagation(kind).or(Some(Propagation::Background)) }
    });
    let grace_s = current.as_ref().map_or(0, |current| builtin::grace_s(kind, current, options.grace_s));
    let request = Request::Delete {
        key,
        expect: Expect { version, uid: options.uid.as_deref().map(Into::into) },
        propagation,
        grace_s,
        at: Moment::now().plus_s(grace_s),
    };
    if options.dry_run {
        return match current {
            Some(current) => Ok(Deleted::Going(current)),
            None => Err(Status::not_found(kind, name)),
        };
    }
    match api.hub.perform(request).await {
        Ok(Answer::Removed(last)) => Ok(Deleted::Gone(last)),
        Ok(answer) => Ok(Deleted::Going(Arc::clone(answer.object()))),
        Err(Failure::Refused(refusal)) => Err(refused(refusal, kind, namespace, name)),
        Err(failure) => Err(Status::failed(failure, kind, namespace, name)),
    }
}

/// Whether the object itself says what becomes of what it owns.
fn holds(document: &Document) -> bool {
    use bowline_kernel::Finalizer::{Foreground, Orphan};
    let meta = document.meta();
    meta.has(&Foreground) || meta.has(&Orphan)
}

/// Deletions word what does not fit in their own way.
fn refused(
    refusal: bowline_kernel::RefusalOf<Document>,
    kind: &Kind,
    namespace: &str,
    name: &str,
) -> Status {
    let why = match refusal {
        Refusal::Another { expected, found } => format!(
            "the UID in the precondition ({expected}) does not match the UID in record ({found}). The object \
             might have been deleted and then recreated"
        ),
        Refusal::Stale { expected, found } => format!(
            "the ResourceVersion in the precondition ({expected}) does not match the ResourceVersion in record \
             ({found}). The object might have been modified"
        ),
        other => return Status::failed(Failure::Refused(other), kind, namespace, name),
    };
    let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind.qualified_kind());
    let mut status = Status::conflict(kind, name, "").with_message(message);
    if let Some(details) = &mut status.details {
        details.kind = kind.kind.to_string();
    }
    status
}
