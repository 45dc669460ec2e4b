//! Who may decide about the certificates of a signer: who may change requests for some may not for all.

use serde_json::{Value, json};

use crate::authorize::{self, Attributes, What};
use crate::builtin;
use crate::document::Json;
use crate::part::Part;
use crate::status::Status;
use crate::user::User;
use crate::verbs::Write;

/// Whoever approves a request for a certificate, or signs it, may do that for its signer.
///
/// # Errors
/// If they may not.
pub(super) fn check(write: &Write, new: &Json, old: &Json) -> Result<(), Status> {
    let verb = match write.part {
        Part::Approval => "approve",
        Part::Status if decides(new, old) => "sign",
        _ => return Ok(()),
    };
    let kind = &*write.kind;
    if !builtin::is_certificate_request(kind) {
        return Ok(());
    }
    let signer = old.get("spec").and_then(|spec| spec.get("signerName")).and_then(Value::as_str);
    let signer = signer.unwrap_or_default();
    let all = format!("{}/*", signer.split('/').next().unwrap_or_default());
    let rules = write.api.auth.rules(&write.api.hub);
    let may = |name: &str| {
        let (group, plural) = (&*kind.group, "signers");
        let what = What::Resource { group, plural, subresource: "", namespace: "", name };
        rules.allow(&Attributes { user: &write.user, verb, what })
    };
    if may(signer) || may(&all) {
        return Ok(());
    }
    let why = format!("user not permitted to {verb} requests with signerName {signer:?}");
    Err(authorize::refusal(&kind.group, &kind.plural, &write.name, &why))
}

/// Who asks for a certificate is who the server knows, not who they say that they are: signers go by it.
pub(super) fn note_who_asks(write: &Write, object: &mut Json) {
    if !builtin::is_certificate_request(&write.kind) {
        return;
    }
    let User { name, uid, groups, extra } = &write.user;
    if let Some(Value::Object(spec)) = object.get_mut("spec") {
        let said = json!({ "username": name, "uid": uid, "groups": groups, "extra": extra });
        spec.extend(said.as_object().cloned().unwrap_or_default());
        spec.retain(|_, value| !(*value == "" || *value == json!([]) || *value == json!({})));
    }
}

/// Whether there is something new about the certificate.
fn decides(new: &Json, old: &Json) -> bool {
    let at = |object: &Json, name: &str| object.get("status").and_then(|status| status.get(name)).cloned();
    ["certificate", "conditions"].iter().any(|name| at(new, name) != at(old, name))
}
