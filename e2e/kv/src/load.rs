//! A constant load of writes, and the book of what was acknowledged.
//!
//! Every key has one client, which writes it again and again: each time a value that was never there before, tried at one member
//! after the other until it is acknowledged. Now and then it reads the key from every member: whoever answers has to know the
//! last write.

mod client;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::clock::{Micros, now};
use crate::device;

/// How to load.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the members are. Any of them may be away.
    pub members: Vec<SocketAddr>,
    /// The names of all devices: keys are spread over them as the servers do.
    pub devices: Vec<String>,
    /// How many keys there are.
    pub keys: usize,
    /// How many clients there are.
    pub clients: usize,
    /// How long a client rests after a write.
    pub pause: Duration,
    /// How long it waits for one answer.
    pub patience: Duration,
}

impl Plan {
    /// The usual: enough that every device is written to every few milliseconds.
    pub fn new(members: Vec<SocketAddr>, devices: Vec<String>) -> Plan {
        let (keys, clients) = (devices.len() * 8, devices.len() * 4);
        let pause = Duration::from_millis(5);
        Plan { members, devices, keys, clients, pause, patience: Duration::from_millis(500) }
    }
}

/// A write that was acknowledged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// The device of the key.
    pub device: String,
    /// The key.
    pub key: String,
    /// Which write of the key it is.
    pub number: u64,
    /// The value.
    pub value: String,
    /// When it was sent first.
    pub sent: Micros,
    /// When it was acknowledged.
    pub done: Micros,
}

/// What the load was told.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// When it began.
    pub began: Micros,
    /// When it ended.
    pub ended: Micros,
    /// The devices that it wrote to.
    pub devices: Vec<String>,
    /// What was acknowledged, in the order of that.
    pub writes: Vec<Acknowledged>,
    /// How many reads were answered with a value.
    pub reads: u64,
    /// Answers that need no log to be wrong.
    pub odd: Vec<String>,
}

/// A while without an acknowledged write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quiet {
    /// Since when.
    pub since: Micros,
    /// How long.
    pub long: Duration,
}

impl Book {
    /// The longest time without an acknowledged write to a device.
    pub fn longest_quiet(&self, device: &str) -> Quiet {
        let writes = self.writes.iter().filter(|write| write.device == device).map(|write| write.done);
        let ends = writes.chain([self.ended]);
        let mut since = self.began;
        let mut longest = Quiet { since, long: Duration::ZERO };
        for end in ends {
            let quiet = Quiet { since, long: end.since(since) };
            if quiet.long > longest.long {
                longest = quiet;
            }
            since = end;
        }
        longest
    }

    /// The same of all devices.
    pub fn quiet(&self) -> BTreeMap<&str, Quiet> {
        self.devices.iter().map(|device| (device.as_str(), self.longest_quiet(device))).collect()
    }
}

/// What clients share.
struct Shared {
    plan: Plan,
    stop: AtomicBool,
    book: Mutex<Book>,
    /// Per device: how many writes were acknowledged, and by which member the last.
    devices: BTreeMap<String, (AtomicU64, AtomicUsize)>,
}

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn odd(&self, what: String) {
        self.book().odd.push(what);
    }

    fn acknowledge(&self, write: Acknowledged, by: usize) {
        let mut book = self.book();
        // Under the lock: the book is in the order of time.
        let write = Acknowledged { done: now(), ..write };
        if let Some((count, member)) = self.devices.get(&write.device) {
            count.fetch_add(1, Ordering::SeqCst);
            member.store(by, Ordering::SeqCst);
        }
        book.writes.push(write);
    }
}

