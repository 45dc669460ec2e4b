//! What is asked of the server and is not a write of an object: that a pod gets its node.

use bowline_runtime::{Mandate, Outside, REQUEST};
use k8s_openapi::api::core::v1::Pod;
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::NODE;
use crate::controller::Workloads;
use crate::step::Bind;

/// The scheduler's way to the server.
pub(crate) struct Scheduler(pub(crate) Client);

impl Outside<Workloads> for Scheduler {
    async fn call(&self, call: Bind, _: &Mandate) -> Result<(), String> {
        let Bind { pod, uid } = call;
        let binding = json!({
            "apiVersion": "v1", "kind": "Binding",
            "metadata": { "name": pod.name, "namespace": pod.namespace, "uid": uid },
            "target": { "apiVersion": "v1", "kind": "Node", "name": NODE },
        });
        let pods: Api<Pod> = Api::namespaced(self.0.clone(), &pod.namespace);
        let params = PostParams::default();
        let bound = pods.create_subresource::<_, Value>("binding", &pod.name, &params, &binding);
        let answer = tokio::time::timeout(REQUEST, bound).await;
        let silence = |_| Err(format!("no answer within {} s", REQUEST.as_secs()));
        answer.map_or_else(silence, |answer| answer.map(drop).map_err(|error| error.to_string()))
    }

    fn asked(&self, call: &Bind) -> String {
        format!("bind the pod {} to the node {NODE}", call.pod.name)
    }

    fn heard(&self, reply: &Result<(), String>) -> String {
        reply.as_ref().err().map_or("it is bound".into(), |why| format!("it is not bound: {why}"))
    }
}
