//! What a test works with: a home, groups, agents and a load.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::{Hub, Kubectl, Role, Said, Scratch, bowline};
use bowline_e2e_kv::device::{self, Mode};
use bowline_e2e_kv::duties::Duties;
use bowline_e2e_kv::judge::{self, Verdict};
use bowline_e2e_kv::load::{Book, Load, Plan};
use bowline_e2e_up::{Controllers, as_the_example, run, until};
use serde_json::Value;

use crate::agent::{Agent, Way};
use crate::sights::masters;
use crate::spec::{Group, PORT};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// How long each of the clients of a load rests after a write.
const PAUSE: Duration = Duration::from_millis(20);
/// So many writes to each device, before and after something happens.
const WRITES: u64 = 30;

/// Where controllers run.
enum Runs {
    Up(Hub),
    /// The hub was killed.
    Nothing,
    /// `bowline controllers` with the rights of the example, unless they were killed, on a real Kubernetes.
    Kubernetes {
        controllers: Option<Controllers>,
        theirs: PathBuf,
        home: Box<Home>,
    },
}

/// A home, agents and devices in a directory that is gone when this is dropped.
pub struct Bed {
    // Before the directory: agents end what they have started.
    agents: BTreeMap<(String, String), Agent>,
    runs: Runs,
    /// Where the hub listens, over all its lives.
    listen: String,
    /// The first parts of the addresses of nodes.
    net: String,
    /// How long leases last.
    lease: String,
    scratch: Scratch,
}

