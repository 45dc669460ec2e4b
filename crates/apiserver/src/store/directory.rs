//! The directory of a hub: made on first use, held by one process at a time.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What the directory says of itself. Another number means another layout.
const FORMAT: &str = "bowline hub, format 2\n";
/// What it said before, and can be brought from.
const OLDER: &str = "bowline hub, format 1\n";
/// Where it says so. It is written once everything else that a hub cannot be without is there.
const FORMAT_FILE: &str = "FORMAT";
const LOCK_FILE: &str = "lock";
/// The objects.
pub(crate) const STORE_FILE: &str = "hub.redb";
/// What of them was acknowledged.
pub(crate) const ACKNOWLEDGED_FILE: &str = "acknowledged";
/// The objects of a hub that is being made.
pub(crate) const NEW_STORE_FILE: &str = "hub.redb.new";
/// The objects of a hub that is being made from a backup.
pub(super) const RESTORED_STORE_FILE: &str = "hub.redb.restored";
/// The objects of a hub that are being written anew.
pub(super) const REWRITTEN_STORE_FILE: &str = "hub.redb.rewritten";
/// The objects of a hub as they were before they were brought to the format of today.
pub(super) const KEPT_STORE_FILE: &str = "hub.redb.format-1";
/// What is left behind by a hub that was killed while it was being made or restored; each may also end in `.new`. Keys
/// may have been put there for the hub that is to come.
const BEGINNINGS: &[&str] = &[
    LOCK_FILE,
    STORE_FILE,
    RESTORED_STORE_FILE,
    FORMAT_FILE,
    "secrets.key",
    "ca.crt",
    "ca.key",
    "service-accounts.key",
];

/// The directory of a hub, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    found: Found,
    _lock: File,
}

/// What is in a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// No hub yet.
    Nothing,
    /// A hub of format 1.
    Older,
    /// A hub.
    Hub,
}

/// A file, whatever its name is. As long as it is open, no other one is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// Another process holds it.
    #[error("{} is in use by another hub; stop that one, or choose another directory with --data", .0.display())]
    InUse(PathBuf),
    /// It was written by another version.
    #[error("{} was written by another version of bowline ({found}); this one reads {} and older ones; \
         use that version, or restore a backup", path.display(), FORMAT.trim())]
    Format {
        /// The directory.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// There should be a hub in it.
    #[error("there is no hub in {}", .0.display())]
    NoHub(PathBuf),
    /// There is something else in it.
    #[error("{} is not a hub's directory and not empty; choose another with --data", .0.display())]
    NotOurs(PathBuf),
    /// It is, or would be in, something else than a directory.
    #[error("{} is a file and not a directory; choose a directory with --data", .0.display())]
    NotADirectory(PathBuf),
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn io(path: &Path) -> impl Fn(io::Error) -> DirectoryError {
    let path = path.to_owned();
    move |source| {
        if source.kind() == io::ErrorKind::NotADirectory
            && let Some(file) = path.ancestors().find(|path| path.exists() && !path.is_dir())
        {
            return DirectoryError::NotADirectory(file.to_owned());
        }
        DirectoryError::Io { path: path.clone(), source }
    }
}

impl Directory {
    /// Finds out what speaks against the directory, and changes nothing.
    ///
    /// # Errors
    /// If it is not ours, or cannot be used.
    pub(crate) fn look(path: &Path) -> Result<(), DirectoryError> {
        find(path)?;
        let lock = path.join(LOCK_FILE);
        match File::open(&lock) {
            Ok(file) => take_lock(&file, path, &lock),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(io(&lock)(error)),
        }
    }

    /// Takes the directory, and makes it if it is not there.
    ///
    /// # Errors
    /// If it is not ours, or cannot be used; then nothing in it is changed.
    pub(crate) fn take(path: &Path) -> Result<Directory, DirectoryError> {
        Directory::look(path)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io(path))?;
        let lock_path = path.join(LOCK_FILE);
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(io(&lock_path))?;
        take_lock(&lock, path, &lock_path)?;
        // Two that start at once in an empty directory both get here; the lock tells them apart.
        Ok(Directory { path: path.to_owned(), found: find(path)?, _lock: lock })
    }

    /// Takes the directory of a hub that is there.
    ///
    /// # Errors
    /// If there is none, or it cannot be used; then nothing in it is changed.
    pub(crate) fn take_hub(path: &Path) -> Result<Directory, DirectoryError> {
        match find(path)? {
            Found::Nothing => Err(DirectoryError::NoHub(path.to_owned())),
            Found::Older | Found::Hub => Directory::take(path),
        }
    }

    /// Whether there is no hub in it yet.
    pub(crate) fn is_new(&self) -> bool {
        self.found == Found::Nothing
    }

    /// Whether the hub in it is of format 1.
    pub(crate) fn is_older(&self) -> bool {
        self.found == Found::Older
    }

    /// The hub is made.
    ///
    /// # Errors
    /// If that cannot be written down.
    pub(crate) fn made(&self) -> Result<(), DirectoryError> {
        self.write(FORMAT_FILE, FORMAT.as_bytes()).map_err(io(&self.join(FORMAT_FILE)))
    }

    /// The path of something in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Which file is at this name: one that was put there instead is another one. `None` if there is none.
    pub(crate) fn file(&self, name: &str) -> Option<FileId> {
        let there = fs::metadata(self.join(name)).ok()?;
        Some(FileId { device: there.dev(), inode: there.ino() })
    }

    /// What a file in it says; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<String>> {
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
    pub(crate) fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let path = self.join(name);
        if fs::read(&path).is_ok_and(|found| found == contents) {
            return Ok(());
        }
        let new = self.join(&format!("{name}.new"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(contents)?;
        file.sync_all()?;
        self.rename(&new, &path)
    }

    /// Gives something in it another name; it has it for good when this returns.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        File::open(&self.path)?.sync_all()
    }
}

/// What is in a directory.
fn find(path: &Path) -> Result<Found, DirectoryError> {
    let format = path.join(FORMAT_FILE);
    match fs::read_to_string(&format) {
        Ok(found) if found == FORMAT => return Ok(Found::Hub),
        Ok(found) if found == OLDER => return Ok(Found::Older),
        Ok(found) => {
            return Err(DirectoryError::Format { path: path.to_owned(), found: found.trim().to_owned() });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(io(&format)(error)),
    }
    let mut entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(io(path)(error)),
    };
    let is_beginning = |name: OsString| {
        let name = name.to_string_lossy();
        // A store that has its name is one that was made.
        name != STORE_FILE && BEGINNINGS.contains(&name.strip_suffix(".new").unwrap_or(&name))
    };
    match entries.all(|entry| entry.is_ok_and(|entry| is_beginning(entry.file_name()))) {
        true => Ok(Found::Nothing),
        false => Err(DirectoryError::NotOurs(path.to_owned())),
    }
}

fn take_lock(lock: &File, directory: &Path, path: &Path) -> Result<(), DirectoryError> {
    match lock.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(DirectoryError::InUse(directory.to_owned())),
        Err(TryLockError::Error(error)) => Err(io(path)(error)),
    }
}
