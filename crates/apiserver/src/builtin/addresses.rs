//! The addresses and ports of services: each belongs to one service.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline_merge::FieldError;
use serde_json::{Value, json};

use super::fields::{enter, flag, list, number, object, objects, text};
use crate::document::Json;
use crate::random;

/// The ports of nodes that services may have.
const PORTS: std::ops::RangeInclusive<u16> = 30000..=32767;

/// Which addresses and ports are taken.
pub(crate) struct Addresses {
    network: u32,
    prefix: u8,
    taken: Mutex<All>,
}

/// What services have that are kept, and what writes under way have taken for theirs.
#[derive(Default)]
struct All {
    kept: Taken,
    reserved: Taken,
}

#[derive(Default)]
struct Taken {
    addresses: BTreeSet<u32>,
    /// With their protocols: TCP and UDP do not meet.
    ports: BTreeSet<Port>,
}

type Port = (u16, Box<str>);

impl Taken {
    fn take(&mut self, more: Taken) {
        self.addresses.extend(more.addresses);
        self.ports.extend(more.ports);
    }

    fn give_back(&mut self, less: &Taken) {
        self.addresses.retain(|address| !less.addresses.contains(address));
        self.ports.retain(|port| !less.ports.contains(port));
    }
}

impl All {
    fn has_address(&self, address: u32) -> bool {
        self.kept.addresses.contains(&address) || self.reserved.addresses.contains(&address)
    }

    fn has_port(&self, port: &Port) -> bool {
        self.kept.ports.contains(port) || self.reserved.ports.contains(port)
    }
}

/// What a write has taken for a service. It may be computed several times and come to nothing, so it is the write's
/// own until the write is over: then it is the service's, if that was written, or nobody's.
pub(crate) struct Reservation {
    of: Arc<Addresses>,
    taken: Mutex<Taken>,
}

impl Reservation {
    /// Nothing yet.
    pub(crate) fn new(of: &Arc<Addresses>) -> Reservation {
        Reservation { of: Arc::clone(of), taken: Mutex::default() }
    }

    /// Gives a new or changed service what it asks for and what it needs.
    ///
    /// # Errors
    /// If something that it asks for is taken or out of range, or nothing is left.
    pub(crate) fn assign(&self, new: &mut Json, old: Option<&Json>) -> Result<(), Vec<FieldError>> {
        let had = old.map(|old| self.of.of(old)).unwrap_or_default();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.of.taken();
        // What it took when it was computed before is not what it takes now.
        all.reserved.give_back(&taken);
        *taken = Taken::default();
        let mut hand = Hand { all: &mut all, taken: &mut taken, had: &had };
        self.of.assign_address(new, &mut hand).map_err(|error| vec![error])?;
        assign_ports(new, &mut hand).map_err(|error| vec![error])
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let taken = self.taken.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.of.taken().reserved.give_back(taken);
    }
}

/// Takes for one service.
struct Hand<'a> {
    all: &'a mut All,
    taken: &'a mut Taken,
    /// What the service has already.
    had: &'a Taken,
}

impl Hand<'_> {
    fn take_address(&mut self, address: u32) {
        self.all.reserved.addresses.insert(address);
        self.taken.addresses.insert(address);
    }

    fn take_port(&mut self, port: Port) {
        self.all.reserved.ports.insert(port.clone());
        self.taken.ports.insert(port);
    }
}

impl Addresses {
    /// The addresses of a range: `127.200.0.0/24`.
    pub(crate) fn new(range: &str) -> Option<Addresses> {
        let (network, prefix) = range.split_once('/')?;
        let (network, prefix): (Ipv4Addr, u8) = (network.parse().ok()?, prefix.parse().ok()?);
        (8..=30).contains(&prefix).then(|| Addresses {
            network: u32::from(network) & mask(prefix),
            prefix,
            taken: Mutex::default(),
        })
    }

    /// The address of the server itself, as a service.
    pub(crate) fn first(&self) -> Ipv4Addr {
        Ipv4Addr::from(self.network | 1)
    }

    /// A service is kept: what it has is taken, and what it had and has no more is free. Not before that is durable: if
    /// it comes to nothing, it still has it.
    pub(crate) fn keep(&self, before: Option<&Json>, after: &Json) {
        let mut all = self.taken();
        all.kept.give_back(&before.map(|before| self.of(before)).unwrap_or_default());
        all.kept.take(self.of(after));
    }

    /// A service is gone, and what it had is free.
    pub(crate) fn forget(&self, service: &Json) {
        self.taken().kept.give_back(&self.of(service));
    }

    fn assign_address(&self, new: &mut Json, hand: &mut Hand<'_>) -> Result<(), FieldError> {
        let spec = enter(new, "spec");
        if text(spec, "type") == "ExternalName" || text(spec, "clusterIP") == "None" {
            return Ok(());
        }
        let asked = text(spec, "clusterIP").to_owned();
        if !asked.is_empty() {
            // What is no address is for validation to say.
            let Ok(address) = asked.parse::<Ipv4Addr>() else { return Ok(()) };
            if hand.had.addresses.contains(&u32::from(address)) {
                return Ok(());
            }
            let fault = if !self.contains(address) {
                let range = format!("{}/{}", Ipv4Addr::from(self.network), self.prefix);
                format!(
                    "the provided IP ({asked}) is not in the valid range. The range of valid IPs is {range}"
                )
            } else if hand.all.has_address(address.into()) {
                "provided IP is already allocated".to_owned()
            } else {
                hand.take_address(address.into());
                return Ok(());
            };
            let why = format!("failed to allocate IP {asked}: {fault}");
            return Err(FieldError::invalid("spec.clusterIPs", list(spec, "clusterIPs"), why));
        }
        let free = self.free(hand.all).ok_or_else(|| {
            let why = "failed to allocate a serviceIP: range is full";
            FieldError::invalid("spec.clusterIPs", Value::Null, why)
        })?;
        hand.take_address(free);
        let address = Ipv4Addr::from(free).to_string();
        spec.insert("clusterIPs".into(), json!([address]));
        spec.insert("clusterIP".into(), address.into());
        Ok(())
    }

