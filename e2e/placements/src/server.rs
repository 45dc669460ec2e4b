//! The volume server: directories that any cluster can attach, and what a CSI driver brings along in each.

mod pods;
mod rest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use self::pods::Pods;
use self::rest::Api;
use crate::bed::script;
use crate::log::{Entry, Log, What, append, line};

/// The name of its driver.
pub const DRIVER: &str = "volumes.bowline.test";
/// Keeps a volume until its data is deleted, if it is to be.
const FINALIZER: &str = "volumes.bowline.test/keep";
/// How often each cluster is looked at.
const LOOK: Duration = Duration::from_millis(80);
/// Fences, unfences, and says how it stands; and refuses who comes with a smaller epoch than somebody has come with.
const HOOK: &str = r#"
set -eu
file='DIRECTORY'/"$2" is=open epoch=0
if [ -f "$file" ]; then read -r is epoch < "$file"; fi
if [ "$3" -lt "$epoch" ]; then echo "epoch $epoch has been here" >&2; exit 1; fi
case "$1" in
status) echo "$is"; exit ;;
fence) is=fenced ;;
unfence) is=open ;;
esac
echo "$is $3" > 'DIRECTORY'/."$2"
mv 'DIRECTORY'/."$2" "$file"
"#;

/// The server, and what of it runs in each cluster.
pub struct Volumes {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What all threads share.
pub(crate) struct Shared {
    pub(crate) log: Log,
    gate: Mutex<Gate>,
    count: AtomicU64,
    pub(crate) ends: AtomicBool,
}

/// Who is kept from volumes.
#[derive(Debug, Default)]
struct Gate {
    fenced: BTreeSet<String>,
    /// Where a program says of each cluster, in a file of its name, whether it is.
    said_in: Option<PathBuf>,
    /// Whoever comes with a smaller epoch than somebody has come with.
    enforces: bool,
    /// The greatest epoch that somebody has come with, by volume.
    greatest: BTreeMap<String, u64>,
}

impl Gate {
    /// Takes in what a program says, and tells of whom it says something new.
    fn listen(&mut self) -> Vec<(String, bool)> {
        let Some(files) = self.said_in.as_ref().and_then(|said| std::fs::read_dir(said).ok()) else {
            return Vec::new();
        };
        let said = files.filter_map(Result::ok).filter_map(|file| {
            // What begins with a dot is not written yet.
            let cluster = file.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
            Some((cluster, std::fs::read_to_string(file.path()).ok()?.starts_with("fenced")))
        });
        let fenced = &mut self.fenced;
        said.filter(|(cluster, is)| if *is { fenced.insert(cluster.clone()) } else { fenced.remove(cluster) })
            .collect()
    }

    /// Whether a cluster is kept from a volume.
    fn keeps_out(&self, cluster: &str, handle: &str, epoch: u64) -> bool {
        let is_late = self.enforces && self.greatest.get(handle).is_some_and(|greatest| epoch < *greatest);
        is_late || self.fenced.contains(cluster)
    }
}

impl Shared {
    /// Does something with a volume, unless the cluster is kept from it.
    pub(crate) fn with(
        &self,
        cluster: &str,
        handle: &str,
        epoch: u64,
        what: What,
        act: impl FnOnce(&Path, &[Entry]) -> Result<bool>,
    ) -> Result<bool> {
        let entry = |what| Entry { handle: handle.to_owned(), cluster: cluster.to_owned(), epoch, what };
        // Held until it is done: what is fenced does nothing any more when that is said.
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        for (cluster, is_fenced) in gate.listen() {
            self.note(&cluster, if is_fenced { What::Fenced } else { What::Unfenced })?;
        }
        if matches!(what, What::Attached | What::Wrote(_)) && gate.keeps_out(cluster, handle, epoch) {
            self.log.note(entry(What::Refused), |_, _| Ok(true))?;
            return Ok(false);
        }
        if what == What::Attached {
            let greatest = gate.greatest.entry(handle.to_owned()).or_default();
            *greatest = epoch.max(*greatest);
        }
        self.log.note(entry(what), act)
    }

