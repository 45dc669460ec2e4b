//! What AWS's answers come to for who decides, and what is journalled of questions and answers.

use bowline_aws::{Error, Kind};
use bowline_identities::plain::Plain;
use bowline_identities::{Ask, Said};

/// What an error says to an ask of an identity whose own policy has this ARN.
pub(super) fn of_error(what: &Ask<Plain>, own: &str, error: Error) -> Said<Plain> {
    // Each request has another number: with it the same refusal would be news each time.
    let error = Error { request_id: None, ..error };
    let words = error.to_string();
    match (&error.kind, what) {
        (Kind::AlreadyExists, _) => Said::Exists,
        // A look finds nothing by itself; what was there when it began, and was not a moment later, is looked at again.
        (Kind::NotFound, Ask::Look { .. } | Ask::Assume) => Said::Failed(words),
        (Kind::NotFound, what) if named(what, own).is_some_and(|(_, arn)| error.message.contains(arn)) => {
            let field = named(what, own).map_or("spec", |(field, _)| field);
            Said::Refused(format!("{field}: {words}; name a policy that is there"))
        }
        (Kind::NotFound, _) => Said::Missing,
        (Kind::DeleteConflict, _) | (Kind::LimitExceeded, Ask::CreatePolicyVersion(_)) => {
            Said::Outdated(words)
        }
        (Kind::Malformed, Ask::CreatePolicy(_) | Ask::CreatePolicyVersion(_)) => {
            Said::Refused(format!("spec.policy: {words}"))
        }
        (Kind::Malformed | Kind::LimitExceeded, Ask::AttachRolePolicy(arn)) if arn != own => {
            Said::Refused(format!("spec.managedPolicyArns: {words}"))
        }
        (Kind::Malformed, Ask::PutRolePermissionsBoundary(_)) => {
            Said::Refused(format!("spec.permissionsBoundary: {words}"))
        }
        // So AWS says also of a role that it does not know everywhere yet.
        (Kind::AccessDenied { .. }, Ask::Assume) => Said::Failed(words),
        (
            Kind::LimitExceeded
            | Kind::Malformed
            | Kind::AccessDenied { .. }
            | Kind::InvalidCredentials
            | Kind::InvalidToken
            | Kind::Refused,
            _,
        ) => Said::Refused(words),
        (Kind::Concurrent | Kind::Throttled | Kind::Unavailable(_) | Kind::Withheld, _) => {
            Said::Failed(words)
        }
    }
}

/// The policy of somebody else that an ask names, because a person wants it, and the field that says so.
fn named<'a>(what: &'a Ask<Plain>, own: &str) -> Option<(&'static str, &'a str)> {
    let (field, arn) = match what {
        Ask::AttachRolePolicy(arn) => ("spec.managedPolicyArns", Some(arn)),
        Ask::PutRolePermissionsBoundary(arn) => ("spec.permissionsBoundary", Some(arn)),
        Ask::CreateRole { boundary, .. } => ("spec.permissionsBoundary", boundary.as_ref()),
        _ => return None,
    };
    arn.filter(|arn| *arn != own).map(|arn| (field, arn.as_str()))
}

/// A question, for the journal: AWS's own name of the request, and what is in it.
pub(super) fn of_call(what: &Ask<Plain>) -> String {
    match what {
        Ask::Look { goes: false } => "look at policy and role".to_owned(),
        Ask::Look { goes: true } => "look at policy and role, and what keeps them".to_owned(),
        Ask::Check(others) => {
            let named: Vec<_> = others.boundary.iter().chain(&others.managed).cloned().collect();
            format!("look whether these are there: {}", named.join(", "))
        }
        Ask::CreatePolicy(_) => "CreatePolicy".to_owned(),
        Ask::CreatePolicyVersion(_) => "CreatePolicyVersion".to_owned(),
        Ask::DeletePolicyVersion(version) => format!("DeletePolicyVersion v{version}"),
        Ask::TagPolicy => "TagPolicy".to_owned(),
        Ask::DeletePolicy => "DeletePolicy".to_owned(),
        Ask::CreateRole { .. } => "CreateRole".to_owned(),
        Ask::UpdateAssumeRolePolicy(_) => "UpdateAssumeRolePolicy".to_owned(),
        Ask::PutRolePermissionsBoundary(arn) => format!("PutRolePermissionsBoundary {arn}"),
        Ask::DeleteRolePermissionsBoundary => "DeleteRolePermissionsBoundary".to_owned(),
        Ask::TagRole => "TagRole".to_owned(),
        Ask::AttachRolePolicy(arn) => format!("AttachRolePolicy {arn}"),
        Ask::DetachRolePolicy(arn) => format!("DetachRolePolicy {arn}"),
        Ask::DeleteRolePolicy(name) => format!("DeleteRolePolicy {name}"),
        Ask::DeleteRole => "DeleteRole".to_owned(),
        Ask::Assume => "AssumeRoleWithWebIdentity".to_owned(),
        Ask::LookAtAccount(cluster, account) => format!("look at the account {account} on {cluster}"),
        Ask::Publish { cluster, account, .. } => format!("publish the account {account} on {cluster}"),
        Ask::Withdraw(cluster, account) => format!("withdraw the account {account} from {cluster}"),
    }
}

/// Whether what was asked for was changed.
pub(super) fn is_done(said: &Said<Plain>) -> bool {
    matches!(said, Said::Done | Said::Made(_) | Said::Version(_))
}

