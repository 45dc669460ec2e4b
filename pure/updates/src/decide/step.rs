//! The words of decisions.

use std::fmt;

use crate::state::Number;

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Put our finalizer on the stack.
    Hold,
    /// Take our finalizer off.
    LetGo,
    /// Keep nothing for the stack any more.
    Forget,
    /// Act for the stack from now on.
    TakeOver,
    /// Give every new update its number.
    Number,
    /// Take back versions whose update is gone.
    Cancel,
    /// Queue a version, or reject it.
    Judge(Number, Option<Objection>),
    /// Show in its update what is known of a version.
    Show(Number),
    /// Delete an update that ended long ago.
    Discard(Number),
    /// Take the cluster, beside other stacks.
    Enter,
    /// Leave the cluster to others.
    Leave,
    /// Begin to plan a version.
    Start(Number),
    /// Begin to apply a version.
    Begin(Number),
    /// End a version that changed nothing.
    Fail(Number, Fault),
    /// Begin to put the last good version back.
    BackOut(Fault),
    /// Begin to put the last good version back, because the cluster is not as it should be.
    Mend,
    /// Record what is going to be touched, or is not wanted any more.
    Record(Aim),
    /// End a version that is on the cluster, and healthy.
    Succeed,
    /// End a version whose place the last good one has taken again.
    Restored,
    /// Give up putting the last good version back, for now.
    Stall(Fault),
    /// Fetch a content, and what was touched.
    Fetch(Aim),
    /// Take what is going to be touched into safe keeping.
    Store(Aim),
    /// Look at the cluster.
    Look(Aim),
    /// Write to the cluster.
    Write(Aim),
}

/// What is to be on the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aim {
    /// A version.
    Version(Number),
    /// The last good version, or nothing if there is none.
    LastGood,
}

/// Why a version is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objection {
    /// There is no such cluster.
    NoCluster,
    /// The stack's namespace may not use the cluster.
    NotAllowed,
    /// The cluster is the hub itself, and does not say by name who may use it.
    Exposed,
    /// Too many versions of its namespace wait on the cluster.
    Waiting,
    /// Too many versions came in an hour.
    Hourly,
    /// Its content failed before.
    Quarantined,
    /// Its content is not there, or cannot be read.
    BadContent,
}

/// Why a version failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// Its content is not there any more, or cannot be read.
    BadContent,
    /// An object is refused.
    Refused,
    /// Its plan is not the one that was asked for.
    OtherPlan,
    /// It deletes too much.
    Deletions,
    /// Something did not become healthy in time.
    Timeout,
    /// Something is ill, and will be.
    Ill,
    /// The cluster could not try an object.
    Untried,
    /// Writes failed again and again.
    Tries,
    /// Whoever applied it was lost, twice.
    Lost,
    /// The stack is deleted.
    Deleted,
    /// The cluster is gone.
    NoCluster,
    /// The stack's namespace may not use the cluster any more.
    NotAllowed,
    /// The cluster is the hub itself, and does not say by name who may use it.
    Exposed,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// The stack.
    ItsStack,
    /// The cluster.
    ItsCluster,
    /// That the cluster can be used.
    ClusterReady,
    /// That versions may be started on the stack.
    Unpaused,
    /// That versions may be started on the cluster.
    ClusterUnpaused,
    /// That the cluster is gone.
    ClusterGone,
    /// The end of an upgrade.
    Upgrade,
    /// That the cluster can try every object.
    Trial,
    /// That everything is healthy.
    Health,
    /// That nothing of an earlier worker can arrive any more.
    Quiet,
    /// A person, or the time of the next try.
    Person,
    /// The time of the next look.
    NextLook,
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::Version(number) => write!(f, "version {number}"),
            Aim::LastGood => f.write_str("the last good version"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Hold => f.write_str("hold the stack"),
            Step::LetGo => f.write_str("let the stack go"),
            Step::Forget => f.write_str("keep nothing for the stack any more"),
            Step::TakeOver => f.write_str("take the stack over"),
            Step::Number => f.write_str("number the new updates"),
            Step::Cancel => f.write_str("take back what nobody asks for any more"),
            Step::Judge(number, None) => write!(f, "queue version {number}"),
            Step::Judge(number, Some(why)) => write!(f, "reject version {number} ({why:?})"),
            Step::Show(number) => write!(f, "show how far version {number} has come"),
            Step::Discard(number) => write!(f, "delete the update of version {number}, which ended long ago"),
            Step::Enter => f.write_str("take the cluster"),
            Step::Leave => f.write_str("leave the cluster"),
            Step::Start(number) => write!(f, "start version {number}"),
            Step::Begin(number) => write!(f, "begin to apply version {number}"),
            Step::Fail(number, why) => write!(f, "fail version {number} ({why:?})"),
            Step::BackOut(why) => write!(f, "roll back ({why:?})"),
            Step::Mend => f.write_str("mend what is not as it should be"),
            Step::Record(aim) => write!(f, "record what is touched for {aim}"),
            Step::Succeed => f.write_str("succeed"),
            Step::Restored => f.write_str("end the rollback"),
            Step::Stall(why) => write!(f, "give up the rollback ({why:?})"),
            Step::Fetch(aim) => write!(f, "fetch {aim}"),
            Step::Store(aim) => write!(f, "keep what is touched for {aim}"),
            Step::Look(aim) => write!(f, "look at the cluster for {aim}"),
            Step::Write(aim) => write!(f, "write {aim} to the cluster"),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wait::ItsStack => "its stack, which is not there",
            Wait::ItsCluster => "its cluster, which is not there",
            Wait::ClusterReady => "its cluster to be ready",
            Wait::Unpaused => "its stack to be resumed",
            Wait::ClusterUnpaused => "its cluster to be resumed",
            Wait::ClusterGone => "its cluster, which is being deleted, to be gone",
            Wait::Trial => "the cluster to say whether it takes every object",
            Wait::Upgrade => "the upgrade of its cluster to end",
            Wait::Health => "everything to become healthy",
            Wait::Quiet => "late writes, if there are any, before a last look",
            Wait::Person => "somebody to mend what keeps the last good version from its place",
            Wait::NextLook => "the time of the next look",
        })
    }
}
