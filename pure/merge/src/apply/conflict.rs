//! Conflicts between those who own fields.

use std::collections::BTreeMap;
use std::fmt;

use super::Operation;
use super::managed::ManagerId;
use crate::fields::{FieldSet, Path};
use crate::go;

/// Somebody else owns a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    manager: ManagerId,
    path: Path,
}

impl Conflict {
    pub(super) fn new(manager: &ManagerId, path: Path) -> Conflict {
        Conflict { manager: manager.clone(), path }
    }

    /// The field, as in `details.causes`: `.spec.replicas`.
    pub fn field(&self) -> String {
        self.path.to_string()
    }

    /// The message in `details.causes`; its reason is `FieldManagerConflict`.
    pub fn message(&self) -> String {
        format!("conflict with {}", show(&self.manager))
    }
}

/// All conflicts of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts(Vec<Conflict>);

impl Conflicts {
    pub(super) fn new(conflicts: Vec<Conflict>) -> Conflicts {
        Conflicts(conflicts)
    }

    /// Each of them: one cause in `details.causes`.
    pub fn iter(&self) -> impl Iterator<Item = &Conflict> {
        self.0.iter()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those on other fields than these.
    pub(super) fn without(self, allowed: &FieldSet) -> Conflicts {
        Conflicts(self.0.into_iter().filter(|conflict| !allowed.has(&conflict.path.0)).collect())
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = &self.0[..] {
            return write!(f, "Apply failed with 1 conflict: {}: {}", only.message(), only.path);
        }
        let mut by_manager = BTreeMap::<&ManagerId, Vec<&Path>>::new();
        for conflict in &self.0 {
            by_manager.entry(&conflict.manager).or_default().push(&conflict.path);
        }
        let lines = by_manager.into_iter().flat_map(|(manager, paths)| {
            let first = format!("conflicts with {}:", show(manager));
            std::iter::once(first).chain(paths.into_iter().map(|path| format!("- {path}")))
        });
        let lines: Vec<_> = lines.collect();
        write!(f, "Apply failed with {} conflicts: {}", self.0.len(), lines.join("\n"))
    }
}

fn show(manager: &ManagerId) -> String {
    let mut text = go::quote(&manager.name);
    if !manager.subresource.is_empty() {
        text.push_str(&format!(" with subresource {}", go::quote(&manager.subresource)));
    }
    if manager.operation == Operation::Update {
        text.push_str(&format!(" using {}", manager.api_version));
    }
    text
}
