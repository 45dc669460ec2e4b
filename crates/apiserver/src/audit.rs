//! The audit log: who did what to which object, and what was answered. A line is durable before its answer is given.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use bowline_kernel::{Change, Version};
use tokio::sync::oneshot;

use crate::document::Document;
use crate::status::Status;

mod account;
mod chain;
mod event;
mod files;
#[cfg(test)]
pub(crate) mod fuzz;
mod recover;
mod strangers;
#[cfg(test)]
mod tests;
mod trail;
mod verify;
mod versions;
mod writer;

use chain::Chain;
use files::{Disk, Files, Names, RESERVE, is_full};
use strangers::Strangers;
use versions::Spans;
use writer::{Queue, Stop, Writer};

pub(crate) use account::{Account, Source};
pub(crate) use event::Request;
pub use recover::AuditError;
pub(crate) use trail::{Made, Trail};
pub use verify::{Flaw, Verdict, verify};
pub(crate) use writer::Recorder;

/// The file, in the directory of the hub.
const FILE: &str = "audit.log";
/// So many objects are named of versions that have no line.
const NAMED: usize = 100;

/// How the audit log is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditLog {
    /// The file; without it, `audit.log` in the directory of the hub.
    pub path: Option<PathBuf>,
    /// A file that would get longer than so many MiB is put aside.
    pub max_size_mib: u64,
    /// How many are kept that were put aside; 0 keeps all.
    pub max_backups: usize,
}

impl Default for AuditLog {
    fn default() -> AuditLog {
        AuditLog { path: None, max_size_mib: 100, max_backups: 10 }
    }
}

impl AuditLog {
    fn names(&self, directory: &Path) -> Names {
        Names::new(&self.path.clone().unwrap_or_else(|| directory.join(FILE)))
    }
}

/// The audit log of a hub that runs.
#[derive(Default)]
pub(crate) struct Audit {
    queue: Mutex<Queue>,
    work: Condvar,
    /// Why nothing can be written, and how many were refused for it.
    full: Mutex<Option<Full>>,
    strangers: Mutex<Strangers>,
}

struct Full {
    why: String,
    refused: u64,
}

/// A line on its way.
struct Entry {
    event: String,
    versions: Spans,
    /// What it tells has happened. Who was turned away has done nothing: on a full disk that is only counted.
    owed: bool,
    done: Option<oneshot::Sender<()>>,
}

impl Entry {
    /// Tells who waits for it.
    fn finish(self) {
        if let Some(done) = self.done {
            // Who no longer waits has hung up.
            let _ = done.send(());
        }
    }
}

