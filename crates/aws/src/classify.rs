//! What AWS's codes come to.
//!
//! The same thing has several codes: IAM, STS and what stands before them each have their own.

use crate::action::Action;
use crate::error::{Arrival, Kind};

/// An answer that is not a success.
pub(crate) struct Refusal<'a> {
    /// AWS's word for what is wrong. Who stands between us and AWS gives none.
    pub(crate) code: Option<&'a str>,
    /// Of HTTP.
    pub(crate) status: u16,
    /// What AWS says.
    pub(crate) message: &'a str,
}

/// What is wrong.
pub(crate) fn classify(action: Action, refusal: &Refusal<'_>) -> Kind {
    match refusal.code.unwrap_or_default() {
        "NoSuchEntity" | "NoSuchEntityException" => Kind::NotFound,
        "EntityAlreadyExists" | "EntityAlreadyExistsException" => Kind::AlreadyExists,
        "DeleteConflict" | "DeleteConflictException" => Kind::DeleteConflict,
        "LimitExceeded" | "LimitExceededException" => Kind::LimitExceeded,
        "ConcurrentModification" | "ConcurrentModificationException" => Kind::Concurrent,
        "MalformedPolicyDocument"
        | "MalformedPolicyDocumentException"
        | "InvalidInput"
        | "InvalidInputException"
        | "InvalidParameterValue"
        | "MissingParameter"
        | "PolicyNotAttachable"
        | "PolicyNotAttachableException"
        | "ValidationError" => Kind::Malformed,
        "AccessDenied" | "AccessDeniedException" | "UnauthorizedOperation" => {
            Kind::AccessDenied { action: missing(action, refusal.message) }
        }
        "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "RequestLimitExceeded"
        | "TooManyRequestsException"
        | "BandwidthLimitExceeded"
        | "PriorRequestNotComplete"
        | "SlowDown" => Kind::Throttled,
        "InvalidIdentityToken"
        | "InvalidIdentityTokenException"
        | "IDPRejectedClaim"
        | "IDPRejectedClaimException" => Kind::InvalidToken,
        // The same word is said of the token that is shown and of our own credentials. This call has none.
        "ExpiredToken" | "ExpiredTokenException" if action == Action::AssumeRoleWithWebIdentity => {
            Kind::InvalidToken
        }
        "ExpiredToken"
        | "ExpiredTokenException"
        | "IncompleteSignature"
        | "InvalidAccessKeyId"
        | "InvalidClientTokenId"
        | "InvalidSignatureException"
        | "MissingAuthenticationToken"
        | "MissingAuthenticationTokenException"
        | "RequestExpired"
        | "SignatureDoesNotMatch"
        | "UnrecognizedClientException" => Kind::InvalidCredentials,
        // AWS could not ask the issuer; it has not decided anything.
        "IDPCommunicationError" | "IDPCommunicationErrorException" => Kind::Unavailable(Arrival::NotSent),
        "InternalFailure"
        | "InternalError"
        | "ServiceFailure"
        | "ServiceFailureException"
        | "ServiceUnavailable" => Kind::Unavailable(Arrival::MayHaveArrived),
        _ => by_status(refusal.status),
    }
}

/// Where the code says nothing.
fn by_status(status: u16) -> Kind {
    match status {
        429 => Kind::Throttled,
        // What is no answer of AWS's may hide one.
        ..400 | 408 | 500.. => Kind::Unavailable(Arrival::MayHaveArrived),
        _ => Kind::Refused,
    }
}

/// The permission that a refusal names: making a role with tags takes two.
fn missing(action: Action, message: &str) -> String {
    let named = message.split_once("authorized to perform: ").map(|(_, rest)| rest);
    let named = named.and_then(|rest| rest.split_whitespace().next());
    let named = named.map(|name| name.trim_end_matches(['.', ',', ';'])).filter(|name| name.contains(':'));
    named.map_or_else(|| action.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
