//! What the SDK has, as ours.

use aws_sdk_iam::error::BuildError;
use aws_sdk_iam::operation::list_entities_for_policy::ListEntitiesForPolicyOutput;
use aws_sdk_iam::types::{self, Tag};
use percent_encoding::percent_decode_str;

use crate::model::{Attached, Caller, Holder, Listed, Policy, PolicyVersion, Role, Tags};

pub(super) fn tags_to(tags: &Tags) -> Result<Vec<Tag>, BuildError> {
    tags.iter().map(|(key, value)| Tag::builder().key(key).value(value).build()).collect()
}

fn tags_of(tags: &[Tag]) -> Tags {
    tags.iter().map(|tag| (tag.key().to_owned(), tag.value().to_owned())).collect()
}

/// AWS percent-encodes documents in its answers. What is JSON already is taken as it is, for others do not.
fn document(text: &str) -> String {
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        return text.to_owned();
    }
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn text(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

pub(super) fn policy(policy: &types::Policy) -> Policy {
    Policy {
        arn: text(policy.arn()),
        name: text(policy.policy_name()),
        id: text(policy.policy_id()),
        path: text(policy.path()),
        default_version: text(policy.default_version_id()),
        attachments: policy.attachment_count().and_then(|count| count.try_into().ok()).unwrap_or(0),
        tags: tags_of(policy.tags()),
    }
}

pub(super) fn version(version: &types::PolicyVersion) -> PolicyVersion {
    PolicyVersion {
        id: text(version.version_id()),
        is_default: version.is_default_version(),
        created: version.create_date().map_or(0, aws_sdk_iam::primitives::DateTime::secs),
        document: version.document().map(document),
    }
}

pub(super) fn role(role: &types::Role) -> Role {
    let boundary = role.permissions_boundary().and_then(|boundary| boundary.permissions_boundary_arn());
    Role {
        arn: role.arn().to_owned(),
        name: role.role_name().to_owned(),
        id: role.role_id().to_owned(),
        path: role.path().to_owned(),
        trust: role.assume_role_policy_document().map(document).unwrap_or_default(),
        boundary: boundary.map(str::to_owned),
        tags: tags_of(role.tags()),
    }
}

pub(super) fn attached(policy: &types::AttachedPolicy) -> Attached {
    Attached { arn: text(policy.policy_arn()), name: text(policy.policy_name()) }
}

pub(super) fn holders(page: &ListEntitiesForPolicyOutput) -> Vec<Holder> {
    let roles = page.policy_roles().iter().map(|role| Holder::Role(text(role.role_name())));
    let users = page.policy_users().iter().map(|user| Holder::User(text(user.user_name())));
    let groups = page.policy_groups().iter().map(|group| Holder::Group(text(group.group_name())));
    roles.chain(users).chain(groups).collect()
}

pub(super) fn listed_role(role: &types::Role) -> Listed {
    Listed { arn: role.arn().to_owned(), name: role.role_name().to_owned(), path: role.path().to_owned() }
}

pub(super) fn listed_policy(policy: &types::Policy) -> Listed {
    Listed { arn: text(policy.arn()), name: text(policy.policy_name()), path: text(policy.path()) }
}

pub(super) fn caller(
    caller: &aws_sdk_sts::operation::get_caller_identity::GetCallerIdentityOutput,
) -> Caller {
    Caller { account: text(caller.account()), arn: text(caller.arn()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_decoded_unless_it_is_one_already() {
        let plain = r#"{"Resource":"arn:aws:s3:::a%2Fb","x":"a+b"}"#;
        assert_eq!(document(plain), plain);
        let encoded = percent_encoding::utf8_percent_encode(plain, percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(document(&encoded.to_string()), plain);
    }
}
