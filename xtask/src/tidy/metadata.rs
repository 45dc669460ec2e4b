//! What `cargo metadata` says about our crates and everything they depend on.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo_json::Target;
use crate::workspace::{Workspace, captured};

/// All packages, and how they were resolved.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    #[serde(default)]
    pub(super) resolve: Resolve,
    #[serde(default)]
    workspace_root: String,
}

/// A package: ours, or somebody else's.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    #[serde(default)]
    manifest_path: String,
    #[serde(default)]
    pub(super) dependencies: Vec<Dependency>,
    #[serde(default)]
    pub(super) targets: Vec<Target>,
}

/// A dependency as a manifest declares it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev`, `build`, or none for a normal one.
    pub(super) kind: Option<String>,
    /// Where it is, if it is one of ours.
    pub(super) path: Option<String>,
}

/// The graph of packages.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Resolve {
    pub(super) nodes: Vec<Node>,
}

/// A package and what it depends on.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) deps: Vec<Edge>,
}

/// A dependency as it was resolved.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Edge {
    pub(super) pkg: String,
    pub(super) dep_kinds: Vec<EdgeKind>,
}

/// What it is needed for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct EdgeKind {
    pub(super) kind: Option<String>,
}

impl Metadata {
    /// Asks cargo.
    pub(super) fn of_workspace(workspace: &Workspace) -> Result<Self> {
        Self::parse(&captured(&mut workspace.cargo(["metadata", "--format-version", "1", "--locked"]))?)
    }

    /// Reads what cargo prints.
    pub(super) fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).context("cannot read what `cargo metadata` prints")
    }

    /// Every package, ours and others'.
    pub(super) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Our crates.
    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// The directory of one of our crates, from the root: `pure/explorer`.
    pub(super) fn directory<'a>(&self, member: &'a Package) -> &'a str {
        let manifest = Path::new(&member.manifest_path);
        let inside = manifest.strip_prefix(&self.workspace_root).unwrap_or(manifest);
        inside.parent().and_then(Path::to_str).unwrap_or_default()
    }
}
