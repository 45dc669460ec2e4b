//! The one history: which version changed which object to what.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included, Unbounded};

use super::{Broken, Promise, at};
use crate::log::{Asked, Key, Kind, Life, Objects, Said, Seen, Selects, Tag, Told, Version, Watch};

/// A change: what its object is since; `None`: gone.
type Change = (Key, Option<Tag>);

/// What is known of the versions of a life.
#[derive(Debug, Default)]
pub struct History {
    start: Objects,
    first: Version,
    changes: BTreeMap<Version, Change>,
    by_key: BTreeMap<Key, BTreeMap<Version, Option<Tag>>>,
    /// Up to here every change is known, because somebody watched everything.
    whole: Version,
    /// Objects of which something was asked that may have happened beyond what is whole.
    open: BTreeSet<Key>,
    /// Objects that may have gone so.
    maybe_gone: BTreeSet<Key>,
}

impl History {
    /// Everything that anybody was told, put together; and what does not fit together.
    pub fn of(life: &Life) -> (History, Vec<Broken>) {
        let mut history = History { start: life.start.clone(), first: life.version, ..History::default() };
        let mut broken = Vec::new();
        history.whole =
            life.watches.iter().filter_map(|watch| reach(watch, life.version)).max().unwrap_or(life.version);
        for deed in &life.deeds {
            if let Told::Is(seen) = deed.told {
                history.note(seen.version, (deed.key, Some(seen.tag)), &mut broken);
            }
        }
        for listing in &life.listings {
            for (key, seen) in &listing.objects {
                history.note(seen.version, (*key, Some(seen.tag)), &mut broken);
            }
        }
        for watch in &life.watches {
            for (_, said) in &watch.said {
                let Said::Event(kind, key, seen) = said else { continue };
                match kind {
                    Kind::Added | Kind::Modified => {
                        history.note(seen.version, (*key, Some(seen.tag)), &mut broken)
                    }
                    // Who follows the label may be told that an object goes when it only lost it.
                    Kind::Deleted if watch.selects != Selects::Red => {
                        history.note(seen.version, (*key, None), &mut broken);
                    }
                    Kind::Deleted => {}
                }
            }
        }
        history.once(&mut broken);
        history.leave_open(life);
        (history, broken)
    }

    fn note(&mut self, version: Version, change: Change, broken: &mut Vec<Broken>) {
        if version <= self.first {
            let known = self.start.get(&change.0).filter(|seen| seen.version == version).map(|seen| seen.tag);
            if known.is_none() || known != change.1 {
                let what =
                    format!("{} was told as {change:?}, and there was {known:?} at the start", at(version));
                broken.push(Broken::new(Promise::OneHistory, what));
            }
            return;
        }
        match self.changes.insert(version, change) {
            Some(before) if before != change => {
                let what = format!("{} is told as {before:?} and as {change:?}", at(version));
                broken.push(Broken::new(Promise::OneHistory, what));
            }
            _ => {
                self.by_key.entry(change.0).or_default().insert(version, change.1);
            }
        }
    }

    /// A write has one version.
    fn once(&self, broken: &mut Vec<Broken>) {
        let mut first: BTreeMap<Tag, Version> =
            self.start.values().map(|seen| (seen.tag, seen.version)).collect();
        for (version, (key, tag)) in &self.changes {
            let Some(tag) = tag else { continue };
            if let Some(before) = first.insert(*tag, *version) {
                let what = format!(
                    "the write {tag} of object {key} happened at {} and at {}",
                    at(before),
                    at(*version)
                );
                broken.push(Broken::new(Promise::OneHistory, what));
            }
        }
    }

