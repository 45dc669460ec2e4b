//! Which crate may depend on which. Dependencies point one way, and `pure/` depends on almost nothing.

use super::Finding;
use super::metadata::{Dependency, Metadata, Package};

/// What a crate of ours may depend on.
struct Edges {
    name: &'static str,
    /// Our crates.
    internal: &'static [&'static str],
    /// Other people's crates. A crate in `pure/` names them all; elsewhere they are a matter for review.
    external: External,
}

enum External {
    Any,
    Only(&'static [&'static str]),
}

/// The whole table. It is the one in ARCHITECTURE.md, as far as it is built.
const ALLOWED: &[Edges] = &[
    Edges {
        name: "bowline-explorer",
        internal: &[],
        external: External::Only(&["rayon", "rustc-hash", "siphasher"]),
    },
    Edges { name: "bowline-kernel", internal: &[], external: External::Only(&[]) },
    Edges { name: "bowline-merge", internal: &[], external: External::Only(&["regex", "serde_json"]) },
    Edges { name: "bowline-workqueue", internal: &[], external: External::Only(&["hashbrown", "siphasher"]) },
    Edges { name: "bowline-control", internal: &["bowline-workqueue"], external: External::Only(&[]) },
    Edges { name: "bowline-clusters", internal: &["bowline-control"], external: External::Only(&[]) },
    Edges { name: "bowline-updates", internal: &["bowline-control"], external: External::Only(&[]) },
    Edges { name: "bowline-placements", internal: &["bowline-control"], external: External::Only(&[]) },
    Edges { name: "bowline-upgrades", internal: &["bowline-control"], external: External::Only(&[]) },
    // AWS has JSON for documents, and names in it carry a hash.
    Edges {
        name: "bowline-identities",
        internal: &["bowline-control"],
        external: External::Only(&["serde_json", "sha2"]),
    },
    Edges { name: "bowline-sample", internal: &["bowline-control"], external: External::Only(&[]) },
    Edges {
        name: "bowline-models",
        internal: &[
            "bowline-clusters",
            "bowline-control",
            "bowline-explorer",
            "bowline-identities",
            "bowline-kernel",
            "bowline-placements",
            "bowline-sample",
            "bowline-updates",
            "bowline-upgrades",
            "bowline-workqueue",
        ],
        external: External::Only(&[]),
    },
    // Its tests hold the schemas against our own rules for objects.
    Edges { name: "bowline-api", internal: &["bowline-merge"], external: External::Any },
    Edges {
        name: "bowline-apiserver",
        internal: &["bowline-fuzz", "bowline-kernel", "bowline-merge"],
        external: External::Any,
    },
    // What it does to processes it does without knowing what for.
    Edges { name: "bowline-agent", internal: &["bowline-fuzz"], external: External::Any },
    // It knows none of our crates: what is called of AWS, and nothing of what for.
    Edges { name: "bowline-aws", internal: &[], external: External::Any },
    Edges { name: "bowline-bundle", internal: &["bowline-api", "bowline-fuzz"], external: External::Any },
    Edges { name: "bowline-runtime", internal: &["bowline-control"], external: External::Any },
    Edges {
        name: "bowline-controllers",
        internal: &[
            "bowline-api",
            "bowline-aws",
            "bowline-bundle",
            "bowline-clusters",
            "bowline-control",
            "bowline-fuzz",
            "bowline-identities",
            "bowline-merge",
            "bowline-placements",
            "bowline-runtime",
            "bowline-updates",
            "bowline-upgrades",
        ],
        external: External::Any,
    },
    // Its tests run it on a hub.
    Edges {
        name: "bowline-simulator",
        internal: &["bowline-apiserver", "bowline-control", "bowline-runtime"],
        external: External::Any,
    },
    Edges {
        name: "bowline-syncer",
        internal: &[
            "bowline-api",
            "bowline-control",
            "bowline-controllers",
            "bowline-placements",
            "bowline-runtime",
        ],
        external: External::Any,
    },
    Edges { name: "bowline-planted", internal: &[], external: External::Only(&[]) },
    Edges {
        name: "bowline",
        internal: &[
            "bowline-agent",
            "bowline-api",
            "bowline-apiserver",
            "bowline-aws",
            "bowline-bundle",
            "bowline-control",
            "bowline-controllers",
            "bowline-explorer",
            "bowline-fuzz",
            "bowline-identities",
            "bowline-models",
            "bowline-runtime",
            "bowline-simulator",
            "bowline-syncer",
            "bowline-upgrades",
        ],
        external: External::Any,
    },
    Edges {
        name: "bowline-bench",
        internal: &["bowline-explorer", "bowline-models"],
        external: External::Only(&[]),
    },
    Edges { name: "bowline-bench-workqueue", internal: &["bowline-workqueue"], external: External::Any },
    Edges {
        name: "bowline-bench-control",
        internal: &[
            "bowline-bench-meter",
            "bowline-control",
            "bowline-e2e-sample",
            "bowline-runtime",
            "bowline-sample",
        ],
        external: External::Any,
    },
    Edges { name: "bowline-bench-hub", internal: &["bowline-bench-meter"], external: External::Any },
    Edges {
        name: "bowline-bench-identities",
        internal: &["bowline-api", "bowline-bench-meter", "bowline-e2e-aws", "bowline-runtime"],
        external: External::Any,
    },
    Edges { name: "bowline-bench-meter", internal: &[], external: External::Any },
    Edges {
        name: "bowline-bench-placements",
        internal: &[
            "bowline-api",
            "bowline-bench-meter",
            "bowline-control",
            "bowline-runtime",
            "bowline-syncer",
        ],
        external: External::Any,
    },
    Edges {
        name: "bowline-bench-updates",
        internal: &["bowline-api", "bowline-bench-meter", "bowline-bundle", "bowline-runtime"],
        external: External::Any,
    },
    Edges {
        name: "bowline-bench-upgrades",
        internal: &[
            "bowline-api",
            "bowline-bench-meter",
            "bowline-control",
            "bowline-controllers",
            "bowline-e2e-homes",
            "bowline-e2e-kv",
            "bowline-e2e-upgrades",
            "bowline-runtime",
            "bowline-upgrades",
        ],
        external: External::Any,
    },
    Edges { name: "bowline-e2e-aws", internal: &["bowline-aws"], external: External::Any },
    Edges {
        name: "bowline-e2e-identities",
        internal: &[
            "bowline-aws",
            "bowline-e2e-aws",
            "bowline-e2e-hub",
            "bowline-e2e-up",
            "bowline-identities",
            "bowline-realkube",
        ],
        external: External::Any,
    },
    Edges {
        name: "bowline-e2e-upgrades",
        internal: &["bowline-e2e-homes", "bowline-e2e-hub", "bowline-e2e-kv", "bowline-e2e-up"],
        external: External::Any,
    },
    Edges {
        name: "bowline-e2e-placements",
        internal: &["bowline-e2e-homes", "bowline-e2e-hub", "bowline-e2e-up", "bowline-realkube"],
        external: External::Any,
    },
    Edges { name: "bowline-e2e-kube", internal: &["bowline-apiserver"], external: External::Any },
    Edges {
        name: "bowline-fixtures",
        internal: &["bowline-e2e-kube", "bowline-realkube"],
        external: External::Any,
    },
    // What tests of every crate may use, so it uses none.
    Edges { name: "bowline-fuzz", internal: &[], external: External::Only(&[]) },
    Edges { name: "bowline-e2e-hub", internal: &["bowline-realkube"], external: External::Any },
    Edges {
        name: "bowline-e2e-homes",
        internal: &["bowline-api", "bowline-e2e-hub", "bowline-e2e-kube", "bowline-realkube"],
        external: External::Any,
    },
    Edges { name: "bowline-differential", internal: &["bowline-realkube"], external: External::Any },
    Edges {
        name: "bowline-e2e-sample",
        internal: &[
            "bowline-control",
            "bowline-e2e-homes",
            "bowline-fixtures",
            "bowline-models",
            "bowline-runtime",
            "bowline-sample",
        ],
        external: External::Any,
    },
    Edges {
        name: "bowline-e2e-up",
        internal: &[
            "bowline-bundle",
            "bowline-e2e-homes",
            "bowline-e2e-hub",
            "bowline-fixtures",
            "bowline-realkube",
        ],
        external: External::Any,
    },
    // What upgrades are tried on knows nothing of Bowline but the contract.
    Edges { name: "bowline-e2e-kv", internal: &[], external: External::Any },
    Edges { name: "bowline-soak", internal: &["bowline-e2e-hub"], external: External::Any },
    Edges { name: "bowline-realkube", internal: &[], external: External::Any },
    Edges {
        name: "xtask",
        internal: &[
            "bowline-differential",
            "bowline-e2e-hub",
            "bowline-explorer",
            "bowline-models",
            "bowline-realkube",
        ],
        external: External::Any,
    },
    // It is there to be built quickly.
    Edges { name: "xtask-start", internal: &[], external: External::Only(&[]) },
];
/// What the tests of a crate in `pure/` may use beyond that.
const FOR_TESTS: &[&str] = &["proptest"];