/// A load that goes on until it is stopped, on a thread of its own.
pub struct Load {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Load {
    /// Begins.
    ///
    /// # Errors
    /// If there is nobody or nothing to write to.
    pub fn start(plan: Plan) -> Result<Load> {
        ensure!(!plan.members.is_empty() && !plan.devices.is_empty(), "there is nobody to write to");
        ensure!(plan.clients > 0 && plan.keys >= plan.clients, "every client needs a key");
        let keys: Vec<_> = (0..plan.keys).map(|key| format!("key-{key}")).collect();
        let names: Vec<_> = keys.iter().filter_map(|key| device::of_key(&plan.devices, key)).collect();
        let idle = plan.devices.iter().find(|device| !names.contains(&device.as_str()));
        ensure!(idle.is_none(), "no key is on the device {idle:?}: there are too few");
        let book = Book { began: now(), devices: plan.devices.clone(), ..Book::default() };
        let devices = plan.devices.iter().map(|device| (device.clone(), Default::default())).collect();
        let shared = Arc::new(Shared { plan, stop: AtomicBool::new(false), book: Mutex::new(book), devices });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let clients = Arc::clone(&shared);
        let thread = std::thread::spawn(move || runtime.block_on(client::all(&clients, &keys)));
        Ok(Load { shared, thread: Some(thread) })
    }

    /// How many writes to a device were acknowledged so far.
    pub fn count(&self, device: &str) -> u64 {
        self.shared.devices.get(device).map_or(0, |(count, _)| count.load(Ordering::SeqCst))
    }

    /// Waits until so many more writes to each of the devices were acknowledged.
    ///
    /// # Errors
    /// If they were not, within this time.
    pub fn advance(&self, devices: &[&str], by: u64, within: Duration) -> Result<()> {
        let goals: Vec<_> = devices.iter().map(|device| (device, self.count(device) + by)).collect();
        let began = Instant::now();
        loop {
            let late: Vec<_> = goals.iter().filter(|(device, goal)| self.count(device) < *goal).collect();
            if late.is_empty() {
                return Ok(());
            }
            ensure!(began.elapsed() < within, "these have not gone on by {by} acknowledged writes: {late:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends it. What is not acknowledged by then is not in the book.
    ///
    /// # Errors
    /// If a client has panicked.
    pub fn stop(mut self) -> Result<Book> {
        self.shared.stop.store(true, Ordering::SeqCst);
        let thread = self.thread.take().context("it is stopped once")?;
        thread.join().map_err(|_| anyhow::anyhow!("a client of the load has panicked"))??;
        let mut book = std::mem::take(&mut *self.shared.book());
        book.ended = now();
        Ok(book)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(device: &str, done: u64) -> Acknowledged {
        let (key, value) = (String::new(), String::new());
        Acknowledged { device: device.into(), key, number: 1, value, sent: Micros(0), done: Micros(done) }
    }

    #[test]
    fn the_longest_quiet_also_begins_and_ends_with_the_load() {
        let writes = vec![write("d0", 150), write("d1", 200), write("d0", 160), write("d0", 190)];
        let devices = ["d0", "d1", "d2"].map(str::to_owned).to_vec();
        let mut book = Book { began: Micros(100), ended: Micros(210), devices, writes, ..Book::default() };
        let quiet = |since, long| Quiet { since: Micros(since), long: Duration::from_micros(long) };
        assert_eq!(book.longest_quiet("d0"), quiet(100, 50));
        assert_eq!(book.longest_quiet("d1"), quiet(100, 100));
        assert_eq!(book.longest_quiet("d2"), quiet(100, 110));
        book.ended = Micros(300);
        assert_eq!(
            book.quiet().into_values().collect::<Vec<_>>(),
            [quiet(190, 110), quiet(100, 100), quiet(100, 200)]
        );
    }

    #[test]
    fn a_load_that_would_miss_a_device_is_refused() {
        let plan = Plan::new(vec![([127, 0, 0, 1], 1).into()], vec!["d0".into(), "d1".into()]);
        assert!(Load::start(Plan { keys: 1, clients: 1, ..plan.clone() }).is_err());
        assert!(Load::start(Plan { members: Vec::new(), ..plan.clone() }).is_err());
        assert!(Load::start(Plan { clients: 17, ..plan }).is_err());
    }
}
