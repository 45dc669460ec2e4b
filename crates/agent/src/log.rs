//! Logs of what others print: kept in files of a limited size, a limited number of them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::protocol::Limits;

/// What a line begins with that is ours.
const OURS: &str = "=== bowline: ";
/// How much is read of the end of a log.
const END_BYTES: u64 = 64 << 10;
/// How much is told of a line.
const LINE_CHARS: usize = 300;

/// A log that is written.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    limits: Limits,
    file: Option<File>,
    bytes: u64,
    /// What could not be written since something last could.
    lost: u64,
}

impl Log {
    /// Goes on with the log at this path.
    pub(crate) fn new(path: PathBuf, limits: Limits) -> Log {
        // A file takes a line, and there is one that is written.
        let limits = Limits { bytes: limits.bytes.max(1 << 10), files: limits.files.max(1) };
        Log { path, limits, file: None, bytes: 0, lost: 0 }
    }

    /// Writes what was printed. What cannot be written is lost, and that is written as soon as anything can: nobody who
    /// prints waits for a disk that is full.
    pub(crate) fn write(&mut self, printed: &[u8]) {
        match self.put(printed) {
            Ok(()) if self.lost > 0 => {
                let lost = std::mem::take(&mut self.lost);
                self.remark(&format!("{lost} bytes before this were lost, for they could not be written"));
            }
            Ok(()) => {}
            Err(_) => {
                self.file = None;
                self.lost = self.lost.saturating_add(printed.len().try_into().unwrap_or(u64::MAX));
            }
        }
    }

    /// Writes a line of ours.
    pub(crate) fn remark(&mut self, remark: &str) {
        self.write(format!("{OURS}{remark} ===\n").as_bytes());
    }

    fn put(&mut self, mut printed: &[u8]) -> io::Result<()> {
        while !printed.is_empty() {
            let room =
                usize::try_from(self.limits.bytes.saturating_sub(self.open()?.1)).unwrap_or(usize::MAX);
            let part = match printed {
                all if all.len() <= room => all,
                // Lines stay whole where they can.
                all => match all[..room].iter().rposition(|byte| *byte == b'\n') {
                    Some(end) => &all[..=end],
                    None if self.bytes > 0 => &[],
                    None => &all[..room],
                },
            };
            let (mut file, _) = self.open()?;
            file.write_all(part)?;
            self.bytes += u64::try_from(part.len()).unwrap_or(u64::MAX);
            printed = &printed[part.len()..];
            if !printed.is_empty() {
                self.turn()?;
            }
        }
        Ok(())
    }

