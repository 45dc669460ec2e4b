//! Where a member keeps what it has on a node: a directory that is open to its owner only.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

/// The longest path that a socket can have: `sun_path` has 108 bytes, and the last one is none of it.
const LONGEST: usize = 107;
/// Names are those of Kubernetes, and become a directory's.
const LONGEST_NAME: usize = 253;

/// The directory of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home(PathBuf);

/// A directory cannot be a member's.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// The name of the member cannot be that of a directory.
    #[error(
        "{0:?} cannot be a member's name: it has to be 1 to {LONGEST_NAME} letters, digits, '-', '.' or '_', and to begin with a letter or digit"
    )]
    Name(String),
    /// Sockets have short names.
    #[error("{} has {bytes} bytes, and the path of a socket has at most {LONGEST}: choose a directory with a shorter path", path.display())]
    TooLong {
        /// The path of the socket.
        path: PathBuf,
        /// How long it is.
        bytes: usize,
    },
    /// It is something else.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// It belongs to somebody else.
    #[error("{} belongs to the user {owner}, and this is the user {us}: run as that user, or choose another directory", path.display())]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        us: u32,
    },
    /// Others could tell the shim what to run.
    #[error("{} is open to others (mode {mode:03o}), who could then run what they like: chmod 700 {}", path.display(), path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// What others may.
        mode: u32,
    },
    /// Somebody else holds it.
    #[error("another shim runs in {}", .0.display())]
    Held(PathBuf),
    /// Another agent acts for the member.
    #[error("another agent runs in {}: end it first, or choose another directory", .0.display())]
    Occupied(PathBuf),
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn io(path: &Path) -> impl FnOnce(io::Error) -> HomeError {
    let path = path.to_owned();
    move |source| HomeError::Io { path, source }
}

