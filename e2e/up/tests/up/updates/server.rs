//! A server that is asked directly: what is asked again and again needs no process of its own.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bowline_realkube::{Client, Request, client_of_kubeconfig};
use serde_json::Value;

/// The server of a kubeconfig.
pub(super) struct Server(Client);

impl Server {
    pub(super) fn of(kubeconfig: &Path) -> Result<Server> {
        Ok(Server(client_of_kubeconfig(kubeconfig)?))
    }

    /// What is there.
    pub(super) fn read(&self, path: &str) -> Result<Value> {
        self.look(path)?.with_context(|| format!("{path} is not there"))
    }

    /// What is there, if anything is.
    pub(super) fn look(&self, path: &str) -> Result<Option<Value>> {
        let answer = self.0.send(&Request::new("GET", path))?;
        if answer.status == 404 {
            return Ok(None);
        }
        ensure!(answer.status == 200, "{path}: {}", answer.text());
        Ok(Some(serde_json::from_slice(&answer.body)?))
    }

    /// What is answered, as it is.
    pub(super) fn text(&self, path: &str) -> Result<String> {
        let answer = self.0.send(&Request::new("GET", path))?;
        ensure!(answer.status == 200, "{path}: {}", answer.text());
        Ok(answer.text())
    }

    /// Makes an object.
    pub(super) fn make(&self, path: &str, object: &Value) -> Result<Value> {
        self.send("POST", path, "application/json", object)
    }

    /// Changes an object.
    pub(super) fn merge(&self, path: &str, change: &Value) -> Result<Value> {
        self.send("PATCH", path, "application/merge-patch+json", change)
    }

    fn send(&self, method: &str, path: &str, media: &str, body: &Value) -> Result<Value> {
        let answer = self.0.send(&Request::new(method, path).body(media, body.to_string()))?;
        ensure!((200..300).contains(&answer.status), "{method} {path}: {}", answer.text());
        Ok(serde_json::from_slice(&answer.body)?)
    }

    /// The objects of a list.
    pub(super) fn items(&self, path: &str) -> Result<Vec<Value>> {
        match self.read(path)?["items"].take() {
            Value::Array(items) => Ok(items),
            other => anyhow::bail!("{path} is no list: {other}"),
        }
    }

    /// What the ConfigMaps of a namespace say, by their names; what every namespace has aside.
    pub(super) fn maps(&self, namespace: &str) -> Result<BTreeMap<String, Value>> {
        let all = self.items(&format!("/api/v1/namespaces/{namespace}/configmaps"))?;
        let all = all.into_iter().map(|mut map| {
            let name = map["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            (name, map["data"].take())
        });
        Ok(all.filter(|(name, _)| name != "kube-root-ca.crt").collect())
    }
}