    /// The file that is written, and how long it is.
    fn open(&mut self) -> io::Result<(&File, u64)> {
        if self.file.is_none() {
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
            self.bytes = file.metadata()?.len();
            self.file = Some(file);
        }
        match &self.file {
            Some(file) => Ok((file, self.bytes)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Puts the file aside, and the oldest one away.
    fn turn(&mut self) -> io::Result<()> {
        self.file = None;
        if self.limits.files == 1 {
            return fs::remove_file(&self.path);
        }
        for number in (1..self.limits.files - 1).rev() {
            match fs::rename(aside(&self.path, number), aside(&self.path, number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, aside(&self.path, 1))
    }
}

/// Where an older part of a log is; the first is the youngest.
pub(crate) fn aside(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// The last lines of a log that were printed since we last wrote into it, so many at most: of what runs, or ran last. Without
/// what terminals would take for commands.
///
/// # Errors
/// If it cannot be read.
pub fn tail(path: &Path, lines: usize) -> io::Result<Vec<String>> {
    let mut text = end_of(path)?;
    if !text.contains(OURS) {
        // It may have been put aside a moment ago.
        text.insert_str(0, &end_of(&aside(path, 1))?);
    }
    let ours = |line: &&str| !line.starts_with(OURS);
    let last: Vec<_> =
        text.lines().rev().take_while(ours).filter(|line| !line.trim().is_empty()).take(lines).collect();
    Ok(last.into_iter().rev().map(told).collect())
}

fn end_of(path: &Path) -> io::Result<String> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        other => other?,
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES)))?;
    let mut end = Vec::new();
    file.take(END_BYTES).read_to_end(&mut end)?;
    Ok(String::from_utf8_lossy(&end).into_owned())
}

/// A line as it can be told.
pub(crate) fn told(line: &str) -> String {
    let plain = line.trim_end().chars().map(|char| if char.is_control() { ' ' } else { char });
    let mut told: String = plain.clone().take(LINE_CHARS).collect();
    if plain.count() > LINE_CHARS {
        told.push('…');
    }
    told
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("bowline-log-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a directory");
        path
    }

    #[test]
    fn a_log_is_put_aside_when_it_is_full_and_the_oldest_part_goes() {
        let directory = scratch("turn");
        let path = directory.join("a.log");
        let limits = Limits { bytes: 1024, files: 3 };
        let mut log = Log::new(path.clone(), limits);
        for number in 0..200 {
            if number == 100 {
                // Another process goes on with it.
                log = Log::new(path.clone(), limits);
            }
            log.write(format!("line {number:03} of some length, and of text that fills it\n").as_bytes());
        }
        let mut files: Vec<_> = fs::read_dir(&directory)
            .expect("it is there")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        files.sort();
        assert_eq!(files, ["a.log", "a.log.1", "a.log.2"]);
        let parts = [aside(&path, 2), aside(&path, 1), path.clone()];
        let mut text = String::new();
        for part in &parts {
            let found = fs::metadata(part).expect("a file");
            assert!(found.len() <= limits.bytes && found.mode() & 0o077 == 0, "{part:?} {found:?}");
            let part = fs::read_to_string(part).expect("text");
            assert!(part.starts_with("line ") && part.ends_with('\n'), "{part}");
            text += &part;
        }
        // Nothing is missing between the oldest line and the last.
        let numbers: Vec<u32> = text.lines().map(|line| line[5..8].parse().expect("a number")).collect();
        assert_eq!(numbers.last(), Some(&199));
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{numbers:?}");
        fs::remove_dir_all(directory).expect("it is removed");
    }

    #[test]
    fn a_line_that_is_longer_than_a_file_is_split_and_a_single_file_begins_anew() {
        let directory = scratch("long");
        let path = directory.join("a.log");
        let mut log = Log::new(path.clone(), Limits { bytes: 0, files: 0 });
        log.write(&[b'x'; 2500]);
        assert_eq!(fs::metadata(&path).expect("a file").len(), 2500 - 2048);
        assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 1);
        fs::remove_dir_all(directory).expect("it is removed");
    }

    #[test]
    fn what_could_not_be_written_is_counted_in_the_log() {
        let directory = scratch("lost");
        let path = directory.join("not-yet/a.log");
        let mut log = Log::new(path.clone(), Limits::default());
        log.write(b"nobody sees this\n");
        fs::create_dir(directory.join("not-yet")).expect("a directory");
        log.write(b"but this\n");
        let text = fs::read_to_string(&path).expect("text");
        assert_eq!(
            text,
            "but this\n=== bowline: 17 bytes before this were lost, for they could not be written ===\n"
        );
        fs::remove_dir_all(directory).expect("it is removed");
    }

    #[test]
    fn the_last_words_are_those_of_the_last_run_and_fit_to_be_told() {
        let directory = scratch("tail");
        let path = directory.join("a.log");
        assert_eq!(tail(&path, 3).expect("there is none"), Vec::<String>::new());
        let mut log = Log::new(path.clone(), Limits { bytes: 1024, files: 2 });
        log.remark("v1 begins");
        log.write(b"old\n");
        log.remark("v2 begins");
        assert_eq!(tail(&path, 3).expect("it is read"), Vec::<String>::new());
        log.write(b"one\n\ntwo\n\x1b[31mthree\xff\nfour");
        assert_eq!(tail(&path, 3).expect("it is read"), ["two", " [31mthree\u{fffd}", "four"]);
        log.write(&[b'y'; 1500]);
        let last = tail(&path, 1).expect("it is read");
        assert!(last.len() == 1 && last[0].ends_with("yyy…"), "{last:?}");
        fs::remove_dir_all(directory).expect("it is removed");
    }
}
