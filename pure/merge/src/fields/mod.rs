//! Sets of fields: who manages what. The form on the wire is `FieldsV1` (`codec`).

mod back;
mod branch;
mod codec;
mod element;

pub use back::given_back;
pub(crate) use branch::Branch;
pub use codec::DecodeError;
pub use element::{Element, Item, Path};

/// A set of paths. A path may be in the set without those below it, and the other way round.
///
/// It is a tree: no node is empty, except the root of the empty set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    pub(crate) fields: Branch<String>,
    pub(crate) items: Branch<Item>,
}

/// One step below a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The path that ends here is in the set.
    pub(crate) member: bool,
    /// The paths that go on.
    pub(crate) below: FieldSet,
}

impl Entry {
    fn is_empty(&self) -> bool {
        !self.member && self.below.is_empty()
    }

    fn kept(self) -> Option<Entry> {
        (!self.is_empty()).then_some(self)
    }
}

impl FieldSet {
    /// The set of these paths, given as names joined by dots: `metadata.name`.
    pub fn of(paths: &[&str]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path.split('.').map(|name| Element::Field(name.to_owned())).collect::<Vec<_>>());
        }
        set
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.items.is_empty()
    }

    /// Adds a path. The whole object is never in a set: nobody owns it.
    pub fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else { return };
        let entry = self.entry(first);
        if rest.is_empty() {
            entry.member = true;
        } else {
            entry.below.insert(rest);
        }
    }

    /// This path is in the set.
    pub fn has(&self, path: &[Element]) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        let entry = match first {
            Element::Field(name) => self.fields.get(name),
            Element::Item(item) => self.items.get(item),
        };
        entry.is_some_and(|entry| if rest.is_empty() { entry.member } else { entry.below.has(rest) })
    }

    pub(crate) fn entry(&mut self, element: &Element) -> &mut Entry {
        match element {
            Element::Field(name) => self.fields.slot(name.as_str()),
            Element::Item(item) => self.items.slot(item),
        }
    }

    /// Adds all that is in another set.
    pub fn extend(&mut self, other: &FieldSet) {
        extend(&mut self.fields, &other.fields);
        extend(&mut self.items, &other.items);
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &FieldSet) -> FieldSet {
        let mut both = self.clone();
        both.extend(other);
        both
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet) -> FieldSet {
        FieldSet {
            fields: intersection(&self.fields, &other.fields),
            items: intersection(&self.items, &other.items),
        }
    }

    /// What is in this one and not in the other, path by path.
    #[must_use]
    pub fn difference(&self, other: &FieldSet) -> FieldSet {
        FieldSet {
            fields: difference(&self.fields, &other.fields, false),
            items: difference(&self.items, &other.items, false),
        }
    }

    /// Takes out what is in the other, path by path.
    pub fn subtract(&mut self, other: &FieldSet) {
        subtract(&mut self.fields, &other.fields);
        subtract(&mut self.items, &other.items);
    }

    /// What is in this one, and neither in the other nor below a path that is.
    #[must_use]
    pub fn recursive_difference(&self, other: &FieldSet) -> FieldSet {
        FieldSet {
            fields: difference(&self.fields, &other.fields, true),
            items: difference(&self.items, &other.items, true),
        }
    }

    /// The paths below which there is none.
    #[must_use]
    pub fn leaves(&self) -> FieldSet {
        FieldSet { fields: leaves(&self.fields), items: leaves(&self.items) }
    }

    /// Every path: in each node first those that end there, then those that go on.
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn elements(&self) -> impl Iterator<Item = (Element, &Entry)> {
        let fields = self.fields.iter().map(|(name, entry)| (Element::Field(name.clone()), entry));
        fields.chain(self.items.iter().map(|(item, entry)| (Element::Item(item.clone()), entry)))
    }

    fn collect(&self, at: &mut Vec<Element>, paths: &mut Vec<Path>) {
        for (element, _) in self.elements().filter(|(_, entry)| entry.member) {
            let mut path = at.clone();
            path.push(element);
            paths.push(Path(path));
        }
        for (element, entry) in self.elements().filter(|(_, entry)| !entry.below.is_empty()) {
            at.push(element);
            entry.below.collect(at, paths);
            at.pop();
        }
    }
}

