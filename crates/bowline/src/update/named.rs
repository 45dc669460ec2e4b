//! How people name a version: `[STACK/]VERSION`, or by the name of the Update.

use std::collections::BTreeSet;

use bowline_api::updates::{Stack, Update};
use kube::ResourceExt;
use kube::api::ListParams;

use super::{Team, status};
use crate::connection::failed;
use crate::exit::{BadUsage, Refused};

/// A version, as it was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// By its number.
    Version {
        /// The stack, unless there is only one.
        stack: Option<String>,
        /// The number.
        version: u64,
    },
    /// By the name of the Update.
    Update(String),
}

impl Named {
    /// Reads what was typed.
    ///
    /// # Errors
    /// If it is neither.
    pub(crate) fn parse(text: &str) -> Result<Named, String> {
        let (stack, version) = match text.split_once('/') {
            Some((stack, version)) => (Some(stack.to_owned()), version),
            None => (None, text),
        };
        let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        match (version.parse(), stack) {
            (Ok(version), stack) if version > 0 && stack.as_deref().is_none_or(is_name) => {
                Ok(Named::Version { stack, version })
            }
            (_, None) if !is_number && is_name(text) => Ok(Named::Update(text.to_owned())),
            _ => {
                Err("it takes the number of a version such as 3 or prod/3, or the name of an Update"
                    .to_owned())
            }
        }
    }
}

/// Whether something can have this name.
fn is_name(text: &str) -> bool {
    let is_in_names = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    !text.is_empty() && text.chars().all(is_in_names)
}

/// A stack has no such version.
pub(super) fn no_version(version: u64, stack: &str, namespace: &str) -> Refused {
    Refused(format!("there is no version {version} of {stack} in {namespace}: see `bowline update list`"))
}

impl Team {
    /// The update that was named.
    pub(super) async fn named(&self, named: &Named) -> anyhow::Result<Update> {
        let (stack, version) = match named {
            Named::Update(name) => {
                let found = self.updates().get_opt(name).await;
                let found = found.map_err(|error| failed(error, "cannot read the update"))?;
                let none = || {
                    Refused(format!(
                        "there is no update {name} in {}: see `bowline update list`",
                        self.namespace
                    ))
                };
                return found.ok_or_else(|| none().into());
            }
            Named::Version { stack, version } => (self.stack(stack.as_deref()).await?.name_any(), *version),
        };
        let all = self.updates().list(&ListParams::default()).await;
        let all = all.map_err(|error| failed(error, "cannot list updates"))?.items;
        let is_it = |update: &Update| {
            update.spec.stack.as_str() == stack
                && status(update).version.is_some_and(|found| found.0 == version)
        };
        let found = all.into_iter().find(is_it);
        found.ok_or_else(|| no_version(version, &stack, &self.namespace).into())
    }

    /// The stack of a name; without a name, the only one.
    pub(super) async fn stack(&self, name: Option<&str>) -> anyhow::Result<Stack> {
        let namespace = &self.namespace;
        if let Some(name) = name {
            let found = self.stacks().get_opt(name).await;
            let found = found.map_err(|error| failed(error, "cannot read the stack"))?;
            return found.ok_or_else(|| Refused(format!("there is no stack {name} in {namespace}")).into());
        }
        let all = self.stacks().list(&ListParams::default()).await;
        let mut all = all.map_err(|error| failed(error, "cannot list stacks"))?.items;
        if all.len() > 1 {
            let names: BTreeSet<_> = all.iter().map(ResourceExt::name_any).collect();
            let names: Vec<_> = names.into_iter().collect();
            let names = names.join(", ");
            return Err(BadUsage(format!(
                "say which stack is meant, such as STACK/3; in {namespace} there are: {names}"
            ))
            .into());
        }
        all.pop().ok_or_else(|| Refused(format!("there is no stack in {namespace}")).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_with_or_without_a_stack() {
        let version =
            |stack: Option<&str>, version| Named::Version { stack: stack.map(str::to_owned), version };
        assert_eq!(Named::parse("3"), Ok(version(None, 3)));
        assert_eq!(Named::parse("prod/12"), Ok(version(Some("prod"), 12)));
        assert_eq!(Named::parse("prod-x7k2p"), Ok(Named::Update("prod-x7k2p".into())));
        for wrong in
            ["", "0", "/3", "prod/", "prod/x", "a/b/3", "99999999999999999999", "a\n", "A b", "a\n/3"]
        {
            assert!(Named::parse(wrong).is_err(), "{wrong}");
        }
    }
}
