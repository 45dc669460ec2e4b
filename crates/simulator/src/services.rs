//! Services of type LoadBalancer get an address. (Nothing listens there; endpoints are not made.)

use serde_json::{Value, json};

use crate::names;
use crate::thing::{Thing, put};

/// What a service's status says.
pub(crate) fn status(service: &Thing) -> Value {
    let mut status = service.status.clone();
    let ingress = &status["loadBalancer"]["ingress"];
    let has = ingress.as_array().is_some_and(|ingress| !ingress.is_empty());
    let wants = service.spec()["type"] == "LoadBalancer";
    if wants && !has {
        let asked = service.spec()["loadBalancerIP"].as_str().filter(|asked| !asked.is_empty());
        let address = asked.map_or_else(|| address(&service.uid), str::to_owned);
        put(&mut status, "loadBalancer", json!({ "ingress": [{ "ip": address, "ipMode": "VIP" }] }));
    } else if !wants && has {
        put(&mut status, "loadBalancer", Value::Null);
    }
    status
}

/// An address of those that are for measurements, and lead nowhere.
fn address(uid: &str) -> String {
    let number = names::number(uid);
    format!("198.{}.{}.{}", 18 + number % 2, (number >> 8) % 256, 1 + (number >> 16) % 254)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thing::{Id, Kind};

    #[test]
    fn only_a_load_balancer_has_an_address() {
        let service = |kind: &str, status: Value| {
            let body = json!({"spec": {"type": kind}});
            Thing::blank(Id::new(Kind::Service, "ns", "s"), body).edit(|service| service.status = status)
        };
        let given = status(&service("LoadBalancer", json!({})));
        assert!(given["loadBalancer"]["ingress"][0]["ip"].is_string());
        assert_eq!(status(&service("LoadBalancer", given.clone())), given);
        assert_eq!(status(&service("ClusterIP", given)), json!({}));
    }
}
