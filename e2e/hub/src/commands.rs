//! Commands that stand in a document, for tests that run them as they stand.

use std::ffi::OsString;

use anyhow::{Context, Result};
use bowline_realkube::binaries;

use crate::bowline;

/// All blocks of a document in this language, one after the other.
pub fn written(document: &str, language: &str) -> String {
    let mut script = String::new();
    let mut inside = false;
    for line in document.lines() {
        match line.strip_prefix("```") {
            Some(begins) => inside = begins == language,
            None if inside => {
                script.push_str(line);
                script.push('\n');
            }
            None => {}
        }
    }
    script
}

/// A `PATH` with kubectl and `bowline` in it.
///
/// # Errors
/// If nobody says where kubectl is.
pub fn path() -> Result<OsString> {
    let mut path = binaries().context("`cargo xtask test` builds kubectl first")?.into_os_string();
    path.push(":");
    path.push(bowline().parent().context("the binary is in a folder")?);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    Ok(path)
}