    /// Notes something that is of no volume.
    fn note(&self, cluster: &str, what: What) -> Result<()> {
        let entry = Entry { handle: String::new(), cluster: cluster.to_owned(), epoch: 0, what };
        self.log.note(entry, |_, _| Ok(true)).map(drop)
    }

    /// Writes a record.
    pub(crate) fn write(&self, cluster: &str, handle: &str, epoch: u64) -> Result<bool> {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        self.with(cluster, handle, epoch, What::Wrote(number), |directory, _| {
            append(directory, &line(cluster, number)).map(|()| true)
        })
    }
}

impl Volumes {
    /// A server whose volumes are in a directory.
    ///
    /// # Errors
    /// If that cannot be made.
    pub fn start(root: &Path) -> Result<Volumes> {
        let shared = Shared {
            log: Log::new(root)?,
            gate: Mutex::default(),
            count: AtomicU64::new(1),
            ends: AtomicBool::new(false),
        };
        Ok(Volumes { shared: Arc::new(shared), threads: Vec::new() })
    }

    /// Serves a cluster.
    ///
    /// # Errors
    /// If its kubeconfig cannot be used.
    pub fn serve(&mut self, cluster: &str, kubeconfig: &Path) -> Result<()> {
        let api = Api::of(kubeconfig)?;
        // What attaches is this server, and not who does so for drivers that have nobody.
        let known = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": DRIVER },
            "spec": { "attachRequired": false },
        });
        api.create("/apis/storage.k8s.io/v1/csidrivers", &known)?;
        let driver = Driver { cluster: cluster.to_owned(), api, shared: Arc::clone(&self.shared) };
        self.threads.push(thread::spawn(move || driver.run()));
        Ok(())
    }

    /// Keeps a cluster from all volumes, or lets it in again.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn fence(&self, cluster: &str, is_fenced: bool) -> Result<()> {
        let mut gate = self.shared.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let what = if is_fenced { What::Fenced } else { What::Unfenced };
        if is_fenced {
            gate.fenced.insert(cluster.to_owned())
        } else {
            gate.fenced.remove(cluster)
        };
        self.shared.note(cluster, what)
    }

    /// Writes a program for the directory of hooks, by which the hub keeps clusters from all volumes.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn fence_by(&self, hook: &Path, said_in: &Path) -> Result<()> {
        std::fs::create_dir_all(said_in)?;
        script(hook, &HOOK.replace("DIRECTORY", &said_in.display().to_string()))?;
        let mut gate = self.shared.gate.lock().unwrap_or_else(PoisonError::into_inner);
        gate.said_in = Some(said_in.to_owned());
        Ok(())
    }

    /// Refuses whoever comes with a smaller epoch, from now on.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn enforce(&self) -> Result<()> {
        self.shared.gate.lock().unwrap_or_else(PoisonError::into_inner).enforces = true;
        self.shared.note("", What::Enforced)
    }

    /// What it has done.
    pub fn log(&self) -> &Log {
        &self.shared.log
    }
}

impl Drop for Volumes {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::SeqCst);
        for thread in self.threads.drain(..) {
            // What went wrong there is in the log, or missing in it.
            let _ = thread.join();
        }
    }
}

/// What of the driver runs in a cluster.
struct Driver {
    cluster: String,
    api: Api,
    shared: Arc<Shared>,
}

impl Driver {
    fn run(self) {
        let mut pods = Pods::new(&self.cluster, &self.api, &self.shared);
        while !self.shared.ends.load(Ordering::SeqCst) {
            // A cluster that is away is looked at again.
            let _ = self.look(&mut pods);
            thread::sleep(LOOK);
        }
        pods.join();
    }

    fn look(&self, pods: &mut Pods) -> Result<()> {
        let claims = self.api.list("/api/v1/persistentvolumeclaims")?;
        let volumes = self.api.list("/api/v1/persistentvolumes")?;
        for claim in &claims {
            if is_asked_for(claim, &volumes) {
                self.provide(claim)?;
            }
        }
        for volume in volumes.iter().filter(|volume| volume["spec"]["csi"]["driver"] == DRIVER) {
            let is_claimed =
                claims.iter().any(|claim| claim["metadata"]["uid"] == volume["spec"]["claimRef"]["uid"]);
            self.tend(volume, is_claimed)?;
        }
        pods.look(&claims, &volumes)
    }