fn extend<K: Ord + Clone>(into: &mut Branch<K>, from: &Branch<K>) {
    for (key, entry) in from.iter() {
        match into.get_mut(key) {
            Some(known) => {
                known.member |= entry.member;
                known.below.extend(&entry.below);
            }
            None => into.insert(key.clone(), entry.clone()),
        }
    }
}

fn intersection<K: Ord + Clone>(left: &Branch<K>, right: &Branch<K>) -> Branch<K> {
    let shared = left.iter().filter_map(|(key, left)| Some((key, left, right.get(key)?)));
    let kept = shared.filter_map(|(key, left, right)| {
        let member = left.member && right.member;
        let entry = Entry { member, below: left.below.intersection(&right.below) }.kept()?;
        Some((key.clone(), entry))
    });
    kept.collect()
}

fn difference<K: Ord + Clone>(left: &Branch<K>, right: &Branch<K>, recursive: bool) -> Branch<K> {
    let kept = left.iter().filter_map(|(key, left)| {
        let Some(right) = right.get(key) else { return Some((key.clone(), left.clone())) };
        if recursive && right.member {
            return None;
        }
        let member = left.member && !right.member;
        let below = if recursive {
            left.below.recursive_difference(&right.below)
        } else {
            left.below.difference(&right.below)
        };
        Some((key.clone(), Entry { member, below }.kept()?))
    });
    kept.collect()
}

fn subtract<K: Ord>(left: &mut Branch<K>, right: &Branch<K>) {
    // Of the two, the one to take out is mostly the smaller.
    for (key, right) in right.iter() {
        let Some(entry) = left.get_mut(key) else { continue };
        entry.member &= !right.member;
        entry.below.subtract(&right.below);
        if entry.is_empty() {
            left.remove(key);
        }
    }
}

fn leaves<K: Ord + Clone>(branch: &Branch<K>) -> Branch<K> {
    let leaf =
        |entry: &Entry| Entry { member: entry.member && entry.below.is_empty(), below: entry.below.leaves() };
    branch.iter().map(|(key, entry)| (key.clone(), leaf(entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &FieldSet, expected: &[&str]) {
        let paths: Vec<_> = set.paths().iter().map(ToString::to_string).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn a_path_does_not_bring_those_above_or_below_it() {
        let set = FieldSet::of(&["a.b", "c"]);
        check(&set, &[".c", ".a.b"]);
        assert!(set.has(&Path::of(&["a", "b"]).0) && !set.has(&Path::of(&["a"]).0));
        assert!(!set.has(&[]));
    }

    #[test]
    fn difference_is_path_by_path_unless_recursive() {
        let set = FieldSet::of(&["a", "a.b", "c.d"]);
        check(&set.difference(&FieldSet::of(&["a", "c"])), &[".a.b", ".c.d"]);
        check(&set.recursive_difference(&FieldSet::of(&["a", "c"])), &[]);
        check(&set.recursive_difference(&FieldSet::of(&["a.b"])), &[".a", ".c.d"]);
    }

    #[test]
    fn taking_out_is_the_difference() {
        let set = FieldSet::of(&["a", "a.b", "c.d", "e"]);
        for other in [&["a", "c.d"][..], &["a.b", "x", "e"], &["c"], &[]] {
            let other = FieldSet::of(other);
            let mut rest = set.clone();
            rest.subtract(&other);
            assert_eq!(rest, set.difference(&other));
        }
    }

    #[test]
    fn union_and_intersection() {
        let (left, right) = (FieldSet::of(&["a", "b.c"]), FieldSet::of(&["a.b", "b.c"]));
        check(&left.union(&right), &[".a", ".a.b", ".b.c"]);
        check(&left.intersection(&right), &[".b.c"]);
    }

    #[test]
    fn leaves_have_nothing_below() {
        check(&FieldSet::of(&["a", "a.b", "c"]).leaves(), &[".c", ".a.b"]);
    }
}
