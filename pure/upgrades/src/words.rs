//! What people are told, in words: what is waited for, why something is refused, and what to do.

use std::fmt;

use crate::decide::{Case, Refusal, Wait};
use crate::state::{Command, Names, Phase, SeatState, Verb};

impl<N: Names> Wait<N> {
    /// Whether it ends only when a person does something.
    pub(crate) fn is_for_a_person(&self) -> bool {
        match self {
            Wait::Spec | Wait::Master => true,
            Wait::Against(refusal) => matches!(
                refusal,
                Refusal::LastVersion(_)
                    | Refusal::Skips(..)
                    | Refusal::HasFailed(_)
                    | Refusal::LostElsewhere(_)
                    | Refusal::NoCluster
                    | Refusal::Interrupts
            ),
            _ => false,
        }
    }
}

impl<N: Names> fmt::Display for Wait<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Spec => f.write_str("`spec.version` to be one of `spec.versions`"),
            Wait::Members => f.write_str(
                "members to join: `bowline join node GROUP MEMBER` prints a kubeconfig for an agent",
            ),
            Wait::LetsGo(member) => write!(f, "{member} to let go of its devices"),
            Wait::Drains(member) => write!(f, "{member} to finish what it has begun"),
            Wait::Healthy(member, version) => write!(f, "{member} to work at {version}"),
            Wait::Stops(member) => write!(f, "{member} to stop"),
            Wait::Master => f.write_str("a member of the serving version that works: devices have no master"),
            Wait::Against(refusal) => write!(f, "a way on: {}", reason(refusal)),
            Wait::Soak => f.write_str("the time to pass that it is watched before it is committed"),
            Wait::Person(phase) => f.write_str(next(*phase)),
            Wait::Trust => f.write_str(
                "the hub to see leases renewed again: more than half lapsed together, so it suspects itself; \
                 whoever knows that these nodes are gone says so by `bowline upgrade trust`",
            ),
            Wait::NextLook => f.write_str("the next look at the leases"),
        }
    }
}

/// What a person can do next.
fn next(phase: Phase) -> &'static str {
    match phase {
        Phase::Inactive => "`bowline upgrade init` to begin an upgrade",
        Phase::Initialized => {
            "a person: `bowline upgrade node` moves the next member, `run` lets the new version serve, `rollback` goes back"
        }
        Phase::Upgraded => {
            "a person: `bowline upgrade node` moves the next member, `commit` ends the upgrade, `rollback` goes back"
        }
        Phase::RolledBack => {
            "a person: `bowline upgrade node` moves the next member back, `reset` ends it, `forward` goes on if the old version does not work"
        }
    }
}

/// All is well.
pub(crate) fn well<N: Names>(case: &Case<'_, N>) -> String {
    let status = &case.group.status;
    let version = status.serving.as_ref().map_or(String::new(), |version| format!(" at {version}"));
    let lost: Vec<_> = status.seats.iter().filter(|(_, seat)| seat.state == SeatState::Lost).collect();
    let works = status.seats.len() - lost.len();
    let members = if works == 1 { "1 member works".to_owned() } else { format!("{works} members work") };
    let mut words = format!("{members}{version}");
    if !lost.is_empty() {
        let names: Vec<_> = lost.iter().map(|(member, _)| member.to_string()).collect();
        let names = names.join(", ");
        words += &format!("; lost: {names} (`bowline upgrade forget` counts them no more)");
    }
    let (partitions, members) = (&case.group.wish.partitions, status.seats.len());
    if partitions.count > 0 && partitions.size as usize > members {
        let size = partitions.size;
        words += &format!(
            "; `spec.partitions.size` is {size}, and partitions have {members}: let more members join, by `bowline join node`"
        );
    }
    words
}

/// What is waited for.
pub(crate) fn waits<N: Names>(wait: &Wait<N>) -> String {
    format!("waits for {wait}")
}

/// Why a command is refused, and what to do.
pub fn refused<N: Names>(command: &Command<N>, refusal: &Refusal<N>) -> N::Text {
    let words = match refusal {
        Refusal::Phase(phase) => format!(
            "{}: not while the group is {}; {}",
            verb(command.verb),
            phase_name(*phase),
            instead(*phase)
        ),
        refusal => format!("{}: {}", verb(command.verb), reason(refusal)),
    };
    N::Text::from(&words)
}

