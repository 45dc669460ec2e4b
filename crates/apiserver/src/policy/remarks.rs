//! What policies have the audit log say.

use std::collections::BTreeMap;

use serde_json::json;

use super::Attempt;
use super::policies::Binding;
use crate::warnings::Warnings;

/// Where violations stand that a binding wants noted.
const VIOLATED: &str = "validation.policy.admission.k8s.io/validation_failure";
/// The longest text, as in Kubernetes.
const LONGEST: usize = 10 * 1024;

/// What is noted of a text that an expression made: of a Secret it may be what nobody else is to see.
pub(super) fn shown<'a>(attempt: &Attempt<'_>, text: &'a str) -> &'a str {
    if attempt.kind.is_secret() {
        return "(of a Secret, and not shown)";
    }
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Notes that a policy was violated: what it says, and which of its validations.
pub(super) fn violated(
    attempt: &Attempt<'_>,
    policy: &str,
    binding: &Binding,
    (message, index): (&str, usize),
) {
    let violation = json!({
        "message": shown(attempt, message), "policy": policy, "binding": binding.name,
        "expressionIndex": index, "validationActions": binding.actions,
    });
    attempt.warnings.remark(VIOLATED, &violation.to_string());
}

/// What was noted of a request, each under its key: violations as a list, and of one key of a policy whatever its bindings
/// came to.
pub(crate) fn remarks(said: &Warnings) -> BTreeMap<String, String> {
    let join = |(key, values): (String, Vec<String>)| match key.as_str() {
        VIOLATED => (key, format!("[{}]", values.join(","))),
        _ => (key, values.join(", ")),
    };
    said.remarks().into_iter().map(join).collect()
}
