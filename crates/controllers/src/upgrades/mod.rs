//! Upgrades: what groups, their members and their devices look like, who watches over leases, and who shows the devices.

#[cfg(test)]
mod drawn;
#[cfg(test)]
pub(crate) mod fuzz;
mod gauges;
mod leases;
mod wire;

use bowline_runtime::{Driver, NoOutside};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::plain::devices::Devices;
use bowline_upgrades::{Rhythm, Upgrades};

pub(crate) use self::leases::Leases;
use self::wire::DeviceWire;
pub use self::wire::UpgradeWire;

/// How many groups may be decided on at once.
pub(crate) const WORKERS: usize = 64;

/// How many effects in a row lead somewhere: a group has up to 1000 members, and each is told what it is to do, step by step.
pub(crate) const EFFECTS: u32 = 8_192;

/// How the controller of groups is driven.
pub(crate) type GroupDriver = Driver<Upgrades<Plain>, UpgradeWire, Leases>;

/// The controller of groups, ready to be driven.
pub(crate) fn controller() -> (Upgrades<Plain>, UpgradeWire) {
    (Upgrades::new(Rhythm::default()), UpgradeWire)
}

/// How many groups may have their devices shown at once.
pub(crate) const SHOWN_AT_ONCE: usize = 16;

/// How many effects in a row lead somewhere: a group has up to 1000 devices, and each is made and then shown.
pub(crate) const SHOWS: u32 = 4_096;

/// How the controller of the objects of devices is driven.
pub(crate) type DeviceDriver = Driver<Devices, DeviceWire, NoOutside>;

/// What the controller of the objects of devices is called.
pub(crate) const DEVICES: &str = "upgrade-devices";

/// The controller of the objects of devices, ready to be driven.
pub(crate) fn devices() -> (Devices, DeviceWire, NoOutside) {
    (Devices, DeviceWire, NoOutside)
}
