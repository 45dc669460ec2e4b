//! Requests to a hub.

use anyhow::{Context, Result, ensure};
use bowline_realkube::{Client, Request};
use serde_json::{Value, json};

/// A hub as its administrator sees it.
pub struct Server(Client);

impl Server {
    /// The server of a client.
    pub fn new(client: &Client) -> Server {
        Server(client.clone())
    }

    /// What is at a path, if it is there.
    ///
    /// # Errors
    /// If the server says neither.
    pub fn perhaps(&self, path: &str) -> Result<Option<Value>> {
        let said = self.0.send(&Request::new("GET", path))?;
        ensure!(said.status == 200 || said.status == 404, "GET {path}: {}", said.text());
        Ok(if said.status == 200 { Some(serde_json::from_slice(&said.body)?) } else { None })
    }

    /// What is at a path.
    ///
    /// # Errors
    /// If it is not there.
    pub fn read(&self, path: &str) -> Result<Value> {
        self.perhaps(path)?.with_context(|| format!("{path} is not there"))
    }

    /// Makes an object.
    ///
    /// # Errors
    /// If it is refused.
    pub fn create(&self, path: &str, body: &Value) -> Result<Value> {
        self.write("POST", path, "application/json", body)
    }

    /// Changes an object by a merge patch.
    ///
    /// # Errors
    /// If it is refused.
    pub fn change(&self, path: &str, patch: &Value) -> Result<Value> {
        self.write("PATCH", path, "application/merge-patch+json", patch)
    }

    /// Deletes an object.
    ///
    /// # Errors
    /// If it is refused.
    pub fn delete(&self, path: &str) -> Result<()> {
        self.write("DELETE", path, "application/json", &json!({ "propagationPolicy": "Background" }))
            .map(drop)
    }

    fn write(&self, method: &str, path: &str, media: &str, body: &Value) -> Result<Value> {
        let said = self.0.send(&Request::new(method, path).body(media, body.to_string()))?;
        ensure!((200..300).contains(&said.status), "{method} {path}: {}", said.text());
        Ok(serde_json::from_slice(&said.body)?)
    }
}
