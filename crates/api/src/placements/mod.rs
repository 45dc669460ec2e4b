//! Placements: namespaces with their volumes on clusters. A [`Placement`] says where a namespace is to be, a
//! [`SyncTarget`] is a cluster that it can be on, and a [`VolumeGrant`] the right to use one volume.

mod placement;
mod sync_target;
mod volume_grant;

pub use placement::{
    MoveWindow, Placement, PlacementPhase, PlacementSpec, PlacementStatus, Toleration, TolerationOperator,
    Weekday,
};
pub use sync_target::{
    Capacity, Fence, FenceRequest, SyncTarget, SyncTargetSpec, SyncTargetStatus, Taint, TaintEffect,
};
pub use volume_grant::{
    AccessMode, GrantState, GrantUser, PortableVolume, ReportedUse, Sharing, TargetReport, VolumeGrant,
    VolumeGrantSpec, VolumeGrantStatus,
};
