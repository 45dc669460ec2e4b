//! What the SDK says of a call that did not succeed, and what it comes to.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};

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
        tracing::debug!(%action, why = explain(credentials), "there are no credentials");
        return Error::unanswered(action, of_credentials(credentials), without(credentials));
    }
    match error {
        SdkError::ServiceError(answer) => {
            let (code, message) = (answer.err().code(), answer.err().message().unwrap_or_default());
            answered(action, code, message, answer.raw())
        }
        // An answer, but not one of AWS's.
        SdkError::ResponseError(answer) => answered(action, None, "", answer.raw()),
        SdkError::ConstructionFailure(_) => unanswered(action, Arrival::NotSent, error),
        _ => unanswered(action, arrival(error), error),
    }
}

/// What became of it on the way, in a few words. All that the SDK says is for who looks for a fault in it.
fn unanswered(action: Action, arrival: Arrival, error: &(dyn StdError + 'static)) -> Error {
    tracing::debug!(%action, why = explain(error), "AWS has not answered");
    Error::unanswered(action, Kind::Unavailable(arrival), on_the_way(error))
}

/// Why there is no answer.
fn on_the_way(error: &(dyn StdError + 'static)) -> String {
    let of = |kind: ErrorKind| {
        Some(match kind {
            ErrorKind::ConnectionRefused => "the connection was refused",
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof => "the connection was closed",
            ErrorKind::TimedOut => "it took too long",
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                "the network does not lead there"
            }
            _ => return None,
        })
    };
    let known = cause::<io::Error>(error).and_then(|error| of(error.kind()));
    let all = explain(error);
    let known = known.or_else(|| {
        let signs = [
            ("dns error", "the name of its address is not known"),
            ("lookup address", "the name of its address is not known"),
            ("message completed", "the connection was closed"),
            ("timeout", "it took too long"),
            ("timed out", "it took too long"),
        ];
        signs.iter().find(|(sign, _)| all.contains(sign)).map(|(_, words)| *words)
    });
    known.map_or_else(|| innermost(error), str::to_owned)
}

/// Why there are no credentials.
fn without(error: &CredentialsError) -> String {
    match error {
        CredentialsError::CredentialsNotLoaded(_) => "none were found".to_owned(),
        CredentialsError::ProviderTimedOut(_) => "it took too long to get them".to_owned(),
        error => innermost(error),
    }
}

/// The cause of all causes: what is above only says where it was met.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
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

/// The error and its causes in one line, for the log.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As errors of the SDK are: each says where it was met.
    #[derive(Debug, thiserror::Error)]
    #[error("{says}")]
    struct Layer {
        says: &'static str,
        #[source]
        below: Option<Box<dyn StdError + Send + Sync>>,
    }

    fn layers(inner: Box<dyn StdError + Send + Sync>) -> Layer {
        let connect = Layer { says: "client error (Connect)", below: Some(inner) };
        Layer { says: "dispatch failure", below: Some(Box::new(connect)) }
    }

    #[test]
    fn what_happened_on_the_way_is_told_without_the_way_to_it() {
        for (kind, words) in [
            (ErrorKind::ConnectionRefused, "the connection was refused"),
            (ErrorKind::ConnectionReset, "the connection was closed"),
            (ErrorKind::TimedOut, "it took too long"),
        ] {
            assert_eq!(on_the_way(&layers(Box::new(io::Error::from(kind)))), words);
        }
        let says = |says| on_the_way(&layers(Box::new(Layer { says, below: None })));
        assert_eq!(says("dns error"), "the name of its address is not known");
        assert_eq!(says("connection closed before message completed"), "the connection was closed");
        assert_eq!(says("HTTP connect timeout occurred after 3s"), "it took too long");
        assert_eq!(
            says("invalid peer certificate: UnknownIssuer"),
            "invalid peer certificate: UnknownIssuer"
        );
        let all = explain(&layers(Box::new(io::Error::from(ErrorKind::TimedOut))));
        assert!(all.starts_with("dispatch failure: client error (Connect): "), "{all}");
    }

    #[test]
    fn credentials_that_are_not_there_are_told_in_a_few_words() {
        let none = CredentialsError::not_loaded("no providers in chain provided credentials");
        assert_eq!(without(&none), "none were found");
        let denied = layers(Box::new(io::Error::other("the profile `x` was not found")));
        assert_eq!(without(&CredentialsError::provider_error(denied)), "the profile `x` was not found");
    }
}