    fn free(&self, all: &All) -> Option<u32> {
        let hosts = !mask(self.prefix);
        // Neither the network nor its broadcast. From a random start, so that an address is not soon another's.
        let start = random() % hosts;
        (0..hosts)
            .map(|step| (start + step) % hosts)
            .filter(|host| *host != 0)
            .map(|host| self.network | host)
            .find(|address| !all.has_address(*address))
    }

    fn contains(&self, address: Ipv4Addr) -> bool {
        let address = u32::from(address);
        let host = address & !mask(self.prefix);
        address & mask(self.prefix) == self.network && host != 0 && host != !mask(self.prefix)
    }

    /// What a service has.
    fn of(&self, service: &Json) -> Taken {
        let spec = object(service, "spec");
        let addresses = list(spec, "clusterIPs").iter().filter_map(Value::as_str);
        let addresses = addresses.filter_map(|text| text.parse::<Ipv4Addr>().ok());
        let ports =
            objects(spec, "ports").filter_map(|port| Some((node_port(port)?, text(port, "protocol").into())));
        let health = number(spec, "healthCheckNodePort").and_then(|port| u16::try_from(port).ok());
        Taken {
            addresses: addresses.filter(|address| self.contains(*address)).map(u32::from).collect(),
            ports: ports.chain(health.filter(|port| *port != 0).map(|port| (port, "TCP".into()))).collect(),
        }
    }

    fn taken(&self) -> MutexGuard<'_, All> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mask(prefix: u8) -> u32 {
    u32::MAX << (32 - u32::from(prefix))
}

fn random() -> u32 {
    // Half of it is as random as all of it.
    random::number() as u32
}

fn node_port(port: &Json) -> Option<u16> {
    number(port, "nodePort").filter(|port| *port != 0).and_then(|port| u16::try_from(port).ok())
}

fn assign_ports(new: &mut Json, hand: &mut Hand<'_>) -> Result<(), FieldError> {
    let spec = enter(new, "spec");
    let kind = text(spec, "type").to_owned();
    let allocates =
        kind == "NodePort" || (kind == "LoadBalancer" && flag(spec, "allocateLoadBalancerNodePorts"));
    if !matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        return Ok(());
    }
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
    for (index, port) in ports.into_iter().flatten().filter_map(Value::as_object_mut).enumerate() {
        let protocol = text(port, "protocol").to_owned();
        if let Some(asked) = number(port, "nodePort").filter(|asked| *asked != 0) {
            let path = format!("spec.ports[{index}].nodePort");
            asked_port(asked, &protocol, hand).map_err(|why| FieldError::invalid(path, asked, why))?;
        } else if allocates {
            let free = free_port(&protocol, hand).ok_or_else(|| {
                FieldError::invalid(format!("spec.ports[{index}].nodePort"), 0, "range is full")
            })?;
            port.insert("nodePort".into(), free.into());
        }
    }
    if kind == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local" {
        health_port(spec, hand)?;
    }
    Ok(())
}

fn health_port(spec: &mut Json, hand: &mut Hand<'_>) -> Result<(), FieldError> {
    const PATH: &str = "spec.healthCheckNodePort";
    if let Some(asked) = number(spec, "healthCheckNodePort").filter(|asked| *asked != 0) {
        return asked_port(asked, "TCP", hand).map_err(|why| FieldError::invalid(PATH, asked, why));
    }
    let free = free_port("TCP", hand).ok_or_else(|| FieldError::invalid(PATH, 0, "range is full"))?;
    spec.insert("healthCheckNodePort".into(), free.into());
    Ok(())
}

/// Takes a port that a service asks for.
fn asked_port(asked: i64, protocol: &str, hand: &mut Hand<'_>) -> Result<(), &'static str> {
    let port = u16::try_from(asked).ok().filter(|port| PORTS.contains(port));
    let port =
        port.ok_or("provided port is not in the valid range. The range of valid ports is 30000-32767")?;
    let port = (port, Box::from(protocol));
    if hand.had.ports.contains(&port) {
        return Ok(());
    }
    if hand.all.has_port(&port) {
        return Err("provided port is already allocated");
    }
    hand.take_port(port);
    Ok(())
}

/// Takes any port that is free.
fn free_port(protocol: &str, hand: &mut Hand<'_>) -> Option<u16> {
    let count = u32::from(PORTS.end() - PORTS.start()) + 1;
    let start = random() % count;
    let all = (0..count).filter_map(|step| u16::try_from((start + step) % count).ok());
    let mut ports = all.map(|offset| (PORTS.start() + offset, Box::from(protocol)));
    let free = ports.find(|port| !hand.all.has_port(port))?;
    let number = free.0;
    hand.take_port(free);
    Some(number)
}

#[cfg(test)]
mod tests;
