//! What tells the items of a list apart, with an order: who looks an item up does not pass by all the others.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::value::compare;

/// The value of an item's merge key; of a set, the item itself. Whole floats equal integers.
#[derive(Clone, Debug)]
pub(super) struct Identity<'a>(Cow<'a, Value>);

impl<'a> Identity<'a> {
    /// Of an item; none if it is not a map with the key. The key of a set is empty.
    pub(super) fn of(item: &'a Value, key: &str) -> Option<Identity<'a>> {
        if key.is_empty() { Some(Identity::by(item)) } else { item.get(key).map(Identity::by) }
    }

    /// With this value of the key.
    pub(super) fn by(value: &'a Value) -> Identity<'a> {
        Identity(Cow::Borrowed(value))
    }

    /// The same, for longer than the value is there.
    pub(super) fn owned<'b>(self) -> Identity<'b> {
        Identity(Cow::Owned(self.0.into_owned()))
    }
}

impl Ord for Identity<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        #[cfg(test)]
        super::tests::COMPARED.set(super::tests::COMPARED.get() + 1);
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Identity<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Identity<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Identity<'_> {}

/// Where the first item of each identity is in a list.
pub(super) struct Places<'a> {
    first: BTreeMap<Identity<'a>, usize>,
    key: &'a str,
}

impl<'a> Places<'a> {
    pub(super) fn of(list: &'a [Value], key: &'a str) -> Places<'a> {
        let mut first = BTreeMap::new();
        for (index, item) in list.iter().enumerate() {
            if let Some(identity) = Identity::of(item, key) {
                first.entry(identity).or_insert(index);
            }
        }
        Places { first, key }
    }

    /// The place of the first item that is the same.
    pub(super) fn get(&self, item: &Value) -> Option<usize> {
        self.first.get(&Identity::of(item, self.key)?).copied()
    }
}
