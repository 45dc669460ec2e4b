//! What a story waits for.

use std::collections::BTreeSet;

use anyhow::Result;
use bowline_e2e_up::until;
use serde_json::Value;

use super::Bed;
use crate::log::What;
use crate::syncer::Syncer;

impl Bed {
    /// Waits until the hub serves.
    ///
    /// # Errors
    /// If it never does.
    pub fn is_ready(&self) -> Result<()> {
        until("it is ready", || {
            let said = self.hub()?.page("/readyz")?.1;
            Ok(if said == "ok" { Ok(()) } else { Err(said) })
        })
    }

    /// Waits until a syncer has told this hub, in this life of it, how its target stands.
    ///
    /// # Errors
    /// If it never does.
    pub fn has_returned(&self, target: &str) -> Result<()> {
        let kubectl = self.kubectl()?;
        let line =
            format!("-n bowline-system get lease bowline-syncer-{target} -o jsonpath={{.spec.renewTime}}");
        let before = kubectl.run(&line, "")?.out;
        until(&format!("the syncer of {target} is back"), || {
            let now = kubectl.run(&line, "")?.out;
            Ok(if now.is_empty() || now == before { Err(now) } else { Ok(()) })
        })
    }

    /// Waits until the fence of a target stands so.
    ///
    /// # Errors
    /// If it never does.
    pub fn fence_is(&self, target: &str, expected: &str) -> Result<()> {
        let kubectl = self.kubectl()?;
        until(&format!("the fence of {target}: {expected}"), || {
            let line = format!("get synctarget {target} -o jsonpath={{.status.fence}}");
            let is = kubectl.ok(&line, "")?;
            Ok(if is == expected { Ok(()) } else { Err(format!("{is}\n{}", self.told(&Value::Null))) })
        })
    }

    /// Waits until the hub knows of a volume that only one target reaches it: it is made when pods ask for it, which is after its
    /// namespace is up.
    ///
    /// # Errors
    /// If it never does.
    pub fn is_tied(&self, volume: &str, target: &str) -> Result<()> {
        let kubectl = self.kubectl()?;
        until(&format!("the volume {volume} is known to be on {target} only"), || {
            let is = kubectl.run(&format!("get volumegrant {volume} -o jsonpath={{.status.onlyOn}}"), "")?;
            Ok(if is.out == target { Ok(()) } else { Err(format!("{is:?}{}", self.told(&Value::Null))) })
        })
    }

    /// Waits until a syncer has said something, in any of its lives.
    ///
    /// # Errors
    /// If it never does.
    pub fn is_told(&mut self, target: &str, expected: &str) -> Result<()> {
        until(&format!("the syncer of {target} says {expected:?}"), || {
            let said = self.syncer(target).said();
            Ok(if said.contains(expected) { Ok(()) } else { Err(said) })
        })
    }

    /// Waits until a namespace is on a target, and its syncer says that it is up.
    ///
    /// # Errors
    /// If it never is.
    pub fn is_up(&self, namespace: &str, target: &str) -> Result<()> {
        until(&format!("{namespace} is up on {target}"), || {
            let status = self.placement(namespace)?;
            let its = &status["users"][0];
            let is = its["target"] == target && its["said"] == "Ready" && its["state"] == "Granted";
            Ok(if is { Ok(()) } else { Err(self.told(&status)) })
        })
    }

    pub(super) fn told(&self, status: &Value) -> String {
        let grants = self.kubectl().and_then(|kubectl| kubectl.ok("get volumegrants -o wide", ""));
        let said: Vec<_> = self.syncers.values().map(Syncer::said).collect();
        format!("{status:#}\n{}\n{}", grants.unwrap_or_default(), said.join("\n---\n"))
    }

    /// Waits until pods of a cluster have written so many records more.
    ///
    /// # Errors
    /// If they never have.
    pub fn writes(&self, cluster: &str, more: usize) -> Result<()> {
        let count = || {
            let entries = self.volumes.log().entries();
            entries.iter().filter(|one| one.cluster == cluster && matches!(one.what, What::Wrote(_))).count()
        };
        let before = count();
        until(&format!("{cluster} writes"), || {
            Ok(if count() >= before + more { Ok(()) } else { Err(self.told(&Value::Null)) })
        })
    }

    /// Waits until pods of a cluster have written to so many volumes.
    ///
    /// # Errors
    /// If they never have.
    pub fn writes_to(&self, cluster: &str, volumes: usize) -> Result<()> {
        until(&format!("{cluster} writes to {volumes} volumes"), || {
            let entries = self.volumes.log().entries();
            let writes =
                entries.iter().filter(|one| one.cluster == cluster && matches!(one.what, What::Wrote(_)));
            let handles: BTreeSet<_> = writes.map(|one| &one.handle).collect();
            Ok(if handles.len() >= volumes { Ok(()) } else { Err(self.told(&Value::Null)) })
        })
    }

    /// Sees that nothing of a namespace is left in a cluster.
    ///
    /// # Errors
    /// If there always is.
    pub fn is_clear_of(&self, target: &str, namespace: &str) -> Result<()> {
        let kubectl = self.at(target)?;
        until(&format!("nothing of {namespace} is left on {target}"), || {
            let space = kubectl.run(&format!("get namespace {namespace} --ignore-not-found -o name"), "")?;
            let volumes = kubectl.run(&format!("get pv -l bowline.dev/placement={namespace} -o name"), "")?;
            let left = format!("{}{}", space.out, volumes.out);
            Ok(if left.is_empty() { Ok(()) } else { Err(format!("{left}{}", self.told(&Value::Null))) })
        })
    }
}
