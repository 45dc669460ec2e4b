//! Whether a log is what was written: line by line, over all its files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::chain::{self, Broken, NOTHING, Sealed};
use super::event;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// How many lines are as they were written, up to the first flaw.
    pub lines: u64,
    /// The number of the first of them, in the whole log: 1 if nothing is missing before it.
    pub first: u64,
    /// When the first was written.
    pub from: String,
    /// When the last was.
    pub to: String,
    /// The hash of the last: it stands for the whole log.
    pub head: String,
    /// How many bytes come after the last line that are no whole line: it is being written, or the hub was killed meanwhile.
    pub torn: u64,
    /// The first place that is not as it was written.
    pub flaw: Option<Flaw>,
}

/// A place that is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// In which file.
    pub file: PathBuf,
    /// In which line of it, from 1 on; 0 if it is about the whole.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    stage_timestamp: String,
}

/// Verifies the log in these files, whatever their order. With `head`, a line of it has to have this hash.
///
/// # Errors
/// If a file cannot be read, or is none of an audit log; it is named.
pub fn verify(files: &[PathBuf], head: Option<&str>) -> Result<Verdict, (PathBuf, io::Error)> {
    let mut ordered = Vec::with_capacity(files.len());
    for file in files {
        ordered.push((first_line(file).map_err(|error| (file.clone(), error))?, file));
    }
    ordered.sort_by_key(|(line, _)| *line);
    let mut chain = Walk { verdict: Verdict::default(), last: None, head, met: false };
    for (index, (_, file)) in ordered.iter().enumerate() {
        let is_last = index + 1 == ordered.len();
        chain.file(file, is_last).map_err(|error| ((*file).clone(), error))?;
        if chain.verdict.flaw.is_some() {
            break;
        }
    }
    let Walk { mut verdict, met, .. } = chain;
    if verdict.flaw.is_none() {
        let what = match head {
            Some(head) if !met => {
                Some(format!("no line has the hash {head}: the end was cut off, or this is another log"))
            }
            // A hub writes a line when it makes its log.
            None if verdict.lines == 0 && verdict.torn == 0 => {
                Some("there is no line: all of them were cut off, or files are not named".to_owned())
            }
            _ => None,
        };
        let file = ordered.last().map(|(_, file)| (*file).clone()).unwrap_or_default();
        verdict.flaw = what.map(|what| Flaw { file, line: 0, what });
    }
    Ok(verdict)
}

/// The number of the first line of a file that says one.
///
/// # Errors
/// If it cannot be read, or there is nothing in it that a hub could have written.
fn first_line(file: &Path) -> io::Result<u64> {
    let mut reader = BufReader::new(File::open(file)?);
    let (mut bytes, mut is_log, mut count) = (Vec::new(), false, 0);
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        count += 1;
        match chain::read(bytes.strip_suffix(b"\n").unwrap_or(&bytes)) {
            Ok(sealed) => return Ok(sealed.link.line),
            // Half of the first line is all that a killed hub may have left of a file.
            Err(Broken::NoHash) => is_log |= count == 1 && is_begun(&bytes),
            Err(Broken::Changed | Broken::NoPlace) => is_log = true,
        }
        bytes.clear();
    }
    if count == 0 || is_log {
        return Ok(u64::MAX);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it is not an audit log: no line of it ends in its hash"))
}

/// Whether this is the beginning of a line, and not all of it.
fn is_begun(bytes: &[u8]) -> bool {
    let length = bytes.len().min(event::BEGIN.len());
    !bytes.ends_with(b"\n") && bytes[..length] == event::BEGIN.as_bytes()[..length]
}

struct Walk<'a> {
    verdict: Verdict,
    last: Option<Sealed>,
    head: Option<&'a str>,
    met: bool,
}

impl Walk<'_> {
    fn file(&mut self, file: &Path, is_last: bool) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(file)?);
        let (mut bytes, mut number) = (Vec::new(), 0);
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(());
            }
            number += 1;
            let what = match bytes.strip_suffix(b"\n") {
                None if is_last => {
                    self.verdict.torn = bytes.len() as u64;
                    return Ok(());
                }
                None => Err("it is cut off, and other files follow".to_owned()),
                Some(line) => self.line(line),
            };
            if let Err(what) = what {
                self.verdict.flaw = Some(Flaw { file: file.to_owned(), line: number, what });
                return Ok(());
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let sealed = chain::read(line).map_err(|broken| broken.to_string())?;
        let written: Written =
            serde_json::from_slice(line).map_err(|_| "it does not say when it was written".to_owned())?;
        let place = sealed.link.line;
        match &self.last {
            None if place == 1 && sealed.link.previous != NOTHING => {
                return Err("it is the first line, and names one before it".to_owned());
            }
            None => {
                (self.verdict.first, self.verdict.from) = (place, written.stage_timestamp.clone());
            }
            Some(last) if place != last.link.line + 1 => return Err(misplaced(place, last.link.line)),
            Some(last) if sealed.link.previous != last.hash => {
                return Err(
                    "it does not follow the line before it: that one was replaced, or this one".to_owned()
                );
            }
            Some(_) => {}
        }
        self.met |= self.head == Some(&*sealed.hash);
        self.verdict.lines += 1;
        self.verdict.to = written.stage_timestamp;
        self.verdict.head.clone_from(&sealed.hash);
        self.last = Some(sealed);
        Ok(())
    }
}

/// What is wrong with a line that comes after another one than that before it.
fn misplaced(place: u64, before: u64) -> String {
    let comes = format!("it is line {place} of the log, and comes after line {before}");
    if place <= before {
        return format!("{comes}: it was put in or moved, or a file is named twice");
    }
    let missing = match place - before {
        2 => format!("line {} was removed, or its", before + 1),
        _ => format!("lines {} to {} were removed, or their", before + 1, place - 1),
    };
    format!("{comes}: {missing} file is not named")
}
