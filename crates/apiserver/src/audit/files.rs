//! The files of a log: the one that grows, those that were put aside, and the room that is kept for a full disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::random;

/// So much is kept free: lines of requests that are under way when the disk gets full have to be written still.
pub(super) const RESERVE: usize = 2 << 20;

/// The time in the name of a file that was put aside.
const ASIDE: &str = "%Y-%m-%dT%H-%M-%S.%3f";

/// Where lines are written.
pub(super) trait Disk: Send + 'static {
    /// Appends lines, all or none.
    fn append(&mut self, lines: &[u8]) -> io::Result<()>;
    /// They stay.
    fn sync(&mut self) -> io::Result<()>;
    /// How long the file is.
    fn length(&self) -> u64;
    /// Puts the file aside, and begins another one.
    fn rotate(&mut self) -> io::Result<()>;
    /// Keeps room for when there is none.
    fn reserve(&mut self) -> io::Result<()>;
    /// Gives it away.
    fn release(&mut self) -> io::Result<()>;
}

/// Whether there is no room, for whatever reason.
pub(super) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The names of the files: `audit.log`, and beside it `audit-TIME.log`, `audit-TIME.torn` and `audit.reserve`.
#[derive(Clone, Debug)]
pub(super) struct Names(PathBuf);

impl Names {
    pub(super) fn new(path: &Path) -> Names {
        Names(path.to_owned())
    }

    /// The file that grows.
    pub(super) fn current(&self) -> &Path {
        &self.0
    }

    fn directory(&self) -> &Path {
        self.0.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    fn stem(&self) -> String {
        self.0.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn ending(&self) -> String {
        let ending = self.0.extension().unwrap_or_default().to_string_lossy();
        if ending.is_empty() { String::new() } else { format!(".{ending}") }
    }

    fn reserve(&self) -> PathBuf {
        self.directory().join(format!("{}.reserve", self.stem()))
    }

    /// A name with the time in it that nothing has yet.
    fn aside(&self, now: Timestamp, ending: &str) -> PathBuf {
        let mut ms = now.as_millisecond();
        loop {
            let time = Timestamp::from_millisecond(ms).unwrap_or(now).to_zoned(TimeZone::UTC);
            let name = format!("{}-{}{ending}", self.stem(), time.strftime(ASIDE));
            let path = self.directory().join(name);
            if !path.exists() {
                return path;
            }
            ms += 1;
        }
    }

    /// The files that were put aside, the oldest first.
    pub(super) fn rotated(&self) -> io::Result<Vec<PathBuf>> {
        let (begin, end) = (format!("{}-", self.stem()), self.ending());
        let mut found = Vec::new();
        for entry in fs::read_dir(self.directory())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Who keeps other files there under such names keeps them.
            let time = name.strip_prefix(&begin).and_then(|rest| rest.strip_suffix(&end));
            if time.is_some_and(|time| DateTime::strptime(ASIDE, time).is_ok()) {
                found.push(path);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    fn sync(&self) -> io::Result<()> {
        File::open(self.directory())?.sync_all()
    }

    /// Cuts the file that grows off at `length`; what was behind it is kept in a file of its own.
    pub(super) fn cut(&self, length: u64, rest: &[u8]) -> io::Result<PathBuf> {
        let apart = self.aside(Timestamp::now(), ".torn");
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&apart)?;
        file.write_all(rest)?;
        file.sync_all()?;
        let file = OpenOptions::new().write(true).open(&self.0)?;
        file.set_len(length)?;
        file.sync_all()?;
        self.sync()?;
        Ok(apart)
    }
}

/// The files on a real disk.
pub(super) struct Files {
    names: Names,
    file: File,
    length: u64,
    /// How many are kept that were put aside; 0 keeps all.
    backups: usize,
}

impl Files {
    /// Opens the file that grows, and makes it if there is none.
    pub(super) fn open(names: &Names, backups: usize) -> io::Result<Files> {
        let is_new = !names.current().exists();
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(names.current())?;
        let length = file.metadata()?.len();
        if is_new {
            names.sync()?;
        }
        Ok(Files { names: names.clone(), file, length, backups })
    }

    /// Removes what is too old.
    fn prune(&self) -> io::Result<()> {
        let rotated = self.names.rotated()?;
        let old = if self.backups == 0 { 0 } else { rotated.len().saturating_sub(self.backups) };
        rotated.iter().take(old).try_for_each(fs::remove_file)
    }
}

impl Disk for Files {
    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(lines) {
            // Half a line in the middle would break the chain.
            self.file.set_len(self.length)?;
            return Err(error);
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn length(&self) -> u64 {
        self.length
    }

    fn rotate(&mut self) -> io::Result<()> {
        let current = self.names.current();
        let new = self.names.directory().join(format!("{}.new", self.names.stem()));
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&new)?;
        file.set_len(0)?;
        // The name may be gone since the last time, when something went wrong here. The file is not.
        if current.exists() {
            fs::rename(current, self.names.aside(Timestamp::now(), &self.names.ending()))?;
        }
        fs::rename(&new, current)?;
        self.names.sync()?;
        (self.file, self.length) = (file, 0);
        self.prune()
    }

    fn reserve(&mut self) -> io::Result<()> {
        let path = self.names.reserve();
        if fs::metadata(&path).is_ok_and(|there| there.len() == RESERVE as u64) {
            return Ok(());
        }
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        // Zeros would take no room on a disk that compresses.
        let mut room = vec![0; RESERVE];
        random::fill(&mut room);
        file.and_then(|mut file| file.write_all(&room)).inspect_err(|_| {
            // It is of use only as a whole.
            let _ = fs::remove_file(&path);
        })
    }

    fn release(&mut self) -> io::Result<()> {
        fs::remove_file(self.names.reserve())
    }
}
