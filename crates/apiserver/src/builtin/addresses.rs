//! The addresses and ports of services: each belongs to one service.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::{Mutex, MutexGuard};

use bowline_merge::FieldError;
use serde_json::{Value, json};

use super::fields::{enter, flag, list, number, object, objects, text};
use crate::document::Json;

/// The ports of nodes that services may have.
const PORTS: std::ops::RangeInclusive<u16> = 30000..=32767;

/// Which addresses and ports are taken.
pub(crate) struct Addresses {
    network: u32,
    prefix: u8,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    addresses: BTreeSet<u32>,
    /// With their protocols: TCP and UDP do not meet.
    ports: BTreeSet<(u16, Box<str>)>,
}

/// What a service took that is not kept yet. Dropped, it is given back.
#[must_use]
pub(crate) struct Held<'a> {
    of: &'a Addresses,
    taken: Taken,
}

impl Held<'_> {
    /// The service is about to be written: what it took is its own.
    pub(crate) fn keep(mut self) {
        self.taken = Taken::default();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.of.release_all(&taken);
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

    /// Takes what a service that is kept has.
    pub(crate) fn load(&self, service: &Json) {
        let has = self.of(service);
        let mut taken = self.taken();
        taken.addresses.extend(has.addresses);
        taken.ports.extend(has.ports);
    }

    /// Frees what a service had that is removed, or was never written.
    pub(crate) fn release(&self, service: &Json) {
        self.release_all(&self.of(service));
    }

    /// Frees what a service had and has no more. Not before the change is kept: if it is not, it still has it.
    pub(crate) fn release_changed(&self, before: &Json, after: &Json) {
        let (had, has) = (self.of(before), self.of(after));
        self.release_all(&Taken {
            addresses: had.addresses.difference(&has.addresses).copied().collect(),
            ports: had.ports.difference(&has.ports).cloned().collect(),
        });
    }

    /// Gives a new or changed service what it asks for and what it needs.
    ///
    /// # Errors
    /// If something that it asks for is taken or out of range, or nothing is left.
    pub(crate) fn assign(&self, new: &mut Json, old: Option<&Json>) -> Result<Held<'_>, Vec<FieldError>> {
        let had = old.map(|old| self.of(old)).unwrap_or_default();
        let mut held = Held { of: self, taken: Taken::default() };
        let mut taken = self.taken();
        let done = self
            .assign_address(new, &had, &mut taken, &mut held.taken)
            .and_then(|()| assign_ports(new, &had, &mut taken, &mut held.taken));
        drop(taken);
        done.map_err(|error| vec![error])?;
        Ok(held)
    }

    fn assign_address(
        &self,
        new: &mut Json,
        had: &Taken,
        taken: &mut Taken,
        held: &mut Taken,
    ) -> Result<(), FieldError> {
        let spec = enter(new, "spec");
        if text(spec, "type") == "ExternalName" || text(spec, "clusterIP") == "None" {
            return Ok(());
        }
        let asked = text(spec, "clusterIP").to_owned();
        if !asked.is_empty() {
            // What is no address is for validation to say.
            let Ok(address) = asked.parse::<Ipv4Addr>() else { return Ok(()) };
            if had.addresses.contains(&u32::from(address)) {
                return Ok(());
            }
            let fault = if !self.contains(address) {
                let range = format!("{}/{}", Ipv4Addr::from(self.network), self.prefix);
                format!(
                    "the provided IP ({asked}) is not in the valid range. The range of valid IPs is {range}"
                )
            } else if taken.addresses.contains(&u32::from(address)) {
                "provided IP is already allocated".to_owned()
            } else {
                taken.addresses.insert(u32::from(address));
                held.addresses.insert(u32::from(address));
                return Ok(());
            };
            let why = format!("failed to allocate IP {asked}: {fault}");
            return Err(FieldError::invalid("spec.clusterIPs", list(spec, "clusterIPs"), why));
        }
        let free = self.free(taken).ok_or_else(|| {
            let why = "failed to allocate a serviceIP: range is full";
            FieldError::invalid("spec.clusterIPs", Value::Null, why)
        })?;
        taken.addresses.insert(free);
        held.addresses.insert(free);
        let address = Ipv4Addr::from(free).to_string();
        spec.insert("clusterIPs".into(), json!([address]));
        spec.insert("clusterIP".into(), address.into());
        Ok(())
    }

    fn free(&self, taken: &Taken) -> Option<u32> {
        let hosts = !mask(self.prefix);
        // Neither the network nor its broadcast. From a random start, so that an address is not soon another's.
        let start = random() % hosts;
        (0..hosts)
            .map(|step| (start + step) % hosts)
            .filter(|host| *host != 0)
            .map(|host| self.network | host)
            .find(|address| !taken.addresses.contains(address))
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

    fn release_all(&self, given: &Taken) {
        let mut taken = self.taken();
        taken.addresses.retain(|address| !given.addresses.contains(address));
        taken.ports.retain(|port| !given.ports.contains(port));
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn mask(prefix: u8) -> u32 {
    u32::MAX << (32 - u32::from(prefix))
}

fn random() -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the system has a source of randomness");
    u32::from_le_bytes(bytes)
}

fn node_port(port: &Json) -> Option<u16> {
    number(port, "nodePort").filter(|port| *port != 0).and_then(|port| u16::try_from(port).ok())
}

fn assign_ports(new: &mut Json, had: &Taken, taken: &mut Taken, held: &mut Taken) -> Result<(), FieldError> {
    let spec = enter(new, "spec");
    let kind = text(spec, "type").to_owned();
    let allocates =
        kind == "NodePort" || (kind == "LoadBalancer" && flag(spec, "allocateLoadBalancerNodePorts"));
    if !matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        return Ok(());
    }
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
    for (index, port) in ports.into_iter().flatten().filter_map(Value::as_object_mut).enumerate() {
        let protocol: Box<str> = text(port, "protocol").into();
        if let Some(asked) = number(port, "nodePort").filter(|asked| *asked != 0) {
            let path = format!("spec.ports[{index}].nodePort");
            take_port(asked, &protocol, had, taken, held)
                .map_err(|why| FieldError::invalid(path, asked, why))?;
        } else if allocates {
            let free = free_port(taken, &protocol).ok_or_else(|| {
                FieldError::invalid(format!("spec.ports[{index}].nodePort"), 0, "range is full")
            })?;
            taken.ports.insert((free, protocol.clone()));
            held.ports.insert((free, protocol));
            port.insert("nodePort".into(), free.into());
        }
    }
    if kind == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local" {
        health_port(spec, had, taken, held)?;
    }
    Ok(())
}

