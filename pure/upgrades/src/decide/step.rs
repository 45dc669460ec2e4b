//! The words of decisions.

use std::fmt;

use crate::state::{Names, Phase};

/// A step. Each but [`Step::Look`] is one guarded write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<N: Names> {
    /// Put our finalizer on the group.
    Hold,
    /// Take our finalizer off.
    LetGo,
    /// See how the leases stand.
    Look,
    /// Record which version serves in the beginning.
    Found,
    /// Give a member its place in the group.
    Enroll(N::Member),
    /// Record that a member's lease has lapsed, and act on it.
    Lose(N::Member),
    /// Record that a member is back.
    Return(N::Member),
    /// Record that a member's software cannot be kept alive, and act on it.
    Crash(N::Member),
    /// Record that a member's software works again.
    Recover(N::Member),
    /// Let the version that was rolled back be tried again: the spec has changed.
    Pardon,
    /// Take a member out of the group that is no more.
    Drop(N::Member),
    /// Tell a member what it is to do.
    Tell(N::Member),
    /// Take our finalizer off a member.
    Dismiss(N::Member),
    /// Take devices from masters that cannot be theirs any more.
    Release,
    /// Give devices that nobody acts for to masters.
    Give,
    /// Answer a command that cannot be done.
    Refuse,
    /// Record on the cluster that it is upgraded.
    Enter,
    /// Give up the attempt that was entered for and has not begun.
    GiveUp,
    /// Record on the cluster that it is not any more.
    Leave,
    /// Begin an upgrade.
    Initialize,
    /// Take a member in hand.
    Take(N::Member),
    /// Let the member in hand run its other version.
    Move,
    /// Let the member in hand join those of its version.
    Join,
    /// Let the new version serve.
    Run,
    /// End the upgrade.
    Commit,
    /// Go back.
    Rollback,
    /// Let the old version serve again.
    SwitchBack,
    /// Let the other version serve, because everybody of the one that served was struck.
    FailOver,
    /// Go on after all.
    Forward,
    /// End an upgrade that was rolled back.
    Reset,
    /// Count a lost member no more.
    Forget(N::Member),
}

impl<N: Names> fmt::Display for Step<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Hold => f.write_str("hold the group"),
            Step::LetGo => f.write_str("let the group go"),
            Step::Look => f.write_str("see how the leases stand"),
            Step::Found => f.write_str("record the version to begin with"),
            Step::Enroll(member) => write!(f, "enroll {member}"),
            Step::Lose(member) => write!(f, "record that {member} is lost"),
            Step::Return(member) => write!(f, "record that {member} is back"),
            Step::Crash(member) => write!(f, "record that {member} has crashed"),
            Step::Recover(member) => write!(f, "record that {member} works again"),
            Step::Pardon => f.write_str("let the version be tried again that was rolled back"),
            Step::Drop(member) => write!(f, "take {member} out of the group"),
            Step::Tell(member) => write!(f, "tell {member} what to do"),
            Step::Dismiss(member) => write!(f, "let {member} go"),
            Step::Release => f.write_str("take devices from their masters"),
            Step::Give => f.write_str("give devices to masters"),
            Step::Refuse => f.write_str("refuse a command"),
            Step::Enter => f.write_str("keep updates off the cluster"),
            Step::GiveUp => f.write_str("give up what has not begun"),
            Step::Leave => f.write_str("let updates on the cluster"),
            Step::Initialize => f.write_str("begin the upgrade"),
            Step::Take(member) => write!(f, "take {member} in hand"),
            Step::Move => f.write_str("let the member in hand change its version"),
            Step::Join => f.write_str("let the member in hand join its version"),
            Step::Run => f.write_str("let the new version serve"),
            Step::Commit => f.write_str("commit the upgrade"),
            Step::Rollback => f.write_str("roll the upgrade back"),
            Step::SwitchBack => f.write_str("let the old version serve again"),
            Step::FailOver => f.write_str("let the version serve that works"),
            Step::Forward => f.write_str("go on with the upgrade"),
            Step::Reset => f.write_str("end what was rolled back"),
            Step::Forget(member) => write!(f, "forget {member}"),
        }
    }
}

/// What is waited for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wait<N: Names> {
    /// A spec that can be: a version that it begins with.
    Spec,
    /// Somebody to join.
    Members,
    /// A member to let go of its devices.
    LetsGo(N::Member),
    /// A member to finish what it has begun.
    Drains(N::Member),
    /// A member to work at a version.
    Healthy(N::Member, N::Version),
    /// A member to stop.
    Stops(N::Member),
    /// A node of the serving version that works, for devices without a master.
    Master,
    /// What stands against what is wanted.
    Against(Refusal<N>),
    /// The time to pass that it is watched before it is committed.
    Soak,
    /// A person to say how it goes on.
    Person(Phase),
    /// The hub to trust itself.
    Trust,
    /// Nothing; the leases are looked at again.
    NextLook,
}

/// Why something cannot be done now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal<N: Names> {
    /// It is for another phase.
    Phase(Phase),
    /// The verb needs a member.
    NoMember,
    /// There is no such member.
    Unknown(N::Member),
    /// There is no version after this one.
    LastVersion(N::Version),
    /// A version that is not the next one is wanted, and which one is.
    Skips(N::Version, N::Version),
    /// A version that was rolled back is wanted still.
    HasFailed(N::Version),
    /// Nobody is there.
    Nobody,
    /// A member has another version than the one that serves.
    Differs(N::Member),
    /// A lost member was last seen with another version.
    LostElsewhere(N::Member),
    /// The cluster is not there.
    NoCluster,
    /// The cluster is being updated.
    Updates,
    /// Another group on the cluster is being upgraded.
    OtherGroup,
    /// No member could be moved without interrupting the service.
    Interrupts,
    /// A member is in hand.
    InHand(N::Member),
    /// A member is lost.
    IsLost(N::Member),
    /// A member is not lost.
    IsNotLost(N::Member),
    /// A lost member is master of something that nobody can have been given yet.
    IsMaster(N::Member),
    /// A member is being deleted.
    Goes(N::Member),
    /// A member has that version already.
    IsThere(N::Member, N::Version),
    /// So many are unavailable already, of so many that may be.
    Unavailable(u32, u32),
    /// The member that was moved last does not work yet.
    LastIsNotWell(N::Member),
    /// Without this member the serving version would not have a quorum, or nobody.
    Needed(N::Member),
    /// A version cannot serve: it has nobody who works, or a partition has too few.
    CannotServe(N::Version),
    /// A member is not at a version that all have to be at.
    NotAll(N::Member, N::Version),
    /// The old version works: there is a way back.
    OldWorks,
    /// The new version has nobody who works.
    NewDoesNot,
    /// Something was upgraded already.
    Begun,
}
