//! The kubectl of any version.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::build::Lock;
use super::go::Go;
use super::pins::stamp;
use crate::log::Log;
use crate::referee::scratch;
use crate::workspace::captured;

/// 1.MINOR, or 1.MINOR.PATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    minor: u32,
    patch: Option<u32>,
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let rest = text.trim_start_matches('v').strip_prefix("1.")?;
            let (minor, patch) =
                rest.split_once('.').map_or((rest, None), |(minor, patch)| (minor, Some(patch)));
            let patch = patch.map(str::parse).transpose().ok()?;
            Some(Self { minor: minor.parse().ok()?, patch })
        };
        parse().ok_or_else(|| "a version is 1.MINOR or 1.MINOR.PATCH".to_owned())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

impl Version {
    /// The newest of a minor version.
    pub(crate) fn minor(minor: u32) -> Version {
        Version { minor, patch: None }
    }

    /// What Go is asked for. The libraries of Kubernetes 1.34.4 are v0.34.4; v0.34 is the newest of these.
    fn query(self) -> String {
        self.patch.map_or_else(|| format!("v0.{}", self.minor), |patch| format!("v0.{}.{patch}", self.minor))
    }
}

/// The same program as Kubernetes' cmd/kubectl. It is not taken from there: k8s.io/kubernetes names its own
/// libraries by path, and each version would need a go.mod that says otherwise.
const MAIN: &str = "package main

import (
\t\"k8s.io/component-base/cli\"
\t\"k8s.io/kubectl/pkg/cmd\"
\t\"k8s.io/kubectl/pkg/cmd/util\"

\t_ \"k8s.io/client-go/plugin/pkg/client/auth\"
)

func main() {
\tif err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
\t\tutil.CheckErr(err)
\t}
}
";

/// Where it is, after building it if it is not in the cache.
pub(crate) fn get(log: &mut Log, version: &Version) -> Result<PathBuf> {
    let cache = super::cache()?;
    // An exact version that is there needs neither Go nor a network.
    if let Some(patch) = version.patch {
        let path = kept(&cache, &format!("v0.{}.{patch}", version.minor)).join("kubectl");
        if path.is_file() {
            return Ok(path);
        }
    }
    let go = Go::find(log)?;
    let found = resolve(&go, &cache, version)?;
    let dir = kept(&cache, &found);
    let path = dir.join("kubectl");
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let _lock = Lock::take(&dir, log)?;
    if !path.is_file() {
        build(&go, &dir, &found, log)?;
    }
    Ok(path)
}

fn kept(cache: &Path, library: &str) -> PathBuf {
    cache.join(format!("kubectl-{}", library.replace("v0.", "v1.")))
}

/// The exact version of the library.
fn resolve(go: &Go, dir: &Path, version: &Version) -> Result<String> {
    let module = format!("k8s.io/kubectl@{}", version.query());
    let mut command = go.command(dir);
    let found = captured(command.args(["list", "-mod=mod", "-m", "-f", "{{.Version}}", &module]))
        .with_context(|| {
            format!("there is no kubectl 1.{}, or no way to Go's modules", &version.query()[3..])
        })?;
    Ok(String::from_utf8_lossy(&found).trim().to_owned())
}

fn build(go: &Go, dir: &Path, library: &str, log: &mut Log) -> Result<()> {
    let begun = Instant::now();
    let source = dir.join("source");
    let go_mod = format!(
        "module kubectl\n\ngo 1.24.0\n\nrequire (\n{})\n",
        ["kubectl", "component-base", "client-go"]
            .map(|name| format!("\tk8s.io/{name} {library}\n"))
            .concat()
    );
    scratch::write(&source, &[("go.mod", &go_mod), ("main.go", MAIN)])?;
    let partial = dir.join("kubectl.partial");
    let version = library.replace("v0.", "v1.");
    let mut command = go.command(&source);
    // -mod=mod: Go writes the requirements and their sums, which it checks against its public record.
    command.args(["build", "-mod=mod", "-ldflags"]).arg(stamp(&version));
    command.arg("-o").arg(&partial).arg(".");
    let ran = Log::quiet().run(&mut command)?;
    ensure!(ran.success, "cannot build kubectl {version}; Go says:\n{}", ran.output.trim_end());
    fs::rename(&partial, dir.join("kubectl")).context("cannot keep kubectl")?;
    log.line(format!("kubectl {version}: {:.1} s", begun.elapsed().as_secs_f64()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_minors_or_exact() {
        let query = |text: &str| text.parse::<Version>().map(Version::query);
        assert_eq!(query("1.31").as_deref(), Ok("v0.31"));
        assert_eq!(query("v1.31.4").as_deref(), Ok("v0.31.4"));
        for bad in ["", "1", "2.0", "1.x", "1.31.x", "1.31.4.5", "31"] {
            assert!(query(bad).is_err(), "{bad}");
        }
    }
}
