//! What is in AWS, as it is read there.

use crate::state::Names;

/// What the tags of something in AWS say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Whose<Uid> {
    /// It is of an identity of this name on this hub; of this very one.
    Ours(Uid),
    /// Anything else.
    Theirs,
}

/// A policy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Policy<N: Names> {
    /// Its name in AWS.
    pub arn: N::Arn,
    /// Whose it is.
    pub whose: Whose<N::Uid>,
    /// What its default version says.
    pub document: N::Document,
    /// The number of its default version.
    pub default: u32,
    /// Its other versions, the oldest first.
    pub others: Vec<u32>,
    /// What it is attached to beside the role of that name, for people. Asked only when it is to go.
    pub held_by: Vec<N::Text>,
}

/// A role.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Role<N: Names> {
    /// Its name in AWS.
    pub arn: N::Arn,
    /// Whose it is.
    pub whose: Whose<N::Uid>,
    /// Who may assume it.
    pub trust: N::Document,
    /// What it may do at most.
    pub boundary: Option<N::Arn>,
    /// The policies that it has, in order and each once.
    pub attached: Vec<N::Arn>,
    /// The names of the policies that are written into it, in order: others have done that, we never do.
    pub inline: Vec<N::Text>,
    /// What keeps it from going, and is not ours: instance profiles; for people. Asked only when it is to go.
    pub held_by: Vec<N::Text>,
}

impl<N: Names> Policy<N> {
    /// Whether it is of an identity of this name.
    pub(crate) fn is_ours(&self) -> bool {
        self.whose != Whose::Theirs
    }
}

impl<N: Names> Role<N> {
    /// Whether it is of an identity of this name.
    pub(crate) fn is_ours(&self) -> bool {
        self.whose != Whose::Theirs
    }
}

/// An account on another cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Published<N: Names> {
    /// Whose it says that it is.
    pub holder: Holder<N>,
    /// The role that it says it has.
    pub role: Option<N::Arn>,
}

/// Whose an account on another cluster says that it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Holder<N: Names> {
    /// The identity's.
    Itself,
    /// Another identity's, of the same hub.
    Another(N::Name),
    /// Anybody else's.
    Others,
}

impl<N: Names> Published<N> {
    /// Whether it is of the identity.
    pub(crate) fn is_ours(&self) -> bool {
        self.holder == Holder::Itself
    }
}
