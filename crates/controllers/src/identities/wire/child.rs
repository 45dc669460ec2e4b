//! The children of identities: what is wanted of a policy or a role, and what there is of it.

use bowline_api::conditions::{Condition, ConditionType, Conditions, Judgement, Reason, Truth};
use bowline_api::identities::{IamPolicy, IamRole, IamRoleServiceAccount};
use bowline_api::updates::Cluster as ClusterResource;
use bowline_control::{Millis, Version};
use bowline_identities::plain::Named;
use bowline_identities::plain::children::{Child, Member, MemberId, MemberKind, Part, Said, Shown};
use bowline_runtime::{Address, Watched, Wire};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::account::{is_identity, owner};
use super::{cluster, identity};
use crate::drawing::{put, status};
use crate::times::{millis, time};

/// Reads and writes the children of identities.
pub(crate) struct ChildWire;

impl Wire for ChildWire {
    type Object = Member;

    fn watched(&self) -> Vec<Watched<MemberKind>> {
        let watched = |kind, resource, namespaced| Watched { kind, resource, namespaced };
        vec![
            watched(MemberKind::Identity, ApiResource::erase::<IamRoleServiceAccount>(&()), true),
            watched(MemberKind::Cluster, ApiResource::erase::<ClusterResource>(&()), false),
            watched(MemberKind::Child(Part::Policy), ApiResource::erase::<IamPolicy>(&()), true),
            watched(MemberKind::Child(Part::Role), ApiResource::erase::<IamRole>(&()), true),
        ]
    }

    fn address(&self, id: &MemberId) -> Address {
        match id {
            MemberId::Identity(Named { namespace, name }) | MemberId::Child(_, Named { namespace, name }) => {
                Address { namespace: namespace.clone(), name: name.clone() }
            }
            MemberId::Cluster(name) => Address { namespace: String::new(), name: name.clone() },
        }
    }

    fn read(&self, kind: MemberKind, raw: &DynamicObject) -> Option<Member> {
        match kind {
            MemberKind::Identity => identity::read(raw).map(Box::new).map(Member::Identity),
            MemberKind::Cluster => cluster::read(raw).map(Member::Cluster),
            MemberKind::Child(part) => read(part, raw).map(Member::Child),
        }
    }

    fn draw(&self, object: &Member, raw: &mut DynamicObject) {
        match object {
            Member::Child(child) => draw(child, raw),
            // Nothing of them is written here.
            Member::Identity(_) | Member::Cluster(_) => {}
        }
    }

    fn draw_status(&self, object: &Member, raw: &mut DynamicObject) {
        let now = Time(k8s_openapi::jiff::Timestamp::now());
        if let Member::Child(child) = object {
            draw_status(child, raw, &now);
        }
    }

    fn uid(&self, uid: &String) -> String {
        uid.clone()
    }
}

fn read(part: Part, raw: &DynamicObject) -> Option<Child> {
    let meta = &raw.metadata;
    let owner = meta.owner_references.iter().flatten().find(|owner| is_identity(owner));
    Some(Child {
        part,
        name: Named { namespace: meta.namespace.clone()?, name: meta.name.clone()? },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        owner: owner.filter(|owner| meta.name.as_ref() == Some(&owner.name)).map(|owner| owner.uid.clone()),
        spec: raw.data.get("spec").cloned().unwrap_or_default(),
        shown: raw.data.get("status").and_then(shown),
    })
}

/// What it says, if it says all of it.
fn shown(status: &Value) -> Option<Shown> {
    let text = |field: &str| status.get(field).and_then(Value::as_str).map(str::to_owned);
    let conditions: Conditions = serde_json::from_value(status.get("conditions")?.clone()).ok()?;
    let kinds = [ConditionType::READY, ConditionType::SYNCED, ConditionType::STALLED];
    let conditions: Option<Vec<_>> = kinds.iter().map(|kind| conditions.get(kind).and_then(said)).collect();
    Some(Shown {
        arn: text("arn"),
        policy: text("policyArn"),
        intent: status.get("intentAt").and_then(at),
        words: text("message").unwrap_or_default(),
        conditions: conditions?,
    })
}

fn at(value: &Value) -> Option<Millis> {
    serde_json::from_value::<Time>(value.clone()).ok().as_ref().map(millis)
}

