//! Where the repository is, and how cargo and git are called in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

/// The repository that this xtask belongs to.
pub(crate) struct Workspace {
    root: PathBuf,
    bowline: OnceLock<PathBuf>,
    kv: OnceLock<PathBuf>,
}

impl Workspace {
    /// Finds the root from the environment that cargo gives to `cargo run` and `cargo test`.
    ///
    /// Not from the path at compile time: a target directory may be shared between clones.
    pub(crate) fn locate() -> Result<Self> {
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
            .context("start it with `cargo xtask`, which says where the repository is")?;
        let root = Path::new(&manifest_dir).parent().context("xtask is not inside of a repository")?;
        Ok(Self { root: root.to_path_buf(), bowline: OnceLock::new(), kv: OnceLock::new() })
    }

    /// The directory of the root manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where build products go. What tasks leave behind goes there too.
    pub(crate) fn target_dir(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.root.join("target"), |dir| self.root.join(dir))
    }

    /// The cargo that runs this xtask, to be run at the root.
    pub(crate) fn cargo<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = outside(cargo());
        command.args(args).current_dir(&self.root);
        command
    }

    /// Remembers the binary `bowline`, which was built for tests.
    pub(crate) fn keep_bowline(&self, binary: PathBuf) {
        // Whoever builds it again has built the same.
        let _ = self.bowline.set(binary);
    }

    /// The binary, if somebody has built it for tests.
    pub(crate) fn bowline(&self) -> Option<&Path> {
        self.bowline.get().map(PathBuf::as_path)
    }

    /// Remembers the software that tests upgrade, which was built for them.
    pub(crate) fn keep_kv(&self, binary: PathBuf) {
        // Whoever builds it again has built the same.
        let _ = self.kv.set(binary);
    }

    /// The software that tests upgrade, if somebody has built it for tests.
    pub(crate) fn kv(&self) -> Option<&Path> {
        self.kv.get().map(PathBuf::as_path)
    }

    /// What git prints when run at the root.
    pub(crate) fn git(&self, args: &[&str]) -> Result<Vec<u8>> {
        let mut command = Command::new("git");
        captured(command.args(args).current_dir(&self.root))
            .context("the tasks look at a git checkout, with git installed")
    }
}

/// A program that is told nothing of what cargo told xtask of itself: that is not about what is built or run now. ring's
/// build script looks at it, and would run again, with all that depends on ring, whenever it is there and then is not.
pub(crate) fn outside(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let is_ours = |prefix: &str| name.to_str().is_some_and(|name| name.starts_with(prefix));
        if is_ours("CARGO_PKG_") || is_ours("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// The cargo that runs this process, else the one in the PATH.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a command that is expected to succeed, and returns its standard output.
pub(crate) fn captured(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!(
            "{command:?} ended with {}:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(output.stdout)
}
