//! `bowline cluster`: what it says, and what it refuses.

use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use super::hub::Hub;

const ADMIN: &str = "--kubeconfig hub/admin.kubeconfig";

/// The kubeconfigs that are kept.
fn kept(hub: &Hub) -> usize {
    let ours = |secret: &Secret| {
        secret.metadata.labels.iter().flatten().any(|(key, _)| key == "bowline.dev/cluster")
    };
    hub.all::<Secret>().iter().filter(|secret| ours(secret)).count()
}

/// What somebody found who looked at a cluster of this generation.
fn seen(generation: u64, message: &str) -> Value {
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "LimitedPermissions", "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": generation,
    });
    json!({ "conditions": [ready] })
}

#[test]
fn a_cluster_is_added_changed_and_left_as_it_is() {
    let hub = Hub::start();
    let add = "cluster add toy --embedded --no-wait";
    hub.bowline(add).is(0, &["The cluster toy is added; every namespace"]);
    hub.bowline(add).is(0, &["The cluster toy is there already, and is as it was; every namespace"]);
    hub.bowline(&format!("{add} --allow team-a"))
        .is(0, &["The cluster toy is changed; the namespaces team-a"]);
}

#[test]
fn a_name_that_is_taken_is_refused_and_nothing_is_kept() {
    let hub = Hub::start();
    hub.bowline("cluster add toy --embedded --no-wait").is(0, &[]);
    let taken = ["there is a cluster toy already, which is embedded", "take another name"];
    hub.bowline(&format!("cluster add toy {ADMIN}")).is(4, &taken);
    assert_eq!(kept(&hub), 0);
    hub.bowline(&format!("cluster add prod {ADMIN} --no-wait")).is(0, &["is added"]);
    hub.bowline("cluster add prod --embedded").is(4, &["which is reached by a kubeconfig"]);
    assert_eq!(kept(&hub), 1);
}

#[test]
fn what_cannot_work_is_refused_and_nothing_is_kept() {
    let hub = Hub::start();
    hub.file("empty", "\n");
    hub.way("password", |way| way["users"][0]["user"] = json!({ "username": "me", "password": "sekrit" }));
    hub.way("key", |way| way["users"][0]["user"]["client-key-data"] = json!("sek*rit"));
    // PEM, but no certificate.
    hub.way("authority", |way| {
        way["clusters"][0]["cluster"]["certificate-authority-data"] =
            json!("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCnNla3JpdAotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==");
    });
    hub.way("pair", |way| {
        let user = &mut way["users"][0]["user"];
        user["client-key-data"] = user["client-certificate-data"].clone();
    });
    for (file, why) in [
        ("empty", "empty cannot be used: it is empty"),
        ("password", "users[0].user.username is not supported"),
        ("key", "users[0].user.client-key-data is not base64: its character 4 cannot be there"),
        ("authority", "its certificate-authority, or certificate-authority-data, cannot be read: "),
        ("pair", "pair cannot be used: its client-certificate and client-key do not fit: "),
    ] {
        let said = hub.bowline(&format!("cluster add prod --kubeconfig {file}")).is(2, &[why]);
        assert!(!said.err.contains("sek"), "{said:#?}");
        assert_eq!(kept(&hub), 0, "{file}");
    }
    hub.bowline("cluster list --kubeconfig empty").is(2, &["empty cannot be used: it is empty"]);
    for (names, why) in [
        ("hub/admin.kubeconfig:empty", "empty (of $KUBECONFIG) cannot be used: it is empty"),
        ("hub:gone", "hub (of $KUBECONFIG) cannot be used: "),
    ] {
        hub.with_kubeconfig(names, "cluster list").is(2, &[why]);
    }
    hub.with_kubeconfig("hub/admin.kubeconfig::hub/admin.kubeconfig", "cluster list").is(0, &[]);
    // What is not there is passed over, as kubectl does.
    for names in
        ["gone:hub/admin.kubeconfig", "hub/admin.kubeconfig:gone", "gone:gone/too:hub/admin.kubeconfig"]
    {
        hub.with_kubeconfig(names, "cluster list").is(0, &[]);
    }
    // But nobody else's server is taken for it.
    hub.file("bowline-data/admin.kubeconfig", "{}");
    let nowhere = "nothing by the name that $KUBECONFIG says (gone, gone/too), and this is no pod";
    hub.with_kubeconfig("gone:gone/too", "cluster list").is(5, &[nowhere]);
    hub.bowline("cluster list --kubeconfig gone").is(2, &["gone cannot be used: No such file"]);
    hub.way("unknown", |way| way["users"][0]["user"] = json!({ "token": "wrong" }));
    hub.bowline("cluster list --kubeconfig unknown").is(4, &["does not know us (401)", "--context"]);
}

#[test]
fn who_waits_in_vain_is_told_what_is_known() {
    let hub = Hub::start();
    let add = "cluster add toy --embedded --timeout 1s";
    hub.bowline(add).is(3, &["Nobody has looked at it within 1 s. Do the controllers run"]);
    hub.say_of_cluster("toy", &seen(0, "all was well"));
    hub.create(&json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "bowline-system" },
    }));
    hub.create(&json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "name": "bowline-controllers", "namespace": "bowline-system" },
        "spec": {
            "holderIdentity": "somebody", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z",
        },
    }));
    let known = [
        "Before, it was ready: all was well. somebody leads the controllers, and renewed its lease at 2026-01-01",
        "`bowline cluster show toy`",
    ];
    hub.bowline(add).is(3, &known);
}

#[test]
fn the_table_shows_the_beginning_of_a_long_message() {
    let hub = Hub::start();
    hub.cluster("toy", &json!({ "selector": {} }));
    let long = format!("it can be used, but we may not {}", "list, ".repeat(40));
    hub.say_of_cluster("toy", &seen(1, long.trim_end()));
    let table = hub.bowline("cluster list").is(0, &["it can be used, but we may not", "…"]);
    assert!(table.out.lines().all(|line| line.chars().count() <= 140), "{}", table.out);
    for line in ["cluster list -o wide", "cluster show toy"] {
        hub.bowline(line).is(0, &[long.trim_end()]);
    }
}

#[test]
fn what_is_put_on_an_embedded_cluster_goes_with_it() {
    let hub = Hub::start();
    hub.cluster("toy", &json!({ "selector": {} }));
    hub.kubeconfig_cluster("prod");
    for (cluster, becomes) in [("toy", "goes with it."), ("prod", "stays there.")] {
        hub.create(&json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Stack", "metadata": { "name": cluster, "namespace": "default" },
            "spec": { "cluster": cluster },
        }));
        let line = format!("cluster remove {cluster} --force");
        hub.bowline(&line).is(0, &[&format!("What they have put there {becomes}"), "is removed"]);
    }
}
