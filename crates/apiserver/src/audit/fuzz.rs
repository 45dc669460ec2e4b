//! What reads a log, on lines that are nearly good. Whoever can write the file can also make hashes that fit, so most inputs
//! get them.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_fuzz::Target;

use super::chain::{self, Chain, MOST_LINES, NOTHING, Sealed};
use super::files::Names;
use super::recover;
use super::verify::verify;
use super::versions::Spans;

/// Stands where a line names the one before it.
const PREVIOUS: &str = "PREVIOUS";

pub(crate) fn targets() -> Vec<Target> {
    let line = |number: u64| {
        let link = format!(
            r#""chain":{{"line":{number},"versions":[[{number},7],[9,12]],"covered":7,"highest":12,"previous":"{PREVIOUS}"}}"#
        );
        format!(r#"{{"stageTimestamp":"2026-11-16T02:11:58Z","verb":"create",{link}"#) + "\n"
    };
    let seed = line(1) + &line(2) + &line(3);
    let whole = chained(seed.as_bytes());
    vec![
        Target::new("audit-verify", [whole], |input| verified("audit-verify", input)),
        Target::new("audit-chained", [seed, line(0), line(u64::MAX)], |input| {
            verified("audit-chained", &chained(input))
        }),
        Target::new("audit-recover", [line(3) + "half a li", line(u64::MAX)], |input| {
            recovered(&chained(input))
        }),
    ]
}

/// Lines with the hashes that belong to them.
fn chained(lines: &[u8]) -> Vec<u8> {
    let (mut out, mut previous) = (Vec::new(), NOTHING.to_owned());
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else {
            out.extend_from_slice(line);
            break;
        };
        let said = String::from_utf8_lossy(line).replace(PREVIOUS, &previous);
        previous = chain::hash(said.as_bytes());
        out.extend_from_slice(format!("{said},\"hash\":\"{previous}\"}}\n").as_bytes());
    }
    out
}

/// A directory that is gone when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(target: &str, log: &[u8]) -> Result<Scratch, String> {
        let path = std::env::temp_dir().join(format!("bowline-fuzz-of-{target}-{}", std::process::id()));
        fs::create_dir_all(&path)
            .and_then(|()| fs::write(path.join("audit.log"), log))
            .map_err(|error| error.to_string())?;
        Ok(Scratch(path))
    }

    fn log(&self) -> PathBuf {
        self.0.join("audit.log")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is no log is found out, and what is said of one that is can be counted with.
fn verified(target: &str, input: &[u8]) -> Result<(), String> {
    let scratch = Scratch::new(target, input)?;
    let log = [scratch.log()];
    let verdict = match verify(&log, None) {
        Ok(verdict) => verdict,
        // It is said of what is no log at all.
        Err((_, error)) if error.kind() == std::io::ErrorKind::InvalidData => return Ok(()),
        Err((_, error)) => return Err(error.to_string()),
    };
    let lines = input.iter().filter(|byte| **byte == b'\n').count() as u64;
    let last = verdict.first.checked_add(verdict.lines);
    if verdict.lines > lines || last.is_none() || (verdict.lines > 0 && verdict.first == 0) {
        return Err(format!("{lines} lines are {verdict:?}"));
    }
    if verdict.lines > 0 {
        let again = verify(&log, Some(&verdict.head)).map_err(|(_, error)| error.to_string())?;
        return bowline_fuzz::same(verdict, "a head", Some(again));
    }
    Ok(())
}

/// Whatever a log ends with, it is gone on with or refused.
fn recovered(input: &[u8]) -> Result<(), String> {
    let scratch = Scratch::new("audit-recover", input)?;
    let names = Names::new(Path::new(&scratch.log()));
    let Ok(found) = recover::find(&names) else { return Ok(()) };
    if found.last.as_ref().is_some_and(|last| last.link.line == MOST_LINES) {
        return Ok(());
    }
    let mut chain = Chain::after(found.last.as_ref(), 5);
    let gap = recover::unnamed(&names, &Spans::between(3, u64::MAX)).map_err(|error| error.to_string())?;
    let mut out = String::new();
    chain.append(r#"{"verb":"create"}"#, gap, &mut out);
    let Sealed { link, .. } = chain::read(out.trim_end().as_bytes()).map_err(|broken| broken.to_string())?;
    if link.covered > link.highest {
        return Err(format!("{link:?}"));
    }
    Ok(())
}
