//! Of the dependencies that matter there is one version in what we build. `deny.toml` lists them.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::metadata::Metadata;
use super::policy::Policy;

/// Finds dependencies that are there twice.
pub(super) fn check(metadata: &Metadata, policy: &Policy) -> Vec<Finding> {
    let built = built(metadata);
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in metadata.packages().iter().filter(|package| built.contains(package.id.as_str())) {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let twice = policy.single.iter().filter_map(|name| Some((name, versions.get(name.as_str())?)));
    twice
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            let list: Vec<_> = versions.iter().copied().collect();
            let what =
                format!("there are {}; `cargo tree --duplicates` says who wants which", list.join(" and "));
            Finding::new(name, what)
        })
        .collect()
}

/// The packages that normal dependencies reach from our crates: tests and build scripts end up in no program.
fn built(metadata: &Metadata) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, _> =
        metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut next: Vec<&str> = metadata.members().map(|member| member.id.as_str()).collect();
    while let Some(id) = next.pop() {
        if !reached.insert(id) {
            continue;
        }
        let edges = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        let normal = edges.filter(|edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        next.extend(normal.map(|edge| edge.pkg.as_str()));
    }
    reached
}

#[cfg(test)]
mod tests {
    use anyhow::Result;
    use serde_json::{Value, json};

    use super::*;

    /// Our crate `a` depends on `b`; `b` depends on `x` 1, and `a` on `x` 2, for the purpose that is given.
    fn found(kind: Value, single: &str) -> Result<Vec<String>> {
        let package = |id: &str, name: &str, version: &str| json!({"id": id, "name": name, "version": version, "license": null});
        let edge = |id: &str, kind: &Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let all = json!({
            "packages": [package("a", "a", "0"), package("b", "b", "1"), package("x1", "x", "1.0.0"), package("x2", "x", "2.0.0")],
            "workspace_members": ["a"],
            "resolve": {"nodes": [
                {"id": "a", "deps": [edge("b", &Value::Null), edge("x2", &kind)]},
                {"id": "b", "deps": [edge("x1", &Value::Null)]},
                {"id": "x1", "deps": []}, {"id": "x2", "deps": []}]}});
        let policy = Policy { licences: vec![], single: vec![single.to_owned(), "absent".to_owned()] };
        let findings = check(&Metadata::parse(all.to_string().as_bytes())?, &policy);
        Ok(findings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn two_versions_of_what_matters_are_found() -> Result<()> {
        let findings = found(Value::Null, "x")?;
        assert!(
            findings.len() == 1 && findings[0].starts_with("x: there are 1.0.0 and 2.0.0"),
            "{findings:?}"
        );
        Ok(())
    }

    #[test]
    fn what_only_tests_and_build_scripts_use_does_not_count() -> Result<()> {
        assert_eq!(found(json!("dev"), "x")?.len(), 0);
        assert_eq!(found(json!("build"), "x")?.len(), 0);
        Ok(())
    }

    #[test]
    fn what_is_not_listed_may_be_there_twice() -> Result<()> {
        assert_eq!(found(Value::Null, "b")?.len(), 0);
        Ok(())
    }
}
