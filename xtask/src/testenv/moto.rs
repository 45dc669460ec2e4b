//! Moto, from PyPI: installed once, pinned with the digests of all that it brings, into the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::build::Lock;
use crate::log::Log;
use crate::workspace::{Workspace, captured};

/// The variable that tells tests which Python has moto. `bowline_e2e_aws::moto::PYTHON` reads it; that crate is not used
/// here, because it would bring all of AWS's SDK to every task.
pub(crate) const PYTHON: &str = "BOWLINE_MOTO_PYTHON";

/// The Python that has moto, after installing it if it is not there.
pub(crate) fn python(workspace: &Workspace, log: &mut Log) -> Result<PathBuf> {
    let pins = workspace.root().join("testbed/moto/requirements.txt");
    let text = fs::read_to_string(&pins).with_context(|| format!("cannot read {}", pins.display()))?;
    // Other pins are another directory: what is there is what is wanted.
    let dir = super::cache()?.join(format!("moto-{}", digest(&text)));
    let python = dir.join("bin/python");
    let whole = dir.join("whole");
    if !whole.is_file() {
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let _lock = Lock::take(&dir, log)?;
        // Looked for again: another run may have installed it while we waited.
        if !whole.is_file() {
            install(&dir, &python, &pins, log).with_context(|| {
                format!(
                    "cannot install moto into {}; it takes python3 with venv and pip, and PyPI",
                    dir.display()
                )
            })?;
            // Written as the last step: what was installed in half is not taken for the whole.
            fs::write(&whole, "").context("cannot write into the cache")?;
        }
    }
    Ok(python)
}

fn install(dir: &Path, python: &Path, pins: &Path, log: &mut Log) -> Result<()> {
    let begun = Instant::now();
    captured(Command::new("python3").args(["-m", "venv"]).arg(dir))?;
    let options = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--require-hashes", "-r"];
    captured(Command::new(python).args(options).arg(pins))?;
    captured(Command::new(python).args(["-c", "import moto.server"]))?;
    log.line(format!("moto: {:.1} s", begun.elapsed().as_secs_f64()));
    Ok(())
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_pinned_with_digests() -> Result<()> {
        let pins = Workspace::locate()?.root().join("testbed/moto/requirements.txt");
        let text = fs::read_to_string(pins)?;
        let packages: Vec<_> = text.split("==").skip(1).collect();
        assert!(packages.len() > 10 && text.contains("\nmoto==5."), "{} packages", packages.len());
        assert!(packages.iter().all(|package| package.contains("--hash=sha256:")), "one has no digest");
        Ok(())
    }

    #[test]
    fn other_pins_are_another_directory() {
        assert_eq!(digest("a").len(), 16);
        assert_ne!(digest("a"), digest("b"));
    }
}