fn health_port(spec: &mut Json, had: &Taken, taken: &mut Taken, held: &mut Taken) -> Result<(), FieldError> {
    const PATH: &str = "spec.healthCheckNodePort";
    if let Some(asked) = number(spec, "healthCheckNodePort").filter(|asked| *asked != 0) {
        return take_port(asked, "TCP", had, taken, held)
            .map_err(|why| FieldError::invalid(PATH, asked, why));
    }
    let free = free_port(taken, "TCP").ok_or_else(|| FieldError::invalid(PATH, 0, "range is full"))?;
    taken.ports.insert((free, "TCP".into()));
    held.ports.insert((free, "TCP".into()));
    spec.insert("healthCheckNodePort".into(), free.into());
    Ok(())
}

fn take_port(
    asked: i64,
    protocol: &str,
    had: &Taken,
    taken: &mut Taken,
    held: &mut Taken,
) -> Result<(), &'static str> {
    let port = u16::try_from(asked).ok().filter(|port| PORTS.contains(port));
    let port =
        port.ok_or("provided port is not in the valid range. The range of valid ports is 30000-32767")?;
    let port = (port, Box::from(protocol));
    if had.ports.contains(&port) {
        return Ok(());
    }
    if taken.ports.contains(&port) {
        return Err("provided port is already allocated");
    }
    taken.ports.insert(port.clone());
    held.ports.insert(port);
    Ok(())
}