/// Finds dependencies that are not in the table.
pub(super) fn check(metadata: &Metadata) -> Vec<Finding> {
    metadata.members().flat_map(|member| check_member(metadata, member)).collect()
}

fn check_member(metadata: &Metadata, member: &Package) -> Vec<Finding> {
    let directory = metadata.directory(member);
    let pure = directory.starts_with("pure/");
    let mut findings = Vec::new();
    let mut find = |what: String| findings.push(Finding::new(format!("{directory}/Cargo.toml"), what));
    if pure && member.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "custom-build")) {
        find("has a build script, which no ban reaches; a pure crate has none".to_owned());
    }
    for dependency in &member.dependencies {
        let target =
            metadata.members().find(|other| dependency.path.is_some() && other.name == dependency.name);
        if pure && target.is_some_and(|target| metadata.directory(target).starts_with("crates/")) {
            find(format!("depends on {}: nothing in pure/ depends on anything in crates/", dependency.name));
        }
    }
    let Some(edges) = ALLOWED.iter().find(|edges| edges.name == member.name) else {
        find("is not in the table of edges; say in xtask/src/tidy/edges.rs what it may depend on".to_owned());
        return findings;
    };
    for dependency in member.dependencies.iter().filter(|dependency| !allows(edges, dependency)) {
        let name = &dependency.name;
        let kind = dependency.kind.as_deref().unwrap_or("normal");
        find(format!("may not depend on {name} ({kind}); the table of edges is in xtask/src/tidy/edges.rs"));
    }
    findings
}

