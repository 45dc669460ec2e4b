//! What becomes of a call that does not succeed.

use std::fmt;

use crate::action::Action;

/// Whether a call that was not answered may have been carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// AWS never got it.
    NotSent,
    /// It may have been, or may yet be.
    MayHaveArrived,
}

/// What is wrong. Only of `Unavailable` with `MayHaveArrived` is it unknown whether anything was done; all others have
/// changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// What the call is about is not there, or not seen yet.
    NotFound,
    /// There is something of that name, or it is not seen yet that there no longer is.
    AlreadyExists,
    /// It cannot be removed while it is used, or while parts of it are left.
    DeleteConflict,
    /// The account, the role or the policy has no room for it, or a document is too long.
    LimitExceeded,
    /// AWS does not understand a document, a name or another field. The message says why.
    Malformed,
    /// We may not. `action` is the permission that is missing.
    AccessDenied {
        /// Like `iam:CreateRole`.
        action: String,
    },
    /// Somebody else changes it at this moment.
    Concurrent,
    /// Too many calls.
    Throttled,
    /// There was no answer that says anything.
    Unavailable(Arrival),
    /// AWS does not know who we are: no credentials, or wrong, or expired ones.
    InvalidCredentials,
    /// The token that a role was to be assumed by is not accepted.
    InvalidToken,
    /// The one who asked may no longer act: the call was not sent.
    Withheld,
    /// AWS says no, by a word that we do not know.
    Refused,
}

/// A call that did not succeed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The call.
    pub action: Action,
    /// What is wrong.
    pub kind: Kind,
    /// AWS's own code, if it has answered.
    pub code: Option<String>,
    /// What AWS says, or what happened on the way.
    pub message: String,
    /// By which AWS finds the call in its records.
    pub request_id: Option<String>,
}

impl Error {
    /// One that AWS has not answered.
    pub(crate) fn unanswered(action: Action, kind: Kind, message: impl Into<String>) -> Error {
        Error { action, kind, code: None, message: message.into(), request_id: None }
    }

    /// Whether the call may have been carried out although it has failed.
    pub fn may_have_arrived(&self) -> bool {
        self.kind == Kind::Unavailable(Arrival::MayHaveArrived)
    }

    /// Whether the same call may succeed later, without anybody changing anything.
    pub fn passes(&self) -> bool {
        matches!(self.kind, Kind::Throttled | Kind::Concurrent | Kind::Unavailable(_) | Kind::Withheld)
    }
}

impl std::error::Error for Error {}

/// What is wrong, and what can be done.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { action, kind, code, message, request_id } = self;
        match kind {
            // Nobody's policy is asked for it.
            Kind::AccessDenied { .. } if action.is_sts() => write!(f, "{action}: AWS denies it: {message}")?,
            Kind::AccessDenied { action: missing } => {
                write!(f, "{action}: the permission {missing} is missing: {message}")?;
            }
            Kind::InvalidCredentials => {
                write!(f, "{action}: AWS credentials are missing or not accepted: {message}")?;
            }
            Kind::Unavailable(Arrival::NotSent) => write!(f, "{action}: AWS cannot be reached: {message}")?,
            Kind::Unavailable(Arrival::MayHaveArrived) if code.is_some() => {
                write!(f, "{action}: AWS has failed: {message}")?;
            }
            Kind::Unavailable(Arrival::MayHaveArrived) if action.only_reads() => {
                write!(f, "{action}: AWS has not answered: {message}")?;
            }
            Kind::Unavailable(Arrival::MayHaveArrived) => {
                write!(f, "{action}: AWS has not answered, and may have done it: {message}")?;
            }
            Kind::Withheld => write!(f, "{action}: not sent: {message}")?,
            _ => write!(f, "{action}: {message}")?,
        }
        let known = [("", code), ("request ", request_id)];
        let known: Vec<_> =
            known.iter().filter_map(|(of, what)| what.as_ref().map(|what| format!("{of}{what}"))).collect();
        if !known.is_empty() {
            write!(f, " ({})", known.join(", "))?;
        }
        self.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

impl Error {
    /// What somebody can do about it; what passes by itself needs nobody.
    fn remedy(&self) -> Option<&'static str> {
        Some(match &self.kind {
            Kind::AccessDenied { .. } if self.action.is_sts() => "see who may assume the role",
            Kind::AccessDenied { .. } => {
                "allow it to the credentials that are used (`bowline identity iam-policy` prints all that is needed)"
            }
            Kind::InvalidCredentials => {
                "set AWS_PROFILE, AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or AWS_ROLE_ARN with \
                 AWS_WEB_IDENTITY_TOKEN_FILE"
            }
            Kind::Unavailable(Arrival::NotSent) => {
                "see whether the network, and --aws-endpoint if it is set, lead to AWS"
            }
            Kind::LimitExceeded => "use less of it, or ask AWS for a higher quota",
            Kind::InvalidToken => {
                "see whether AWS has the OIDC provider of the issuer that signs the token, with its keys and audience"
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(action: Action, kind: Kind, code: Option<&str>) -> String {
        let (code, message, request_id) = (code.map(str::to_owned), "as it says".to_owned(), None);
        Error { action, kind, code, message, request_id }.to_string()
    }

    #[test]
    fn an_error_says_what_failed_and_why_and_what_to_do() {
        let denied = |action: &str| Kind::AccessDenied { action: action.to_owned() };
        let (sent, may) = (Kind::Unavailable(Arrival::NotSent), Kind::Unavailable(Arrival::MayHaveArrived));
        for (action, kind, code, begins, ends) in [
            (
                Action::CreateRole,
                denied("iam:TagRole"),
                Some("AccessDenied"),
                "iam:CreateRole: the permission iam:TagRole is missing: as it says (AccessDenied); allow it",
                "prints all that is needed)",
            ),
            (
                Action::AssumeRoleWithWebIdentity,
                denied("sts:AssumeRoleWithWebIdentity"),
                None,
                "sts:AssumeRoleWithWebIdentity: AWS denies it: as it says; ",
                "who may assume the role",
            ),
            (
                Action::GetRole,
                sent,
                None,
                "iam:GetRole: AWS cannot be reached: as it says; see",
                "lead to AWS",
            ),
            (Action::GetRole, may.clone(), None, "iam:GetRole: AWS has not answered: ", "as it says"),
            (
                Action::TagRole,
                may.clone(),
                None,
                "iam:TagRole: AWS has not answered, and may have",
                "as it says",
            ),
            (
                Action::TagRole,
                may,
                Some("ServiceFailure"),
                "iam:TagRole: AWS has failed: ",
                "(ServiceFailure)",
            ),
            (Action::TagRole, Kind::Throttled, Some("Throttling"), "iam:TagRole: as it", "says (Throttling)"),
        ] {
            let words = words(action, kind, code);
            assert!(words.starts_with(begins) && words.ends_with(ends), "{words}");
        }
    }
}
