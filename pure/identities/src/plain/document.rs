//! Documents of AWS: written, read, and compared by what they mean.
//!
//! AWS keeps what it was given, and others write the same in another way: one action as a text or as a list of one, lists and
//! statements in any order, actions and keys of conditions in any case. None of that is a difference.

use std::hash::{Hash, Hasher};

use serde_json::{Map, Value, json};

use super::{Issuer, Named, Statement};

/// What tokens for AWS are made out for.
const AUDIENCE: &str = "sts.amazonaws.com";

/// A document. Two are equal if they mean the same.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    meaning: String,
}

impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.meaning == other.meaning
    }
}

impl Eq for Document {}

impl Hash for Document {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning.hash(state);
    }
}

impl Document {
    /// A document as AWS has it. What is no JSON is equal to nothing but itself.
    pub fn read(text: &str) -> Document {
        match serde_json::from_str(text) {
            Ok(value) => Document::of(&value),
            Err(_) => Document { text: text.to_owned(), meaning: format!("unreadable: {text}") },
        }
    }

    /// As it is sent to AWS, without any spaces: AWS does not count them, and neither do we have to.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn of(value: &Value) -> Document {
        Document { text: value.to_string(), meaning: meaning(value).to_string() }
    }

    /// A policy with these statements.
    pub(super) fn policy(statements: &[Statement]) -> Document {
        let written = |statement: &Statement| {
            let mut written = json!({
                "Effect": statement.effect,
                "Action": statement.actions,
                "Resource": statement.resources,
            });
            let mut add = |name: &str, value: Value| {
                written.as_object_mut().map(|written| written.insert(name.to_owned(), value))
            };
            if let Some(sid) = &statement.sid {
                add("Sid", json!(sid));
            }
            if !statement.condition.is_empty() {
                add("Condition", json!(statement.condition));
            }
            written
        };
        let statements: Vec<_> = statements.iter().map(written).collect();
        Document::of(&json!({ "Version": "2012-10-17", "Statement": statements }))
    }

    /// A trust policy: who has a token of one of these issuers for this account, made out for AWS, may assume the role.
    pub(super) fn trust(issuers: &[Issuer], account: &Named) -> Document {
        let subject = format!("system:serviceaccount:{}:{}", account.namespace, account.name);
        let written = |issuer: &Issuer| {
            let url = &issuer.url;
            json!({
                "Effect": "Allow",
                "Principal": { "Federated": issuer.provider },
                "Action": "sts:AssumeRoleWithWebIdentity",
                "Condition": {
                    "StringEquals": { format!("{url}:sub"): subject, format!("{url}:aud"): AUDIENCE }
                },
            })
        };
        let statements: Vec<_> = issuers.iter().map(written).collect();
        Document::of(&json!({ "Version": "2012-10-17", "Statement": statements }))
    }
}

/// A document in a form in which the same meaning is the same text.
fn meaning(document: &Value) -> Value {
    let Value::Object(fields) = document else { return document.clone() };
    let field = |(name, value): (&String, &Value)| {
        let value = if name == "Statement" { unordered(value, statement) } else { value.clone() };
        // The name of a document means nothing.
        (name != "Id").then(|| (name.clone(), value))
    };
    Value::Object(fields.iter().filter_map(field).collect())
}

fn statement(statement: &Value) -> Value {
    let Value::Object(fields) = statement else { return statement.clone() };
    let field = |(name, value): (&String, &Value)| {
        let value = match name.as_str() {
            // The name of a statement means nothing.
            "Sid" => return None,
            "Action" | "NotAction" => unordered(value, lower),
            "Resource" | "NotResource" => unordered(value, scalar),
            "Principal" | "NotPrincipal" => {
                inside(value, |name| name.to_owned(), |value| unordered(value, scalar))
            }
            "Condition" => {
                let values = |value: &Value| unordered(value, scalar);
                inside(value, |name| name.to_owned(), |keys| inside(keys, str::to_lowercase, values))
            }
            _ => value.clone(),
        };
        Some((name.clone(), value))
    };
    Value::Object(fields.iter().filter_map(field).collect())
}

/// One or a list of them: in order, each once.
fn unordered(value: &Value, each: impl Fn(&Value) -> Value) -> Value {
    let values = match value {
        Value::Array(values) => values.iter().map(each).collect(),
        one => vec![each(one)],
    };
    let mut values: Vec<_> = values.into_iter().map(|value| (value.to_string(), value)).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0));
    values.dedup_by(|a, b| a.0 == b.0);
    values.into_iter().map(|(_, value)| value).collect()
}

fn inside(value: &Value, name: impl Fn(&str) -> String, each: impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().map(|(key, value)| (name(key), each(value))).collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(sorted.into_iter().collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// AWS takes numbers and switches as texts too.
fn scalar(value: &Value) -> Value {
    match value {
        Value::Bool(_) | Value::Number(_) => Value::String(value.to_string()),
        other => other.clone(),
    }
}

fn lower(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.to_lowercase()),
        other => other.clone(),
    }
}
