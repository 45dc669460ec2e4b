//! Addresses of networks.

use std::net::{IpAddr, Ipv4Addr};

use super::check::Check;

const ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/// An address.
pub(super) fn address(check: &mut Check, path: &str, value: &str) {
    if value.parse::<IpAddr>().is_err() {
        check.invalid(path, value, ADDRESS);
    }
}

/// A range of addresses: `10.0.0.0/8`.
pub(super) fn range(value: &str) -> bool {
    let Some((address, prefix)) = value.split_once('/') else { return false };
    let (Ok(address), Ok(prefix)) = (address.parse::<IpAddr>(), prefix.parse::<u8>()) else { return false };
    prefix <= if address.is_ipv4() { 32 } else { 128 }
}

/// A range of addresses.
pub(super) fn check_range(check: &mut Check, path: &str, value: &str) {
    if !range(value) {
        check.invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    }
}

/// An address that something can be reached at from elsewhere.
pub(super) fn endpoint(check: &mut Check, path: &str, value: &str) {
    let Ok(address) = value.parse::<IpAddr>() else {
        return check.invalid(path, value, "must be a valid IP address");
    };
    let link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    };
    let local_multicast = match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    if address.is_unspecified() {
        check.invalid(path, value, "may not be unspecified (0.0.0.0 or ::)");
    }
    if address.is_loopback() {
        check.invalid(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if link_local {
        check.invalid(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    if local_multicast {
        check.invalid(path, value, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
}

/// Whether it is an address of version 4.
pub(super) fn is_v4(value: &str) -> bool {
    value.parse::<Ipv4Addr>().is_ok()
}
