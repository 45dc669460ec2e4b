//! Upgrades: new software for a running group of nodes. A [`NodeGroup`] says what is to run and is the one truth of
//! what does; a [`Member`] is one node of it, a [`Device`] something that needs exactly one master.

mod device;
mod member;
mod node_group;
mod progress;
mod software;

pub use device::{Device, DeviceSpec, DeviceStatus};
pub use member::{ActingFor, Desired, Member, MemberPhase, MemberSpec, MemberStatus, PartitionMembers, Step};
pub use node_group::{Command, CommitMode, Mode, NodeGroup, NodeGroupSpec, OnCrash, Partitions, Verb};
pub use progress::{
    CommandOutcome, Counts, DeviceMaster, LastCommand, LostMember, Membership, NodeGroupStatus, Partition,
    UpgradeState,
};
pub use software::{EnvironmentVariable, ExecProbe, HttpProbe, Probe, Software, TcpProbe};
