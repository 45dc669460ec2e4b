//! What is asked of the outside, and what it says. How steps are done is in [`crate::steps`].

use std::sync::Arc;

use crate::inventory::Inventory;
use crate::plan::{Deed, Sight, Sights};
use crate::snapshot::Fetched;
use crate::state::Names;

/// What is asked of the outside. All of it can be asked twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<N: Names> {
    /// For which stack.
    pub stack: N::Stack,
    /// Which of that name.
    pub uid: N::Uid,
    /// On which cluster.
    pub cluster: N::Cluster,
    /// Which of that name: what is meant for one is not done on another. `None` if there was none.
    pub on: Option<N::Uid>,
    /// In which attempt.
    pub attempt: u64,
    /// What.
    pub what: Ask<N>,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask<N: Names> {
    /// A content, and an inventory. The content is taken into safe keeping.
    Fetch {
        /// The content; `None` if nothing is wanted.
        content: Option<N::Digest>,
        /// The inventory that is recorded.
        inventory: Option<N::Digest>,
    },
    /// To take an inventory into safe keeping.
    Store(Arc<Inventory<N>>),
    /// To keep nothing for the stack any more.
    Forget,
    /// To look at everything that is wanted, was touched, or says that it is the stack's; and to try what is wanted,
    /// without doing it.
    Look {
        /// The content; `None` if nothing is wanted.
        digest: Option<N::Digest>,
        /// What it wants.
        content: Arc<crate::Content<N>>,
        /// What was touched.
        inventory: Arc<Inventory<N>>,
    },
    /// To do this on the cluster, in any order, each guarded by what was read.
    Write(Vec<Deed<N>>),
}

/// What the outside says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply<N: Names> {
    /// What was asked for.
    Fetched {
        /// The content, if one was asked for.
        fetched: Option<Fetched<N>>,
        /// The inventory, if one was asked for.
        inventory: Option<Arc<Inventory<N>>>,
    },
    /// It is in safe keeping.
    Stored(Arc<Inventory<N>>),
    /// Nothing is kept any more.
    Forgotten,
    /// What was seen.
    Seen {
        /// In which attempt it was asked for.
        attempt: u64,
        /// Which cluster was to be looked at.
        on: Option<N::Uid>,
        /// Its generation then.
        generation: u64,
        /// For which content.
        digest: Option<N::Digest>,
        /// The namespace of the stack may use the cluster.
        allowed: bool,
        /// What.
        sights: Arc<Sights<N>>,
    },
    /// What became of each deed.
    Written {
        /// In which attempt it was asked for.
        attempt: u64,
        /// By place.
        outcomes: Vec<(N::Place, Outcome<N>)>,
    },
    /// It could not be done, in words for people.
    Failed(String),
}

/// What became of a deed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<N: Names> {
    /// It was done, and this is there now.
    Is(Box<Sight<N>>),
    /// What it rests on is not so any more.
    Outdated,
    /// It is refused, and will be again.
    Refused(N::Text),
    /// It may have been done or not, or could not be done now.
    Unknown(String),
}
