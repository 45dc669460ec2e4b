//! Services, what they lead to, and what leads to them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Object, number_of, selector, some_of, text_of};

pub(super) fn of(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    Some(match plural {
        "services" => service(object),
        "endpoints" => vec![object.name(), endpoints(object).into(), object.age()],
        "endpointslices" => {
            let [ports, addresses] = slice(object);
            vec![object.name(), object.text("addressType").into(), ports, addresses, object.age()]
        }
        "ingresses" => ingress(object),
        "ingressclasses" => {
            let controller = object.text("spec.controller").into();
            vec![object.name(), controller, parameters(object).into(), object.age()]
        }
        "networkpolicies" => {
            let selector = selector::format(object.at("spec.podSelector"));
            vec![object.name(), selector.into(), object.age()]
        }
        "servicecidrs" => {
            let ranges: Vec<_> = object.list("spec.cidrs").iter().filter_map(Value::as_str).collect();
            vec![object.name(), ranges.join(",").into(), object.age()]
        }
        "ipaddresses" => vec![object.name(), parent(object).into(), object.age()],
        _ => return None,
    })
}

fn service(object: &Object<'_>) -> Vec<Value> {
    let cluster = object.list("spec.clusterIPs").first().and_then(Value::as_str);
    let ports: Vec<_> = object.list("spec.ports").iter().map(port).collect();
    let ports = if ports.is_empty() { "<none>".to_owned() } else { ports.join(",") };
    vec![
        object.name(),
        object.text("spec.type").into(),
        cluster.unwrap_or("<none>").into(),
        external(object).into(),
        ports.into(),
        object.age(),
        selector::labels(object.at("spec.selector")).into(),
    ]
}

fn port(port: &Value) -> String {
    let (number, protocol) = (number_of(port, "port"), text_of(port, "protocol"));
    match number_of(port, "nodePort") {
        0 => format!("{number}/{protocol}"),
        node => format!("{number}:{node}/{protocol}"),
    }
}

fn external(object: &Object<'_>) -> String {
    let mut addresses: Vec<_> =
        object.list("spec.externalIPs").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let none = match object.text("spec.type") {
        "ClusterIP" | "NodePort" => "<none>",
        "LoadBalancer" => {
            let mut all = balancers(object);
            all.append(&mut addresses);
            addresses = all;
            "<pending>"
        }
        "ExternalName" => return object.text("spec.externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    if addresses.is_empty() { none.to_owned() } else { addresses.join(",") }
}

fn balancers(object: &Object<'_>) -> Vec<String> {
    let entries = object.list("status.loadBalancer.ingress").iter();
    let names = entries.map(|entry| match text_of(entry, "ip") {
        "" => text_of(entry, "hostname"),
        address => address,
    });
    let sorted: BTreeSet<_> = names.filter(|name| !name.is_empty()).collect();
    sorted.into_iter().map(str::to_owned).collect()
}

fn endpoints(object: &Object<'_>) -> String {
    let subsets = object.list("subsets");
    if subsets.is_empty() {
        return "<none>".to_owned();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let addresses = subset.get("addresses").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let addresses = addresses.iter().map(|address| text_of(address, "ip"));
        let ports = subset.get("ports").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if ports.is_empty() {
            all.extend(addresses.map(str::to_owned));
            continue;
        }
        for port in ports {
            let port = number_of(port, "port");
            all.extend(addresses.clone().map(|address| match address.contains(':') {
                true => format!("[{address}]:{port}"),
                false => format!("{address}:{port}"),
            }));
        }
    }
    some_of(all, 3)
}

fn slice(object: &Object<'_>) -> [Value; 2] {
    let ports =
        object.list("ports").iter().map(|port| match port.get("port").filter(|port| !port.is_null()) {
            Some(number) => number.to_string(),
            None => port.get("name").and_then(Value::as_str).unwrap_or("*").to_owned(),
        });
    let addresses = object.list("endpoints").iter().flat_map(|endpoint| {
        endpoint.get("addresses").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    });
    [some_of(ports, 3), some_of(addresses, 3)]
        .map(|text| if text.is_empty() { "<unset>".into() } else { Value::from(text) })
}

fn ingress(object: &Object<'_>) -> Vec<Value> {
    let ports = if object.list("spec.tls").is_empty() { "80" } else { "80, 443" };
    let class = object.at("spec.ingressClassName").and_then(Value::as_str).unwrap_or("<none>");
    let address = balancers(object).join(",");
    vec![object.name(), class.into(), hosts(object).into(), address.into(), ports.into(), object.age()]
}

/// Rules without a host are counted as more, and not shown.
fn hosts(object: &Object<'_>) -> String {
    const MOST: usize = 3;
    let rules = object.list("spec.rules");
    let mut shown = Vec::new();
    let mut has_more = false;
    for rule in rules {
        has_more |= shown.len() == MOST;
        let host = text_of(rule, "host");
        if !has_more && !host.is_empty() {
            shown.push(host);
        }
    }
    match shown.is_empty() {
        true => "*".to_owned(),
        false if has_more => format!("{} + {} more...", shown.join(","), rules.len() - MOST),
        false => shown.join(","),
    }
}

fn parameters(object: &Object<'_>) -> String {
    let Some(parameters) = object.at("spec.parameters") else { return "<none>".to_owned() };
    let group = parameters.get("apiGroup").and_then(Value::as_str).map(|group| format!(".{group}"));
    format!("{}{}/{}", text_of(parameters, "kind"), group.unwrap_or_default(), text_of(parameters, "name"))
}

fn parent(object: &Object<'_>) -> String {
    let Some(parent) = object.at("spec.parentRef") else { return "<none>".to_owned() };
    let resource = match text_of(parent, "group") {
        "" => text_of(parent, "resource").to_owned(),
        group => format!("{}.{group}", text_of(parent, "resource")),
    };
    let namespace = match text_of(parent, "namespace") {
        "" => String::new(),
        namespace => format!("/{namespace}"),
    };
    format!("{}{namespace}/{}", resource.to_lowercase(), text_of(parent, "name"))
}
