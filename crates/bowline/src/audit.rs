//! `bowline hub audit verify`: whether an audit log is what was written.

use std::path::PathBuf;

use anyhow::anyhow;
use bowline_apiserver::audit_log::{self, Verdict};

use crate::exit::{BadUsage, Exit};
use crate::output;

/// Reads a hash.
pub(crate) fn hash(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash
        .then(|| text.to_ascii_lowercase())
        .ok_or_else(|| "it takes the 64 digits of a SHA-256 hash".into())
}

/// Verifies a log, and says what was found.
pub(crate) fn verify(files: &[PathBuf], head: Option<&str>) -> anyhow::Result<Exit> {
    let verdict = audit_log::verify(files, head).map_err(|(file, error)| {
        anyhow!(BadUsage(format!(
            "{} cannot be verified: {error}. Name the files of an audit log: audit.log of the hub's directory, and the \
             audit-TIME.log that were put aside",
            file.display()
        )))
    })?;
    output::print(&told(&verdict))?;
    if let Some(flaw) = &verdict.flaw {
        let place = match flaw.line {
            0 => flaw.file.display().to_string(),
            line => format!("{}:{line}", flaw.file.display()),
        };
        return Err(anyhow!(
            "{place}: {}. What stands before that is as it was written, and what comes after it proves nothing: keep the files \
             as they are, and compare them with a copy of the log",
            flaw.what
        ));
    }
    if verdict.torn > 0 {
        output::note(&format!(
            "The last line is not whole ({} bytes): the hub writes it right now, or was killed, and mends it when it starts.",
            verdict.torn
        ));
        return Ok(Exit::NotFinished);
    }
    Ok(Exit::Done)
}

fn told(verdict: &Verdict) -> String {
    if verdict.lines == 0 {
        return "0 lines are as they were written\n".to_owned();
    }
    let Verdict { lines, first, from, to, head, .. } = verdict;
    let last = first + lines - 1;
    let before = match first {
        1 => String::new(),
        first => format!("\n{} lines before them are not in these files", first - 1),
    };
    format!(
        "lines {first} to {last} ({lines}) are as they were written, from {from} to {to}{before}\nhead: {head}\n"
    )
}
