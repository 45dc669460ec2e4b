//! What AWS says, and what it comes to.

use super::*;

fn kind(action: Action, code: &str, status: u16, message: &str) -> Kind {
    classify(action, &Refusal { code: Some(code).filter(|code| !code.is_empty()), status, message })
}

#[test]
fn the_codes_of_iam() {
    let of = |code, status| kind(Action::CreateRole, code, status, "");
    assert_eq!(of("NoSuchEntity", 404), Kind::NotFound);
    assert_eq!(of("EntityAlreadyExists", 409), Kind::AlreadyExists);
    assert_eq!(of("DeleteConflict", 409), Kind::DeleteConflict);
    assert_eq!(of("LimitExceeded", 409), Kind::LimitExceeded);
    assert_eq!(of("ConcurrentModification", 409), Kind::Concurrent);
    for code in ["MalformedPolicyDocument", "InvalidInput", "ValidationError", "PolicyNotAttachable"] {
        assert_eq!(of(code, 400), Kind::Malformed, "{code}");
    }
    for code in
        ["InvalidClientTokenId", "ExpiredToken", "SignatureDoesNotMatch", "MissingAuthenticationToken"]
    {
        assert_eq!(of(code, 403), Kind::InvalidCredentials, "{code}");
    }
    assert_eq!(of("UnmodifiableEntity", 400), Kind::Refused);
}

#[test]
fn throttling_is_no_bad_request_although_it_has_its_status() {
    for (code, status) in [("Throttling", 400), ("RequestLimitExceeded", 503), ("", 429)] {
        assert_eq!(kind(Action::GetRole, code, status, "Rate exceeded"), Kind::Throttled, "{code} {status}");
    }
}

#[test]
fn what_failed_inside_aws_may_have_been_done() {
    for (code, status) in [("ServiceFailure", 500), ("ServiceUnavailable", 503), ("", 502), ("", 504)] {
        let unknown = Kind::Unavailable(Arrival::MayHaveArrived);
        assert_eq!(kind(Action::CreateRole, code, status, ""), unknown, "{code} {status}");
    }
}

#[test]
fn the_missing_permission_is_the_one_that_aws_names() {
    let denied = |message| kind(Action::CreateRole, "AccessDenied", 403, message);
    let names = |action: &str| Kind::AccessDenied { action: action.to_owned() };
    let message = "User: arn:aws:iam::123456789012:user/b is not authorized to perform: iam:TagRole on resource: \
                   arn:aws:iam::123456789012:role/x because no identity-based policy allows the iam:TagRole action";
    assert_eq!(denied(message), names("iam:TagRole"));
    assert_eq!(denied("not authorized to perform: iam:PassRole."), names("iam:PassRole"));
    // STS does not say which, and the call is what we know.
    assert_eq!(denied("Access denied"), names("iam:CreateRole"));
    assert_eq!(denied("authorized to perform: "), names("iam:CreateRole"));
}

#[test]
fn an_expired_token_is_ours_or_the_one_that_is_shown() {
    let of = |action| kind(action, "ExpiredTokenException", 400, "Token expired");
    assert_eq!(of(Action::AssumeRoleWithWebIdentity), Kind::InvalidToken);
    assert_eq!(of(Action::GetRole), Kind::InvalidCredentials);
    let token = |code| kind(Action::AssumeRoleWithWebIdentity, code, 400, "");
    assert_eq!(token("InvalidIdentityToken"), Kind::InvalidToken);
    assert_eq!(token("IDPRejectedClaim"), Kind::InvalidToken);
    assert_eq!(token("IDPCommunicationError"), Kind::Unavailable(Arrival::NotSent));
}
