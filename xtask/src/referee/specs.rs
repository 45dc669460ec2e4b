//! The seeds' TLA+ specifications at a size. They are no part of this repository: who has them beside it,
//! or says where they are, can compare with them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_models::{Size, Value, catalogue};

use super::scratch::write;
use crate::workspace::Workspace;

/// The name of the root module, which gives a specification its size.
pub(crate) const MODULE: &str = "Sized";

/// The directory with the specifications: the one that was named, or the usual one if it is there.
pub(crate) fn directory(workspace: &Workspace, named: Option<&Path>) -> Result<Option<PathBuf>> {
    let usual = workspace.root().join("../shared/specs");
    let found = |dir: &Path| dir.join("UpdateCluster.tla").is_file();
    match named {
        Some(dir) => {
            ensure!(found(dir), "there is no UpdateCluster.tla in {}", dir.display());
            Ok(Some(dir.to_path_buf()))
        }
        None => Ok(found(&usual).then_some(usual)),
    }
}

/// Writes the specification of a seed at a size into `dir`, ready for TLC: only to be counted.
pub(crate) fn lay(specs: &Path, dir: &Path, model: &str, size: &str) -> Result<()> {
    let entry = catalogue().iter().find(|entry| entry.name == model);
    let entry = entry.with_context(|| format!("there is no model `{model}`"))?;
    let sized = sized(model, &entry.size(size)?)?;
    let file = format!("{}.tla", sized.extends);
    let path = specs.join(&file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    write(dir, &[(&file, &text), ("Sized.tla", &sized.module()), ("Sized.cfg", &sized.cfg)])
}

/// A specification at a size.
#[derive(Debug, PartialEq, Eq)]
struct Sized {
    extends: &'static str,
    definitions: String,
    cfg: String,
}

impl Sized {
    fn module(&self) -> String {
        format!("---- MODULE {MODULE} ----\nEXTENDS {}\n{}====\n", self.extends, self.definitions)
    }
}

fn sized(model: &str, size: &Size) -> Result<Sized> {
    let number = |key: &str| {
        let value = size.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
        match value {
            Some(Value::Number(number)) => Ok(number),
            _ => Err(anyhow::anyhow!("`{model}` has no number `{key}`")),
        }
    };
    // A switch of a model chooses another specification; those that are off choose the plain one.
    let switched = size.iter().find(|(_, value)| *value == Value::Flag(true));
    ensure!(switched.is_none(), "`{model}` with {switched:?} is not the plain specification");
    let mut definitions = String::new();
    let mut cfg = String::from("INIT Init\nNEXT Next\nCONSTANTS\n");
    let extends = match model {
        "seed/update-cluster" => {
            writeln!(
                cfg,
                "_Requests = {}\n_Workers = {}",
                set("r", number("requests")?),
                set("w", number("workers")?)
            )?;
            named(&mut cfg, &["NULL"])?;
            "UpdateCluster"
        }
        "seed/complete-issu" => {
            writeln!(
                cfg,
                "Nodes = {}\nDevices = {}",
                set("n", number("nodes")?),
                set("d", number("devices")?)
            )?;
            writeln!(cfg, "PartitionSize = {}", number("partition-size")?)?;
            writeln!(cfg, "NumPartitions = {}\nVersions <- SizedVersions", number("partitions")?)?;
            named(
                &mut cfg,
                &["Inactive", "Initialized", "Upgraded", "Committed", "RolledBack", "Reset", "Nil"],
            )?;
            // A configuration cannot hold a sequence.
            writeln!(definitions, "SizedVersions == [i \\in 1..{} |-> i]", number("versions")?)?;
            "CompleteISSU"
        }
        "seed/irsa" => {
            writeln!(cfg, "_workers = {}", set("w", number("workers")?))?;
            named(&mut cfg, &["NULL"])?;
            "Irsa"
        }
        "seed/kcp-storage" => {
            writeln!(cfg, "CLUSTERS = {}", set("c", number("clusters")?))?;
            named(&mut cfg, &["NC", "PVCC", "U"])?;
            "KcpStorage"
        }
        _ => anyhow::bail!("`{model}` has no TLA+ specification"),
    };
    Ok(Sized { extends, definitions, cfg })
}

/// Constants that are nothing but their names.
fn named(cfg: &mut String, names: &[&str]) -> Result<()> {
    for name in names {
        writeln!(cfg, "{name} = {name}")?;
    }
    Ok(())
}

/// `{n1, n2, n3}`
fn set(name: &str, count: u32) -> String {
    let members: Vec<_> = (1..=count).map(|number| format!("{name}{number}")).collect();
    format!("{{{}}}", members.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: &str, size: &str) -> Result<Sized> {
        let entry = catalogue().iter().find(|entry| entry.name == model).context("no such model")?;
        sized(model, &entry.size(size)?)
    }

    #[test]
    fn a_size_becomes_a_module_and_a_configuration() -> Result<()> {
        let sized = of("seed/complete-issu", "nodes=2,versions=3,partition-size=1")?;
        assert_eq!(
            sized.module(),
            "---- MODULE Sized ----\nEXTENDS CompleteISSU\nSizedVersions == [i \\in 1..3 |-> i]\n====\n"
        );
        let expected = "INIT Init\nNEXT Next\nCONSTANTS\nNodes = {n1, n2}\nDevices = {d1}\nPartitionSize = 1\n\
                        NumPartitions = 1\nVersions <- SizedVersions\nInactive = Inactive\n\
                        Initialized = Initialized\nUpgraded = Upgraded\nCommitted = Committed\n\
                        RolledBack = RolledBack\nReset = Reset\nNil = Nil\n";
        assert_eq!(sized.cfg, expected);
        Ok(())
    }

    #[test]
    fn every_seed_has_a_specification() -> Result<()> {
        for entry in catalogue().iter().filter(|entry| entry.name.starts_with("seed/")) {
            of(entry.name, "").with_context(|| entry.name)?;
        }
        Ok(())
    }

    #[test]
    fn a_switch_is_refused() {
        assert!(of("seed/irsa", "attached=true").is_err());
    }
}
