//! Addresses and networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::super::eval::{Evaluated, Failure};
use super::super::value::Value;

/// Calls one of their functions; nothing if it is none.
pub(super) fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("isIP", [Value::String(text)]) => Ok(Value::Bool(address(text).is_ok())),
        ("ip", [Value::String(text)]) => address(text).map(Value::Ip).map_err(Failure::Error),
        ("ip.isCanonical", [Value::String(text)]) => {
            address(text).map(|ip| Value::Bool(ip.to_string() == **text)).map_err(Failure::Error)
        }
        ("family", [Value::Ip(ip)]) => Ok(Value::Int(if ip.is_ipv4() { 4 } else { 6 })),
        ("isUnspecified", [Value::Ip(ip)]) => Ok(Value::Bool(ip.is_unspecified())),
        ("isLoopback", [Value::Ip(ip)]) => Ok(Value::Bool(ip.is_loopback())),
        ("isLinkLocalMulticast", [Value::Ip(ip)]) => Ok(Value::Bool(is_link_local_multicast(ip))),
        ("isLinkLocalUnicast", [Value::Ip(ip)]) => Ok(Value::Bool(is_link_local_unicast(ip))),
        ("isGlobalUnicast", [Value::Ip(ip)]) => Ok(Value::Bool(is_global_unicast(ip))),
        ("isCIDR", [Value::String(text)]) => Ok(Value::Bool(network(text).is_ok())),
        ("cidr", [Value::String(text)]) => {
            network(text).map(|(ip, bits)| Value::Cidr(ip, bits)).map_err(Failure::Error)
        }
        ("ip", [Value::Cidr(ip, _)]) => Ok(Value::Ip(*ip)),
        ("masked", [Value::Cidr(ip, bits)]) => Ok(Value::Cidr(masked(*ip, *bits), *bits)),
        ("prefixLength", [Value::Cidr(_, bits)]) => Ok(Value::Int(i64::from(*bits))),
        ("containsIP", [Value::Cidr(ip, bits), Value::Ip(other)]) => {
            Ok(Value::Bool(contains(*ip, *bits, *other)))
        }
        ("containsIP", [Value::Cidr(ip, bits), Value::String(text)]) => match address(text) {
            Ok(other) => Ok(Value::Bool(contains(*ip, *bits, other))),
            Err(_) => Err(Failure::NoSuchOverload),
        },
        ("containsCIDR", [Value::Cidr(ip, bits), Value::Cidr(other, more)]) => {
            Ok(within((*ip, *bits), (*other, *more)))
        }
        ("containsCIDR", [Value::Cidr(ip, bits), Value::String(text)]) => match network(text) {
            Ok(other) => Ok(within((*ip, *bits), other)),
            Err(_) => Err(Failure::NoSuchOverload),
        },
        _ => return None,
    })
}

fn within(network: (IpAddr, u8), other: (IpAddr, u8)) -> Value {
    let inside = other.1 >= network.1 && contains(network.0, network.1, masked(other.0, other.1));
    Value::Bool(inside)
}

fn contains(network: IpAddr, bits: u8, ip: IpAddr) -> bool {
    network.is_ipv4() == ip.is_ipv4() && masked(network, bits) == masked(ip, bits)
}

fn masked(ip: IpAddr, bits: u8) -> IpAddr {
    match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(ip.to_bits() & mask))
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask))
        }
    }
}

fn is_link_local_multicast(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
        IpAddr::V6(ip) => ip.octets()[0] == 0xff && ip.octets()[1] & 0x0f == 0x02,
    }
}

fn is_link_local_unicast(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(ip: &IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !broadcast
        && !ip.is_unspecified()
        && !ip.is_loopback()
        && !ip.is_multicast()
        && !is_link_local_unicast(ip)
}

/// An address without a zone, and not one of the old kind written as one of the new.
fn address(text: &str) -> Result<IpAddr, String> {
    if text.contains('%') {
        return Err(format!("IP address {text:?} with zone value is not allowed"));
    }
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {text:?} is not allowed"))
        }
        Ok(ip) => Ok(ip),
        Err(_) => Err(format!(
            "IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): {}",
            why_no_address(text)
        )),
    }
}

fn why_no_address(text: &str) -> &'static str {
    let first = text.find(['.', ':']);
    match first.map(|at| text.as_bytes()[at]) {
        Some(b'.') => match text.split('.').count() {
            ..4 => "IPv4 address too short",
            4 => "unexpected character",
            _ => "IPv4 address too long",
        },
        Some(_) => "unexpected character",
        None => "unable to parse IP",
    }
}

fn network(text: &str) -> Result<(IpAddr, u8), String> {
    let failed = |why: &str| {
        let what = "network address parse error during conversion from string";
        Err(format!("{what}: {what}: netip.ParsePrefix({text:?}): {why}"))
    };
    let Some((ip, bits)) = text.rsplit_once('/') else { return failed("no '/'") };
    let Ok(ip) = ip.parse::<IpAddr>() else { return failed(why_no_address(ip)) };
    let most = if ip.is_ipv4() { 32 } else { 128 };
    let plain = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || (bits.len() > 1 && bits.starts_with('0')) {
        return failed(&format!("bad bits after slash: {bits:?}"));
    }
    match bits.parse::<u8>() {
        Ok(bits) if bits <= most => Ok((ip, bits)),
        _ => failed("prefix length out of range"),
    }
}
