//! Every dependency has a licence that `deny.toml` allows.

use super::metadata::Metadata;
use super::policy::Policy;
use super::{Finding, spdx};

/// Finds packages with another licence, or none.
pub(super) fn check(metadata: &Metadata, policy: &Policy) -> Vec<Finding> {
    let check = |licence: Option<&str>| match licence {
        None => Some("has no licence in its manifest".to_owned()),
        Some(expression) => match spdx::satisfied(expression, &policy.licences) {
            Ok(true) => None,
            Ok(false) => Some(format!("`{expression}` is not allowed by deny.toml")),
            Err(error) => Some(format!("`{expression}` is not a licence expression: {error:#}")),
        },
    };
    let packages = metadata.packages().iter();
    packages
        .filter_map(|package| {
            let what = check(package.license.as_deref())?;
            Some(Finding::new(format!("{} {}", package.name, package.version), what))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use anyhow::Result;
    use serde_json::json;

    use super::*;

    fn found(licence: Option<&str>) -> Result<Vec<Finding>> {
        let package = json!({"id": "a", "name": "a", "version": "1.0.0", "license": licence});
        let metadata =
            Metadata::parse(json!({"packages": [package], "workspace_members": []}).to_string().as_bytes())?;
        Ok(check(&metadata, &Policy { licences: vec!["MIT".to_owned()], single: vec![] }))
    }

    #[test]
    fn a_licence_outside_of_the_list_is_found() -> Result<()> {
        assert_eq!(found(Some("MIT OR GPL-3.0-only"))?, []);
        assert_eq!(
            found(Some("GPL-3.0-only"))?,
            [Finding::new("a 1.0.0", "`GPL-3.0-only` is not allowed by deny.toml")]
        );
        assert_eq!(found(Some("MIT AND"))?.len(), 1);
        assert_eq!(found(None)?.len(), 1);
        Ok(())
    }
}
