//! What the SDK says of a call that did not succeed, and what it comes to.

use std::error::Error as StdError;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_iam::config::http::HttpResponse;
use aws_sdk_iam::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_iam::operation::RequestId;
use hyper_util::client::legacy::Error as HttpError;

use crate::action::Action;
use crate::classify::{Refusal, classify};
use crate::error::{Arrival, Error, Kind};

/// The failure in our words.
pub(super) fn of<E>(action: Action, error: &SdkError<E, HttpResponse>) -> Error
where
    E: ProvideErrorMetadata + StdError + 'static,
{
    if let Some(credentials) = cause::<CredentialsError>(error) {
        return Error::unanswered(action, of_credentials(credentials), explain(credentials));
    }
    match error {
        SdkError::ServiceError(answer) => {
            let (code, message) = (answer.err().code(), answer.err().message().unwrap_or_default());
            answered(action, code, message, answer.raw())
        }
        // An answer, but not one of AWS's.
        SdkError::ResponseError(answer) => answered(action, None, "", answer.raw()),
        SdkError::ConstructionFailure(_) => {
            Error::unanswered(action, Kind::Unavailable(Arrival::NotSent), explain(error))
        }
        _ => Error::unanswered(action, Kind::Unavailable(arrival(error)), explain(error)),
    }
}

fn answered(action: Action, code: Option<&str>, message: &str, answer: &HttpResponse) -> Error {
    let status = answer.status().as_u16();
    let kind = classify(action, &Refusal { code, status, message });
    let message = if message.is_empty() { format!("HTTP status {status}") } else { message.to_owned() };
    let request_id = answer.request_id().map(str::to_owned);
    Error { action, kind, code: code.map(str::to_owned), message, request_id }
}

fn of_credentials(error: &CredentialsError) -> Kind {
    match error {
        CredentialsError::ProviderTimedOut(_) => Kind::Unavailable(Arrival::NotSent),
        _ => Kind::InvalidCredentials,
    }
}

/// Where no connection was made, nothing can have arrived.
fn arrival(error: &(dyn StdError + 'static)) -> Arrival {
    match cause::<HttpError>(error) {
        Some(error) if error.is_connect() => Arrival::NotSent,
        _ => Arrival::MayHaveArrived,
    }
}

fn cause<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The error and its causes in one line.
fn explain(error: &(dyn StdError + 'static)) -> String {
    let mut words = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_words = cause.to_string();
        // Some repeat what is below them.
        if !words.iter().any(|said| said.contains(&cause_words)) {
            words.push(cause_words);
        }
        next = cause.source();
    }
    words.join(": ")
}
