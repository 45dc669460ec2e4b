//! The directory of a hub: made on first use, held by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What the directory says of itself. Another number means another layout.
const FORMAT: &str = "bowline hub, format 1\n";

/// The directory of a hub, held until this is dropped.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    _lock: File,
}

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// Another process holds it.
    #[error("{} is in use by another hub; stop that one, or choose another directory with --data", .0.display())]
    InUse(PathBuf),
    /// It was written by another version.
    #[error("{} was written by another version of bowline ({found}); this one reads {FORMAT:?}", path.display())]
    Format {
        /// The directory.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// There is something else in it.
    #[error("{} is not a hub's directory and not empty; choose another with --data", .0.display())]
    NotOurs(PathBuf),
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Directory {
    /// Takes the directory, and makes it if it is not there.
    ///
    /// # Errors
    /// If it is not ours, or cannot be used; then nothing in it is changed.
    pub fn take(path: &Path) -> Result<Directory, DirectoryError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| DirectoryError::Io { path, source }
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io(path))?;
        let format = path.join("FORMAT");
        match fs::read_to_string(&format) {
            Ok(found) if found == FORMAT => {}
            Ok(found) => {
                return Err(DirectoryError::Format { path: path.to_owned(), found: found.trim().to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut entries = fs::read_dir(path).map_err(io(path))?;
                // Two that start at once in an empty directory both get here; the lock tells them apart.
                if entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != "lock")) {
                    return Err(DirectoryError::NotOurs(path.to_owned()));
                }
            }
            Err(error) => return Err(io(&format)(error)),
        }
        let lock_path = path.join("lock");
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DirectoryError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(io(&lock_path)(error)),
        }
        let directory = Directory { path: path.to_owned(), _lock: lock };
        directory.write("FORMAT", FORMAT.as_bytes()).map_err(io(&format))?;
        Ok(directory)
    }

    /// The path of something in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// What a file in it says; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<String>> {
        match fs::read_to_string(self.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a file that only its owner reads, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let path = self.join(name);
        if fs::read(&path).is_ok_and(|found| found == contents) {
            return Ok(());
        }
        let new = self.join(&format!("{name}.new"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(contents)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(&self.path)?.sync_all()
    }
}
