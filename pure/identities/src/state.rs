//! The objects of the protocol, on the hub.

use std::fmt;
use std::hash::Hash;

use bowline_control::{Millis, Version};

/// What names, documents and wishes are made of: text where it runs, small numbers where it is explored.
pub trait Names: Clone + Eq + Hash + fmt::Debug {
    /// An identity, with its namespace.
    type Name: Clone + Ord + Hash + fmt::Debug;
    /// A service account, with its namespace.
    type Account: Clone + Ord + Hash + fmt::Debug;
    /// A cluster.
    type Cluster: Clone + Ord + Hash + fmt::Debug;
    /// What tells an object from one that had its name before.
    type Uid: Clone + Ord + Hash + fmt::Debug;
    /// The name that AWS gives to a policy or a role.
    type Arn: Clone + Ord + Hash + fmt::Debug;
    /// A policy's or a trust policy's document, in a form in which the same meaning is equal.
    type Document: Clone + Eq + Hash + fmt::Debug;
    /// What a person wants of the policy and the role.
    type Grant: Clone + Eq + Hash + fmt::Debug;
    /// Who signs the tokens of a cluster's service accounts.
    type Issuer: Clone + Eq + Hash + fmt::Debug;
    /// Words for people.
    type Text: Clone + Eq + Hash + fmt::Debug + for<'a> From<&'a str> + AsRef<str>;
    /// What the hub knows of itself and of AWS.
    type Home: Clone + Eq + fmt::Debug;

    /// What is wanted in AWS: by what a person wants, for an account that these issuers sign for; or why that cannot be.
    ///
    /// # Errors
    /// What is wrong, where, and what to do.
    fn wanted(
        home: &Self::Home,
        identity: &Identity<Self>,
        issuers: &[Self::Issuer],
    ) -> Result<Wanted<Self>, Self::Text>;

    /// Who signs the tokens of accounts that are where the identity is.
    fn issuer(home: &Self::Home) -> Self::Issuer;

    /// What AWS calls, or will call, the policy of an identity.
    fn policy_arn(home: &Self::Home, name: &Self::Name) -> Self::Arn;

    /// Whether the policy or the role of an identity is called so as long as the hub is called as it is.
    fn is_called(home: &Self::Home, name: &Self::Name, arn: &Self::Arn) -> bool;

    /// An identity, for people.
    fn name(name: &Self::Name) -> String;

    /// An ARN, for people.
    fn arn(arn: &Self::Arn) -> String;

    /// A cluster, for people.
    fn cluster(cluster: &Self::Cluster) -> String;

    /// An account, for people.
    fn account(account: &Self::Account) -> String;
}

/// What a service account may do in the cloud (`IamRoleServiceAccount`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity<N: Names> {
    /// Its name.
    pub name: N::Name,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// How often what is wanted of it has changed.
    pub generation: u64,
    /// It is being deleted.
    pub deleting: bool,
    /// It has our finalizer.
    pub held: bool,
    /// What people want of it.
    pub wish: Wish<N>,
    /// The one truth of the protocol.
    pub status: Status<N>,
    /// What people are told beside that; `None` if nobody has looked.
    pub told: Option<Told<N>>,
}

/// What people want of an identity.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wish<N: Names> {
    /// The permissions.
    pub grant: N::Grant,
    /// The account that has them.
    pub account: N::Account,
    /// The clusters whose accounts of that name have them, in order and each once; empty: the one where the identity is.
    pub clusters: Vec<N::Cluster>,
    /// What is there already, and is not ours, is taken over.
    pub adopts: bool,
    /// What is in AWS is left there when the identity is deleted.
    pub orphans: bool,
}

/// The one truth about an identity.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Status<N: Names> {
    /// When something was first going to be made in AWS, by the clock on the wall. What was sent may arrive late.
    pub intent: Option<Millis>,
    /// The policy, when all was as it should be.
    pub policy: Option<N::Arn>,
    /// The role, when all was as it should be.
    pub role: Option<N::Arn>,
    /// Since when the role has been complete, by the clock on the wall.
    pub complete: Option<Millis>,
    /// The role can be assumed.
    pub ready: bool,
    /// Where an account is published, was, or is going to be; `None` is where the identity is.
    pub published: Vec<Spot<N>>,
}

/// Where an account is: a cluster, or `None` where the identity is; and its name there.
pub type Spot<N> = (Option<<N as Names>::Cluster>, <N as Names>::Account);

impl<N: Names> Default for Status<N> {
    fn default() -> Status<N> {
        Status { intent: None, policy: None, role: None, complete: None, ready: false, published: Vec::new() }
    }
}

/// What people are told of an identity beside its status.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Told<N: Names> {
    /// In a word.
    pub mood: Mood,
    /// In a sentence: what it waits for, or what is wrong, and what to do.
    pub words: N::Text,
    /// For which generation.
    pub observed: u64,
}

/// How an identity stands, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mood {
    /// All is as it should be.
    Well,
    /// Something is under way, and waits.
    Waiting,
    /// A step did not work, and is tried again.
    Failing,
    /// It needs a person.
    Stalled,
}

impl Mood {
    /// All of them.
    pub const ALL: [Mood; 4] = [Mood::Well, Mood::Waiting, Mood::Failing, Mood::Stalled];
}

/// What is wanted in AWS.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted<N: Names> {
    /// What the policy says; `None` if there is to be none.
    pub policy: Option<N::Document>,
    /// Who may assume the role.
    pub trust: N::Document,
    /// What the role may do at most.
    pub boundary: Option<N::Arn>,
    /// Other people's policies that the role has, in order and each once.
    pub managed: Vec<N::Arn>,
}

/// A service account on the hub.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Account<N: Names> {
    /// Its name.
    pub name: N::Account,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// The identity that it says it is of, and which of that name.
    pub of: Option<(N::Name, N::Uid)>,
    /// The role that it says it has.
    pub role: Option<N::Arn>,
}

/// What is left of identities that were deleted (see `docs/adr/0018`): what they had sent may still arrive in AWS.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tombstone<N: Names> {
    /// The identity's name.
    pub name: N::Name,
    /// Which of those that had the tombstone's name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// Which identities of that name, the latest last.
    pub of: Vec<N::Uid>,
    /// When the latest was let go, by the clock on the wall.
    pub at: Millis,
    /// How often it was looked for what arrived since.
    pub sweeps: u8,
}

/// A cluster, as far as identities know it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cluster<N: Names> {
    /// Its name.
    pub name: N::Cluster,
    /// Which of those that had that name.
    pub uid: N::Uid,
    /// The version of its last change.
    pub version: Version,
    /// Who signs the tokens of its accounts, if it says so.
    pub issuer: Option<N::Issuer>,
}
