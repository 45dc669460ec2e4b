//! The stage of `cargo xtask test`: the test bed can be built, and a real control plane starts and ends. What is
//! generated from one is checked meanwhile.

use std::time::Instant;

use anyhow::{Result, ensure};
use bowline_realkube::{Options, RealKube, Request, status};

use super::build::binaries;
use crate::generate;
use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::workspace::Workspace;

/// Begins to build in the background, so that it overlaps with what cargo does. It holds the lock for which
/// the stage then waits, and what goes wrong goes wrong there again, where it is told.
pub(crate) fn begin() {
    std::thread::spawn(|| {
        let workspace = Workspace::locate()?;
        binaries(&workspace, &mut Log::quiet())
    });
}

/// Starts a real control plane, asks it whether it is ready, compares our tables with it, and sees that nothing of it
/// stays.
pub(crate) fn stage(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let binaries = binaries(workspace, log)?;
    let scratch = Scratch::new("testbed")?;
    let dir = scratch.path().join("kube");
    let begun = Instant::now();
    let kube = RealKube::start_with(
        &binaries,
        &dir,
        &Options { controllers: true, quick: true, ..Options::default() },
    )?;
    let started = begun.elapsed().as_secs_f64();
    let ready = kube.client().send(&Request::new("GET", "/readyz"))?;
    ensure!(ready.status == 200 && ready.body == b"ok", "/readyz: {} {}", ready.status, ready.text());
    ensure!(status(&dir).len() == 3, "not all programs run: {:?}", status(&dir));
    let again = RealKube::start_with(&binaries, &dir, &Options::default());
    ensure!(again.is_err(), "a second control plane was started in the same directory");
    let tables = generate::check(workspace, log, &kube)?;
    drop(kube);
    ensure!(status(&dir).is_empty(), "still there after the end: {:?}", status(&dir));
    Ok(format!("a real control plane started in {started:.1} s; {tables}"))
}
