//! Failures that are about an object.

use bowline_kernel::{Refusal, RefusalOf};
use bowline_merge::FieldError;
use http::StatusCode;

use super::{Cause, Details, Status};
use crate::auth::quote;
use crate::document::Document;
use crate::hub::Failure;
use crate::kinds::Kind;

fn details(kind: &Kind, name: &str) -> Details {
    Details {
        name: name.to_owned(),
        group: kind.group.to_string(),
        kind: kind.plural.to_string(),
        ..Details::default()
    }
}

impl Status {
    /// Nothing is made of a kind whose definition is being deleted.
    pub(crate) fn definition_goes(kind: &Kind) -> Status {
        let message = "create not allowed while custom resource definition is terminating";
        Status::failure(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message).of(Details {
            group: kind.group.to_string(),
            kind: kind.plural.to_string(),
            ..Details::default()
        })
    }

    /// There is no such object.
    pub(crate) fn not_found(kind: &Kind, name: &str) -> Status {
        let message = format!("{} {} not found", kind.qualified(), quote(name));
        Status::failure(StatusCode::NOT_FOUND, "NotFound", message).of(details(kind, name))
    }

    /// There is one by that name.
    pub(crate) fn already_exists(kind: &Kind, name: &str) -> Status {
        let message = format!("{} {name:?} already exists", kind.qualified());
        Status::failure(StatusCode::CONFLICT, "AlreadyExists", message).of(details(kind, name))
    }

    /// Somebody was faster, or the object is another one.
    pub(crate) fn conflict(kind: &Kind, name: &str, why: &str) -> Status {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind.qualified());
        Status::failure(StatusCode::CONFLICT, "Conflict", message).of(details(kind, name))
    }

    /// The object is another one than the writer believes.
    pub(crate) fn another(kind: &Kind, namespace: &str, name: &str, expected: &str, found: &str) -> Status {
        let path = kind.registry_path(namespace, name);
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {path}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: UID in precondition: {expected}, UID in object meta: {found}"
        );
        Status::conflict(kind, name, &why)
    }

    /// The object has been changed since it was read.
    pub(crate) fn stale(kind: &Kind, name: &str) -> Status {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Status::conflict(kind, name, why)
    }

    /// It is well formed, but nobody may do it.
    pub(crate) fn forbidden(kind: &Kind, name: &str, why: &str) -> Status {
        let what = if name.is_empty() { kind.qualified() } else { format!("{} {name:?}", kind.qualified()) };
        Status::failure(StatusCode::FORBIDDEN, "Forbidden", format!("{what} is forbidden: {why}"))
            .of(details(kind, name))
    }

    /// The object is not valid.
    pub(crate) fn invalid(kind: &Kind, name: &str, errors: &[FieldError]) -> Status {
        // What is kept in the form of another kind is spoken of as of that.
        let group = if crate::builtin::is_converted(kind) { "" } else { &*kind.group };
        Status::invalid_as(group, &kind.kind, name, errors)
    }

    /// Fields of something are wrong that is no object.
    pub(crate) fn invalid_as(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Status {
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = format!("{qualified} {name:?} is invalid: {}", FieldError::aggregate(errors));
        let causes = errors.iter().map(|error| Cause {
            reason: error.reason().to_owned(),
            message: error.message(),
            field: error.path.clone(),
        });
        Status::failure(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).of(Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes: causes.collect(),
            ..Details::default()
        })
    }

    /// What the hub says against a write to the object `name` in `namespace`.
    pub(crate) fn failed(failure: Failure, kind: &Kind, namespace: &str, name: &str) -> Status {
        match failure {
            Failure::Refused(refusal) => refused(refusal, kind, namespace, name),
            Failure::NotDurable(why) => Status::not_durable(&why),
            Failure::Stopping => Status::stopping(),
        }
    }
}

fn refused(refusal: RefusalOf<Document>, kind: &Kind, namespace: &str, name: &str) -> Status {
    match refusal {
        Refusal::NotFound => Status::not_found(kind, name),
        Refusal::AlreadyExists => Status::already_exists(kind, name),
        Refusal::Stale { .. } => Status::stale(kind, name),
        Refusal::Another { expected, found } => Status::another(kind, namespace, name, &expected, &found),
        Refusal::NoHome => {
            let message = format!("namespaces {namespace:?} not found");
            let details =
                Details { name: namespace.to_owned(), kind: "namespaces".to_owned(), ..Details::default() };
            Status::failure(StatusCode::NOT_FOUND, "NotFound", message).of(details)
        }
        Refusal::HomeGoes => home_goes(kind, namespace, name),
        Refusal::LateFinalizer => {
            let why = "no new finalizers can be added if the object is being deleted";
            let errors = [FieldError::forbidden("metadata.finalizers", why)];
            Status::invalid(kind, name, &errors)
        }
        Refusal::Change(status) => *status,
    }
}

fn home_goes(kind: &Kind, namespace: &str, name: &str) -> Status {
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut status = Status::forbidden(kind, name, &why);
    if let Some(details) = &mut status.details {
        details.causes = vec![Cause {
            reason: "NamespaceTerminating".to_owned(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        }];
    }
    status
}
