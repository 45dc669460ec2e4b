//! What AWS would refuse is refused before anything is made: what is wrong, where, and what to do.

use std::{fmt, iter};

use super::{Document, Grant, Statement};

/// The most characters of a policy, and of a trust policy, that AWS takes.
const POLICY: usize = 6_144;
const TRUST: usize = 2_048;
/// The most policies that a role can have, our own included.
const POLICIES: usize = 20;

const OPERATORS: &[&str] = &[
    "StringEquals",
    "StringNotEquals",
    "StringEqualsIgnoreCase",
    "StringNotEqualsIgnoreCase",
    "StringLike",
    "StringNotLike",
    "NumericEquals",
    "NumericNotEquals",
    "NumericLessThan",
    "NumericLessThanEquals",
    "NumericGreaterThan",
    "NumericGreaterThanEquals",
    "DateEquals",
    "DateNotEquals",
    "DateLessThan",
    "DateLessThanEquals",
    "DateGreaterThan",
    "DateGreaterThanEquals",
    "Bool",
    "BinaryEquals",
    "IpAddress",
    "NotIpAddress",
    "ArnEquals",
    "ArnNotEquals",
    "ArnLike",
    "ArnNotLike",
    "Null",
];

/// Something in a spec that cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where.
    pub path: String,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.text)
    }
}

/// All that is wrong.
pub(super) fn problems(grant: &Grant, policy: Option<&Document>, trust: &Document) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut wrong = |path: String, text: String| found.push(Problem { path, text });
    if grant.statements.is_empty() && grant.managed.is_empty() {
        let text = "there is nothing to allow: add a statement, or an ARN in spec.managedPolicyArns";
        wrong("spec.policy.statement".to_owned(), text.to_owned());
    }
    for (number, statement) in grant.statements.iter().enumerate() {
        let before = grant.statements[..number].iter().filter_map(|before| before.sid.as_ref());
        if let Some(sid) = statement.sid.as_ref().filter(|sid| before.clone().any(|before| before == *sid)) {
            let text = format!("`{sid}` is the name of another statement already: AWS takes each name once");
            wrong(format!("spec.policy.statement[{number}].sid"), text);
        }
        of_statement(&format!("spec.policy.statement[{number}]"), statement, &mut wrong);
    }
    for (number, arn) in grant.managed.iter().enumerate().filter(|(_, arn)| !is_policy(arn)) {
        wrong(format!("spec.managedPolicyArns[{number}]"), no_policy(arn));
    }
    if let Some(arn) = grant.boundary.as_ref().filter(|arn| !is_policy(arn)) {
        wrong("spec.permissionsBoundary".to_owned(), no_policy(arn));
    }
    if grant.managed.len() + usize::from(policy.is_some()) > POLICIES {
        let text = format!("a role in AWS has at most {POLICIES} policies, its own included: name fewer");
        wrong("spec.managedPolicyArns".to_owned(), text);
    }
    if let Some(size) = policy.map(size).filter(|size| *size > POLICY) {
        let text = format!(
            "the policy has {size} characters, and AWS takes {POLICY}: use wildcards, or move a part of it into a policy in spec.managedPolicyArns"
        );
        wrong("spec.policy".to_owned(), text);
    }
    let size = size(trust);
    if size > TRUST {
        let text = format!(
            "trusting so many clusters takes {size} characters, and AWS takes {TRUST}: name fewer, and make another identity for the rest"
        );
        wrong("spec.clusters".to_owned(), text);
    }
    found
}

fn of_statement(path: &str, statement: &Statement, wrong: &mut impl FnMut(String, String)) {
    if !["Allow", "Deny"].contains(&statement.effect.as_str()) {
        wrong(format!("{path}.effect"), format!("`{}` is neither Allow nor Deny", statement.effect));
    }
    if statement.actions.is_empty() {
        wrong(format!("{path}.action"), "name at least one action, as in s3:GetObject".to_owned());
    }
    for (number, action) in statement.actions.iter().enumerate().filter(|(_, action)| !is_action(action)) {
        let text = format!("`{action}` is no action: write service:Name, as in s3:GetObject, or s3:Get*");
        wrong(format!("{path}.action[{number}]"), text);
    }
    if statement.resources.is_empty() {
        wrong(format!("{path}.resource"), "name at least one resource by its ARN, or *".to_owned());
    }
    for (number, arn) in statement.resources.iter().enumerate().filter(|(_, arn)| !is_resource(arn)) {
        let text = format!("`{arn}` is no ARN: write arn:partition:service:region:account:resource, or *");
        wrong(format!("{path}.resource[{number}]"), text);
    }
    for (number, arn) in statement.resources.iter().enumerate() {
        if let Some(strange) = strange(arn) {
            wrong(format!("{path}.resource[{number}]"), strange);
        }
    }
    for (operator, keys) in &statement.condition {
        if !is_operator(operator) {
            let text =
                format!("`{operator}` is no operator of conditions: see StringEquals, StringLike, Bool, …");
            wrong(format!("{path}.condition"), text);
        }
        if keys.is_empty() {
            wrong(format!("{path}.condition.{operator}"), "name at least one key".to_owned());
        }
        for (key, _) in keys.iter().filter(|(_, values)| values.is_empty()) {
            wrong(format!("{path}.condition.{operator}[{key}]"), "give at least one value".to_owned());
        }
        for (key, values) in keys {
            if let Some(strange) = iter::once(key).chain(values).find_map(|text| strange(text)) {
                wrong(format!("{path}.condition.{operator}[{key}]"), strange);
            }
        }
    }
}

/// How long a document is to AWS, which does not count spaces.
fn size(document: &Document) -> usize {
    document.text().chars().filter(|c| !c.is_whitespace()).count()
}

/// What is wrong with a text that has a character which AWS takes in no document.
fn strange(text: &str) -> Option<String> {
    let found = text.chars().find(|c| *c > '\u{ff}')?;
    Some(format!("`{text}` has `{found}`, which AWS does not take in a policy: put ? or * for it"))
}

fn is_action(action: &str) -> bool {
    let is_service =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "*?".contains(c));
    action == "*"
        || action.split_once(':').is_some_and(|(service, name)| is_service(service) && is_name(name))
}

fn is_resource(arn: &str) -> bool {
    let parts: Vec<_> = arn.splitn(6, ':').collect();
    let is_arn = matches!(parts.as_slice(), ["arn", partition, service, _, _, resource]
        if !partition.is_empty() && !service.is_empty() && !resource.is_empty());
    arn == "*" || is_arn && !arn.contains(char::is_whitespace)
}

fn is_policy(arn: &str) -> bool {
    let parts: Vec<_> = arn.splitn(6, ':').collect();
    let ["arn", partition, "iam", "", account, resource] = parts.as_slice() else { return false };
    let is_number = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    let name = resource.strip_prefix("policy/").unwrap_or_default();
    !partition.is_empty()
        && (is_number || *account == "aws")
        && !name.is_empty()
        && !arn.contains(char::is_whitespace)
}

fn no_policy(arn: &str) -> String {
    format!("`{arn}` is no ARN of a policy: it looks like arn:aws:iam::123456789012:policy/name")
}

fn is_operator(operator: &str) -> bool {
    let plain = operator.strip_prefix("ForAllValues:").or_else(|| operator.strip_prefix("ForAnyValue:"));
    let plain = plain.unwrap_or(operator);
    let plain = plain.strip_suffix("IfExists").filter(|plain| *plain != "Null").unwrap_or(plain);
    OPERATORS.contains(&plain)
}