    fn leave_open(&mut self, life: &Life) {
        for deed in &life.deeds {
            let known = match (deed.asked, deed.told) {
                (Asked::Get, _) | (_, Told::Is(_) | Told::Missing | Told::Exists | Told::Conflict) => true,
                (Asked::Delete(guard), _) => {
                    self.after(deed.key, guard).is_some_and(|(_, tag)| tag.is_none())
                }
                (asked, _) => asked.tag().is_some_and(|tag| self.has(deed.key, tag)),
            };
            if !known {
                self.open.insert(deed.key);
                if matches!(deed.asked, Asked::Delete(_)) {
                    self.maybe_gone.insert(deed.key);
                }
            }
        }
    }

    fn has(&self, key: Key, tag: Tag) -> bool {
        self.by_key.get(&key).is_some_and(|changes| changes.values().any(|there| *there == Some(tag)))
    }

    /// How many changes are known.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The version of the start.
    pub(super) fn first(&self) -> Version {
        self.first
    }

    /// Up to here nothing is missing.
    pub(super) fn whole(&self) -> Version {
        self.whole
    }

    /// The greatest version that anybody was told of an object.
    pub(super) fn last(&self) -> Version {
        self.changes.keys().next_back().copied().unwrap_or(self.first)
    }

    /// Whether something may have happened to an object that nobody was told.
    pub(super) fn is_open(&self, key: Key) -> bool {
        self.open.contains(&key)
    }

    /// Whether it may have gone so.
    pub(super) fn may_be_gone(&self, key: Key) -> bool {
        self.maybe_gone.contains(&key)
    }

    /// What the object was at a version, and since which.
    pub(super) fn state(&self, key: Key, version: Version) -> Option<Seen> {
        let changes = self.by_key.get(&key);
        let last = changes.and_then(|changes| changes.range(..=version).next_back());
        match last {
            Some((version, tag)) => tag.map(|tag| Seen { version: *version, tag }),
            None => self.start.get(&key).copied(),
        }
    }

    /// The next change of an object after a version. What it is at the start may be that.
    pub(super) fn after(&self, key: Key, version: Version) -> Option<(Version, Option<Tag>)> {
        if let Some(start) = self.start.get(&key).filter(|start| start.version > version) {
            return Some((start.version, Some(start.tag)));
        }
        let mut later = self.by_key.get(&key)?.range((Excluded(version), Unbounded));
        later.next().map(|(version, tag)| (*version, *tag))
    }

    /// What became of an object after a version.
    pub(super) fn later(&self, key: Key, version: Version) -> impl Iterator<Item = Option<Tag>> + '_ {
        let changes = self.by_key.get(&key).map(|changes| changes.range((Excluded(version), Unbounded)));
        changes.into_iter().flatten().map(|(_, tag)| *tag)
    }

    /// What the object was directly before a version.
    pub(super) fn before(&self, key: Key, version: Version) -> Option<Seen> {
        self.state(key, version.saturating_sub(1))
    }

    /// The changes after `from`, up to `to`.
    pub(super) fn between(&self, from: Version, to: Version) -> impl Iterator<Item = (Version, Change)> + '_ {
        let range = if from < to { (Excluded(from), Included(to)) } else { (Included(to), Excluded(to)) };
        self.changes.range(range).map(|(version, change)| (*version, *change))
    }

    /// All objects at a version.
    pub(super) fn objects(&self, version: Version) -> Objects {
        let keys = self.start.keys().chain(self.by_key.keys()).copied().collect::<BTreeSet<_>>();
        keys.into_iter().filter_map(|key| Some((key, self.state(key, version)?))).collect()
    }

    /// All objects that anybody knows of.
    pub(super) fn keys(&self) -> BTreeSet<Key> {
        self.start.keys().chain(self.by_key.keys()).chain(&self.open).copied().collect()
    }
}

/// How far a watch tells everything from the beginning of a life.
fn reach(watch: &Watch, first: Version) -> Option<Version> {
    let all = watch.selects == Selects::All && watch.from == Some(first);
    let versions = watch.said.iter().map(|(_, said)| match said {
        Said::Event(_, _, seen) => seen.version,
        Said::Bookmark(version) | Said::InitialEnd(version) => *version,
    });
    all.then(|| versions.max().unwrap_or(first))
}
