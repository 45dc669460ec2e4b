//! What a story works with: a hub, workload clusters, their syncers, and the volume server.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Role, Said, Scratch, bowline};
use bowline_e2e_up::{run, until};
use serde_json::Value;

use crate::judge::{Verdict, judge};
use crate::log::What;
use crate::road::Road;
use crate::server::Volumes;
use crate::site::{Sites, Sort};
use crate::syncer::Syncer;

mod again;

/// All of it, in a directory that is gone when this is dropped.
pub struct Bed {
    // Before the servers that they talk to, and these before the directory.
    syncers: BTreeMap<String, Syncer>,
    roads: BTreeMap<String, Road>,
    volumes: Volumes,
    hub: Option<Hub>,
    /// Where the hub listens, over all its lives.
    listen: String,
    sites: Sites,
    /// How long leases of syncers last.
    lease: String,
    scratch: Scratch,
}

impl Bed {
    /// A hub with these targets, each with a syncer.
    ///
    /// # Errors
    /// If something does not start.
    pub fn start(targets: &[&str]) -> Result<Bed> {
        Bed::start_on(Sort::Embedded, targets)
    }

    /// The same on clusters of this sort.
    ///
    /// # Errors
    /// If something does not start.
    pub fn start_on(sort: Sort, targets: &[&str]) -> Result<Bed> {
        Bed::start_with(sort, targets, "5s")
    }

    /// The same with syncers whose leases last so long.
    ///
    /// # Errors
    /// If something does not start.
    pub fn start_with(sort: Sort, targets: &[&str], lease: &str) -> Result<Bed> {
        let scratch = Scratch::new("placements")?;
        // Who asks for any port may be given another one next time, and syncers know but one.
        let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let hub = Hub::start_at(bowline(), Role::Up, &scratch.join("data"), &listen)?;
        let sites = Sites::start(sort, &scratch.join("sites"), targets)?;
        let volumes = Volumes::start(&scratch.join("volumes"))?;
        let mut bed = Bed {
            syncers: BTreeMap::new(),
            roads: BTreeMap::new(),
            volumes,
            hub: Some(hub),
            listen,
            sites,
            lease: lease.to_owned(),
            scratch,
        };
        bed.is_ready()?;
        for target in targets {
            bed.join(target)?;
        }
        Ok(bed)
    }

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

    /// Makes a target of a cluster, and starts its syncer.
    fn join(&mut self, target: &str) -> Result<()> {
        let cluster = self.sites.kubeconfig(target)?;
        let road = Road::to(&self.listen)?;
        let kubeconfig = self.enlist(target, &road)?;
        self.volumes.serve(target, &cluster)?;
        let log = self.scratch.join(&format!("{target}.log"));
        let syncer = Syncer::start(target, &kubeconfig, &cluster, &self.lease, log)?;
        self.syncers.insert(target.to_owned(), syncer);
        self.roads.insert(target.to_owned(), road);
        Ok(())
    }

    /// A path in the directory of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// The hub as a process.
    ///
    /// # Errors
    /// If it was killed.
    pub fn hub(&self) -> Result<&Hub> {
        self.hub.as_ref().context("the hub was killed")
    }

    /// `kill -9` of the hub with its controllers.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill_hub(&mut self) -> Result<()> {
        self.hub.take().context("the hub was killed")?.kill()
    }

    /// Another life of the hub, on its data.
    ///
    /// # Errors
    /// If it does not start.
    pub fn live_again(&mut self) -> Result<()> {
        if self.hub.is_none() {
            self.hub = Some(Hub::start_at(bowline(), Role::Up, &self.scratch.join("data"), &self.listen)?);
        }
        Ok(())
    }

    /// The syncer of a target.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn syncer(&mut self, target: &str) -> &mut Syncer {
        self.syncers.get_mut(target).expect("it was started")
    }

    /// The network between a target's syncer and the hub.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn road(&self, target: &str) -> &Road {
        self.roads.get(target).expect("it was built")
    }

    /// The volume server.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// The kubeconfig of a target's cluster, as its administrator.
    ///
    /// # Errors
    /// If it is not there.
    pub fn cluster(&self, target: &str) -> Result<PathBuf> {
        self.sites.kubeconfig(target)
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

    /// kubectl on the hub.
    ///
    /// # Errors
    /// If nobody says where the binary is.
    pub fn kubectl(&self) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(
            &self.scratch.join("data/admin.kubeconfig"),
            self.scratch.join("kubectl-cache"),
        )
    }

    /// kubectl on the cluster of a target.
    ///
    /// # Errors
    /// If it is not there.
    pub fn at(&self, target: &str) -> Result<Kubectl> {
        self.sites.kubectl(target)
    }

    /// `bowline`, on the hub.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn bowline(&self, line: &str) -> Result<Said> {
        run(line, Some(&self.scratch.join("data/admin.kubeconfig")), &self.scratch.join(""))
    }

    /// `bowline`, which has to end with this code and say this.
    ///
    /// # Errors
    /// If it does not.
    pub fn says(&self, line: &str, code: i32, expected: &[&str]) -> Result<String> {
        let said = self.bowline(line)?;
        let all = format!("{}{}", said.out, said.err);
        ensure!(said.code == code, "bowline {line}: {said:#?}");
        for expected in expected {
            ensure!(all.contains(expected), "bowline {line}: {expected:?} is not in {all}");
        }
        Ok(all)
    }

    /// Makes a namespace on a target, with these objects.
    ///
    /// # Errors
    /// If the hub refuses it.
    pub fn place(&self, namespace: &str, target: &str, objects: &[Value]) -> Result<()> {
        let kubectl = self.kubectl()?;
        kubectl.ok(&format!("create namespace {namespace}"), "")?;
        self.says(&format!("place namespace {namespace} --on {target}"), 0, &[])?;
        self.apply(objects)
    }

    /// Deletes a namespace, and waits until it is gone.
    ///
    /// # Errors
    /// If it never is.
    pub fn delete(&self, namespace: &str) -> Result<()> {
        let kubectl = self.kubectl()?;
        let said = kubectl.run(&format!("delete namespace {namespace} --timeout=60s"), "")?;
        if said.code == 0 {
            return Ok(());
        }
        let left = "get namespace,placement,rolebinding,pvc -o yaml";
        let left = kubectl.run(&format!("-n {namespace} {left}"), "")?;
        anyhow::bail!("{said:?}\n{}{}", left.out, self.told(&Value::Null))
    }

    /// Applies objects.
    ///
    /// # Errors
    /// If the hub refuses them.
    pub fn apply(&self, objects: &[Value]) -> Result<()> {
        let list = serde_json::json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        self.kubectl()?.ok("apply -f -", &list.to_string()).map(drop)
    }

    /// The status of a namespace's placement.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn placement(&self, namespace: &str) -> Result<Value> {
        let said = self.kubectl()?.run(&format!("-n {namespace} get placement placement -o json"), "")?;
        let read: Value = serde_json::from_str(&said.out).unwrap_or_default();
        Ok(read["status"].clone())
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

    fn told(&self, status: &Value) -> String {
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

    /// Sees that no two clusters could write to one volume, and that nothing was lost.
    ///
    /// # Errors
    /// If not.
    pub fn clean(&self) -> Result<Verdict> {
        let verdict = judge(self.volumes.log());
        println!("{verdict}");
        ensure!(verdict.faults.is_empty(), "{:#?}", verdict.faults);
        Ok(verdict)
    }
}