fn allows(edges: &Edges, dependency: &Dependency) -> bool {
    let name = dependency.name.as_str();
    if dependency.path.is_some() {
        return edges.internal.contains(&name);
    }
    match (&edges.external, dependency.kind.as_deref()) {
        (External::Any, _) => true,
        (External::Only(list), None) => list.contains(&name),
        (External::Only(list), Some("dev")) => list.contains(&name) || FOR_TESTS.contains(&name),
        (External::Only(_), Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Result;
    use serde_json::{Value, json};

    use super::*;

    /// What is found in a workspace of the binary and one crate with these dependencies.
    fn found(name: &str, directory: &str, dependencies: &[Value]) -> Result<Vec<String>> {
        found_with(name, directory, dependencies, "lib")
    }

    fn found_with(name: &str, directory: &str, dependencies: &[Value], target: &str) -> Result<Vec<String>> {
        let package = |name: &str, directory: &str, dependencies: &[Value]| {
            json!({"id": name, "name": name, "version": "0.1.0", "manifest_path": format!("/r/{directory}/Cargo.toml"),
                "dependencies": dependencies, "targets": [{"kind": [target], "name": name}]})
        };
        let packages = [package(name, directory, dependencies), package("bowline", "crates/bowline", &[])];
        let all =
            json!({"packages": packages, "workspace_members": [name, "bowline"], "workspace_root": "/r"});
        let findings = check(&Metadata::parse(all.to_string().as_bytes())?);
        Ok(findings.iter().map(ToString::to_string).collect())
    }

    fn ours(name: &str) -> Value {
        json!({"name": name, "kind": null, "path": "/r/somewhere"})
    }

    fn others(name: &str, kind: Option<&str>) -> Value {
        json!({"name": name, "kind": kind, "path": null})
    }

    #[test]
    fn an_edge_between_our_crates_that_is_not_in_the_table_is_found() -> Result<()> {
        let findings = found("bowline-explorer", "pure/explorer", &[ours("bowline-models")])?;
        assert!(findings.len() == 1 && findings[0].starts_with("pure/explorer/Cargo.toml: "), "{findings:?}");
        assert_eq!(found("xtask", "xtask", &[ours("bowline")])?.len(), 1);
        assert_eq!(found("bowline-models", "pure/models", &[ours("bowline-explorer")])?.len(), 0);
        Ok(())
    }

    #[test]
    fn a_pure_crate_that_depends_on_one_in_crates_is_found_even_if_the_table_is_wrong() -> Result<()> {
        let findings = found("bowline-models", "pure/models", &[ours("bowline")])?;
        assert!(findings.iter().any(|finding| finding.contains("nothing in pure/ depends")), "{findings:?}");
        Ok(())
    }

    #[test]
    fn a_crate_that_the_table_does_not_know_is_found() -> Result<()> {
        assert_eq!(found("bowline-new", "pure/new", &[])?.len(), 1);
        Ok(())
    }

    #[test]
    fn a_pure_crate_names_all_that_it_takes_from_others() -> Result<()> {
        let explorer = |dependency| found("bowline-explorer", "pure/explorer", &[dependency]);
        assert_eq!(explorer(others("rustc-hash", None))?.len(), 0);
        assert_eq!(explorer(others("rand", None))?.len(), 1);
        assert_eq!(explorer(others("proptest", Some("dev")))?.len(), 0);
        assert_eq!(explorer(others("proptest", None))?.len(), 1);
        assert_eq!(explorer(others("criterion", Some("dev")))?.len(), 1);
        assert_eq!(explorer(others("rustc-hash", Some("build")))?.len(), 1);
        assert_eq!(found("xtask", "xtask", &[others("clap", None)])?.len(), 0);
        Ok(())
    }

    #[test]
    fn a_build_script_in_a_pure_crate_is_found() -> Result<()> {
        assert_eq!(found_with("bowline-models", "pure/models", &[], "custom-build")?.len(), 1);
        assert_eq!(found_with("xtask", "xtask", &[], "custom-build")?.len(), 0);
        Ok(())
    }
}
