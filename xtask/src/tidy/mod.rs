//! `cargo xtask tidy`: the rules of the project that no compiler knows.
//!
//! Each rule is a function from the tree to findings, with tests that see it fail.

mod clippy_conf;
mod docs;
mod edges;
mod escapes;
mod files;
mod hygiene;
mod licences;
mod links;
mod manifests;
mod metadata;
mod planted;
mod policy;
mod private;
mod sizes;
mod spdx;
mod versions;

use std::fmt;

use anyhow::{Result, ensure};

use crate::log::Log;
use crate::workspace::Workspace;
pub(crate) use files::Files;
use metadata::Metadata;

/// What is wrong, and where. What it says includes what to do, unless that is plain.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    place: String,
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// All that rules look at.
struct Tree<'a> {
    workspace: &'a Workspace,
    files: Files,
    metadata: Metadata,
}

/// A rule has a name, and finds what breaks it. An error means that it could not look.
type Rule = (&'static str, fn(&Tree) -> Result<Vec<Finding>>);

const RULES: &[Rule] = &[
    ("sizes", |tree| Ok(sizes::check(&tree.files))),
    ("hygiene", |tree| Ok(hygiene::check(&tree.files))),
    ("private", |tree| Ok(private::check(&tree.files))),
    ("docs", |tree| Ok(docs::check(&tree.files))),
    ("links", |tree| Ok(links::check(&tree.files))),
    ("manifests", |tree| manifests::check(&tree.files, &tree.metadata)),
    ("edges", |tree| Ok(edges::check(&tree.metadata))),
    ("licences", |tree| Ok(licences::check(&tree.metadata, &policy::read(&tree.files)?))),
    ("versions", |tree| Ok(versions::check(&tree.metadata, &policy::read(&tree.files)?))),
    ("clippy.toml", |tree| clippy_conf::check(&tree.files)),
    ("escapes", |tree| Ok(escapes::check(&tree.files))),
    ("planted", |tree| planted::check(tree.workspace, &tree.files)),
];

/// Checks all rules and says everything that breaks them.
pub(crate) fn run(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let files = Files::of_repository(workspace)?;
    let tree = Tree { workspace, files, metadata: Metadata::of_workspace(workspace)? };
    let mut broken = Vec::new();
    for (name, check) in RULES {
        // A rule that cannot look has not been kept; the others are still worth knowing.
        let findings = check(&tree)
            .unwrap_or_else(|error| vec![Finding::new("cannot be checked", format!("{error:#}"))]);
        for finding in &findings {
            log.line(format!("{name}: {finding}"));
        }
        if !findings.is_empty() {
            broken.push(format!("{name} ({})", findings.len()));
        }
    }
    ensure!(broken.is_empty(), "{} of {} rules are broken: {}", broken.len(), RULES.len(), broken.join(", "));
    Ok(format!("{} rules, {} files", RULES.len(), tree.files.len()))
}
