use super::*;

fn range(range: &str) -> Arc<Addresses> {
    Arc::new(Addresses::new(range).expect("a range"))
}

fn service(spec: Value) -> Json {
    let Value::Object(service) = json!({"spec": spec}) else { unreachable!() };
    service
}

/// A service that is written, if it can be.
fn write(addresses: &Arc<Addresses>, spec: Value) -> Result<Json, String> {
    let mut service = service(spec);
    let done = Reservation::new(addresses).assign(&mut service, None);
    done.map_err(|errors| errors[0].to_string())?;
    addresses.keep(None, &service);
    Ok(service)
}

fn on(port: u32) -> Value {
    json!({"type": "NodePort", "ports": [{"port": 80, "protocol": "TCP", "nodePort": port}]})
}

#[test]
fn what_comes_to_nothing_is_given_back() {
    let addresses = range("127.200.0.0/30");
    let any = || json!({"type": "ClusterIP"});
    let held = Reservation::new(&addresses);
    held.assign(&mut service(any()), None).expect("one is free");
    let first = write(&addresses, any()).expect("another is free");
    assert!(write(&addresses, any()).is_err(), "one is held, one is kept");
    drop(held);
    let second = write(&addresses, any()).expect("one is given back");
    assert_ne!(first["spec"]["clusterIP"], second["spec"]["clusterIP"]);
    assert!(write(&addresses, any()).is_err());
    addresses.forget(&first);
    let third = write(&addresses, any()).expect("the first is free");
    assert_eq!(first["spec"]["clusterIP"], third["spec"]["clusterIP"]);
}

#[test]
fn a_write_that_is_computed_again_takes_again() {
    let addresses = range("127.200.0.0/24");
    let mut first = service(on(31000));
    let write = Reservation::new(&addresses);
    write.assign(&mut first, None).expect("it is free");
    // Somebody was faster: it asks for the same once more, and then for another.
    write.assign(&mut service(on(31000)), None).expect("it is its own");
    write.assign(&mut service(on(31001)), None).expect("it is free");
    let other = Reservation::new(&addresses);
    assert!(other.assign(&mut service(on(31000)), None).is_ok(), "it was given back");
    assert!(other.assign(&mut service(on(31001)), None).is_err());
}

#[test]
fn what_is_taken_or_out_of_range_is_refused() {
    let addresses = range("127.200.0.0/24");
    let refused = |spec: Value, expected: &str| {
        assert_eq!(write(&addresses, spec).expect_err("it is refused"), expected);
    };
    let mut taken = on(31000);
    taken["clusterIP"] = "127.200.0.5".into();
    taken["clusterIPs"] = json!(["127.200.0.5"]);
    write(&addresses, taken).expect("it is free");
    refused(on(31000), "spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated");
    refused(
        on(5),
        "spec.ports[0].nodePort: Invalid value: 5: provided port is not in the valid range. The range of valid ports \
         is 30000-32767",
    );
    let at = |address: &str| json!({"type": "ClusterIP", "clusterIP": address, "clusterIPs": [address]});
    refused(
        at("127.200.0.5"),
        "spec.clusterIPs: Invalid value: [\"127.200.0.5\"]: failed to allocate IP 127.200.0.5: provided IP is already \
         allocated",
    );
    refused(
        at("10.0.0.1"),
        "spec.clusterIPs: Invalid value: [\"10.0.0.1\"]: failed to allocate IP 10.0.0.1: the provided IP (10.0.0.1) is \
         not in the valid range. The range of valid IPs is 127.200.0.0/24",
    );
}

#[test]
fn a_changed_service_gives_up_what_it_has_no_more() {
    let addresses = range("127.200.0.0/24");
    let old = write(&addresses, on(31000)).expect("it is free");
    let mut new = old.clone();
    new["spec"]["type"] = "ClusterIP".into();
    new["spec"]["ports"][0].as_object_mut().expect("a port").remove("nodePort");
    Reservation::new(&addresses).assign(&mut new, Some(&old)).expect("it has its address");
    assert!(write(&addresses, on(31000)).is_err(), "the change may come to nothing");
    addresses.keep(Some(&old), &new);
    assert!(write(&addresses, on(31000)).is_ok());
    let mut third = service(json!({"type": "ClusterIP", "clusterIP": new["spec"]["clusterIP"]}));
    assert!(Reservation::new(&addresses).assign(&mut third, None).is_err(), "it keeps its address");
}
