//! What is found at start: the last whole line, what was torn off behind it, and versions of the store without a line.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bowline_kernel::Version;

use super::chain::{self, Sealed};
use super::files::Names;
use super::versions::Spans;

/// So much of the end is read at first; more if there is no whole line in it.
const WINDOW: u64 = 256 << 10;

/// The log cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The system says no.
    #[error("the audit log {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No line of it is whole.
    #[error(
        "the audit log {} is damaged: no line of it is what was written. `bowline hub audit verify` says more; move \
         the file away to begin another log", .0.display()
    )]
    Damaged(PathBuf),
    /// The store has lost something, or it is another one.
    #[error(
        "the store is at version {store}, but version {acknowledged} was acknowledged: its audit log says so. Was an older \
         copy put in its place, or one restored while the clock stood earlier? Put the newest one back; or, if what was lost \
         is lost, move the audit log away to begin another one"
    )]
    Behind {
        /// The version of the store.
        store: Version,
        /// The version that somebody was told of.
        acknowledged: Version,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> AuditError {
    let path = path.to_owned();
    move |source| AuditError::Io { path: path.clone(), source }
}

/// What is found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The last line.
    pub last: Option<Sealed>,
    /// What comes behind it and is no line, and where that begins.
    pub torn: Option<(u64, Vec<u8>)>,
}

/// Finds the end of the log, and what is no line behind it: the process was killed while it wrote, or the machine lost what was
/// not synced. Nobody had an answer for that yet.
pub(super) fn find(names: &Names) -> Result<Found, AuditError> {
    let current = names.current();
    let mut found = Found::default();
    if current.exists() {
        let (last, length, rest) = last_line(current).map_err(io(current))?;
        // A file may have been begun, and nothing in it synced: then those that were put aside are gone on with.
        let is_begun = || names.rotated().map(|rotated| !rotated.is_empty());
        if last.is_none() && rest.contains(&b'\n') && !is_begun().map_err(io(current))? {
            return Err(AuditError::Damaged(current.to_owned()));
        }
        found.torn = Some((length, rest)).filter(|(_, rest)| !rest.is_empty());
        found.last = last;
    }
    if found.last.is_none() {
        let rotated = names.rotated().map_err(io(current))?;
        for path in rotated.iter().rev() {
            if let (Some(last), ..) = last_line(path).map_err(io(path))? {
                found.last = Some(last);
                break;
            }
        }
    }
    Ok(found)
}

/// The last whole line of a file, where it ends, and what comes after it.
fn last_line(path: &Path) -> io::Result<(Option<Sealed>, u64, Vec<u8>)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut window = WINDOW;
    loop {
        let from = length.saturating_sub(window);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.by_ref().take(length - from).read_to_end(&mut bytes)?;
        let mut end = bytes.len();
        while let Some(newline) = bytes[..end].iter().rposition(|byte| *byte == b'\n') {
            let begin = bytes[..newline].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if let Ok(sealed) = chain::read(&bytes[begin..newline]) {
                let rest = bytes.split_off(newline + 1);
                return Ok((Some(sealed), length - rest.len() as u64, rest));
            }
            end = newline;
        }
        if from == 0 {
            return Ok((None, 0, bytes));
        }
        window = window.saturating_mul(4);
    }
}

/// Those of `versions` that no line names, also in files that were put aside.
pub(super) fn unnamed(names: &Names, versions: &Spans) -> Result<Spans, AuditError> {
    let Some((first, _)) = versions.iter().next() else { return Ok(Spans::default()) };
    let mut named = Vec::new();
    let mut paths = names.rotated().map_err(io(names.current()))?;
    paths.extend(fs::exists(names.current()).unwrap_or(false).then(|| names.current().to_owned()));
    for path in paths.iter().rev() {
        let mut lowest = u64::MAX;
        for line in BufReader::new(File::open(path).map_err(io(path))?).split(b'\n') {
            let Ok(Sealed { link, .. }) = chain::read(&line.map_err(io(path))?) else { continue };
            lowest = lowest.min(link.highest);
            named.extend(link.versions.iter().filter(|(_, last)| *last >= first));
        }
        if lowest < first {
            break;
        }
    }
    Ok(versions.without(named))
}
