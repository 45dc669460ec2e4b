//! The steps below one node of a set: a sorted list. Most nodes have few, and most are made in order; a tree for
//! each would spend most of the time of a write on memory. A long list into whose middle something comes does become
//! one: to move all that stands behind, each time, would take minutes.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use super::Entry;

/// So many are moved without a thought.
const FEW: usize = 64;

/// Entries by key.
#[derive(Clone, Debug)]
pub(crate) struct Branch<K>(Steps<K>);

/// A long list only ever grows at its end.
#[derive(Clone, Debug)]
enum Steps<K> {
    List(Vec<(K, Entry)>),
    Tree(BTreeMap<K, Entry>),
}

impl<K> Default for Branch<K> {
    fn default() -> Self {
        Branch(Steps::List(Vec::new()))
    }
}

/// However it is kept.
impl<K: Ord> PartialEq for Branch<K> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Ord> Eq for Branch<K> {}

fn find<K: Borrow<Q>, Q: Ord + ?Sized>(list: &[(K, Entry)], key: &Q) -> Result<usize, usize> {
    match list.last() {
        Some((last, _)) if last.borrow() >= key => {
            list.binary_search_by(|(known, _)| known.borrow().cmp(key))
        }
        _ => Err(list.len()),
    }
}

impl<K: Ord> Branch<K> {
    pub(crate) fn is_empty(&self) -> bool {
        match &self.0 {
            Steps::List(list) => list.is_empty(),
            Steps::Tree(tree) => tree.is_empty(),
        }
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&Entry>
    where
        K: Borrow<Q>,
    {
        match &self.0 {
            Steps::List(list) => find(list, key).ok().map(|index| &list[index].1),
            Steps::Tree(tree) => tree.get(key),
        }
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut Entry>
    where
        K: Borrow<Q>,
    {
        match &mut self.0 {
            Steps::List(list) => find(list, key).ok().map(|index| &mut list[index].1),
            Steps::Tree(tree) => tree.get_mut(key),
        }
    }

    /// The entry of a key, which is copied for a new one only.
    pub(crate) fn slot<Q: Ord + ToOwned<Owned = K> + ?Sized>(&mut self, key: &Q) -> &mut Entry
    where
        K: Borrow<Q>,
    {
        self.make_room(key);
        match &mut self.0 {
            Steps::List(list) => {
                let index = find(list, key).unwrap_or_else(|index| {
                    list.insert(index, (key.to_owned(), Entry::default()));
                    index
                });
                &mut list[index].1
            }
            Steps::Tree(tree) => tree.entry(key.to_owned()).or_default(),
        }
    }

    pub(crate) fn insert(&mut self, key: K, entry: Entry) {
        self.make_room(&key);
        match &mut self.0 {
            Steps::List(list) => match find(list, &key) {
                Ok(index) => list[index].1 = entry,
                Err(index) => list.insert(index, (key, entry)),
            },
            Steps::Tree(tree) => drop(tree.insert(key, entry)),
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        match &mut self.0 {
            Steps::List(list) => match find(list, key) {
                Ok(index) if list.len() - index <= FEW => drop(list.remove(index)),
                Ok(_) => {
                    self.grow();
                    self.remove(key);
                }
                Err(_) => {}
            },
            Steps::Tree(tree) => drop(tree.remove(key)),
        }
    }

    /// Many would have to move for a new key: then it becomes a tree.
    fn make_room<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Steps::List(list) = &self.0
            && list.len() > FEW
            && find(list, key).is_err_and(|index| list.len() - index > FEW)
        {
            self.grow();
        }
    }

    fn grow(&mut self) {
        if let Steps::List(list) = &mut self.0 {
            self.0 = Steps::Tree(std::mem::take(list).into_iter().collect());
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &Entry)> {
        let (list, tree) = match &self.0 {
            Steps::List(list) => (Some(list), None),
            Steps::Tree(tree) => (None, Some(tree)),
        };
        let list = list.into_iter().flatten().map(|(key, entry)| (key, entry));
        list.chain(tree.into_iter().flatten())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut Entry)> {
        let (list, tree) = match &mut self.0 {
            Steps::List(list) => (Some(list), None),
            Steps::Tree(tree) => (None, Some(tree)),
        };
        let list = list.into_iter().flatten().map(|(key, entry)| (&*key, entry));
        list.chain(tree.into_iter().flatten())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(branch: &Branch<u32>) -> Vec<u32> {
        branch.iter().map(|(key, _)| *key).collect()
    }

    fn is_tree(branch: &Branch<u32>) -> bool {
        matches!(branch.0, Steps::Tree(_))
    }

    #[test]
    fn what_comes_in_order_is_a_list_and_what_does_not_is_a_tree_when_it_is_long() {
        let sorted: Branch<u32> = (0..1000).map(|key| (key, Entry::default())).collect();
        assert!(!is_tree(&sorted));
        let mut slots = Branch::default();
        (0..1000).rev().for_each(|key: u32| drop(std::mem::take(slots.slot(&key))));
        let mut inserted = Branch::default();
        (0..1000).rev().for_each(|key: u32| inserted.insert(key, Entry::default()));
        assert!(is_tree(&slots) && is_tree(&inserted));
        assert!(sorted == slots && sorted == inserted);
        assert_eq!(keys(&slots), keys(&sorted));
        let mut few = Branch::default();
        (0..50).rev().for_each(|key: u32| few.insert(key, Entry::default()));
        assert!(!is_tree(&few) && few != sorted);
    }

    #[test]
    fn what_is_taken_out_is_gone_however_it_is_kept() {
        let mut branch: Branch<u32> = (0..1000).map(|key| (key, Entry::default())).collect();
        branch.remove(&999);
        branch.remove(&5000);
        assert!(!is_tree(&branch));
        (0..990).for_each(|key| branch.remove(&key));
        assert!(is_tree(&branch));
        assert_eq!(keys(&branch), (990..999).collect::<Vec<_>>());
        assert!(branch.get(&5).is_none() && branch.get(&990).is_some());
        branch.iter_mut().for_each(|(_, entry)| entry.member = true);
        assert!(branch.get_mut(&998).is_some_and(|entry| entry.member));
        (990..999).for_each(|key| branch.remove(&key));
        assert!(branch.is_empty());
    }
}