    /// Makes a volume for a claim.
    fn provide(&self, claim: &Value) -> Result<()> {
        let meta = &claim["metadata"];
        let uid = meta["uid"].as_str().unwrap_or_default();
        let handle = format!("v-{uid}");
        let modes = claim["spec"]["accessModes"].as_array().into_iter().flatten();
        let what =
            if modes.into_iter().any(|mode| mode == "ReadWriteMany") { What::Shared } else { What::Made };
        self.shared.with(&self.cluster, &handle, 0, what, |directory, entries| {
            if entries.iter().any(|entry| entry.handle == handle) {
                return Ok(false);
            }
            std::fs::create_dir_all(directory)?;
            std::fs::write(directory.join("data"), "")?;
            Ok(true)
        })?;
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {
                "name": format!("pvc-{uid}"), "finalizers": [FINALIZER],
                "annotations": { "pv.kubernetes.io/provisioned-by": DRIVER },
            },
            "spec": {
                "capacity": { "storage": claim["spec"]["resources"]["requests"]["storage"] },
                "accessModes": claim["spec"]["accessModes"], "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "",
                "csi": { "driver": DRIVER, "volumeHandle": handle },
                "claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": meta["namespace"], "name": meta["name"], "uid": uid,
                },
            },
        });
        self.api.create("/api/v1/persistentvolumes", &volume)
    }

    /// Deletes data that is to be deleted, and lets volumes go.
    fn tend(&self, volume: &Value, is_claimed: bool) -> Result<()> {
        let (meta, spec) = (&volume["metadata"], &volume["spec"]);
        let path = format!("/api/v1/persistentvolumes/{}", meta["name"].as_str().unwrap_or_default());
        let finalizers: Vec<_> = meta["finalizers"].as_array().into_iter().flatten().cloned().collect();
        let is_kept = finalizers.iter().any(|one| one == FINALIZER);
        let goes = !meta["deletionTimestamp"].is_null();
        let finalized = |finalizers: Vec<Value>| json!({ "metadata": { "resourceVersion": meta["resourceVersion"], "finalizers": finalizers } });
        if !goes && !is_kept {
            let all = finalizers.into_iter().chain([json!(FINALIZER)]).collect();
            return self.api.patch(&path, &finalized(all));
        }
        let was_claimed = spec["claimRef"]["uid"].is_string();
        let is_released = was_claimed && !is_claimed;
        let is_doomed = spec["persistentVolumeReclaimPolicy"] == "Delete";
        if is_doomed && is_released {
            let handle = spec["csi"]["volumeHandle"].as_str().unwrap_or_default();
            self.shared.with(&self.cluster, handle, 0, What::Deleted, |directory, _| {
                if !directory.exists() {
                    return Ok(false);
                }
                std::fs::remove_dir_all(directory)?;
                Ok(true)
            })?;
            if !goes {
                return self.api.delete(&path);
            }
        }
        if goes && is_kept && !is_claimed {
            let left = finalizers.into_iter().filter(|one| one != FINALIZER).collect();
            return self.api.patch(&path, &finalized(left));
        }
        Ok(())
    }
}

/// Whether a claim waits for a volume, and none was made for it.
fn is_asked_for(claim: &Value, volumes: &[Value]) -> bool {
    let (meta, spec) = (&claim["metadata"], &claim["spec"]);
    let is_for = |volume: &&Value| {
        let reference = &volume["spec"]["claimRef"];
        reference["namespace"] == meta["namespace"] && reference["name"] == meta["name"]
    };
    spec["storageClassName"] == ""
        && spec["volumeName"].as_str().unwrap_or_default().is_empty()
        && meta["deletionTimestamp"].is_null()
        && volumes.iter().find(is_for).is_none()
}
