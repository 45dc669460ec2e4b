//! The journal: a line of JSON for every decision.
//!
//! A decision that has an effect is written when that is answered, with what was answered: one line has both. So what was under
//! way when the process was killed has no line, and what became of it is seen by the decisions of the next run.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// A file grows up to this, and is put aside then.
const LIMIT: u64 = 64 << 20;
/// So many are kept that were put aside.
const KEPT: u32 = 3;

/// The journal of a process. It is for people, and for `bowline audit`; nothing rests on it, so it is not synced.
pub struct Journal {
    path: PathBuf,
    limit: u64,
    open: Mutex<Open>,
}

struct Open {
    file: File,
    bytes: u64,
    /// Somebody was told that it cannot be written.
    complained: bool,
}

/// There is no journal to be had.
#[derive(Debug, thiserror::Error)]
#[error("the journal {path} cannot be opened: {source}")]
pub struct JournalError {
    path: String,
    source: std::io::Error,
}

/// One decision, and what came of it.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    /// When it was decided.
    pub(crate) time: String,
    /// What decided it.
    pub(crate) build: &'static str,
    pub(crate) controller: &'a str,
    pub(crate) key: &'a str,
    /// Of the lease under which it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) epoch: Option<u64>,
    /// What it rests on: objects and their versions.
    pub(crate) observed: &'a [(String, String)],
    /// The step, or `wait`, `converged`, `failing`, `stalled`.
    pub(crate) decision: &'a str,
    /// What it waits for, or why it does not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'a str>,
}

impl Journal {
    /// Goes on with the journal at `path`, or begins it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Journal, JournalError> {
        Journal::with_limit(path.as_ref(), LIMIT)
    }

    fn with_limit(path: &Path, limit: u64) -> Result<Journal, JournalError> {
        let open =
            Open::at(path).map_err(|source| JournalError { path: path.display().to_string(), source })?;
        Ok(Journal { path: path.to_owned(), limit, open: Mutex::new(open) })
    }

    /// Writes a line. A disk that is full must not stop a controller: it is said once.
    pub(crate) fn write(&self, line: &Line<'_>) {
        let Ok(mut text) = serde_json::to_vec(line) else { return };
        text.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match self.append(&mut open, &text) {
            Ok(()) => open.complained = false,
            Err(error) if !open.complained => {
                open.complained = true;
                tracing::warn!(journal = %self.path.display(), %error, "decisions are not written to the journal");
            }
            Err(_) => {}
        }
    }

    fn append(&self, open: &mut Open, text: &[u8]) -> std::io::Result<()> {
        let more = text.len() as u64;
        if open.bytes > 0 && open.bytes + more > self.limit {
            self.put_aside()?;
            *open = Open::at(&self.path)?;
        }
        open.file.write_all(text)?;
        open.bytes += more;
        Ok(())
    }

    fn put_aside(&self) -> std::io::Result<()> {
        let aside = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..KEPT).rev() {
            match std::fs::rename(aside(number), aside(number + 1)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        std::fs::rename(&self.path, aside(1))
    }
}

impl Open {
    fn at(path: &Path) -> std::io::Result<Open> {
        // It names objects, and says what is wrong with them: that is nobody else's business.
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Open { file, bytes, complained: false })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn line(key: &str) -> Line<'_> {
        Line {
            time: String::new(),
            build: "test",
            controller: "pairs",
            key,
            epoch: None,
            observed: &[],
            decision: "converged",
            reason: None,
            effect: None,
            outcome: None,
        }
    }

    #[test]
    fn a_journal_is_put_aside_when_it_is_long_enough_and_the_oldest_goes() {
        let dir = std::env::temp_dir().join(format!("bowline-journal-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("journal");
        let journal = Journal::with_limit(&path, 200).unwrap();
        for key in 0..20 {
            journal.write(&line(&key.to_string()));
        }
        drop(journal);
        // It goes on where it was.
        Journal::with_limit(&path, 200).unwrap().write(&line("last"));
        let mut names: Vec<_> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["journal", "journal.1", "journal.2", "journal.3"]);
        for name in &names {
            let mode = std::fs::metadata(dir.join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name} is for its owner");
        }
        let last = std::fs::read_to_string(&path).unwrap();
        assert!(last.ends_with("\"key\":\"last\",\"observed\":[],\"decision\":\"converged\"}\n"), "{last}");
        assert!(std::fs::metadata(&path).unwrap().len() <= 200);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
