//! A cluster's API, as the driver has it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use bowline_realkube::{Client, Request, client_of_kubeconfig};
use serde_json::Value;

/// A cluster's API.
#[derive(Clone)]
pub(crate) struct Api(Arc<Client>);

impl Api {
    pub(crate) fn of(kubeconfig: &Path) -> Result<Api> {
        Ok(Api(Arc::new(client_of_kubeconfig(kubeconfig)?)))
    }

    fn send(&self, method: &str, path: &str, body: Option<(&str, &Value)>) -> Result<(u16, Value)> {
        let mut request = Request::new(method, path);
        if let Some((media, body)) = body {
            request = request.body(media, body.to_string());
        }
        let response = self.0.send(&request)?;
        Ok((response.status, serde_json::from_slice(&response.body).unwrap_or_default()))
    }

    /// Everything at a path.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<Value>> {
        let (status, mut all) = self.send("GET", path, None)?;
        ensure!(status == 200, "{path}: {status}");
        Ok(all["items"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    /// What is at a path, if anything is.
    pub(crate) fn get(&self, path: &str) -> Result<Option<Value>> {
        let (status, object) = self.send("GET", path, None)?;
        ensure!(status == 200 || status == 404, "{path}: {status}");
        Ok((status == 200).then_some(object))
    }

    /// Makes something, unless it is there.
    pub(crate) fn create(&self, path: &str, object: &Value) -> Result<()> {
        let (status, said) = self.send("POST", path, Some(("application/json", object)))?;
        ensure!(status < 300 || status == 409, "{path}: {status} {said}");
        Ok(())
    }

    /// Changes something, if it is as it was.
    pub(crate) fn patch(&self, path: &str, patch: &Value) -> Result<()> {
        let (status, said) = self.send("PATCH", path, Some(("application/merge-patch+json", patch)))?;
        ensure!(status < 300 || status == 409 || status == 404, "{path}: {status} {said}");
        Ok(())
    }

    /// Deletes something.
    pub(crate) fn delete(&self, path: &str) -> Result<()> {
        let (status, said) = self.send("DELETE", path, None)?;
        ensure!(status < 300 || status == 404, "{path}: {status} {said}");
        Ok(())
    }
}
