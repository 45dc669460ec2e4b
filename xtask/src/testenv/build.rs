//! Builds the programs, each once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::go::Go;
use super::pins::{PROGRAMS, Pins, Program, stamp};
use crate::log::Log;
use crate::workspace::Workspace;

/// The directory with all programs, after building those that are not there.
pub(crate) fn binaries(workspace: &Workspace, log: &mut Log) -> Result<PathBuf> {
    let pins = Pins::of(workspace)?;
    // Other pins are another directory: a binary that is there is the one that is wanted.
    let dir = super::cache()?.join(format!("kubernetes-{}-{}", pins.kubernetes, pins.digest));
    let missing = |program: &&Program| !dir.join(program.name).is_file();
    if PROGRAMS.iter().any(|program| missing(&program)) {
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let _lock = Lock::take(&dir, log)?;
        let go = Go::find(log)?;
        // Looked for again: another run may have built them while we waited.
        for program in PROGRAMS.iter().filter(missing) {
            build(&go, &pins, program, &dir, log)?;
        }
    }
    Ok(dir)
}

fn build(go: &Go, pins: &Pins, program: &Program, dir: &Path, log: &mut Log) -> Result<()> {
    let begun = Instant::now();
    let partial = dir.join(format!("{}.partial", program.name));
    let mut command = go.command(&pins.module(program.module));
    command.args(["build", "-mod=readonly", "-ldflags"]).arg(stamp(&pins.kubernetes));
    command.arg("-o").arg(&partial).arg(program.package);
    let ran = Log::quiet().run(&mut command)?;
    ensure!(ran.success, "cannot build {}; Go says:\n{}", program.name, ran.output.trim_end());
    // Renamed as the last step: what was built in half is not taken for the whole.
    fs::rename(&partial, dir.join(program.name)).with_context(|| format!("cannot keep {}", program.name))?;
    log.line(format!("{}: {:.1} s", program.name, begun.elapsed().as_secs_f64()));
    Ok(())
}

/// Keeps other runs from building in a directory, until it is dropped or the process ends.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(dir: &Path, log: &mut Log) -> Result<Self> {
        let path = dir.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        if file.try_lock().is_err() {
            log.line(format!("another run builds in {}; waiting for it", dir.display()));
            file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        }
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::scratch::Scratch;

    #[test]
    fn a_lock_is_held_until_it_is_dropped() -> Result<()> {
        let scratch = Scratch::new("lock")?;
        let mut log = Log::quiet();
        let lock = Lock::take(scratch.path(), &mut log)?;
        assert!(File::create(scratch.path().join("lock"))?.try_lock().is_err());
        drop(lock);
        Lock::take(scratch.path(), &mut log)?;
        assert_eq!(log.kept(), "");
        Ok(())
    }
}
