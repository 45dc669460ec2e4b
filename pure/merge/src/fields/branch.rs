//! The steps below one node of a set: a sorted list. Most nodes have few, and most are made in order; a tree for
//! each would spend most of the time of a write on memory.

use std::borrow::Borrow;

use super::Entry;

/// Entries by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch<K>(Vec<(K, Entry)>);

impl<K> Default for Branch<K> {
    fn default() -> Self {
        Branch(Vec::new())
    }
}

impl<K: Ord> Branch<K> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        match self.0.last() {
            Some((last, _)) if last.borrow() >= key => {
                self.0.binary_search_by(|(known, _)| known.borrow().cmp(key))
            }
            _ => Err(self.0.len()),
        }
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&Entry>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|index| &self.0[index].1)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut Entry>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|index| &mut self.0[index].1)
    }

    /// The entry of a key, which is copied for a new one only.
    pub(crate) fn slot<Q: Ord + ToOwned<Owned = K> + ?Sized>(&mut self, key: &Q) -> &mut Entry
    where
        K: Borrow<Q>,
    {
        let index = self.find(key).unwrap_or_else(|index| {
            self.0.insert(index, (key.to_owned(), Entry::default()));
            index
        });
        &mut self.0[index].1
    }

    pub(crate) fn insert(&mut self, key: K, entry: Entry) {
        match self.find(&key) {
            Ok(index) => self.0[index].1 = entry,
            Err(index) => self.0.insert(index, (key, entry)),
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Ok(index) = self.find(key) {
            self.0.remove(index);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &Entry)> {
        self.0.iter().map(|(key, entry)| (key, entry))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut Entry)> {
        self.0.iter_mut().map(|(key, entry)| (&*key, entry))
    }
}

/// Of entries that come sorted, as those of another branch do.
impl<K: Ord> FromIterator<(K, Entry)> for Branch<K> {
    fn from_iter<I: IntoIterator<Item = (K, Entry)>>(entries: I) -> Self {
        let mut branch = Branch::default();
        entries.into_iter().for_each(|(key, entry)| branch.insert(key, entry));
        branch
    }
}
