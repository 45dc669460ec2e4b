//! What is asked of who knows all targets, and what is said. How steps are done is in [`crate::steps`].

use crate::state::Names;
use crate::target::Target;

/// Which targets there are. It can be asked as often as one likes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Survey;

/// All targets; or why that is not known.
pub type Reply<N> = Result<Vec<Candidate<N>>, String>;

/// A target, and how much is on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate<N: Names> {
    /// The target.
    pub target: Target<N>,
    /// So many namespaces are to be on it.
    pub load: u32,
}
