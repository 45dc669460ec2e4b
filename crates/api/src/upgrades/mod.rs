//! Upgrades: new software for a running group of nodes. A [`NodeGroup`] says what is to run and is the one truth of
//! what does; a [`Member`] is one node of it, a [`Device`] something that needs exactly one master.

mod device;
mod member;
mod node_group;
mod progress;
mod software;

pub use device::{Device, DeviceSpec, DeviceStatus};
pub use member::{ActingFor, Desired, Duty, Member, MemberPhase, MemberSpec, MemberStatus, SeenEpoch};
pub use node_group::{Command, CommitMode, Mode, NodeGroup, NodeGroupSpec, OnCrash, Partitions, Verb};
pub use progress::{
    AnsweredCommand, Counts, DeviceMaster, GroupMember, InHand, MemberState, Membership, NodeGroupStatus,
    Partition, UpgradeState,
};
pub use software::{EnvironmentVariable, ExecProbe, HttpProbe, Notify, Probe, Software, TcpProbe};
