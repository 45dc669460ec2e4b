//! Pods that write: each has its volumes attached, and writes for as long as it is there.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::rest::Api;
use super::{DRIVER, Shared};
use crate::log::What;

/// How long a pod rests after each record, if it is one of a few.
const REST: Duration = Duration::from_millis(40);
/// So many are a few. Of more, each rests longer: together they ask their cluster not more often.
const FEW: usize = 3;

/// The pods of a cluster.
pub(crate) struct Pods {
    cluster: String,
    api: Api,
    shared: Arc<Shared>,
    /// What is being written to, by pod and volume.
    writing: Arc<Mutex<BTreeSet<(String, String)>>>,
    threads: Vec<JoinHandle<()>>,
}

/// A pod with one of its volumes.
struct Writer {
    cluster: String,
    api: Api,
    shared: Arc<Shared>,
    /// Where the pod is, and which one it is.
    pod: String,
    uid: Value,
    /// Where its claim and its volume are.
    claim: String,
    volume: String,
    handle: String,
    /// Where it is said that it is attached.
    attachment: String,
    /// What all of them write to.
    writing: Arc<Mutex<BTreeSet<(String, String)>>>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Pods {
    pub(crate) fn new(cluster: &str, api: &Api, shared: &Arc<Shared>) -> Pods {
        Pods {
            cluster: cluster.to_owned(),
            api: api.clone(),
            shared: Arc::clone(shared),
            writing: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// Lets those write that do not, and can.
    pub(crate) fn look(&mut self, claims: &[Value], volumes: &[Value]) -> Result<()> {
        for pod in self.api.list("/api/v1/pods")? {
            let runs = pod["status"]["phase"] == "Running" && pod["metadata"]["deletionTimestamp"].is_null();
            for mounted in pod["spec"]["volumes"].as_array().into_iter().flatten().filter(|_| runs) {
                let is_its = |claim: &&Value| {
                    claim["metadata"]["name"] == mounted["persistentVolumeClaim"]["claimName"]
                        && claim["metadata"]["namespace"] == pod["metadata"]["namespace"]
                };
                let claim = claims.iter().find(is_its).filter(|claim| claim["status"]["phase"] == "Bound");
                let Some(claim) = claim else { continue };
                let is_bound = |volume: &&Value| volume["metadata"]["name"] == claim["spec"]["volumeName"];
                let Some(volume) = volumes.iter().find(is_bound) else { continue };
                if volume["spec"]["csi"]["driver"] == DRIVER {
                    self.write(&pod, claim, volume);
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, pod: &Value, claim: &Value, volume: &Value) {
        let handle = text(&volume["spec"]["csi"]["volumeHandle"]);
        let uid = text(&pod["metadata"]["uid"]);
        let key = (uid.clone(), handle.clone());
        if !self.writing.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone()) {
            return;
        }
        let space = text(&pod["metadata"]["namespace"]);
        let writer = Writer {
            cluster: self.cluster.clone(),
            api: self.api.clone(),
            shared: Arc::clone(&self.shared),
            pod: format!("/api/v1/namespaces/{space}/pods/{}", text(&pod["metadata"]["name"])),
            uid: pod["metadata"]["uid"].clone(),
            claim: format!(
                "/api/v1/namespaces/{space}/persistentvolumeclaims/{}",
                text(&claim["metadata"]["name"])
            ),
            volume: format!("/api/v1/persistentvolumes/{}", text(&volume["metadata"]["name"])),
            attachment: format!("att-{uid}-{}", &handle[handle.len().saturating_sub(8)..]),
            handle,
            writing: Arc::clone(&self.writing),
        };
        let node = pod["spec"]["nodeName"].clone();
        let writing = Arc::clone(&self.writing);
        self.threads.push(thread::spawn(move || {
            // What could not be begun is begun again by who looks next.
            let _ = writer.run(&node);
            writing.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        }));
    }

    pub(crate) fn join(&mut self) {
        for thread in self.threads.drain(..) {
            // What went wrong there is missing in the log.
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn run(&self, node: &Value) -> Result<()> {
        const ATTACHMENTS: &str = "/apis/storage.k8s.io/v1/volumeattachments";
        let volume = self.volume.rsplit('/').next().unwrap_or_default();
        let attachment = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": self.attachment },
            "spec": { "attacher": DRIVER, "nodeName": node, "source": { "persistentVolumeName": volume } },
        });
        // First it is said that it is attached; then it is seen whether it may still be.
        self.api.create(ATTACHMENTS, &attachment)?;
        let wrote = self.attach_and_write();
        // Said when nothing writes any more.
        while self.api.delete(&format!("{ATTACHMENTS}/{}", self.attachment)).is_err() && !self.ends() {
            thread::sleep(REST);
        }
        wrote
    }

    fn rest(&self) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner).len();
        let fews = u32::try_from(writing / FEW).unwrap_or(u32::MAX).max(1);
        thread::sleep(REST.saturating_mul(fews));
    }

    fn ends(&self) -> bool {
        self.shared.ends.load(Ordering::SeqCst)
    }

    fn attach_and_write(&self) -> Result<()> {
        let is_claimed = self.api.get(&self.claim)?.is_some_and(|claim| {
            claim["status"]["phase"] == "Bound" && claim["metadata"]["deletionTimestamp"].is_null()
        });
        let volume =
            self.api.get(&self.volume)?.filter(|volume| volume["metadata"]["deletionTimestamp"].is_null());
        let Some(volume) = volume.filter(|_| is_claimed && self.is_there() == Some(true)) else {
            return Ok(());
        };
        let epoch = text(&volume["metadata"]["annotations"]["bowline.dev/epoch"]).parse().unwrap_or(0);
        let attached =
            self.shared.with(&self.cluster, &self.handle, epoch, What::Attached, |_, _| Ok(true))?;
        if !attached {
            return Ok(());
        }
        // Pods go on when their API server is away.
        while !self.ends() && self.is_there() != Some(false) {
            self.shared.write(&self.cluster, &self.handle, epoch)?;
            self.rest();
        }
        self.shared.with(&self.cluster, &self.handle, epoch, What::Detached, |_, _| Ok(true)).map(drop)
    }

    /// Whether the pod is there; nothing, if nobody says it.
    fn is_there(&self) -> Option<bool> {
        let pod = self.api.get(&self.pod).ok()?;
        Some(pod.is_some_and(|pod| {
            pod["metadata"]["uid"] == self.uid && pod["metadata"]["deletionTimestamp"].is_null()
        }))
    }
}
