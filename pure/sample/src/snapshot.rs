//! What the objects of a key come to.

use crate::state::{Half, Names, Object, Pair, Side};

/// A pair, and what lies at the names of its halves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The pair, if it is there.
    pub pair: Option<Pair<N>>,
    /// What lies at the names of its halves, whosever it is.
    pub halves: [Option<Half<N>>; 2],
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(key: &N::Name, objects: &[&Object<N>]) -> Snapshot<N> {
        let mut snapshot = Snapshot { pair: None, halves: [None, None] };
        for object in objects {
            match object {
                Object::Pair(pair) => snapshot.pair = Some(pair.clone()),
                Object::Half(half) if half.pair == *key => {
                    snapshot.halves[half.side as usize] = Some(half.clone());
                }
                Object::Half(_) => {}
            }
        }
        snapshot
    }

    /// What lies at the name of a half.
    pub fn half(&self, side: Side) -> Option<&Half<N>> {
        self.halves[side as usize].as_ref()
    }
}