/// An answer, for the journal.
pub(super) fn words(said: &Said<Plain>) -> String {
    let there = |is: bool| if is { "there" } else { "not there" };
    match said {
        Said::Seen { policy, role } => {
            format!("the policy is {}, the role is {}", there(policy.is_some()), there(role.is_some()))
        }
        Said::Account(account) => format!("the account is {}", there(account.is_some())),
        Said::Made(arn) => format!("made {arn}"),
        Said::Version(version) => format!("made v{version}"),
        Said::Done => "done".to_owned(),
        Said::Exists => "there is one already".to_owned(),
        Said::Missing => "it is not there".to_owned(),
        Said::Untried => "there is no token to try it by".to_owned(),
        Said::Outdated(why) => format!("not as it was seen: {why}"),
        Said::Refused(why) => format!("refused: {why}"),
        Said::Failed(why) => format!("failed: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use bowline_aws::{Action, Arrival};
    use bowline_identities::plain::Document;

    use super::*;

    const OWN: &str = "arn:aws:iam::123456789012:policy/own";
    const OTHER: &str = "arn:aws:iam::123456789012:policy/other";

    fn error(kind: Kind, message: &str) -> Error {
        let request_id = Some("4711".to_owned());
        Error { action: Action::CreateRole, kind, code: None, message: message.to_owned(), request_id }
    }

    fn said(what: &Ask<Plain>, kind: Kind) -> Said<Plain> {
        of_error(what, OWN, error(kind, "why"))
    }

    fn document() -> Document {
        Document::read("{}")
    }

    #[test]
    fn what_passes_by_itself_has_failed_and_what_a_person_has_to_change_is_refused() {
        for kind in [Kind::Throttled, Kind::Concurrent, Kind::Withheld, Kind::Unavailable(Arrival::NotSent)] {
            assert!(matches!(said(&Ask::TagRole, kind), Said::Failed(_)));
        }
        let denied = || Kind::AccessDenied { action: "iam:TagRole".to_owned() };
        for kind in [Kind::Malformed, denied(), Kind::LimitExceeded, Kind::InvalidCredentials, Kind::Refused]
        {
            let Said::Refused(words) = said(&Ask::TagRole, kind.clone()) else { panic!("{kind:?}") };
            assert!(words.contains("why") && !words.contains("4711"), "{words}");
        }
        let Said::Refused(words) = said(&Ask::TagRole, denied()) else { panic!("it is refused") };
        assert!(words.contains("iam:TagRole"), "{words}");
    }

    #[test]
    fn what_contradicts_the_look_is_told_apart() {
        assert_eq!(said(&Ask::CreatePolicy(document()), Kind::AlreadyExists), Said::Exists);
        assert_eq!(said(&Ask::DeleteRole, Kind::NotFound), Said::Missing);
        assert!(matches!(said(&Ask::DeletePolicy, Kind::DeleteConflict), Said::Outdated(_)));
        assert!(matches!(
            said(&Ask::CreatePolicyVersion(document()), Kind::LimitExceeded),
            Said::Outdated(_)
        ));
        assert!(matches!(said(&Ask::Look { goes: false }, Kind::NotFound), Said::Failed(_)));
    }

    #[test]
    fn a_role_that_cannot_be_assumed_yet_is_tried_again_and_a_bad_token_is_not() {
        let denied = Kind::AccessDenied { action: "sts:AssumeRoleWithWebIdentity".to_owned() };
        assert!(matches!(said(&Ask::Assume, denied), Said::Failed(_)));
        assert!(matches!(said(&Ask::Assume, Kind::InvalidToken), Said::Refused(_)));
    }

    #[test]
    fn what_aws_does_not_take_of_a_spec_is_told_by_its_field() {
        for (what, field) in [
            (Ask::CreatePolicy(document()), "spec.policy: "),
            (Ask::CreatePolicyVersion(document()), "spec.policy: "),
            (Ask::AttachRolePolicy(OTHER.to_owned()), "spec.managedPolicyArns: "),
            (Ask::PutRolePermissionsBoundary(OTHER.to_owned()), "spec.permissionsBoundary: "),
        ] {
            let Said::Refused(words) = said(&what, Kind::Malformed) else { panic!("{what:?}") };
            assert!(words.starts_with(field), "{words}");
        }
        let Said::Refused(words) = said(&Ask::AttachRolePolicy(OTHER.to_owned()), Kind::LimitExceeded) else {
            panic!("it is refused")
        };
        assert!(words.starts_with("spec.managedPolicyArns: "), "{words}");
    }

    #[test]
    fn a_policy_that_a_person_names_and_is_not_there_is_refused() {
        let missing = |arn: &str| error(Kind::NotFound, &format!("Policy {arn} does not exist"));
        let role = || error(Kind::NotFound, "The role with name x cannot be found.");
        let create = Ask::CreateRole { trust: document(), boundary: Some(OTHER.to_owned()) };
        let (attach, bound) =
            (Ask::AttachRolePolicy(OTHER.to_owned()), Ask::PutRolePermissionsBoundary(OTHER.to_owned()));
        for (what, field) in [
            (&create, "spec.permissionsBoundary: "),
            (&attach, "spec.managedPolicyArns: "),
            (&bound, "spec.permissionsBoundary: "),
        ] {
            let Said::Refused(words) = of_error(what, OWN, missing(OTHER)) else { panic!("{what:?}") };
            assert!(words.starts_with(field) && words.contains(OTHER), "{words}");
            assert_eq!(of_error(what, OWN, role()), Said::Missing, "{what:?}");
        }
        // Our own may not be visible yet.
        assert_eq!(of_error(&Ask::AttachRolePolicy(OWN.to_owned()), OWN, missing(OWN)), Said::Missing);
    }
}