impl Home {
    /// The directory of a member among the data of an agent. Nothing is made.
    ///
    /// # Errors
    /// If the name is none, or the path is too long for a socket.
    pub fn of(data: &Path, member: &str) -> Result<Home, HomeError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric();
        let fits = |byte: u8| plain(byte) || b"-._".contains(&byte);
        let begins_well = member.bytes().next().is_some_and(plain);
        if !begins_well || !member.bytes().all(fits) || member.len() > LONGEST_NAME {
            return Err(HomeError::Name(member.to_owned()));
        }
        Home::at(&data.join(member))
    }

    /// This directory. Nothing is made.
    ///
    /// # Errors
    /// If the path is too long for a socket.
    pub fn at(path: &Path) -> Result<Home, HomeError> {
        // A shim works somewhere else than who started it.
        let home = Home(std::path::absolute(path).map_err(io(path))?);
        let socket = home.socket();
        let bytes = socket.as_os_str().as_bytes().len();
        if bytes > LONGEST {
            return Err(HomeError::TooLong { path: socket, bytes });
        }
        Ok(home)
    }

    /// Makes the directory if there is none, and sees that nobody else gets in.
    ///
    /// # Errors
    /// If it cannot be made, or others can get in.
    pub fn prepare(&self) -> Result<(), HomeError> {
        let Home(path) = self;
        DirBuilder::new().mode(0o700).recursive(true).create(path).map_err(io(path))?;
        // A link could be pointed elsewhere between this look and the next use.
        let found = fs::symlink_metadata(path).map_err(io(path))?;
        if !found.is_dir() {
            return Err(HomeError::NotADirectory(path.clone()));
        }
        let us = geteuid().as_raw();
        if found.uid() != us {
            return Err(HomeError::NotOurs { path: path.clone(), owner: found.uid(), us });
        }
        match found.mode() & 0o777 {
            mode if mode & 0o077 != 0 => Err(HomeError::Open { path: path.clone(), mode }),
            _ => Ok(()),
        }
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What tells the software what it is: `BOWLINE_DUTIES`.
    pub fn duties(&self) -> PathBuf {
        self.0.join("duties.json")
    }

    /// What the software has printed; older parts of it are beside it, `.1` being the youngest of them.
    pub fn log(&self) -> PathBuf {
        self.0.join("software.log")
    }

    /// What the commands have printed that drain it.
    pub fn drain_log(&self) -> PathBuf {
        self.0.join("drain.log")
    }

    /// Where the shim listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.0.join("shim.sock")
    }

    /// What the shim has to say when it comes to harm.
    pub(crate) fn shim_log(&self) -> PathBuf {
        self.0.join("shim.log")
    }

    /// Holds the directory for an agent, until the file is closed: one that was stopped and goes on would tell the software
    /// what is long past. It is let go when the agent ends, whatever ends it.
    ///
    /// # Errors
    /// If another agent holds it.
    pub fn occupy(&self) -> Result<File, HomeError> {
        self.lock("agent.lock", HomeError::Occupied)
    }

    /// Holds the directory for a shim, until the file is closed.
    pub(crate) fn hold(&self) -> Result<File, HomeError> {
        self.lock("shim.lock", HomeError::Held)
    }

    fn lock(&self, name: &str, held: fn(PathBuf) -> HomeError) -> Result<File, HomeError> {
        let path = self.0.join(name);
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(&path).map_err(io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(held(self.0.clone())),
            Err(TryLockError::Error(source)) => Err(HomeError::Io { path, source }),
        }
    }

    /// What begins the marks of all shims of this directory. The same path can be another directory in a container.
    pub(crate) fn mark(&self) -> Result<String, HomeError> {
        let Home(path) = self;
        let found = fs::metadata(path).map_err(io(path))?;
        Ok(format!("{}:{}:{}#", found.dev(), found.ino(), path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn said(made: Result<impl Sized, HomeError>) -> String {
        made.err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_none() {
        for name in ["", ".", "..", "../n1", "a/b", "-x", "a\0b", "a b", &"n".repeat(254)] {
            assert!(matches!(Home::of(Path::new("/d"), name), Err(HomeError::Name(_))), "{name:?}");
        }
        assert_eq!(Home::of(Path::new("/d"), "n-1.a_b").expect("a name").path(), Path::new("/d/n-1.a_b"));
    }

    #[test]
    fn a_path_that_no_socket_can_have_is_refused_with_what_to_do() {
        let fits = LONGEST - "//shim.sock".len();
        let made = |bytes| Home::at(Path::new(&format!("/{}", "x".repeat(bytes))));
        assert_eq!(made(fits).expect("it fits").socket().as_os_str().len(), LONGEST);
        let error = said(made(fits + 1));
        assert!(error.contains("has 108 bytes") && error.contains("shorter path"), "{error}");
    }

    #[test]
    fn a_directory_is_made_for_its_owner_only_and_refused_if_others_get_in() {
        let top = std::env::temp_dir().join(format!("bowline-home-{}", std::process::id()));
        let home = Home::at(&top.join("a/n1")).expect("a path");
        home.prepare().expect("it is made");
        assert_eq!(fs::metadata(home.path()).expect("it is there").mode() & 0o777, 0o700);
        home.prepare().expect("it is there");
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o750)).expect("it is opened");
        assert!(said(home.prepare()).contains("is open to others (mode 750)"));
        let link = top.join("link");
        symlink(top.join("a"), &link).expect("a link");
        assert!(said(Home::at(&link).expect("a path").prepare()).contains("is not a directory"));
        fs::write(top.join("file"), "").expect("a file");
        assert!(Home::at(&top.join("file")).expect("a path").prepare().is_err());
        let held = home.hold().expect("nobody has it");
        assert!(said(home.hold()).starts_with("another shim runs in"));
        // An agent is somebody else.
        let _agent = home.occupy().expect("nobody has it");
        assert!(said(home.occupy()).starts_with("another agent runs in"));
        drop(held);
        home.hold().expect("it was let go");
        fs::remove_dir_all(top).expect("it is removed");
    }
}
