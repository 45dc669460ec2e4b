//! What is built, and how: all that, when it changes, makes other binaries.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::workspace::Workspace;

/// A program of the test bed.
pub(crate) struct Program {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Its module, below `testbed/`.
    pub(crate) module: &'static str,
    /// The Go package.
    pub(crate) package: &'static str,
}

/// All of them. Small ones last: what a start needs most is there first.
pub(crate) const PROGRAMS: &[Program] = &[
    Program { name: "etcd", module: "etcd", package: "go.etcd.io/etcd/server/v3" },
    Program { name: "kube-apiserver", module: "kube", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
    Program {
        name: "kube-controller-manager",
        module: "kube",
        package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    },
    Program { name: "kube-scheduler", module: "kube", package: "k8s.io/kubernetes/cmd/kube-scheduler" },
    Program { name: "kubectl", module: "kube", package: "k8s.io/kubernetes/cmd/kubectl" },
    Program { name: "kwok", module: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok" },
];

const MODULES: &[&str] = &["etcd", "kube", "kwok"];
const FILES: &[&str] = &["go.mod", "go.sum"];

/// The pins of a checkout.
pub(crate) struct Pins {
    dir: PathBuf,
    /// Like `v1.34.4`.
    pub(crate) kubernetes: String,
    /// Of all files, and of the flags.
    pub(crate) digest: String,
}

impl Pins {
    /// Reads them.
    pub(crate) fn of(workspace: &Workspace) -> Result<Self> {
        Self::read(workspace.root().join("testbed"))
    }

    fn read(dir: PathBuf) -> Result<Self> {
        let mut hash = Sha256::new();
        let mut kubernetes = None;
        for module in MODULES {
            for file in FILES {
                let path = dir.join(module).join(file);
                let text =
                    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                if (*module, *file) == ("kube", "go.mod") {
                    kubernetes = required(&text, "k8s.io/kubernetes");
                }
                // The lengths keep two files apart.
                hash.update(format!("{module}/{file} {}\n", text.len()));
                hash.update(text);
            }
        }
        let kubernetes = kubernetes.context("testbed/kube/go.mod does not require k8s.io/kubernetes")?;
        hash.update(stamp(&kubernetes));
        for program in PROGRAMS {
            hash.update(format!("{} {}\n", program.name, program.package));
        }
        let digest = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { dir, kubernetes, digest })
    }

    /// Where a module's pins are.
    pub(crate) fn module(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// The version that a go.mod requires of a module.
fn required(go_mod: &str, module: &str) -> Option<String> {
    let mut lines = go_mod.lines().map(|line| line.trim().trim_start_matches("require "));
    lines.find_map(|line| {
        let (name, version) = line.split_once(' ')?;
        (name == module).then(|| version.split(' ').next().unwrap_or_default().to_owned())
    })
}

/// The linker's flags: without them a server of Kubernetes says that it is v0.0.0-master.
pub(crate) fn stamp(version: &str) -> String {
    let minor = version.trim_start_matches("v1.").split('.').next().unwrap_or_default();
    let variables = [
        ("gitVersion", version),
        ("gitMajor", "1"),
        ("gitMinor", minor),
        ("gitTreeState", "clean"),
        ("gitCommit", "unknown"),
    ];
    let flags: Vec<_> = variables
        .iter()
        .map(|(name, value)| format!("-X k8s.io/component-base/version.{name}={value}"))
        .collect();
    flags.join(" ")
}

/// For tests: writes pins into a directory.
#[cfg(test)]
fn write(dir: &std::path::Path, version: &str) -> Result<()> {
    for module in MODULES {
        fs::create_dir_all(dir.join(module))?;
        for file in FILES {
            let text = format!("{file} of {module}\nrequire k8s.io/kubernetes {version} // x\n");
            fs::write(dir.join(module).join(file), text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::scratch::Scratch;

    #[test]
    fn every_change_of_a_pin_is_another_digest() -> Result<()> {
        let scratch = Scratch::new("pins")?;
        let dir = scratch.path().to_owned();
        write(&dir, "v1.2.3")?;
        let first = Pins::read(dir.clone())?;
        assert_eq!((first.kubernetes.as_str(), first.digest.len()), ("v1.2.3", 16));
        assert_eq!(Pins::read(dir.clone())?.digest, first.digest);
        fs::write(dir.join("kwok/go.sum"), "other\n")?;
        assert_ne!(Pins::read(dir.clone())?.digest, first.digest);
        write(&dir, "v1.2.4")?;
        assert_ne!(Pins::read(dir)?.digest, first.digest);
        Ok(())
    }

    #[test]
    fn the_repository_has_pins_for_all_programs() -> Result<()> {
        let pins = Pins::of(&Workspace::locate()?)?;
        assert!(pins.kubernetes.starts_with("v1.34."), "{}", pins.kubernetes);
        for program in PROGRAMS {
            let tools = fs::read_to_string(pins.module(program.module).join("tools.go"))?;
            assert!(tools.contains(&format!("\"{}\"", program.package)), "{}", program.name);
        }
        Ok(())
    }

    #[test]
    fn a_requirement_is_found_in_either_form() {
        for text in ["require a/b v1.0.0\n", "require (\n\ta/bc v2.0.0\n\ta/b v1.0.0 // indirect\n)\n"] {
            assert_eq!(required(text, "a/b").as_deref(), Some("v1.0.0"), "{text}");
        }
        assert_eq!(required("module a/b\n", "a/c"), None);
    }

    #[test]
    fn the_stamp_says_major_and_minor() {
        let stamp = stamp("v1.34.4");
        assert!(stamp.contains(".gitVersion=v1.34.4 ") && stamp.contains(".gitMinor=34 "), "{stamp}");
    }
}