fn free_port(taken: &Taken, protocol: &str) -> Option<u16> {
    let count = u32::from(PORTS.end() - PORTS.start()) + 1;
    let start = random() % count;
    let all = (0..count).filter_map(|step| u16::try_from((start + step) % count).ok());
    all.map(|offset| PORTS.start() + offset).find(|port| !taken.ports.contains(&(*port, protocol.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(spec: Value) -> Json {
        let Value::Object(service) = json!({"spec": spec}) else { unreachable!() };
        service
    }

    #[test]
    fn what_is_held_is_given_back_unless_it_is_kept() {
        let addresses = Addresses::new("127.200.0.0/30").expect("a range");
        let mut first = service(json!({"type": "ClusterIP"}));
        drop(addresses.assign(&mut first, None).map_err(|_| "").expect("one is free"));
        let mut first = service(json!({"type": "ClusterIP"}));
        addresses.assign(&mut first, None).map_err(|_| "").expect("one is free").keep();
        let mut second = service(json!({"type": "ClusterIP"}));
        addresses.assign(&mut second, None).map_err(|_| "").expect("another is free").keep();
        assert_ne!(first["spec"]["clusterIP"], second["spec"]["clusterIP"]);
        assert!(addresses.assign(&mut service(json!({"type": "ClusterIP"})), None).is_err());
        addresses.release(&first);
        let mut third = service(json!({"type": "ClusterIP"}));
        addresses.assign(&mut third, None).map_err(|_| "").expect("the first is free").keep();
        assert_eq!(first["spec"]["clusterIP"], third["spec"]["clusterIP"]);
    }

    #[test]
    fn what_is_taken_or_out_of_range_is_refused() {
        let addresses = Addresses::new("127.200.0.0/24").expect("a range");
        let check = |spec: Value, expected: &str| {
            let mut service = service(spec);
            match addresses.assign(&mut service, None) {
                Ok(held) => {
                    held.keep();
                    assert_eq!("", expected);
                }
                Err(errors) => assert_eq!(errors[0].to_string(), expected),
            }
        };
        let asked = |port: u32| json!([{"port": 80, "protocol": "TCP", "nodePort": port}]);
        check(
            json!({"type": "NodePort", "clusterIP": "127.200.0.5", "clusterIPs": ["127.200.0.5"], "ports": asked(31000)}),
            "",
        );
        check(
            json!({"type": "NodePort", "ports": asked(31000)}),
            "spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated",
        );
        check(
            json!({"type": "NodePort", "ports": asked(5)}),
            "spec.ports[0].nodePort: Invalid value: 5: provided port is not in the valid range. The range of valid ports \
             is 30000-32767",
        );
        check(
            json!({"type": "ClusterIP", "clusterIP": "127.200.0.5", "clusterIPs": ["127.200.0.5"]}),
            "spec.clusterIPs: Invalid value: [\"127.200.0.5\"]: failed to allocate IP 127.200.0.5: provided IP is already \
             allocated",
        );
        check(
            json!({"type": "ClusterIP", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"]}),
            "spec.clusterIPs: Invalid value: [\"10.0.0.1\"]: failed to allocate IP 10.0.0.1: the provided IP (10.0.0.1) is \
             not in the valid range. The range of valid IPs is 127.200.0.0/24",
        );
    }

    #[test]
    fn a_changed_service_gives_up_what_it_has_no_more() {
        let addresses = Addresses::new("127.200.0.0/24").expect("a range");
        let ports = json!([{"port": 80, "protocol": "TCP", "nodePort": 31000}]);
        let mut old = service(json!({"type": "NodePort", "ports": ports}));
        addresses.assign(&mut old, None).map_err(|_| "").expect("it is free").keep();
        let mut new = old.clone();
        new["spec"]["type"] = "ClusterIP".into();
        new["spec"]["ports"][0].as_object_mut().expect("a port").remove("nodePort");
        addresses.assign(&mut new, Some(&old)).map_err(|_| "").expect("it has its address").keep();
        let mut other = service(json!({"type": "NodePort", "ports": ports}));
        assert!(addresses.assign(&mut other, None).is_err(), "the change may come to nothing");
        addresses.release_changed(&old, &new);
        assert!(addresses.assign(&mut other, None).is_ok());
    }
}
