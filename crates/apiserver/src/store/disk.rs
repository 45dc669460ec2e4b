//! The file under redb, which remembers at which step it failed: that decides whether we may go on.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::StorageBackend;

/// The file under redb.
#[derive(Debug)]
pub(super) struct Disk {
    file: File,
    sync_failed: Arc<AtomicBool>,
}

impl Disk {
    /// The file, and the flag that is raised when a sync fails.
    pub(super) fn new(file: File) -> (Disk, Arc<AtomicBool>) {
        let sync_failed = Arc::new(AtomicBool::new(false));
        (Disk { file, sync_failed: Arc::clone(&sync_failed) }, sync_failed)
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        // What a failed sync leaves behind is not known, and a second try may succeed without having
        // written what the first one lost.
        self.file.sync_data().inspect_err(|_| self.sync_failed.store(true, Ordering::SeqCst))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, offset)
    }
}
