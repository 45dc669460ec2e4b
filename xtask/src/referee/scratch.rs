//! A place for files that nobody needs afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A directory that goes away with this.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new one, for a purpose, where such things go.
    pub(crate) fn new(purpose: &str) -> Result<Scratch> {
        Scratch::within(&std::env::temp_dir(), &format!("bowline-{purpose}"))
    }

    /// A new one in a directory: what is made there can be renamed into the directory.
    pub(crate) fn within(base: &Path, purpose: &str) -> Result<Scratch> {
        let dir = base.join(format!("{purpose}-{}", std::process::id()));
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Scratch(dir))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it, and the place is one for things that stay behind.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes files into a directory, which is made if it is not there.
pub(crate) fn write(dir: &Path, files: &[(&str, &str)]) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
