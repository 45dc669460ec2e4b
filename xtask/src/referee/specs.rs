//! The seeds' TLA+ specifications at a size. They are no part of this repository: who has them beside it,
//! or says where they are, can compare with them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_explorer::Kind;
use bowline_models::{Claim, Size, Value, catalogue};

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

/// What TLC is to do with a specification.
#[derive(Clone, Copy)]
pub(crate) enum Task<'a> {
    /// Only to count its states.
    Count,
    /// To judge a property of it.
    Judge(&'a Claim),
}

/// Writes the specification of a seed at a size into `dir`, ready for TLC.
pub(crate) fn lay(specs: &Path, dir: &Path, model: &str, size: &str, task: Task<'_>) -> Result<()> {
    let entry = catalogue().iter().find(|entry| entry.name == model);
    let entry = entry.with_context(|| format!("there is no model `{model}`"))?;
    let sized = sized(model, &entry.size(size)?, task)?;
    for module in &sized.modules {
        let file = format!("{module}.tla");
        let path = specs.join(&file);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        write(dir, &[(&file, &text)])?;
    }
    write(dir, &[("Sized.tla", &sized.module()), ("Sized.cfg", &sized.cfg)])
}

/// A specification at a size.
#[derive(Debug, PartialEq, Eq)]
struct Sized {
    /// The seed's modules, each of which extends the one before.
    modules: Vec<String>,
    definitions: String,
    cfg: String,
}

impl Sized {
    fn module(&self) -> String {
        let last = self.modules.last().map_or("", String::as_str);
        format!("---- MODULE {MODULE} ----\nEXTENDS {last}\n{}====\n", self.definitions)
    }
}

/// Claims of all states that the specifications write with `[]`; the others are plain predicates, and TLC would
/// judge these of initial states only if it were told that they are temporal.
const WITH_BOX: &[&str] = &["NoConcurrentUpdate", "NoConcurrentProcessingOfSameResource"];

fn sized(model: &str, size: &Size, task: Task<'_>) -> Result<Sized> {
    let value = |key: &str| size.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
    let number = |key: &str| match value(key) {
        Some(Value::Number(number)) => Ok(number),
        _ => Err(anyhow::anyhow!("`{model}` has no number `{key}`")),
    };
    let is_on = |key: &str| value(key) == Some(Value::Flag(true));
    // A switch of a model chooses another specification; those that are off choose the plain one.
    let switched = size.iter().find(|(_, value)| *value == Value::Flag(true));
    let counts = matches!(task, Task::Count);
    ensure!(!counts || switched.is_none(), "`{model}` with {switched:?} is not the plain specification");
    let mut definitions = String::new();
    let mut constants = String::new();
    let mut spec = "Spec";
    let seed = match model {
        "seed/update-cluster" => {
            let (requests, workers) = (number("requests")?, number("workers")?);
            writeln!(constants, "_Requests = {}\n_Workers = {}", set("r", requests), set("w", workers))?;
            named(&mut constants, &["NULL"])?;
            "UpdateCluster"
        }
        "seed/complete-issu" => {
            let (nodes, devices) = (number("nodes")?, number("devices")?);
            writeln!(constants, "Nodes = {}\nDevices = {}", set("n", nodes), set("d", devices))?;
            writeln!(constants, "PartitionSize = {}", number("partition-size")?)?;
            writeln!(constants, "NumPartitions = {}\nVersions <- SizedVersions", number("partitions")?)?;
            named(
                &mut constants,
                &["Inactive", "Initialized", "Upgraded", "Committed", "RolledBack", "Reset", "Nil"],
            )?;
            // A configuration cannot hold a sequence.
            writeln!(definitions, "SizedVersions == [i \\in 1..{} |-> i]", number("versions")?)?;
            if !counts {
                writeln!(constants, "NumVersions = {}", number("versions")?)?;
                definitions.push_str(CRASH_ROLLS_BACK);
                spec = if is_on("fair") { "FairSpec" } else { "Spec" };
            }
            "CompleteISSU"
        }
        "seed/irsa" => {
            writeln!(constants, "_workers = {}", set("w", number("workers")?))?;
            named(&mut constants, &["NULL"])?;
            spec = "SpecNoAssume";
            if is_on("attached") {
                definitions.push_str(ATTACHED);
                spec = "SpecAttached";
            }
            "Irsa"
        }
        "seed/kcp-storage" => {
            writeln!(constants, "CLUSTERS = {}", set("c", number("clusters")?))?;
            named(&mut constants, &["NC", "PVCC", "U"])?;
            "KcpStorage"
        }
        _ => anyhow::bail!("`{model}` has no TLA+ specification"),
    };
    let (modules, behaviour) = match task {
        Task::Count => (vec![seed.into()], "INIT Init\nNEXT Next\n".into()),
        Task::Judge(claim) => {
            (vec![seed.into(), format!("{seed}Intended")], format!("SPECIFICATION {spec}\n{}", judged(claim)))
        }
    };
    Ok(Sized { modules, definitions, cfg: format!("{behaviour}CONSTANTS\n{constants}") })
}

