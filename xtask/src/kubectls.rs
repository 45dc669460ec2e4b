//! `cargo xtask kubectls`: every kubectl command that the hub promises, by the kubectl of every minor version that is promised.

use anyhow::{Result, ensure};

use crate::log::Log;
use crate::testenv::{self, Version};
use crate::workspace::Workspace;

/// The oldest and the newest minor version that the hub promises to work with.
const PROMISED: std::ops::RangeInclusive<u32> = 29..=34;

/// Which to try.
#[derive(clap::Args)]
pub(crate) struct KubectlsArgs {
    /// Try only this version, 1.31 or 1.31.4; may be given several times [default: 1.29 to 1.34]
    #[arg(long, value_name = "VERSION")]
    only: Vec<Version>,
}

/// Runs the tests of `e2e/hub` with one kubectl after the other; fails if one of them does.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &KubectlsArgs) -> Result<String> {
    let binaries = testenv::binaries(workspace, log)?;
    let promised = PROMISED.map(Version::minor).collect();
    let versions: Vec<Version> = if args.only.is_empty() { promised } else { args.only.clone() };
    let mut failed = Vec::new();
    for version in &versions {
        let kubectl = testenv::kubectl(log, version)?;
        let tests = ["test", "--locked", "--quiet", "--package", "bowline-e2e-hub", "--features", "testbed"];
        let mut tests = workspace.cargo(tests.iter().chain(&["--test", "kubectl"]));
        tests.env(bowline_realkube::BINARIES, &binaries).env(bowline_e2e_hub::KUBECTL, kubectl);
        let ran = log.run(&mut tests)?;
        log.line(format!("kubectl {version}: {}", if ran.success { "all of it works" } else { "FAILED" }));
        if !ran.success {
            failed.push(version.to_string());
        }
    }
    ensure!(failed.is_empty(), "what the hub promises does not work with kubectl {}", failed.join(", "));
    Ok(format!("{} versions of kubectl work on the hub", versions.len()))
}
