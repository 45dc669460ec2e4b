//! Where bytes lie: a file; in tests, also something that behaves as a bad disk does.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Bytes that can be read and written anywhere, and made durable.
pub(super) trait Medium: Debug + Send + Sync {
    /// How many there are.
    ///
    /// # Errors
    /// If the system does not say.
    fn len(&self) -> io::Result<u64>;

    /// Reads from `offset` on, as much as fits into `out`.
    ///
    /// # Errors
    /// If there is less, or it cannot be read.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Writes at `offset`.
    ///
    /// # Errors
    /// If it cannot be written; then nobody knows how much of it was.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Makes them so many.
    ///
    /// # Errors
    /// If that cannot be.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Waits until the disk has what was written.
    ///
    /// # Errors
    /// If it is not known whether it has.
    fn sync(&self) -> io::Result<()>;
}

impl Medium for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(out, offset)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.write_all_at(data, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Where a medium is, for who has to open it again.
pub(super) trait Place: Debug + Send {
    /// Opens it.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open(&self) -> io::Result<Box<dyn Medium>>;
}

impl Place for PathBuf {
    fn open(&self) -> io::Result<Box<dyn Medium>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).open(self)?))
    }
}
