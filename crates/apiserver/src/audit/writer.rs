//! The thread that writes lines: those that have come meanwhile are made durable together, then their requests are answered.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::chain::Chain;
use super::files::{Disk, is_full};
use super::{Audit, Entry};
use crate::audit::versions::Spans;

/// How often it is tried whether a full disk has room again.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// What there is to do.
#[derive(Default)]
pub(super) struct Queue {
    pub entries: Vec<Entry>,
    /// Somebody wants to know whether there is room again.
    pub probe: bool,
    pub stopping: bool,
}

/// Writes lines to a disk.
pub(super) struct Writer<D> {
    pub disk: D,
    pub chain: Chain,
    /// A file that would get longer is put aside.
    pub max_bytes: u64,
    pub probed: Option<Instant>,
    /// The first lines, if there was no room for them: they come before all others.
    pub late: Vec<Entry>,
}

/// What has to become of the process: nobody may be answered without a line.
#[derive(Debug)]
pub(super) struct Stop(pub String);

impl<D: Disk> Writer<D> {
    /// Runs until it is told to stop, and has written everything then.
    pub(super) fn run(mut self, audit: &Audit) {
        while let Some((entries, probe)) = audit.next() {
            if probe {
                self.probe(audit);
            }
            if let Err(Stop(why)) = self.write(audit, entries) {
                stop(&why);
            }
        }
    }

    /// Writes lines, makes them durable, and tells who waits.
    pub(super) fn write(&mut self, audit: &Audit, mut entries: Vec<Entry>) -> Result<(), Stop> {
        if audit.is_full() {
            entries = audit.forgo(entries);
        }
        if entries.is_empty() {
            return Ok(());
        }
        entries.splice(0..0, self.late.drain(..));
        let before = self.chain.clone();
        let mut lines = self.chain.append_all(&entries);
        if self.disk.length() > 0 && self.disk.length() + lines.len() as u64 > self.max_bytes {
            // The lines go where they went before.
            if let Err(error) = self.disk.rotate() {
                tracing::error!(%error, "the audit log could not be put aside; it grows on");
            }
        }
        if let Err(error) = self.disk.append(lines.as_bytes()) {
            if !is_full(&error) {
                return Err(Stop(format!("it cannot be written: {error}")));
            }
            tracing::error!(%error, "the audit log cannot be written: what it would have to tell is refused");
            audit.set_full(&error.to_string());
            self.chain = before;
            entries = audit.forgo(entries);
            if entries.is_empty() {
                return Ok(());
            }
            lines = self.chain.append_all(&entries);
            // What these lines tell has happened. If the room was given away before, this is the end of it.
            let released = self.disk.release();
            let again = released.and_then(|()| self.disk.append(lines.as_bytes()));
            again.map_err(|error| {
                Stop(format!("it cannot be written, also not to the room that was kept: {error}"))
            })?;
        }
        self.disk.sync().map_err(|error| Stop(format!("it is not known what is on the disk: {error}")))?;
        entries.into_iter().for_each(Entry::finish);
        Ok(())
    }

    /// Tries whether there is room again.
    pub(super) fn probe(&mut self, audit: &Audit) {
        let now = Instant::now();
        if self.probed.is_some_and(|probed| now.duration_since(probed) < PROBE_EVERY) || !audit.is_full() {
            return;
        }
        self.probed = Some(now);
        if self.disk.reserve().is_ok() {
            let refused = audit.set_room();
            tracing::warn!(refused, "the audit log can be written again");
            let note = format!(
                "the disk was full: {refused} requests were refused that would have had a line, and have none"
            );
            audit.note(&note, &[], Spans::default());
        }
    }
}

/// Who goes on would answer what nobody has written down.
pub(super) fn stop(why: &dyn Display) -> ! {
    tracing::error!(error = %why, "the audit log failed; the process stops, so that nothing is done that it does not tell");
    std::process::abort()
}

/// The thread. Dropping it writes what there is, and stops.
pub(crate) struct Recorder {
    pub(super) audit: Arc<Audit>,
    pub(super) thread: Option<std::thread::JoinHandle<()>>,
}

impl Recorder {
    /// The log that it writes.
    pub(crate) fn audit(&self) -> Arc<Audit> {
        Arc::clone(&self.audit)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.audit.stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported, and has stopped the process.
            let _ = thread.join();
        }
    }
}
