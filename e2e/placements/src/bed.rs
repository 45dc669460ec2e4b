//! What a story works with: a hub, workload clusters, their syncers, and the volume server.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Role, Said, Scratch, bowline};
use bowline_e2e_up::{Controllers, run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::judge::{Verdict, judge};
use crate::road::Road;
use crate::server::Volumes;
use crate::site::{Sites, Sort};
use crate::syncer::Syncer;

mod again;
mod sees;

/// What is run as the hub.
struct Program {
    /// [`bowline`], or something that runs it.
    binary: PathBuf,
    role: Role,
}

/// All of it, in a directory that is gone when this is dropped.
pub struct Bed {
    // Before the servers that they talk to, and these before the directory.
    syncers: BTreeMap<String, Syncer>,
    roads: BTreeMap<String, Road>,
    volumes: Volumes,
    /// The controllers, if they are a process of their own.
    controllers: Option<Controllers>,
    hub: Option<Hub>,
    program: Program,
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
        let program = |_: &Scratch| Ok(Program { binary: bowline().to_owned(), role: Role::Up });
        Bed::start_by(program, sort, targets, lease)
    }

    /// The same with a hub whose controllers are a process of their own.
    ///
    /// # Errors
    /// If something does not start.
    pub fn start_apart(targets: &[&str]) -> Result<Bed> {
        let program = |_: &Scratch| Ok(Program { binary: bowline().to_owned(), role: Role::Hub });
        Bed::start_by(program, Sort::Embedded, targets, "5s")
    }

    /// The same with a hub that may run the programs of the directory `hooks`.
    ///
    /// # Errors
    /// If something does not start.
    pub fn start_with_hooks(targets: &[&str]) -> Result<Bed> {
        let program = |scratch: &Scratch| {
            let (binary, hooks) = (scratch.join("with-hooks"), scratch.join("hooks"));
            std::fs::create_dir_all(&hooks)?;
            let line = format!("exec '{}' \"$@\" --fence-hooks '{}'", bowline().display(), hooks.display());
            script(&binary, &line)?;
            Ok(Program { binary, role: Role::Up })
        };
        Bed::start_by(program, Sort::Embedded, targets, "5s")
    }

    fn start_by(
        program: impl FnOnce(&Scratch) -> Result<Program>,
        sort: Sort,
        targets: &[&str],
        lease: &str,
    ) -> Result<Bed> {
        let scratch = Scratch::new("placements")?;
        let program = program(&scratch)?;
        // Who asks for any port may be given another one next time, and syncers know but one.
        let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let hub = Hub::start_at(&program.binary, program.role, &scratch.join("data"), &listen)?;
        let sites = Sites::start(sort, &scratch.join("sites"), targets)?;
        let volumes = Volumes::start(&scratch.join("volumes"))?;
        let mut bed = Bed {
            syncers: BTreeMap::new(),
            roads: BTreeMap::new(),
            volumes,
            controllers: None,
            hub: Some(hub),
            program,
            listen,
            sites,
            lease: lease.to_owned(),
            scratch,
        };
        bed.is_ready()?;
        bed.controllers_live()?;
        for target in targets {
            bed.join(target)?;
        }
        Ok(bed)
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
            let Program { binary, role } = &self.program;
            self.hub = Some(Hub::start_at(binary, *role, &self.scratch.join("data"), &self.listen)?);
        }
        Ok(())
    }

    /// Sends a signal to the hub.
    ///
    /// # Errors
    /// If it was killed.
    pub fn signal_hub(&self, with: Signal) -> Result<()> {
        signal(self.hub()?.pid(), with)
    }

    /// `kill -9` of the controllers, which are a process of their own.
    ///
    /// # Errors
    /// If they are not.
    pub fn kill_controllers(&mut self) -> Result<()> {
        self.controllers.take().context("the controllers are not a process of their own").map(drop)
    }

    /// Another life of the controllers, if they are a process of their own.
    ///
    /// # Errors
    /// If they do not start.
    pub fn controllers_live(&mut self) -> Result<()> {
        if self.program.role == Role::Hub && self.controllers.is_none() {
            self.controllers = Some(Controllers::start(self.hub()?.kubeconfig())?);
        }
        Ok(())
    }

    /// Sends a signal to the controllers.
    ///
    /// # Errors
    /// If they are not a process of their own.
    pub fn signal_controllers(&self, with: Signal) -> Result<()> {
        let controllers = self.controllers.as_ref();
        signal(controllers.context("the controllers are not a process of their own")?.pid(), with)
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
        let said = kubectl.run(&format!("delete namespace {namespace} --timeout=300s"), "")?;
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

fn signal(pid: u32, with: Signal) -> Result<()> {
    Ok(kill(Pid::from_raw(i32::try_from(pid)?), with)?)
}

/// Writes a program for the shell.
pub(crate) fn script(path: &Path, lines: &str) -> Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{lines}\n"))?;
    Ok(std::fs::set_permissions(path, Permissions::from_mode(0o755))?)
}
