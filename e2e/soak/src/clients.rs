//! Those who write, read and watch.

mod reader;
mod watcher;
mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Result;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;

use crate::judge::{Broken, Promise};
use crate::log::{Asked, Deed, Key, Life, Moment, Told, Version};
use crate::object;

pub use reader::{list, read};
pub use watcher::{Style, watch};
pub use writer::write;

/// How many objects there are: few, so that everybody is in everybody's way.
pub const KEYS: u64 = 24;

/// What the clients of one life share.
pub struct Shared {
    client: Client,
    began: Instant,
    life: Mutex<Life>,
    /// What is believed of objects; it may be old.
    beliefs: Mutex<BTreeMap<Key, Version>>,
    /// The greatest version of a write that was acknowledged.
    acknowledged: AtomicU64,
    /// How far the one has seen that watches everything from the start.
    pub recorded: AtomicU64,
    /// Tags are given once, over all lives.
    tags: AtomicU64,
    /// Those who write are to end.
    pub rest: AtomicBool,
    /// All are to end.
    pub stop: AtomicBool,
    /// How often something was too old to be asked for.
    pub expired: AtomicU64,
}

/// A client of the hub with this kubeconfig.
///
/// # Errors
/// If it cannot be used.
pub async fn connect(kubeconfig: &Path) -> Result<Client> {
    let config = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

impl Shared {
    /// What is shared in a life that begins with this.
    pub fn new(client: Client, began: Instant, life: Life, tags: u64) -> Shared {
        Shared {
            client,
            began,
            beliefs: Mutex::new(life.start.iter().map(|(key, seen)| (*key, seen.version)).collect()),
            acknowledged: AtomicU64::new(life.version),
            recorded: AtomicU64::new(life.version),
            life: Mutex::new(life),
            tags: AtomicU64::new(tags),
            rest: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            expired: AtomicU64::new(0),
        }
    }

    /// What was written down, and the next tag.
    pub fn end(&self) -> (Life, u64) {
        (std::mem::take(&mut *self.life()), self.tags.load(Ordering::SeqCst))
    }

    /// Whether everything that was acknowledged has been seen by who watches everything.
    pub fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::SeqCst) >= self.acknowledged.load(Ordering::SeqCst)
    }

    /// The version of the start.
    pub fn first(&self) -> Version {
        self.life().version
    }

    /// So many answers have been written down.
    pub fn answers(&self) -> usize {
        self.life().deeds.len()
    }

    /// Writes down something that needs no history to be wrong.
    pub fn odd(&self, promise: Promise, what: impl Into<String>) {
        self.life().odd.push(Broken { promise, what: what.into() });
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Moment {
        Moment::try_from(self.began.elapsed().as_nanos()).unwrap_or(Moment::MAX)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn believed(&self, key: Key) -> Option<Version> {
        self.beliefs.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    fn believe(&self, key: Key, version: Option<Version>) {
        let mut beliefs = self.beliefs.lock().unwrap_or_else(PoisonError::into_inner);
        match version {
            Some(version) => beliefs.insert(key, version),
            None => beliefs.remove(&key),
        };
    }

    /// Asks something of one object, writes down what was told, and says whether the hub is still there.
    async fn ask(&self, key: Key, asked: Asked, request: http::Request<Vec<u8>>) -> bool {
        let sent = self.now();
        let answer = self.client.request_text(request).await;
        let done = self.now();
        let told = self.told(key, asked, answer);
        self.life().deeds.push(Deed { key, asked, sent, told, done });
        match told {
            Told::Is(seen) => {
                self.believe(key, Some(seen.version));
                if asked.tag().is_some() {
                    self.acknowledged.fetch_max(seen.version, Ordering::SeqCst);
                }
            }
            Told::Gone | Told::Missing => self.believe(key, None),
            Told::Exists | Told::Conflict => {}
            Told::Nothing => return false,
        }
        true
    }

    fn told(&self, key: Key, asked: Asked, answer: Result<String, kube::Error>) -> Told {
        let text = match answer {
            Ok(text) => text,
            Err(kube::Error::Api(status)) => {
                return match (status.code, status.reason.as_str()) {
                    (404, _) => Told::Missing,
                    (409, "AlreadyExists") => Told::Exists,
                    (409, _) => Told::Conflict,
                    // It is stopping: it may have been done, or not.
                    (503 | 504, _) => Told::Nothing,
                    (code, reason) => {
                        self.odd(
                            Promise::Refusals,
                            format!("{asked:?} of object {key} was answered with {code} {reason}"),
                        );
                        Told::Nothing
                    }
                };
            }
            Err(_) => return Told::Nothing,
        };
        if matches!(asked, Asked::Delete(_)) {
            return Told::Gone;
        }
        let Ok(object) = serde_json::from_str::<Value>(&text) else { return Told::Nothing };
        match object::read(&object) {
            Ok(Some((_, seen))) => Told::Is(seen),
            Ok(None) => {
                self.odd(Promise::Atomic, format!("{asked:?} of object {key} was answered with another one"));
                Told::Nothing
            }
            Err(what) => {
                self.odd(Promise::Atomic, what);
                Told::Nothing
            }
        }
    }
}

/// A request with a body.
fn request(method: &str, path: &str, media: &str, body: &str) -> http::Request<Vec<u8>> {
    let request = http::Request::builder().method(method).uri(path).header("content-type", media);
    request.body(body.as_bytes().to_vec()).expect("it is well formed")
}

/// A request without one.
fn get(path: &str) -> http::Request<Vec<u8>> {
    http::Request::get(path).body(Vec::new()).expect("it is well formed")
}
