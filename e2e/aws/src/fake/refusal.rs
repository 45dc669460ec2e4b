//! AWS's ways of saying no.

/// A refusal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// Of HTTP.
    pub(crate) status: u16,
    /// AWS's word.
    pub(crate) code: &'static str,
    /// What is said.
    pub(crate) message: String,
}

impl Refusal {
    fn new(status: u16, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into() }
    }

    pub(super) fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(404, "NoSuchEntity", message)
    }

    pub(super) fn exists(message: impl Into<String>) -> Refusal {
        Refusal::new(409, "EntityAlreadyExists", message)
    }

    pub(super) fn conflict(message: impl Into<String>) -> Refusal {
        Refusal::new(409, "DeleteConflict", message)
    }

    pub(super) fn limit(message: impl Into<String>) -> Refusal {
        Refusal::new(409, "LimitExceeded", message)
    }

    pub(super) fn malformed(message: impl Into<String>) -> Refusal {
        Refusal::new(400, "MalformedPolicyDocument", message)
    }

    pub(super) fn validation(message: impl Into<String>) -> Refusal {
        Refusal::new(400, "ValidationError", message)
    }

    pub(super) fn invalid_input(message: impl Into<String>) -> Refusal {
        Refusal::new(400, "InvalidInput", message)
    }

    pub(super) fn denied(message: impl Into<String>) -> Refusal {
        Refusal::new(403, "AccessDenied", message)
    }

    /// Why not is not said.
    pub(super) fn not_authorized() -> Refusal {
        Refusal::denied("Not authorized to perform sts:AssumeRoleWithWebIdentity")
    }

    pub(super) fn no_signature() -> Refusal {
        Refusal::new(403, "MissingAuthenticationToken", "Request is missing Authentication Token")
    }

    pub(super) fn unknown_key() -> Refusal {
        let message = "The security token included in the request is invalid.";
        Refusal::new(403, "InvalidClientTokenId", message)
    }

    pub(super) fn bad_token(message: impl Into<String>) -> Refusal {
        Refusal::new(400, "InvalidIdentityToken", message)
    }

    pub(super) fn expired(now: u64, end: u64) -> Refusal {
        let message =
            format!("Token expired: current date/time {now} must be before the expiration date/time{end}");
        Refusal::new(400, "ExpiredTokenException", message)
    }

    pub(super) fn unknown_action(action: &str) -> Refusal {
        Refusal::new(
            400,
            "InvalidAction",
            format!("Could not find operation {action} for version 2010-05-08"),
        )
    }

    pub(crate) fn throttled() -> Refusal {
        Refusal::new(400, "Throttling", "Rate exceeded")
    }

    pub(crate) fn failed() -> Refusal {
        Refusal::new(500, "ServiceFailure", "The request processing has failed because of an unknown error.")
    }
}
