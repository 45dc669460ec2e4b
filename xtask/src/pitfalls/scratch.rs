//! A copy of the explorer, in a workspace of its own, where mistakes can be made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::tidy::Files;
use crate::workspace::Workspace;

const EXPLORER: &str = "pure/explorer";

/// The copy.
pub(super) struct Scratch {
    /// The root of its workspace.
    pub(super) root: PathBuf,
    /// Where its build products go: the dependencies are built once for all mistakes.
    pub(super) target: PathBuf,
    /// The crate, from the root.
    directory: PathBuf,
    /// The name of its package.
    pub(super) package: &'static str,
}

impl Scratch {
    /// Copies the explorer as it is in the working tree, with the profile and the lock file of the workspace.
    pub(super) fn of_explorer(workspace: &Workspace, files: &Files) -> Result<Self> {
        let base = workspace.target_dir().join("pitfalls");
        let scratch = Self::at(&base, EXPLORER, "bowline-explorer");
        let manifest = alone(files.required("Cargo.toml")?, EXPLORER)?;
        let mut wanted = vec![
            ("Cargo.toml", manifest.as_bytes()),
            ("Cargo.lock", files.required("Cargo.lock")?.as_bytes()),
        ];
        wanted.extend(files.under("pure/explorer/"));
        scratch.lay(&wanted)?;
        Ok(scratch)
    }

    /// A scratch below a directory, nothing in it yet.
    pub(super) fn at(base: &Path, directory: &str, package: &'static str) -> Self {
        Self { root: base.join("tree"), target: base.join("target"), directory: directory.into(), package }
    }

    /// Makes the tree hold these files and no others. What is equal is not touched, so that cargo sees no change.
    pub(super) fn lay(&self, wanted: &[(&str, &[u8])]) -> Result<()> {
        let mut present = BTreeSet::new();
        list(&self.root, &mut present)?;
        let wanted_paths: BTreeSet<_> = wanted.iter().map(|(path, _)| self.root.join(path)).collect();
        for stale in present.difference(&wanted_paths) {
            std::fs::remove_file(stale).with_context(|| format!("cannot remove {}", stale.display()))?;
        }
        wanted.iter().try_for_each(|(path, content)| write(&self.root.join(path), content))
    }

    /// The directory of the crate.
    pub(super) fn crate_dir(&self) -> PathBuf {
        self.root.join(&self.directory)
    }

    /// The text of a file of the crate.
    pub(super) fn read(&self, file: &str) -> Result<String> {
        let path = self.crate_dir().join(file);
        std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}; is the table out of date?", path.display()))
    }

    /// Replaces a file of the crate.
    pub(super) fn write(&self, file: &str, text: &str) -> Result<()> {
        write(&self.crate_dir().join(file), text.as_bytes())
    }
}

/// The root manifest, with one member.
fn alone(manifest: &str, member: &str) -> Result<String> {
    let mut table: Table = manifest.parse().context("Cargo.toml is not TOML")?;
    let workspace =
        table.get_mut("workspace").and_then(Value::as_table_mut).context("Cargo.toml has no [workspace]")?;
    workspace.insert("members".to_owned(), vec![member].into());
    workspace.remove("default-members");
    // Settings for crates that are not in the copy only make cargo warn.
    Ok(table.to_string())
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let create = |path: &Path| {
        std::fs::create_dir_all(path.parent().unwrap_or(path))?;
        std::fs::write(path, content)
    };
    create(path).with_context(|| format!("cannot write {}", path.display()))
}

fn list(directory: &Path, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !directory.exists() {
        return Ok(());
    }
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, found)?;
        } else {
            found.insert(path);
        }
    }
    Ok(())
}