impl Audit {
    /// The largest version that the log in a hub's directory tells of: somebody may have been told of it.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) fn acknowledged(log: &AuditLog, directory: &Path) -> Result<Option<Version>, AuditError> {
        let found = recover::find(&log.names(directory))?;
        Ok(found.last.map(|last| Version(last.link.highest)))
    }

    /// Goes on with the log of a hub whose store is at `version`, perhaps just restored, and begins it if there is none. `objects`
    /// says what the store has at versions that have no line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn start(
        log: &AuditLog,
        directory: &Path,
        (version, restored): (Version, bool),
        objects: impl FnOnce(&dyn Fn(Version) -> bool) -> Vec<Made>,
    ) -> Result<Recorder, AuditError> {
        let names = log.names(directory);
        let found = recover::find(&names)?;
        let path = names.current();
        let mut chain = Chain::after(found.last.as_ref(), version.0);
        let covered = chain.coverage().upto();
        // First of all: what is no line names no version.
        let torn = found.torn.as_ref().map(|(length, rest)| names.cut(*length, rest)).transpose();
        let torn = torn.map_err(recover::io(path))?;
        let gap = recover::unnamed(&names, &Spans::between(covered.saturating_add(1), version.0))?;
        let audit = Audit::default();
        if found.last.is_none() && version.0 > 0 && !restored {
            tracing::warn!(
                path = %path.display(),
                store = version.0,
                "there is no line in the audit log, though the store is not new: a new log begins. If the hub did not run \
                 without one, somebody has removed or emptied it"
            );
        }
        // All up to here is accounted for as soon as the first of these lines is there: it names what no other does.
        chain.settle(version.0);
        if !gap.is_empty() {
            audit.gap(gap, objects);
        }
        let begins = match &found.last {
            None => format!("the log begins; the store is at version {version}"),
            Some(_) => format!("the hub starts; the store is at version {version}"),
        };
        audit.note(&begins, &[], Spans::default());
        if let (Some((_, rest)), Some(apart)) = (&found.torn, torn) {
            let (bytes, apart) = (rest.len(), apart.file_name().unwrap_or_default().to_string_lossy());
            let note = format!("{bytes} bytes behind the last line were no line, and are kept in {apart}");
            audit.note(&note, &[], Spans::default());
        }
        let disk = Files::open(&names, log.max_backups).map_err(recover::io(path))?;
        let max_bytes = log.max_size_mib.saturating_mul(1 << 20);
        let mut writer = Writer { disk, chain, max_bytes, probed: None, late: Vec::new() };
        audit.begin(&mut writer).map_err(recover::io(path))?;
        audit.record_to(writer).map_err(AuditError::Thread)
    }

    /// Keeps room, and writes the first lines. Without room they wait for it: nothing that has to have a line is done before.
    fn begin<D: Disk>(&self, writer: &mut Writer<D>) -> std::io::Result<()> {
        let first = std::mem::take(&mut self.queue().entries);
        match writer.disk.reserve() {
            Ok(()) => writer.write(self, first).map_err(|Stop(why)| std::io::Error::other(why)),
            Err(error) if is_full(&error) => {
                tracing::error!(
                    %error,
                    wanted_bytes = RESERVE,
                    "there is no room for the audit log: the hub starts, answers who reads, and refuses whatever would have \
                     to be told there, until so much is free for it"
                );
                self.set_full(&error.to_string());
                writer.late = first;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn record_to<D: Disk>(self, writer: Writer<D>) -> std::io::Result<Recorder> {
        let audit = Arc::new(self);
        let writes = Arc::clone(&audit);
        // Without this thread everybody would wait for ever.
        let run = move || {
            catch_unwind(AssertUnwindSafe(|| writer.run(&writes)))
                .unwrap_or_else(|_| writer::stop(&"the thread that writes it panicked"));
        };
        let thread = thread::Builder::new().name("audit".into()).spawn(run)?;
        Ok(Recorder { audit, thread: Some(thread) })
    }

    /// Whether a request that has to have a line can be performed.
    ///
    /// # Errors
    /// If the disk is full.
    pub(crate) fn room(&self) -> Result<(), Status> {
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Full { why, refused }) = &mut *full else { return Ok(()) };
        *refused += 1;
        let why = format!("the audit log cannot be written: {why}");
        drop(full);
        self.look_for_room();
        Err(Status::not_durable(&why))
    }

    /// The same for what nobody waits for.
    pub(crate) fn has_room(&self) -> bool {
        let full = self.is_full();
        if full {
            self.look_for_room();
        }
        !full
    }

    /// Why there is no room, if there is none.
    pub(crate) fn lacks_room(&self) -> Option<String> {
        let full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        full.as_ref().map(|full| format!("the audit log cannot be written: {}", full.why))
    }

    fn look_for_room(&self) {
        self.queue().probe = true;
        self.work.notify_one();
    }

    /// Writes the line of a request. It is durable when this returns.
    ///
    /// # Errors
    /// If the hub stops.
    pub(crate) async fn record(&self, request: &Request<'_>) -> Result<(), Status> {
        let (sender, receiver) = oneshot::channel();
        let versions = request.known.versions.clone();
        let owed = request.is_owed();
        self.push(Entry { event: event::request(request), versions, owed, done: Some(sender) });
        receiver.await.map_err(|_| Status::stopping())
    }

    /// Writes lines of changes that nobody asked for. Nobody waits for them.
    pub(crate) fn own<'a>(&self, changes: impl Iterator<Item = &'a Change<Document>>) {
        for change in changes {
            let versions = Spans::between(change.version.0, change.version.0);
            self.push(Entry { event: event::own(change), versions, owed: true, done: None });
        }
    }

    fn gap(&self, gap: Spans, objects: impl FnOnce(&dyn Fn(Version) -> bool) -> Vec<Made>) {
        let mut made = objects(&|version| gap.contains(version.0));
        made.sort_by_key(|made| made.version);
        made.truncate(NAMED);
        let note = format!(
            "versions {gap} are in the store, and no line says who made them: the hub ended between the commit and the \
             line, and their answers were never given; or the end of the log was cut off; or it ran without an audit log, or the \
             store was restored"
        );
        tracing::warn!(versions = %gap, "versions of the store have no line in the audit log; this was noted there");
        self.note(&note, &made, gap);
    }

    fn note(&self, note: &str, objects: &[Made], versions: Spans) {
        self.push(Entry { event: event::note(note, objects), versions, owed: true, done: None });
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, entry: Entry) {
        let mut queue = self.queue();
        // Who comes too late is told by the end of the channel.
        if !queue.stopping {
            queue.entries.push(entry);
            self.work.notify_one();
        }
    }

    /// What has come since the last time, and whether somebody waits for room; `None` at the end.
    fn next(&self) -> Option<(Vec<Entry>, bool)> {
        let mut queue = self.queue();
        loop {
            if !queue.entries.is_empty() || queue.probe {
                return Some((std::mem::take(&mut queue.entries), std::mem::take(&mut queue.probe)));
            }
            if queue.stopping {
                return None;
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn stop(&self) {
        self.tell_of_strangers();
        self.queue().stopping = true;
        self.work.notify_one();
    }

    fn set_full(&self, why: &str) {
        let full = Full { why: why.to_owned(), refused: 0 };
        self.full.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(full);
    }

    fn is_full(&self) -> bool {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// There is no room. Who was turned away has done nothing, and is only counted: what room is left is for those that
    /// this gives back.
    fn forgo(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let (owed, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.owed);
        if let Some(full) = &mut *self.full.lock().unwrap_or_else(PoisonError::into_inner) {
            full.refused += others.len() as u64;
        }
        others.into_iter().for_each(Entry::finish);
        owed
    }

    /// There is room again; says how many were refused.
    fn set_room(&self) -> u64 {
        let full = self.full.lock().unwrap_or_else(PoisonError::into_inner).take();
        full.map_or(0, |full| full.refused)
    }
}
