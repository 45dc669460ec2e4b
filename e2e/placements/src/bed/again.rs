//! Hubs that come back with less than they knew.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use bowline_e2e_up::{run, until};
use serde_json::Value;

use super::Bed;
use crate::road::Road;

impl Bed {
    /// Makes the hub know a target, and writes what its syncer needs, who reaches the hub by this road.
    pub(super) fn enlist(&self, target: &str, road: &Road) -> Result<PathBuf> {
        let cluster = self.sites.kubeconfig(target)?;
        self.says(&format!("cluster add {target} --kubeconfig {}", cluster.display()), 0, &[])?;
        self.says(&format!("place target add {target} --cluster {target}"), 0, &[])?;
        let said = self.bowline(&format!("join syncer {target} --server https://{}", road.address()))?;
        ensure!(said.code == 0, "{said:#?}");
        let kubeconfig = self.scratch.join(&format!("{target}.kubeconfig"));
        std::fs::write(&kubeconfig, said.out)?;
        Ok(kubeconfig)
    }

    /// Where to put what the hub had.
    fn lost(&self) -> PathBuf {
        let mut all = (0..).map(|number: u32| self.scratch.join(&format!("data-before-{number}")));
        all.find(|path| !path.exists()).unwrap_or_default()
    }

    /// Copies the hub.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn backup(&self, name: &str) -> Result<()> {
        self.says(&format!("backup {}", self.scratch.join(name).display()), 0, &[]).map(drop)
    }

    /// `kill -9` of the hub, and another life as it was when it was copied. Says what was said of it.
    ///
    /// # Errors
    /// If it cannot be restored, or does not start.
    pub fn restore(&mut self, name: &str) -> Result<String> {
        self.kill_hub()?;
        let (data, before) = (self.scratch.join("data"), self.lost());
        std::fs::rename(&data, &before)?;
        let line = format!(
            "restore {} --data {} --keys {}",
            self.scratch.join(name).display(),
            data.display(),
            before.display()
        );
        let said = run(&line, None, &self.scratch.join(""))?;
        ensure!(said.code == 0, "{said:#?}");
        self.live_again()?;
        self.is_ready()?;
        Ok(said.err)
    }

    /// `kill -9` of the hub, and another one at its address that knows nothing at all.
    ///
    /// # Errors
    /// If it does not start.
    pub fn forget(&mut self) -> Result<()> {
        self.kill_hub()?;
        std::fs::rename(self.scratch.join("data"), self.lost())?;
        self.live_again()?;
        self.is_ready()
    }

    /// What a person does then: all clusters are targets again, and their syncers get kubeconfigs of this hub.
    ///
    /// # Errors
    /// If the hub refuses it, or a syncer does not start.
    pub fn join_again(&mut self) -> Result<()> {
        let targets: Vec<_> = self.syncers.keys().cloned().collect();
        for target in targets {
            let road = self.roads.get(&target).context("it was built")?;
            self.enlist(&target, road)?;
            let syncer = self.syncer(&target);
            syncer.kill()?;
            syncer.live()?;
        }
        Ok(())
    }

    /// Waits until a target has been asked what it uses, after a restore, and has said so.
    ///
    /// # Errors
    /// If it never has.
    pub fn has_reported(&self, target: &str) -> Result<()> {
        until(&format!("{target} has said what it uses"), || {
            let said = self.kubectl()?.run(&format!("get synctarget {target} -o json"), "")?.out;
            let status = serde_json::from_str::<Value>(&said).unwrap_or_default()["status"].take();
            let [asked, said] = [&status["restore"], &status["report"]["restore"]].map(Value::as_u64);
            Ok(if asked > Some(0) && asked == said { Ok(()) } else { Err(self.told(&status)) })
        })
    }
}
