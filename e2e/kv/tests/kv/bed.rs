//! What a test works with: devices, nodes, and a load.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_e2e_kv::clock::now;
use bowline_e2e_kv::device::{self, Act, Entry, Mode, Record};
use bowline_e2e_kv::duties::{Duties, Grant, Who};
use bowline_e2e_kv::judge::{self, Verdict};
use bowline_e2e_kv::load::{Book, Load, Plan};
use bowline_e2e_kv::node::{Node, Start};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// So many writes to each device, before and after something happens.
const WRITES: u64 = 40;

/// Devices and duties in a directory that is gone when this is dropped.
pub(crate) struct Bed {
    dir: PathBuf,
    names: Vec<&'static str>,
}

impl Bed {
    pub(crate) fn new(names: &[&'static str], mode: Mode) -> Result<Bed> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("bowline-kv-{}-{count}", std::process::id()));
        let bed = Bed { dir, names: names.to_vec() };
        device::make(&bed.devices(), names, mode)?;
        Ok(bed)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(crate) fn devices(&self) -> PathBuf {
        self.dir.join("devices")
    }

    /// A node at any port, or at that of one before it.
    pub(crate) fn start(
        &self,
        member: &str,
        version: &str,
        listen: Option<SocketAddr>,
        args: &[&str],
    ) -> Result<Node> {
        Node::start(&Start {
            program: Path::new(env!("CARGO_BIN_EXE_kv")),
            who: Who { group: "kv".into(), member: member.into(), version: version.into() },
            listen: listen.unwrap_or_else(|| ([127, 0, 0, 1], 0).into()),
            devices: &self.devices(),
            duties: &self.join(&format!("{member}.json")),
            args,
        })
    }

    pub(crate) fn node(&self, member: &str) -> Result<Node> {
        self.start(member, "v1", None, &[])
    }

    pub(crate) fn load(&self, nodes: &[&Node]) -> Result<Load> {
        let names = self.names.iter().map(|name| (*name).to_owned()).collect();
        Load::start(Plan::new(nodes.iter().map(|node| node.address()).collect(), names))
    }

    /// Waits until everybody has written a good deal more.
    pub(crate) fn goes_on(&self, load: &Load) -> Result<()> {
        load.advance(&self.names, WRITES, PATIENCE)
    }

    /// What the judge says of all that has happened.
    pub(crate) fn judge(&self, book: &Book) -> Result<Verdict> {
        Ok(judge::judge(&judge::read(&self.devices())?, book))
    }

    /// Ends the load, and sees that all is well.
    pub(crate) fn clean(&self, load: Load) -> Result<Verdict> {
        let book = load.stop()?;
        let verdict = self.judge(&book)?;
        println!("{verdict}; the longest time without an acknowledged write: {:?}", book.quiet());
        verdict.clean().map_err(|why| anyhow::anyhow!("{verdict}: {why}"))?;
        Ok(verdict)
    }

    /// The records of a device.
    pub(crate) fn records(&self, device: &str) -> Result<Vec<Record>> {
        let entries = device::read(&self.devices().join(device))?;
        Ok(entries.iter().filter_map(Entry::record).cloned().collect())
    }

    /// Waits until the last act on a device is this one, in this epoch.
    pub(crate) fn last_is(&self, device: &str, act: &Act, epoch: u64) -> Result<()> {
        wait(&format!("{act:?} of {device} in epoch {epoch}"), || {
            let records = self.records(device)?;
            Ok(records.last().is_some_and(|last| (&last.act, last.epoch) == (act, epoch)))
        })
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Waits for something to be so.
pub(crate) fn wait(what: &str, mut is: impl FnMut() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while !is().with_context(|| what.to_owned())? {
        ensure!(began.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Duties for these devices in these epochs, until then.
pub(crate) fn duties(node: &Node, revision: u64, devices: &[(&str, u64)], deadline: Option<u64>) -> Duties {
    let grant = |(name, epoch): &(&str, u64)| Grant { name: (*name).to_owned(), epoch: *epoch };
    Duties { devices: devices.iter().map(grant).collect(), deadline, ..node.duties(revision) }
}

/// So many milliseconds from now.
pub(crate) fn soon(millis: u64) -> Option<u64> {
    Some(now().millis() + millis)
}

/// A deadline that no test lives to see.
pub(crate) fn far() -> Option<u64> {
    soon(3_600_000)
}
