//! The programs that run tests: built at once with the same features, so that nothing is compiled twice, and run by the stages
//! that they belong to.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::cargo_json::{Artifact, Message, Target, messages};
use crate::log::Log;
use crate::workspace::{Workspace, captured, cargo, outside};

/// The feature of a package without which its tests on the test bed are not built.
const TESTBED: &str = "testbed";
/// The package of the binary, and a test of it: what tests a binary has it built, with the features that all tests have.
const BOWLINE: (&str, &str) = ("crates/bowline", "cli");
/// The package of the software that tests upgrade, and how they are told where it is. Who is not told builds it, and would wait
/// for whoever builds something else meanwhile.
const KV: (&str, &str) = ("e2e/kv", "BOWLINE_KV");

/// A program that runs tests.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The directory of its package, from the root.
    pub(super) package: String,
    /// Which of the package's targets it is.
    pub(super) target: Target,
    path: PathBuf,
}

impl Program {
    /// What it is called in messages: `e2e/up up`, or `pure/kernel` for the tests inside of a library.
    pub(super) fn name(&self) -> String {
        if self.is("lib") { self.package.clone() } else { format!("{} {}", self.package, self.target.name) }
    }

    /// Whether it is this test of this package.
    pub(super) fn is_test(&self, package: &str, test: &str) -> bool {
        self.is("test") && self.package == package && self.target.name == test
    }

    /// The command that runs all of its tests, as cargo would.
    pub(super) fn command(&self, workspace: &Workspace) -> Command {
        let directory = workspace.root().join(&self.package);
        let mut command = outside(&self.path);
        command.env("CARGO", cargo()).env("CARGO_MANIFEST_DIR", &directory).current_dir(directory);
        if let Some(bowline) = workspace.bowline() {
            command.env(bowline_e2e_hub::BINARY, bowline);
        }
        if let Some(kv) = workspace.kv() {
            command.env(KV.1, kv);
        }
        command
    }

    fn is(&self, kind: &str) -> bool {
        self.target.kind.iter().any(|is| is == kind)
    }
}

/// Builds the programs: of all tests, or of those with these names only. The binary is built with them, and kept.
pub(super) fn build(workspace: &Workspace, log: &mut Log, only: Option<&[&str]>) -> Result<Vec<Program>> {
    let mut args = vec!["test".to_owned(), "--no-run".to_owned()];
    args.extend(of_workspace(workspace)?);
    let tests = only.into_iter().flatten().chain(only.map(|_| &BOWLINE.1));
    args.extend(tests.flat_map(|test| ["--test".to_owned(), (*test).to_owned()]));
    let ran = log.run(&mut workspace.cargo(&args))?;
    ensure!(ran.success, "the tests do not compile");
    // Asked again, now that nothing is left to be built: what it prints for people and for programs does not mix.
    args.extend(["--message-format".to_owned(), "json".to_owned()]);
    let built = artifacts(&captured(&mut workspace.cargo(&args))?)?;
    workspace.keep_bowline(binary(workspace, &built, BOWLINE.0).context("cargo names no binary")?);
    if let Some(kv) = binary(workspace, &built, KV.0) {
        workspace.keep_kv(kv);
    }
    Ok(built.into_iter().filter_map(|built| program(workspace.root(), built)).collect())
}

/// What has cargo build with the features that all tests together have: those of the test bed are among them.
pub(super) fn of_workspace(workspace: &Workspace) -> Result<Vec<String>> {
    let asked = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let features = testbeds(&captured(&mut workspace.cargo(asked))?)?;
    Ok(["--workspace", "--locked", "--features", &features].map(str::to_owned).into())
}

/// The features of all packages that have tests on the test bed, as cargo takes them.
fn testbeds(metadata: &[u8]) -> Result<String> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        features: serde_json::Map<String, serde_json::Value>,
    }
    let read: Metadata =
        serde_json::from_slice(metadata).context("cannot read what `cargo metadata` prints")?;
    let with = read.packages.into_iter().filter(|package| package.features.contains_key(TESTBED));
    let mut features: Vec<_> = with.map(|package| format!("{}/{TESTBED}", package.name)).collect();
    features.sort();
    Ok(features.join(","))
}

fn artifacts(stdout: &[u8]) -> Result<Vec<Artifact>> {
    let built = messages(stdout)?.into_iter().filter_map(|message| match message {
        Message::Built(artifact) => Some(artifact),
        _ => None,
    });
    Ok(built.collect())
}

/// The binary of a package, if it was built.
fn binary(workspace: &Workspace, built: &[Artifact], of: &str) -> Option<PathBuf> {
    let is_of = |built: &&Artifact| package(workspace.root(), built).as_deref() == Some(of);
    let binaries = built.iter().filter(|built| !built.profile.test).filter(is_of);
    binaries.filter_map(|built| built.executable.clone()).next()
}

fn program(root: &Path, built: Artifact) -> Option<Program> {
    let package = package(root, &built)?;
    let path = built.executable.filter(|_| built.profile.test)?;
    Some(Program { package, target: built.target, path })
}

/// The directory of one of our packages, from the root.
fn package(root: &Path, built: &Artifact) -> Option<String> {
    let directory = built.manifest_path.parent()?.strip_prefix(root).ok()?;
    directory.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(package: &str, kind: &str, name: &str, test: bool, executable: bool) -> String {
        let executable = if executable { format!("\"/r/target/{name}\"") } else { "null".to_owned() };
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"{package}/Cargo.toml","target":{{"kind":["{kind}"],
               "name":"{name}"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
        )
    }

    #[test]
    fn only_what_runs_tests_of_ours_is_a_program() -> Result<()> {
        let built = [
            line("/r/pure/kernel", "lib", "bowline_kernel", false, false),
            line("/r/pure/kernel", "lib", "bowline_kernel", true, true),
            line("/r/crates/bowline", "bin", "bowline", false, true),
            line("/r/e2e/up", "test", "up", true, true),
            line("/registry/ring", "test", "ring", true, true),
        ];
        let built = artifacts(built.join("\n").as_bytes())?;
        let programs: Vec<_> =
            built.into_iter().filter_map(|built| program(Path::new("/r"), built)).collect();
        let names: Vec<_> = programs.iter().map(Program::name).collect();
        assert_eq!(names, ["pure/kernel", "e2e/up up"]);
        assert!(programs[1].is_test("e2e/up", "up"), "{programs:?}");
        assert!(
            !programs[1].is_test("e2e/hub", "up") && !programs[0].is_test("pure/kernel", "bowline_kernel")
        );
        Ok(())
    }

    #[test]
    fn every_package_with_a_test_bed_is_asked_for_it() -> Result<()> {
        let metadata =
            br#"{"packages":[{"name":"b","features":{"testbed":[]}},{"name":"c","features":{"other":[]}},
            {"name":"a","features":{"testbed":[]}}]}"#;
        assert_eq!(testbeds(metadata)?, "a/testbed,b/testbed");
        Ok(())
    }

    #[test]
    fn the_tests_of_the_binary_are_there() -> Result<()> {
        let root = Workspace::locate()?.root().to_path_buf();
        assert!(root.join(BOWLINE.0).join("tests").join(BOWLINE.1).is_dir());
        Ok(())
    }
}