impl Bed {
    /// A home that is ready.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(kind: Kind) -> Result<Bed> {
        static COUNT: AtomicU8 = AtomicU8::new(1);
        let scratch = Scratch::new("nodes")?;
        // Who asks for any port may be given another one next time, and agents know but one.
        let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let runs = match kind {
            Kind::Embedded => Runs::Up(Hub::start_at(bowline(), Role::Up, &scratch.join("data"), &listen)?),
            Kind::Kubernetes => {
                let home = Box::new(Home::start(kind)?);
                let theirs = as_the_example(&home)?;
                Runs::Kubernetes { controllers: Some(Controllers::start(&theirs)?), theirs, home }
            }
        };
        // All of 127/8 is this machine: nodes have one port, and an address each.
        let net = format!("127.{}.{}", 1 + std::process::id() % 250, COUNT.fetch_add(1, Ordering::Relaxed));
        let bed = Bed { agents: BTreeMap::new(), runs, listen, net, lease: "10s".into(), scratch };
        until("it is ready", || {
            let said = bed.page("/readyz")?;
            Ok(if said == "ok" { Ok(()) } else { Err(said) })
        })?;
        Ok(bed)
    }

    /// How long leases last from now on.
    pub fn leases(&mut self, lease: &str) {
        lease.clone_into(&mut self.lease);
    }

    /// A path in the directory of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    fn page(&self, path: &str) -> Result<String> {
        match &self.runs {
            Runs::Up(hub) => Ok(hub.page(path)?.1),
            Runs::Kubernetes { controllers: Some(controllers), .. } => controllers.page(path),
            Runs::Nothing | Runs::Kubernetes { controllers: None, .. } => bail!("it was killed"),
        }
    }

    /// What is counted.
    ///
    /// # Errors
    /// If nobody answers.
    pub fn metrics(&self) -> Result<String> {
        self.page("/metrics")
    }

    /// How the administrator reaches the home.
    pub fn kubeconfig(&self) -> PathBuf {
        match &self.runs {
            Runs::Up(_) | Runs::Nothing => self.scratch.join("data/admin.kubeconfig"),
            Runs::Kubernetes { home, .. } => home.kubeconfig(),
        }
    }

    /// kubectl on the home.
    ///
    /// # Errors
    /// If nobody says where the binary is.
    pub fn kubectl(&self) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(&self.kubeconfig(), self.scratch.join("kubectl-cache"))
    }

    /// `kill -9` of the hub with its controllers, or of the controllers on a real Kubernetes.
    ///
    /// # Errors
    /// If it does not run.
    pub fn kill_hub(&mut self) -> Result<()> {
        if let Runs::Kubernetes { controllers, .. } = &mut self.runs {
            return controllers.take().map(drop).context("they do not run");
        }
        match std::mem::replace(&mut self.runs, Runs::Nothing) {
            Runs::Up(hub) => hub.kill(),
            Runs::Nothing | Runs::Kubernetes { .. } => bail!("it does not run"),
        }
    }

    /// Another life of the hub, or of the controllers.
    ///
    /// # Errors
    /// If it does not start.
    pub fn live_again(&mut self) -> Result<()> {
        match &mut self.runs {
            Runs::Up(_) | Runs::Kubernetes { controllers: Some(_), .. } => {}
            Runs::Kubernetes { controllers, theirs, .. } => *controllers = Some(Controllers::start(theirs)?),
            Runs::Nothing => {
                let data = self.scratch.join("data");
                self.runs = Runs::Up(Hub::start_at(bowline(), Role::Up, &data, &self.listen)?);
            }
        }
        Ok(())
    }

    /// The process of the hub.
    ///
    /// # Errors
    /// If it is not `up` that runs here.
    pub fn hub(&self) -> Result<&Hub> {
        match &self.runs {
            Runs::Up(hub) => Ok(hub),
            Runs::Kubernetes { .. } | Runs::Nothing => bail!("it is not `up` that runs here"),
        }
    }

    /// `bowline`, on the home.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn bowline(&self, line: &str) -> Result<Said> {
        run(line, Some(&self.kubeconfig()), &self.scratch.join(""))
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

    fn devices(&self, group: &str) -> PathBuf {
        self.scratch.join(&format!("devices-{group}"))
    }

    /// Makes a group, and its devices.
    ///
    /// # Errors
    /// If the home refuses it.
    pub fn make(&self, group: &Group) -> Result<()> {
        let names: Vec<_> = group.devices.iter().map(String::as_str).collect();
        // Software that has none would not start.
        let some = if names.is_empty() { vec!["none"] } else { names };
        device::make(&self.devices(&group.name), &some, Mode::Records)?;
        self.apply(&group.object(&self.devices(&group.name)))
    }

    /// Makes a group by its object.
    ///
    /// # Errors
    /// If the home refuses it.
    pub fn apply(&self, group: &Value) -> Result<()> {
        let (kubectl, group) = (self.kubectl()?, group.to_string());
        until("a group can be made", || {
            let said = kubectl.run("apply -f -", &group)?;
            Ok(if said.code == 0 { Ok(()) } else { Err(said.err) })
        })
    }

    /// Lets nodes join a group, and starts their agents.
    ///
    /// # Errors
    /// If they cannot join.
    pub fn join(&mut self, group: &str, members: &[&str]) -> Result<()> {
        for member in members {
            let said = self.bowline(&format!("join node {group} {member}"))?;
            ensure!(said.code == 0, "{said:#?}");
            let kubeconfig = self.scratch.join(&format!("{group}-{member}.kubeconfig"));
            std::fs::write(&kubeconfig, said.out)?;
            let way = Way {
                group: group.to_owned(),
                member: (*member).to_owned(),
                kubeconfig,
                data: self.scratch.join("agents"),
                address: self.address(group, member).ip().to_string(),
                lease: self.lease.clone(),
            };
            self.agents.insert((group.to_owned(), (*member).to_owned()), Agent::start(way)?);
        }
        Ok(())
    }

    /// Another agent for a member that has one, with a directory of its own.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn twin(&self, group: &str, member: &str) -> Result<Agent> {
        let way = self.agents.get(&(group.to_owned(), member.to_owned())).context("it was started")?.way();
        Agent::start(Way { data: self.scratch.join("twins"), ..way.clone() })
    }

    /// A group, its nodes n1 to nN, and all of them at work.
    ///
    /// # Errors
    /// If they do not come to work.
    pub fn serve(&mut self, group: &Group, nodes: usize) -> Result<()> {
        self.make(group)?;
        let names: Vec<_> = (1..=nodes).map(|number| format!("n{number}")).collect();
        self.join(&group.name, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.is(&group.name, &format!("all of {nodes} work"), |status| {
            let ready = status["conditions"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|one| one["type"] == "Ready" && one["status"] == "True");
            // Devices are spread evenly when all are there: nothing moves any more then.
            let masters = masters(status);
            let of =
                |number: usize| masters.values().filter(|master| **master == format!("n{number}")).count();
            let counts = || (1..=nodes).map(of);
            let is_even = counts().max().unwrap_or(0) <= counts().min().unwrap_or(0) + 1;
            ready && status["counts"]["present"] == nodes && masters.len() == group.devices.len() && is_even
        })
        .map(drop)
    }

    /// Where the software of a member listens.
    pub fn address(&self, group: &str, member: &str) -> SocketAddr {
        let number: u8 =
            member.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(99);
        // Groups beside each other have nodes beside each other.
        let of_group = group.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)) % 10;
        SocketAddr::new(
            format!("{}.{}", self.net, of_group * 20 + number).parse().unwrap_or([127, 0, 0, 1].into()),
            PORT,
        )
    }

    /// The agent of a member.
    ///
    /// # Panics
    /// If it was never started.
    pub fn agent(&mut self, group: &str, member: &str) -> &mut Agent {
        self.agents.get_mut(&(group.to_owned(), member.to_owned())).expect("it was started")
    }

    /// Begins to write to all nodes of a group.
    ///
    /// # Errors
    /// If there is nothing to write to.
    pub fn load(&self, group: &Group, nodes: usize) -> Result<Load> {
        let members = (1..=nodes).map(|number| self.address(&group.name, &format!("n{number}"))).collect();
        // Every device is written to every few milliseconds, and processors are left to the others that run beside this.
        Load::start(Plan { pause: PAUSE, ..Plan::new(members, group.devices.clone()) })
    }

    /// Waits until a good deal more was written to every device.
    ///
    /// # Errors
    /// If it is not.
    pub fn goes_on(&self, group: &Group, load: &Load) -> Result<()> {
        let names: Vec<_> = group.devices.iter().map(String::as_str).collect();
        load.advance(&names, WRITES, PATIENCE)
    }

    /// The devices that the software of a member is told to act for, now; also while nobody decides.
    pub fn told(&self, group: &str) -> Vec<String> {
        let agents = self.agents.iter().filter(|((of, _), _)| of == group);
        let duties = agents.filter_map(|(_, agent)| Duties::read(&agent.home().join("duties.json")).ok());
        duties.flat_map(|duties| duties.devices).map(|grant| grant.name).collect()
    }

    /// Ends a load, and sees that nothing was lost, and that there were never two masters.
    ///
    /// # Errors
    /// If not.
    pub fn clean(&self, group: &Group, load: Load) -> Result<Verdict> {
        let book = load.stop()?;
        let verdict = self.judge(&group.name, &book)?;
        println!(
            "{}: {verdict}; the longest time without an acknowledged write: {:?}",
            group.name,
            book.quiet()
        );
        verdict.clean().map_err(|why| anyhow::anyhow!("{verdict}: {why}"))?;
        Ok(verdict)
    }

    /// Commits an upgrade to v2, and sees that all goes on, and that nothing was lost by it.
    ///
    /// # Errors
    /// If not.
    pub fn commits(&self, group: &Group, load: Load) -> Result<Verdict> {
        self.says(&format!("upgrade commit {}", group.name), 0, &[])?;
        self.rests_at(&group.name, "v2")?;
        self.goes_on(group, &load)?;
        self.clean(group, load)
    }

    fn judge(&self, group: &str, book: &Book) -> Result<Verdict> {
        Ok(judge::judge(&judge::read(&self.devices(group))?, book))
    }
}