fn said(condition: &Condition) -> Option<Said> {
    let is = match condition.status {
        Truth::True => true,
        Truth::False => false,
        Truth::Unknown => return None,
    };
    Some(Said {
        kind: condition.kind.to_string(),
        is,
        reason: condition.reason.to_string(),
        message: condition.message.clone(),
    })
}

/// All of its spec is ours.
fn draw(child: &Child, raw: &mut DynamicObject) {
    let mut owners = raw.metadata.owner_references.take().unwrap_or_default();
    owners.retain(|owner| !is_identity(owner));
    if let Some(uid) = &child.owner {
        owners.push(owner(&child.name.name, uid));
    }
    raw.metadata.owner_references = Some(owners).filter(|owners| !owners.is_empty());
    if !raw.data.is_object() {
        raw.data = json!({});
    }
    raw.data["spec"] = child.spec.clone();
}

fn draw_status(child: &Child, raw: &mut DynamicObject, now: &Time) {
    let Some(Shown { arn, policy, intent, words, conditions: all }) = &child.shown else { return };
    let fields = status(raw);
    put(fields, "arn", arn.clone().map(Value::from));
    put(fields, "policyArn", policy.clone().map(Value::from));
    put(fields, "intentAt", intent.map(|at| json!(time(at))));
    put(fields, "message", (!words.is_empty()).then(|| json!(words)));
    let old = fields.get("conditions").cloned().unwrap_or_default();
    let mut conditions: Conditions = serde_json::from_value(old).unwrap_or_default();
    for said in all {
        if let Some(judgement) = judgement(said) {
            conditions.set(judgement, now);
        }
    }
    put(fields, "conditions", Some(json!(conditions)));
}

/// What is said of it, by the words of its identity: these are names of ours.
fn judgement(Said { kind, is, reason, message }: &Said) -> Option<Judgement> {
    let kind: ConditionType = serde_json::from_value(json!(kind)).ok()?;
    let reason: Reason = serde_json::from_value(json!(reason)).ok()?;
    Some(Judgement::new(kind, if *is { Truth::True } else { Truth::False }, reason, message.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRole",
            "metadata": { "name": "reader", "namespace": "team", "uid": "c", "resourceVersion": "7" },
        });
        serde_json::from_value(object).expect("an object")
    }

    fn at_second(second: i64) -> Time {
        Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
    }

    fn said(kind: &str, is: bool, message: &str) -> Said {
        Said { kind: kind.into(), is, reason: "Waiting".into(), message: message.into() }
    }

    fn full() -> Shown {
        Shown {
            arn: Some("arn:aws:iam::123456789012:role/x".into()),
            policy: Some("arn:aws:iam::123456789012:policy/x".into()),
            intent: Some(Millis(5_000)),
            words: "waits".into(),
            conditions: vec![
                said("Ready", false, "why"),
                said("Synced", true, "it is"),
                said("Stalled", false, ""),
            ],
        }
    }

    #[test]
    fn what_a_child_says_comes_back() {
        let bare = read(Part::Role, &raw()).expect("a child");
        assert_eq!((&bare.owner, &bare.shown, &bare.spec), (&None, &None, &Value::Null));
        let first = Shown { arn: None, policy: None, words: String::new(), ..full() };
        for shown in [first, full()] {
            let child = Child {
                owner: Some("i".into()),
                spec: json!({ "roleName": "x" }),
                shown: Some(shown),
                ..bare.clone()
            };
            let mut raw = raw();
            draw(&child, &mut raw);
            draw_status(&child, &mut raw, &at_second(5));
            assert_eq!(read(Part::Role, &raw), Some(child.clone()));
            let drawn = raw.clone();
            draw(&child, &mut raw);
            draw_status(&child, &mut raw, &at_second(9));
            assert_eq!(raw, drawn, "what is read and drawn again is the same");
        }
    }

    #[test]
    fn what_is_spoiled_was_not_shown() {
        let child = Child { shown: Some(full()), ..read(Part::Role, &raw()).expect("a child") };
        let mut raw = raw();
        draw_status(&child, &mut raw, &at_second(5));
        raw.data["status"]["conditions"][1]["status"] = json!("Unknown");
        assert_eq!(read(Part::Role, &raw).expect("a child").shown, None);
    }

    #[test]
    fn a_child_of_an_identity_of_another_name_is_not_its() {
        let mut raw = raw();
        raw.metadata.owner_references = Some(vec![owner("other", "i")]);
        assert_eq!(read(Part::Role, &raw).expect("a child").owner, None);
    }
}
