//! Placements: what namespaces, volumes and targets look like, who chooses and fences targets, and what is seen of it all.

mod asks;
#[cfg(test)]
mod drawn;
mod fences;
#[cfg(test)]
pub(crate) mod fuzz;
mod gauges;
mod restored;
mod roll;
mod wire;

use bowline_placements::plain::Plain;
use bowline_placements::plain::signs::Signs;
use bowline_placements::{Fences, Placements, Rhythm};
use bowline_runtime::Driver;

pub(crate) use self::asks::Asks;
pub(crate) use self::fences::Wardens;
pub use self::restored::mark_restored;
pub(crate) use self::roll::Roll;
pub use self::wire::PlacementWire;
pub use self::wire::volume::FINALIZER as VOLUME_FINALIZER;
use self::wire::{FenceWire, SignWire};

/// How many namespaces may be decided on at once.
pub(crate) const WORKERS: usize = 64;

/// How many effects in a row lead somewhere: each volume of a namespace is taken away and given, step by step.
pub(crate) const EFFECTS: u32 = 8_192;

/// How the controller of placements is driven.
pub(crate) type PlacementDriver = Driver<Placements<Plain>, PlacementWire, Roll>;

/// The controller of placements, ready to be driven.
pub(crate) fn controller() -> (Placements<Plain>, PlacementWire) {
    (Placements::new(Rhythm::default()), PlacementWire)
}

/// How many targets may be decided on at once: a driver may take its time.
pub(crate) const FENCED_AT_ONCE: usize = 64;

/// What the controller of fences is called.
pub(crate) const FENCES: &str = "placement-fences";

/// How the controller of fences is driven.
pub(crate) type FenceDriver = Driver<Fences<Plain>, FenceWire, Wardens>;

/// The controller of fences, ready to be driven.
pub(crate) fn fences() -> (Fences<Plain>, FenceWire) {
    (Fences::new(Rhythm::default()), FenceWire)
}

/// What the controller of what is seen is called.
pub(crate) const SIGNS: &str = "placement-signs";

/// How many namespaces may be written on at once.
pub(crate) const SIGNED_AT_ONCE: usize = 16;

/// How the controller of what is seen is driven.
pub(crate) type SignDriver = Driver<Signs, SignWire, Asks>;

/// The controller of what is seen, ready to be driven.
pub(crate) fn signs() -> (Signs, SignWire) {
    (Signs, SignWire)
}