/// The line of a configuration that has TLC judge a claim; deadlock is a matter of TLC's command line.
fn judged(claim: &Claim) -> String {
    let name = &claim.name;
    match claim.kind {
        Kind::Deadlock => String::new(),
        Kind::Always if !WITH_BOX.contains(&name.as_str()) => format!("INVARIANT {name}\n"),
        _ => format!("PROPERTY {name}\n"),
    }
}

/// The document says it in words only.
const CRASH_ROLLS_BACK: &str = "CrashRollsBack == \
     CanRollback => \\A n \\in Nodes : ENABLED (CrashNode(n) /\\ upgradeState' = RolledBack)\n";

/// Of the initial states with something in AWS, the one with all of it.
const ATTACHED: &str = "SpecAttached == /\\ InitExisting /\\ awsPolicy.arn # NULL /\\ awsRole.attachedPolicy # NULL\n\
     \x20               /\\ [][Next]_vars /\\ Fairness\n";

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

    fn of(model: &str, size: &str, task: Task<'_>) -> Result<Sized> {
        let entry = catalogue().iter().find(|entry| entry.name == model).context("no such model")?;
        sized(model, &entry.size(size)?, task)
    }

    #[test]
    fn a_size_becomes_a_module_and_a_configuration() -> Result<()> {
        let sized = of("seed/complete-issu", "nodes=2,versions=3,partition-size=1", Task::Count)?;
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
            of(entry.name, "", Task::Count).with_context(|| entry.name)?;
        }
        Ok(())
    }

    #[test]
    fn a_switch_is_refused_where_states_are_counted() {
        assert!(of("seed/irsa", "attached=true", Task::Count).is_err());
    }

    #[test]
    fn a_claim_is_judged_of_the_specification_with_its_fairness() -> Result<()> {
        let claim = |name: &str, kind| Claim { name: name.into(), kind, about: String::new() };
        let begins = |model, size, name, kind| -> Result<String> {
            let sized = of(model, size, Task::Judge(&claim(name, kind)))?;
            assert!(sized.module().contains("Intended\n"), "{}", sized.module());
            Ok(sized.cfg.split("CONSTANTS").next().unwrap_or_default().replace('\n', " "))
        };
        let (issu, irsa) = ("seed/complete-issu", "seed/irsa");
        let ends = begins(issu, "fair=true", "UpgradeEnds", Kind::LeadsTo)?;
        assert_eq!(ends, "SPECIFICATION FairSpec PROPERTY UpgradeEnds ");
        let types = begins(issu, "", "TypeInvariant", Kind::Always)?;
        assert_eq!(types, "SPECIFICATION Spec INVARIANT TypeInvariant ");
        let deadlock = begins(irsa, "attached=true", "Deadlock", Kind::Deadlock)?;
        assert_eq!(deadlock, "SPECIFICATION SpecAttached ");
        let boxed = begins(irsa, "", "NoConcurrentProcessingOfSameResource", Kind::Always)?;
        assert_eq!(boxed, "SPECIFICATION SpecNoAssume PROPERTY NoConcurrentProcessingOfSameResource ");
        Ok(())
    }
}
