//! Every crate is built by the same rules: it inherits them from the root manifest and states none of its own.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::metadata::Metadata;
use super::{Files, Finding};

const EDITION: &str = "2024";
/// What `[package]` takes from the workspace.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "publish"];
/// Where dependencies are declared. Their versions stand in the root manifest, once.
const DEPENDENCIES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];
/// Files that would choose a compiler behind the back of `rust-version`.
const TOOLCHAINS: &[&str] = &["rust-toolchain", "rust-toolchain.toml"];

/// Finds crates that go their own way.
pub(super) fn check(files: &Files, metadata: &Metadata) -> Result<Vec<Finding>> {
    let mut findings = toolchains(files);
    findings.extend(root(&table(files, "Cargo.toml")?));
    for member in metadata.members() {
        let path = format!("{}/Cargo.toml", metadata.directory(member));
        findings.extend(crate_manifest(&path, &table(files, &path)?));
    }
    Ok(findings)
}

fn table(files: &Files, path: &str) -> Result<Table> {
    files.required(path)?.parse().with_context(|| format!("{path} is not TOML"))
}

fn toolchains(files: &Files) -> Vec<Finding> {
    let chosen = files
        .all()
        .filter(|(path, _)| path.rsplit('/').next().is_some_and(|name| TOOLCHAINS.contains(&name)));
    chosen
        .map(|(path, _)| Finding::new(path, "chooses a toolchain; `rust-version` says what is needed"))
        .collect()
}

fn root(manifest: &Table) -> Option<Finding> {
    let edition = manifest.get("workspace")?.get("package")?.get("edition").and_then(Value::as_str);
    (edition != Some(EDITION))
        .then(|| Finding::new("Cargo.toml", format!("workspace.package.edition is not {EDITION}")))
}

fn crate_manifest(path: &str, manifest: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !inherits(manifest.get("lints")) {
        findings.push(Finding::new(path, "does not inherit the lints; add `[lints] workspace = true`"));
    }
    let package = manifest.get("package");
    let own = INHERITED.iter().filter(|key| !inherits(package.and_then(|package| package.get(**key))));
    findings.extend(own.map(|key| {
        Finding::new(path, format!("does not inherit package.{key}; write `{key}.workspace = true`"))
    }));
    for (name, dependency) in dependencies(manifest) {
        if !inherits(Some(dependency)) {
            let what = format!(
                "`{name}` has a version of its own; put it in [workspace.dependencies] of the root manifest"
            );
            findings.push(Finding::new(path, what));
        }
    }
    findings
}

/// All dependencies: of every kind, and for every platform.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&String, &Value)> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(platforms.filter_map(Value::as_table));
    let sections =
        tables.flat_map(|table| DEPENDENCIES.iter().filter_map(|section| table.get(*section)?.as_table()));
    sections.flat_map(Table::iter)
}

fn inherits(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n[dependencies]\nb.workspace = true\n[lints]\nworkspace = true\n";

    fn found(manifest: &str) -> Result<Vec<String>> {
        Ok(crate_manifest("a/Cargo.toml", &manifest.parse()?)
            .into_iter()
            .map(|finding| finding.what)
            .collect())
    }

    #[test]
    fn a_crate_that_inherits_everything_is_fine() -> Result<()> {
        assert_eq!(found(GOOD)?, Vec::<String>::new());
        Ok(())
    }

    #[test]
    fn each_thing_of_its_own_is_found() -> Result<()> {
        for key in INHERITED {
            let findings =
                found(&GOOD.replace(&format!("\n{key}.workspace = true"), &format!("\n{key} = \"x\"")))?;
            assert!(findings.len() == 1 && findings[0].contains(key), "{key}: {findings:?}");
            assert_eq!(
                found(&GOOD.replace(&format!("\n{key}.workspace = true"), ""))?.len(),
                1,
                "{key} left out"
            );
        }
        assert_eq!(found(&GOOD.replace("[lints]\nworkspace = true\n", ""))?.len(), 1);
        assert_eq!(
            found(&GOOD.replace("[lints]\nworkspace = true\n", "[lints.clippy]\nall = \"allow\"\n"))?.len(),
            1
        );
        Ok(())
    }

    #[test]
    fn a_version_in_a_crate_is_found_wherever_it_stands() -> Result<()> {
        assert_eq!(found(&GOOD.replace("b.workspace = true", "b = \"1\""))?.len(), 1);
        assert_eq!(found(&format!("{GOOD}[dev-dependencies]\nc = {{ version = \"1\" }}\n"))?.len(), 1);
        assert_eq!(found(&format!("{GOOD}[target.'cfg(unix)'.dependencies]\nd = \"1\"\n"))?.len(), 1);
        Ok(())
    }

    #[test]
    fn another_edition_and_a_toolchain_file_are_found() -> Result<()> {
        assert!(root(&"[workspace.package]\nedition = \"2021\"\n".parse()?).is_some());
        assert!(root(&"[workspace.package]\n".parse()?).is_some());
        assert!(root(&"[workspace.package]\nedition = \"2024\"\n".parse()?).is_none());
        assert_eq!(
            toolchains(&Files::of([("rust-toolchain.toml", ""), ("a/rust-toolchain", ""), ("b", "")])).len(),
            2
        );
        Ok(())
    }
}
