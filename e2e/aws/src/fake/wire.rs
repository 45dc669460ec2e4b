//! Roles and policies as AWS writes them.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::query::Xml;
use super::world::{Policy, Role};

/// AWS percent-encodes documents by RFC 3986.
const DOCUMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) fn policy(xml: &mut Xml, tag: &str, policy: &Policy, attachments: usize) {
    xml.within(tag, |xml| {
        xml.text("PolicyName", &policy.name);
        xml.text("PolicyId", &policy.id);
        xml.text("Arn", &policy.arn);
        xml.text("Path", &policy.path);
        xml.text("DefaultVersionId", &format!("v{}", policy.default));
        xml.text("AttachmentCount", &attachments.to_string());
        xml.text("IsAttachable", "true");
        if !policy.description.is_empty() {
            xml.text("Description", &policy.description);
        }
        xml.text("CreateDate", &date(policy.created));
        tags(xml, &policy.tags);
    });
}

pub(super) fn version(xml: &mut Xml, tag: &str, policy: &Policy, number: u32, with_document: bool) {
    let Some(version) = policy.versions.get(&number) else { return };
    xml.within(tag, |xml| {
        xml.text("VersionId", &format!("v{number}"));
        xml.text("IsDefaultVersion", if number == policy.default { "true" } else { "false" });
        xml.text("CreateDate", &date(version.created));
        if with_document {
            xml.text("Document", &utf8_percent_encode(&version.document, DOCUMENT).to_string());
        }
    });
}

pub(super) fn role(xml: &mut Xml, tag: &str, role: &Role) {
    xml.within(tag, |xml| {
        xml.text("Path", &role.path);
        xml.text("RoleName", &role.name);
        xml.text("RoleId", &role.id);
        xml.text("Arn", &role.arn);
        xml.text("CreateDate", &date(role.created));
        xml.text("AssumeRolePolicyDocument", &utf8_percent_encode(&role.trust, DOCUMENT).to_string());
        if !role.description.is_empty() {
            xml.text("Description", &role.description);
        }
        if let Some(boundary) = &role.boundary {
            xml.within("PermissionsBoundary", |xml| {
                xml.text("PermissionsBoundaryType", "Policy");
                xml.text("PermissionsBoundaryArn", boundary);
            });
        }
        tags(xml, &role.tags);
    });
}

fn tags(xml: &mut Xml, tags: &BTreeMap<String, String>) {
    if tags.is_empty() {
        return;
    }
    xml.within("Tags", |xml| {
        for (key, value) in tags {
            xml.within("member", |xml| {
                xml.text("Key", key);
                xml.text("Value", value);
            });
        }
    });
}

/// Like `2026-11-17T16:00:00Z`.
pub(super) fn date(seconds: u64) -> String {
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).unwrap_or(0)).unwrap_or_default();
    time.to_string()
}
