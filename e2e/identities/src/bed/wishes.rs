//! Identities that are wanted, and what is waited for.

use anyhow::{Context, Result};
use bowline_identities::plain::{Home, Named};
use serde_json::{Value, json};

use super::{Bed, CLUSTER, ISSUER, has, policy, provider};
use crate::{so, until};

impl Bed {
    /// What the hub calls itself in AWS.
    ///
    /// # Errors
    /// If it does not say.
    pub fn home(&self) -> Result<Home> {
        let namespace = self.server()?.read("/api/v1/namespaces/kube-system")?;
        let uid = namespace["metadata"]["uid"].as_str().context("a uid")?;
        Ok(Home::new(uid, CLUSTER, &provider(ISSUER))?)
    }

    /// What the policy and the role of an identity in `default` are called.
    ///
    /// # Errors
    /// If the hub does not say who it is.
    pub fn aws_name(&self, name: &str) -> Result<String> {
        Ok(self.home()?.aws_name(&Named { namespace: "default".to_owned(), name: name.to_owned() }))
    }

    /// The ARN of the policy of an identity in `default`.
    ///
    /// # Errors
    /// If the hub does not say who it is.
    pub fn policy_arn(&self, name: &str) -> Result<String> {
        Ok(self.home()?.policy_arn(&Named { namespace: "default".to_owned(), name: name.to_owned() }))
    }

    /// Makes an identity in `default`, with this beside the usual in its spec.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create(&self, name: &str, more: Value) -> Result<Value> {
        self.create_in("default", name, more)
    }

    /// The same in another namespace.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create_in(&self, namespace: &str, name: &str, more: Value) -> Result<Value> {
        let mut spec = json!({ "policy": policy("s3:GetObject") });
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        let body = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": { "name": name, "namespace": namespace }, "spec": spec,
        });
        self.server()?.create(&path_in(namespace, ""), &body)
    }

    /// Changes the spec of an identity in `default`.
    ///
    /// # Errors
    /// If it is refused.
    pub fn change(&self, name: &str, spec: Value) -> Result<Value> {
        self.server()?.change(&path_in("default", name), &json!({ "spec": spec }))
    }

    /// Deletes an identity in `default`.
    ///
    /// # Errors
    /// If it is refused.
    pub fn delete(&self, name: &str) -> Result<()> {
        self.server()?.delete(&path_in("default", name))
    }

    /// An identity in `default`.
    ///
    /// # Errors
    /// If it is not there.
    pub fn read(&self, name: &str) -> Result<Value> {
        self.server()?.read(&path_in("default", name))
    }

    /// A service account in `default`, if it is there.
    ///
    /// # Errors
    /// If the hub does not say.
    pub fn account(&self, name: &str) -> Result<Option<Value>> {
        self.server()?.perhaps(&format!("/api/v1/namespaces/default/serviceaccounts/{name}"))
    }

    /// Waits until an identity in `default` is ready as it is wanted now.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_ready(&self, name: &str) -> Result<()> {
        self.is_ready_in("default", name).await
    }

    /// The same in another namespace.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_ready_in(&self, namespace: &str, name: &str) -> Result<()> {
        until(&format!("{name} is ready"), async || {
            let read = self.server()?.read(&path_in(namespace, name))?;
            let is_seen = read["status"]["observedGeneration"] == read["metadata"]["generation"];
            let is = ["Complete", "Ready", "Synced"].iter().all(|of| has(&read, of, "True"));
            Ok(so(is_seen && is && !has(&read, "Stalled", "True"), &read["status"]))
        })
        .await
    }

    /// Waits until Events of an identity in `default` give these reasons.
    ///
    /// # Errors
    /// If they never do.
    pub async fn has_told(&self, name: &str, reasons: &[&str]) -> Result<()> {
        until(&format!("Events of {name} say {reasons:?}"), async || {
            let told: Vec<_> = self.notes(name)?.into_iter().map(|(reason, _)| reason).collect();
            let says = |reason: &&str| told.iter().any(|told| told == reason);
            Ok(so(reasons.iter().all(says), format!("{told:?}")))
        })
        .await
    }

    /// Waits until Events of an identity in `default` say these things.
    ///
    /// # Errors
    /// If they never do.
    pub async fn has_noted(&self, name: &str, parts: &[&str]) -> Result<()> {
        until(&format!("Events of {name} say {parts:?}"), async || {
            let notes = self.notes(name)?;
            let says = |part: &&str| notes.iter().any(|(_, note)| note.contains(*part));
            Ok(so(parts.iter().all(says), format!("{notes:?}")))
        })
        .await
    }

    /// The reasons and notes of all Events of an identity in `default`.
    ///
    /// # Errors
    /// If the hub does not tell them.
    pub fn notes(&self, name: &str) -> Result<Vec<(String, String)>> {
        let events = self.server()?.read("/apis/events.k8s.io/v1/namespaces/default/events")?;
        let items = events["items"].as_array().cloned().unwrap_or_default();
        let its = items.iter().filter(|event| event["regarding"]["name"] == name);
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        Ok(its.map(|event| (text(event, "reason"), text(event, "note"))).collect())
    }

    /// Waits until an identity in `default` needs a person, and says this.
    ///
    /// # Errors
    /// If it never does.
    pub async fn is_stalled(&self, name: &str, words: &str) -> Result<()> {
        until(&format!("{name} is stalled: {words}"), async || {
            let read = self.read(name)?;
            let says = read["status"]["message"].as_str().is_some_and(|said| said.contains(words));
            Ok(so(has(&read, "Stalled", "True") && says, &read["status"]))
        })
        .await
    }

    /// Waits until an identity in `default` is gone.
    ///
    /// # Errors
    /// If it never is.
    pub async fn is_gone(&self, name: &str) -> Result<()> {
        until(&format!("{name} is gone"), async || {
            let found = self.server()?.perhaps(&path_in("default", name))?;
            Ok(found.map_or(Ok(()), |found| Err(found["status"].to_string())))
        })
        .await
    }
}

/// Where an identity is.
fn path_in(namespace: &str, name: &str) -> String {
    let all = format!("/apis/bowline.dev/v1alpha1/namespaces/{namespace}/iamroleserviceaccounts");
    if name.is_empty() { all } else { format!("{all}/{name}") }
}
