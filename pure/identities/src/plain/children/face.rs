//! What children say.

use bowline_control::Millis;
use serde_json::{Map, Value, json};

use super::Part;
use crate::plain::{Home, Issuer, Plain, Statement};
use crate::report::Condition;
use crate::state::{Cluster, Identity, Names};

/// What there is of a part in AWS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its ARN.
    pub arn: Option<String>,
    /// Of a role: the ARN of the identity's own policy.
    pub policy: Option<String>,
    /// When it was first going to be made.
    pub intent: Option<Millis>,
    /// What it waits for, or what is wrong.
    pub words: String,
    /// Ready, Synced and Stalled.
    pub conditions: Vec<Said>,
}

/// A condition as it was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Which.
    pub kind: String,
    /// Whether it is so.
    pub is: bool,
    /// Why, in a word.
    pub reason: String,
    /// Why, in a sentence.
    pub message: String,
}

/// What is wanted of the policy; `None` if there is to be none.
pub(super) fn policy(home: &Home, identity: &Identity<Plain>) -> Option<Value> {
    let statements = &identity.wish.grant.statements;
    let written: Vec<_> = statements.iter().map(statement).collect();
    let mut spec = Map::new();
    spec.insert("policyName".to_owned(), json!(home.aws_name(&identity.name)));
    spec.insert("policy".to_owned(), json!({ "statement": written }));
    common(identity, &mut spec);
    (!statements.is_empty()).then_some(Value::Object(spec))
}

/// What is wanted of the role; `None` if it is not known whom it trusts.
pub(super) fn role(home: &Home, identity: &Identity<Plain>, clusters: &[Cluster<Plain>]) -> Option<Value> {
    let wish = &identity.wish;
    let of = |name: &String| clusters.iter().find(|cluster| cluster.name == *name)?.issuer.clone();
    let mut issuers: Vec<_> = match wish.clusters.as_slice() {
        [] => vec![Plain::issuer(home)],
        names => names.iter().map(of).collect::<Option<_>>()?,
    };
    issuers.sort_by(|a, b| a.url.cmp(&b.url));
    issuers.dedup_by(|a, b| a.url == b.url);
    let trust = |Issuer { url, provider }: &Issuer| json!({ "issuer": format!("https://{url}"), "providerArn": provider });
    let mut spec = Map::new();
    spec.insert("roleName".to_owned(), json!(home.aws_name(&identity.name)));
    spec.insert("serviceAccountName".to_owned(), json!(wish.account.name));
    spec.insert("trusts".to_owned(), issuers.iter().map(trust).collect());
    if !wish.grant.statements.is_empty() {
        spec.insert("policy".to_owned(), json!(identity.name.name));
    }
    if !wish.grant.managed.is_empty() {
        spec.insert("managedPolicyArns".to_owned(), json!(wish.grant.managed));
    }
    if let Some(boundary) = &wish.grant.boundary {
        spec.insert("permissionsBoundary".to_owned(), json!(boundary));
    }
    common(identity, &mut spec);
    Some(Value::Object(spec))
}

/// What is said of both.
fn common(identity: &Identity<Plain>, spec: &mut Map<String, Value>) {
    let deletion = if identity.wish.orphans { "Orphan" } else { "Delete" };
    spec.insert("deletionPolicy".to_owned(), json!(deletion));
    if identity.wish.adopts {
        spec.insert("adopt".to_owned(), json!(true));
    }
}

fn statement(statement: &Statement) -> Value {
    let Statement { sid, effect, actions, resources, condition } = statement;
    let mut written = Map::new();
    if let Some(sid) = sid {
        written.insert("sid".to_owned(), json!(sid));
    }
    written.insert("effect".to_owned(), json!(effect));
    written.insert("action".to_owned(), json!(actions));
    written.insert("resource".to_owned(), json!(resources));
    if !condition.is_empty() {
        written.insert("condition".to_owned(), json!(condition));
    }
    Value::Object(written)
}

/// What it is called in AWS, as a spec says.
pub(super) fn aws_name(part: Part, spec: &Value) -> Option<&str> {
    let field = match part {
        Part::Policy => "policyName",
        Part::Role => "roleName",
    };
    spec.get(field)?.as_str()
}

/// What there is of it. A policy is ready when it is attached, a role when it can be assumed.
pub(super) fn shown(part: Part, identity: &Identity<Plain>) -> Shown {
    let status = &identity.status;
    let [complete, ready, synced, stalled] = identity.conditions();
    let ready = match part {
        Part::Policy => Condition { kind: ready.kind, ..complete },
        Part::Role => ready,
    };
    let said = |Condition { kind, is, reason, message }: Condition<String>| Said {
        kind: kind.to_owned(),
        is,
        reason: reason.to_owned(),
        message,
    };
    Shown {
        arn: match part {
            Part::Policy => status.policy.clone(),
            Part::Role => status.role.clone(),
        },
        policy: status.policy.clone().filter(|_| part == Part::Role),
        intent: status.intent,
        words: identity.told.as_ref().map(|told| told.words.clone()).unwrap_or_default(),
        conditions: [ready, synced, stalled].map(said).to_vec(),
    }
}
