//! `cargo xtask audit`: cargo-deny over all dependencies, with the policy in `deny.toml`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::cache::cache_dir;
use crate::log::Log;
use crate::workspace::{Workspace, cargo};

/// Pinned, so that a new release does not change what passes.
const VERSION: &str = "0.20.2";

/// Checks bans, licences and sources. Advisories only on request: their database is a git repository, which a
/// closed network does not reach, and a check that fails for that says nothing about our dependencies.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, advisories: bool) -> Result<String> {
    let deny = installed(log)?;
    let mut command = Command::new(deny);
    command.current_dir(workspace.root()).args(["--locked", "check", "bans", "licenses", "sources"]);
    if advisories {
        command.arg("advisories");
    }
    let or = if advisories { ", or the advisory database cannot be reached" } else { "" };
    ensure!(well(log, &mut command)?, "a dependency is not what deny.toml wants{or}; see above");
    Ok("all dependencies are what deny.toml wants".to_owned())
}

/// Whether a command ends well. What it prints is shown if it does not: cargo-deny has hundreds of lines to say
/// about dependencies that are as they should be.
fn well(log: &mut Log, command: &mut Command) -> Result<bool> {
    let ran = Log::quiet().run(command)?;
    if !ran.success {
        log.line(ran.output.trim_end());
    }
    Ok(ran.success)
}

/// The path of cargo-deny, after building it if it is not in the cache.
fn installed(log: &mut Log) -> Result<PathBuf> {
    // The version is in the path: another one is another directory, and never taken for this.
    let root = cache_dir()?.join(format!("tools/cargo-deny-{VERSION}"));
    let program = root.join("bin/cargo-deny");
    if !program.is_file() {
        log.line(format!("building cargo-deny {VERSION} in {}; once, it takes minutes", root.display()));
        let mut command = Command::new(cargo());
        // Not in the workspace: its .cargo/config.toml is not meant for other people's programs.
        command.current_dir(std::env::temp_dir());
        command.args(["install", "--locked", "cargo-deny", "--version", VERSION, "--root"]).arg(&root);
        ensure!(log.run(&mut command)?.success, "cannot build cargo-deny {VERSION}; see above");
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_is_shown() -> Result<()> {
        let mut log = Log::quiet();
        assert!(well(&mut log, Command::new("sh").args(["-c", "echo much; echo more >&2"]))?);
        assert_eq!(log.kept(), "");
        assert!(!well(&mut log, Command::new("sh").args(["-c", "echo much; echo more >&2; exit 1"]))?);
        assert_eq!(log.kept(), "much\nmore\n");
        Ok(())
    }
}
