//! Ports that nobody uses.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

/// Below the range that the kernel gives to outgoing connections, or one of these could take a port between
/// its choice and its use.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Distinct free ports of the loopback address. All are held until all are found.
pub(crate) fn free<const N: usize>() -> [u16; N] {
    // Elsewhere a port may be chosen at this moment as well, so each search begins somewhere else.
    let start = RandomState::new().build_hasher().finish() % u64::from(COUNT);
    let start = u16::try_from(start).unwrap_or(0);
    let candidates = (0..COUNT).map(|step| FIRST + (start + step) % COUNT);
    let held: Vec<_> = candidates
        .filter_map(|port| Some((port, TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?)))
        .take(N)
        .collect();
    std::array::from_fn(|index| held.get(index).map_or(0, |(port, _)| *port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_distinct_and_can_be_bound() -> std::io::Result<()> {
        let ports: [u16; 6] = free();
        let bound: Vec<_> = ports
            .iter()
            .map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)))
            .collect::<Result<_, _>>()?;
        assert_eq!(bound.len(), 6);
        assert!(ports.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)), "{ports:?}");
        Ok(())
    }

    #[test]
    fn a_port_in_use_is_passed_over() -> std::io::Result<()> {
        let [taken] = free();
        let _held = TcpListener::bind((Ipv4Addr::LOCALHOST, taken))?;
        let others: [u16; 64] = free();
        assert!(!others.contains(&taken));
        Ok(())
    }
}
