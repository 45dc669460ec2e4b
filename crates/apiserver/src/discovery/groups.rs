//! The kinds by group and version, in the orders in which they are listed.

use std::sync::Arc;

use super::priority;
use crate::kinds::{Kind, Kinds};

/// A group of kinds.
pub(super) struct Group<'a> {
    /// Its name; empty for the core kinds.
    pub(super) name: &'a str,
    /// Its versions, the preferred one first.
    pub(super) versions: Vec<Version<'a>>,
}

/// A version of a group.
pub(super) struct Version<'a> {
    pub(super) name: &'a str,
    pub(super) kinds: Vec<&'a Arc<Kind>>,
}

/// How groups that definitions add are ordered: all have the same priority, and documents break the tie in two ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By version and group, as the names of API services are: `v1.example.com`.
    Service,
    /// By group.
    Name,
}

/// All groups: the built-in ones in their own order, then the others.
pub(super) fn all(kinds: &Kinds, order: Order) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for kind in kinds.all() {
        let group = at(
            &mut groups,
            |group| group.name == &*kind.group,
            || Group { name: &kind.group, versions: Vec::new() },
        );
        let version = at(
            &mut group.versions,
            |version| version.name == &*kind.version,
            || Version { name: &kind.version, kinds: Vec::new() },
        );
        version.kinds.push(kind);
    }
    let first_custom = groups.iter().position(Group::is_custom).unwrap_or(groups.len());
    for group in &mut groups[first_custom..] {
        group.versions.sort_by(|a, b| priority::compare(a.name, b.name));
        for version in &mut group.versions {
            version.kinds.sort_by(|a, b| a.plural.cmp(&b.plural));
        }
    }
    groups[first_custom..].sort_by_key(|group| match order {
        Order::Name => group.name.to_owned(),
        Order::Service => group.first_service(),
    });
    groups
}

impl Group<'_> {
    fn is_custom(&self) -> bool {
        self.versions.iter().flat_map(|version| &version.kinds).all(|kind| kind.custom.is_some())
    }

    fn first_service(&self) -> String {
        let services = self.versions.iter().map(|version| format!("{}.{}", version.name, self.name));
        services.min().unwrap_or_default()
    }
}

fn at<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &mut T {
    let index = list.iter().position(is).unwrap_or_else(|| {
        list.push(make());
        list.len() - 1
    });
    &mut list[index]
}
