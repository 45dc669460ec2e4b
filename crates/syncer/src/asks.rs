//! Requests: each is asked once, with a deadline, and each write says what it rests on.

use std::future::Future;

use bowline_runtime::{REQUEST, sentence};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::marks::MANAGER;

/// Why something was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Undone {
    /// What it rests on has changed, or is gone: it is looked again.
    Outdated,
    /// It has begun, and goes on by itself; what it waits for, in words.
    Waits(String),
    /// It did not work; why, in words.
    Failed(String),
}

impl From<kube::Error> for Undone {
    fn from(error: kube::Error) -> Undone {
        match &error {
            kube::Error::Api(status) if status.code == 409 || status.code == 404 => Undone::Outdated,
            // What the hub grants it lets us read a moment later; and nothing is made where all is deleted.
            kube::Error::Api(status) if status.code == 403 => {
                Undone::Waits(format!("what is forbidden to be allowed: {}", status.message))
            }
            _ => Undone::Failed(sentence(&error)),
        }
    }
}

/// What becomes of something that is done.
pub(crate) type Done<T = ()> = Result<T, Undone>;

/// A server, and how it is asked.
#[derive(Clone)]
pub(crate) struct Server(Client);

impl Server {
    pub(crate) fn new(client: Client) -> Server {
        Server(client)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0
    }

    pub(crate) fn all(&self, resource: &ApiResource) -> Api<DynamicObject> {
        Api::all_with(self.0.clone(), resource)
    }

    pub(crate) fn within(&self, resource: &ApiResource, namespace: &str) -> Api<DynamicObject> {
        if namespace.is_empty() {
            return self.all(resource);
        }
        Api::namespaced_with(self.0.clone(), namespace, resource)
    }
}

/// Waits for a server, but not for ever.
pub(crate) async fn in_time<T>(asked: impl Future<Output = Result<T, kube::Error>>) -> Done<T> {
    match tokio::time::timeout(REQUEST, asked).await {
        Ok(answer) => answer.map_err(Undone::from),
        Err(_) => Err(Undone::Failed(format!("no answer within {} s", REQUEST.as_secs()))),
    }
}

/// What is there by a name.
pub(crate) async fn get(api: &Api<DynamicObject>, name: &str) -> Done<Option<DynamicObject>> {
    in_time(api.get_opt(name)).await
}

/// What is there, by labels. Who answers that there is no such list has not said that nothing is in it: pods that run, or what was
/// given up, would be taken for gone.
pub(crate) async fn list(api: &Api<DynamicObject>, labels: &str) -> Done<Vec<DynamicObject>> {
    let params = ListParams { label_selector: Some(labels.to_owned()), ..ListParams::default() };
    let params = if labels.is_empty() { ListParams::default() } else { params };
    match in_time(api.list(&params)).await {
        Err(Undone::Outdated) => Err(Undone::Failed(format!("{} is not served", api.resource_url()))),
        answer => Ok(answer?.items),
    }
}

/// Makes something that is not there.
pub(crate) async fn create(api: &Api<DynamicObject>, object: &Value) -> Done<DynamicObject> {
    let object = serde_json::from_value(object.clone()).map_err(|error| Undone::Failed(sentence(&error)))?;
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    in_time(api.create(&params, &object)).await
}

/// Changes something, if it is still as it was read.
pub(crate) async fn change(
    api: &Api<DynamicObject>,
    read: &DynamicObject,
    mut patch: Value,
) -> Done<DynamicObject> {
    let name = read.metadata.name.clone().unwrap_or_default();
    patch["metadata"]["resourceVersion"] = json!(read.metadata.resource_version);
    patch["metadata"]["uid"] = json!(read.metadata.uid);
    let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    in_time(api.patch(&name, &params, &Patch::Merge(patch))).await
}

/// Changes the status of something, if it is still as it was read.
pub(crate) async fn change_status(
    api: &Api<DynamicObject>,
    read: &DynamicObject,
    mut patch: Value,
) -> Done<DynamicObject> {
    let name = read.metadata.name.clone().unwrap_or_default();
    patch["metadata"] =
        json!({ "resourceVersion": read.metadata.resource_version, "uid": read.metadata.uid });
    let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    in_time(api.patch_status(&name, &params, &Patch::Merge(patch))).await
}

/// Deletes something, if it is still as it was read; what it has made goes after it.
pub(crate) async fn delete(api: &Api<DynamicObject>, read: &DynamicObject) -> Done {
    let name = read.metadata.name.clone().unwrap_or_default();
    let params = DeleteParams {
        propagation_policy: Some(PropagationPolicy::Background),
        preconditions: Some(Preconditions {
            uid: read.metadata.uid.clone(),
            resource_version: read.metadata.resource_version.clone(),
        }),
        ..DeleteParams::default()
    };
    in_time(api.delete(&name, &params)).await.map(drop)
}

/// Says how something is to be, in all that it says: what was said before, and is not any more, goes.
pub(crate) async fn apply(api: &Api<DynamicObject>, object: &Value) -> Done<DynamicObject> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let params = PatchParams::apply(MANAGER).force();
    in_time(api.patch(name, &params, &Patch::Apply(object))).await
}

/// The answer of a server that refuses something, for tests.
#[cfg(test)]
pub(crate) fn refusal(code: u16, reason: &str) -> http::Response<kube::client::Body> {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": "no", "code": code });
    let mut answer = http::Response::new(kube::client::Body::from(status.to_string().into_bytes()));
    if let Ok(code) = http::StatusCode::from_u16(code) {
        *answer.status_mut() = code;
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::{Request, Response, StatusCode};
    use kube::client::Body;

    use super::*;
    use crate::kinds::pods;

    #[tokio::test]
    async fn what_is_forbidden_is_waited_for() {
        let serve = |_: Request<Body>| std::future::ready(Ok::<_, Infallible>(refusal(403, "Forbidden")));
        let server = Server::new(Client::new(tower::service_fn(serve), "default"));
        let told = list(&server.within(&pods(), "shop"), "").await;
        assert_eq!(told, Err(Undone::Waits("what is forbidden to be allowed: no".to_owned())));
    }

    #[tokio::test]
    async fn no_list_is_no_empty_list() {
        let serve = |_: Request<Body>| {
            let mut answer = Response::new(Body::from(b"404 page not found".to_vec()));
            *answer.status_mut() = StatusCode::NOT_FOUND;
            std::future::ready(Ok::<_, Infallible>(answer))
        };
        let server = Server::new(Client::new(tower::service_fn(serve), "default"));
        let told = list(&server.within(&pods(), "shop"), "").await;
        assert_eq!(told, Err(Undone::Failed("/api/v1/namespaces/shop/pods is not served".to_owned())));
    }
}
