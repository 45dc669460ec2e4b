//! Placements: namespaces with their volumes on clusters. A [`Placement`] says where a namespace is to be, a
//! [`SyncTarget`] is a cluster that it can be on, and a [`VolumeGrant`] the right to use one volume.

mod fencing;
mod grant;
mod placement;
mod sync_target;
mod syncer;
mod volume_grant;

pub use fencing::{FenceHook, FenceRequest, Fencing, NetworkFence, SecretName};
pub use grant::{GrantEvent, GrantEventKind, GrantUser, Recovering, Said, UseState};
pub use placement::{
    End, MoveWindow, Placement, PlacementPhase, PlacementSpec, PlacementStatus, TargetSelector, Weekday,
};
pub use sync_target::{
    Capacity, Fence, FenceEvent, FencedBy, ReportedUse, SyncTarget, SyncTargetSpec, SyncTargetStatus, Taint,
    TargetReport,
};
pub use syncer::{STATE_LABEL, SYNCER_ROLE, SYNCS, syncer_role};
pub use volume_grant::{
    Abandoned, AccessMode, GrantState, PortableVolume, Sharing, VolumeGrant, VolumeGrantSpec,
    VolumeGrantStatus, VolumeMode,
};
