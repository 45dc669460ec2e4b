//! Why a request did not succeed.

use std::sync::Arc;

use bowline_kernel::{Refusal, RefusalOf};

use crate::document::Document;
use crate::status::Status;

/// A request that did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It cannot be done.
    Refused(RefusalOf<Document>),
    /// It could, and could not be written; nothing is changed.
    NotDurable(Arc<str>),
    /// The hub is stopping.
    Stopping,
}

/// A refusal in the words of the API. What it is about is added by who asked.
impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        match failure {
            Failure::Refused(Refusal::Change(status)) => *status,
            Failure::Refused(refusal) => Status::internal(format!("{refusal:?}")),
            Failure::NotDurable(why) => Status::not_durable(&why),
            Failure::Stopping => Status::stopping(),
        }
    }
}