fn instead(phase: Phase) -> &'static str {
    match phase {
        Phase::Inactive => "`bowline upgrade init` begins an upgrade",
        Phase::Initialized => {
            "`upgrade node`, `upgrade run`, `upgrade rollback` and `upgrade reset` are for now"
        }
        Phase::Upgraded => "`upgrade node`, `upgrade commit` and `upgrade rollback` are for now",
        Phase::RolledBack => "`upgrade node`, `upgrade reset` and `upgrade forward` are for now",
    }
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Inactive => "Inactive",
        Phase::Initialized => "Initialized",
        Phase::Upgraded => "Upgraded",
        Phase::RolledBack => "RolledBack",
    }
}

fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Initialize => "init",
        Verb::Node => "node",
        Verb::Run => "run",
        Verb::Commit => "commit",
        Verb::Rollback => "rollback",
        Verb::Reset => "reset",
        Verb::Forward => "forward",
        Verb::Forget => "forget",
    }
}

/// Why something cannot be, and what to do.
fn reason<N: Names>(refusal: &Refusal<N>) -> String {
    match refusal {
        Refusal::Phase(phase) => format!("not while the group is {}", phase_name(*phase)),
        Refusal::NoMember => "it is about a member: say which one".to_owned(),
        Refusal::Unknown(member) => format!("the group has no member {member}; `bowline upgrade status` lists them"),
        Refusal::LastVersion(version) => {
            format!("{version} is the last of `spec.versions`: add the version to upgrade to after it")
        }
        Refusal::Skips(wanted, next) => {
            format!("{wanted} is not the next version: upgrade to {next} first")
        }
        Refusal::HasFailed(version) => format!(
            "{version} was rolled back, and is not tried again until the spec changes: mend it as a new version, or edit the spec"
        ),
        Refusal::Nobody => "no member is there: start an agent".to_owned(),
        Refusal::Differs(member) => format!("{member} does not run the version that serves yet: wait until it does"),
        Refusal::LostElsewhere(member) => format!(
            "{member} is lost, and was last seen with another version: bring it back, or `bowline upgrade forget` it"
        ),
        Refusal::NoCluster => "the cluster of `spec.cluster` is not there, or is being removed: `bowline cluster list`".to_owned(),
        Refusal::Updates => "an update is under way on the cluster: wait until it has ended, `bowline update list`".to_owned(),
        Refusal::OtherGroup => "another group on the cluster is being upgraded: wait until that has ended".to_owned(),
        Refusal::Interrupts => {
            "no member could be moved without interrupting the service: add members, or set `spec.allowInterruption`".to_owned()
        }
        Refusal::InHand(member) => format!("{member} is being moved: wait until it works, or roll back"),
        Refusal::IsLost(member) => format!("{member} is lost: bring it back, or `bowline upgrade forget` it"),
        Refusal::IsNotLost(member) => format!(
            "{member} is not lost: `kubectl delete member` takes one out of its group that is there"
        ),
        Refusal::IsMaster(member) => format!("what {member} is master of is not free yet: wait for a moment"),
        Refusal::Goes(member) => format!("{member} is being deleted"),
        Refusal::IsThere(member, version) => format!("{member} is at {version} already"),
        Refusal::Unavailable(are, most) => format!(
            "{are} members do not work, and `spec.maxUnavailable` allows for {most} with the one that would be moved: mend them, or move one of them"
        ),
        Refusal::LastIsNotWell(member) => format!("{member}, which was moved last, does not work yet: wait, or roll back"),
        Refusal::Needed(member) => format!(
            "without {member} the serving version would lose a quorum, or its last member: `upgrade run` first, or set `spec.allowInterruption`"
        ),
        Refusal::CannotServe(version) => {
            format!("{version} cannot serve yet: a partition has no quorum of members that work, or nobody does; move more members")
        }
        Refusal::NotAll(member, version) => format!("{member} is not at {version} yet: `bowline upgrade node` moves it"),
        Refusal::OldWorks => "the old version works: go back with `upgrade node`, then `upgrade reset`".to_owned(),
        Refusal::NewDoesNot => "the new version has nobody who works".to_owned(),
        Refusal::Begun => "members have the new version already: `upgrade rollback` first".to_owned(),
    }
}
