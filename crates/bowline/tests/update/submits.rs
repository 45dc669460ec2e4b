//! What a submission makes, and what it refuses before it has made anything.

use std::process::Command;

use bowline_api::updates::{Bundle, Stack, Update};
use bowline_bundle::{bytes_of, object_name, unpack};
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use serde_json::json;

use super::config;
use super::hub::Hub;

/// The Secrets that hold parts.
fn parts(hub: &Hub) -> Vec<Secret> {
    let is_part = |secret: &Secret| secret.type_.as_deref() == Some("bowline.dev/part");
    hub.all::<Secret>().into_iter().filter(is_part).collect()
}

fn is_empty(hub: &Hub) -> bool {
    let made =
        (hub.all::<Update>().len(), hub.all::<Stack>().len(), hub.all::<Bundle>().len(), parts(hub).len());
    made == (0, 0, 0, 0)
}

#[test]
fn what_is_no_manifest_is_told_with_the_whole_command() {
    let hub = Hub::start();
    hub.update_with("plan - --cluster prod --stack web -n default", "resources: [a.yaml]")
        .is(2, &["kubectl kustomize DIR | bowline update submit - --cluster prod --stack web -n default"]);
    hub.update_with("submit - --cluster prod", "apiVersion: v2\nname: app\nversion: 1.0.0\n").is(
        2,
        &[
            "standard input:1: it is part of a Helm chart",
            "helm template DIR | bowline update submit - --cluster prod",
        ],
    );
}

/// Text that hardly becomes smaller.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed;
    let digits = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:08x}", state >> 32)
    });
    digits.take(length / 8).collect()
}

#[test]
fn who_is_interrupted_before_all_is_kept_leaves_nothing_behind() {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"names": ["default"]}));
    for number in 0..40 {
        hub.file(&format!("app/{number}.yaml"), &config(&format!("c{number}"), &noise(number, 900_000)));
    }
    for signal in ["INT", "TERM"] {
        let child = hub.start_update("submit app --cluster prod");
        hub.until("content is being kept", || !hub.all::<Bundle>().is_empty());
        let told = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
        assert!(told.expect("sh").success(), "kill -{signal}");
        let said = hub.ended(child);
        assert_eq!(said.code, None, "it ends by the signal: {said:#?}");
        assert!(said.err.contains("Nothing was submitted."), "{said:#?}");
        hub.until("nothing is left", || is_empty(&hub));
    }
    hub.update("submit app --cluster prod").is(0, &["Submitted 40 objects"]);
}

#[test]
fn what_would_be_rejected_is_refused_and_told_what_to_do() {
    let hub = Hub::start();
    hub.file("app/a.yaml", &config("a", "1"));
    hub.cluster("itself", &json!({"selector": {}}));
    let exposed = json!({
        "type": "Ready", "status": "False", "reason": "HubExposed", "message": "it is this hub itself",
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
    });
    hub.say_of_cluster("itself", &json!({"conditions": [exposed]}));
    hub.update("submit app --cluster itself").is(
        4,
        &[
            "the cluster itself takes no versions: it is this hub itself",
            "all that is submitted to it is rejected",
            "bowline cluster add itself --kubeconfig FILE --allow NAMESPACE",
        ],
    );
    assert!(is_empty(&hub));
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_made() {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"names": ["team-a"]}));
    hub.cluster("labelled", &json!({"selector": {"matchLabels": {"team": "a"}}}));
    hub.cluster("nobody", &json!(null));
    hub.file("app/a.yaml", &config("a", "1"));
    hub.file("bad/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [\n");
    hub.file("twice/a.yaml", &format!("{}---\n{}", config("a", "1"), config("a", "2")));
    hub.file("empty/README.md", "nothing");
    hub.file(
        "secret/s.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: hunter2\n",
    );
    hub.file("kustomize/Kustomization", "resources: [a.yaml]\n");

    hub.update("submit bad --cluster prod").is(2, &["bad/a.yaml:", "it does not parse"]);
    hub.update("submit twice --cluster prod").is(2, &["twice/a.yaml:8", "also in twice/a.yaml:1"]);
    let said = hub
        .update("submit secret --cluster prod")
        .is(2, &["secret/s.yaml:6:13: data[\"password\"] is not base64"]);
    assert!(!said.err.contains("hunter2"), "{said:#?}");
    hub.update("submit kustomize --cluster prod")
        .is(2, &["kubectl kustomize kustomize | bowline update submit - --cluster prod"]);
    hub.update("submit empty --cluster prod").is(2, &["empty: there is no object in it"]);
    hub.update("submit not-there --cluster prod").is(2, &["not-there: it cannot be read"]);
    hub.update_with("submit - --cluster prod", "kind: x").is(2, &["standard input:1: it has no apiVersion"]);
    hub.update("submit app --cluster prod --plan-hash abc").is(2, &["sha256: and 64 hexadecimal digits"]);
    hub.update("submit app --cluster other").is(4, &["there is no cluster other"]);
    hub.update("submit app --cluster prod")
        .is(4, &["the namespace default may not use the cluster prod", "the namespaces team-a may"]);
    hub.update("submit app --cluster nobody").is(4, &["may not use the cluster nobody", "no namespace may"]);
    hub.update("submit app --cluster labelled").is(4, &["may not use the cluster labelled"]);
    for line in [
        "submit app --cluster prod",
        "plan app --cluster prod",
        "list",
        "rollback --stack prod",
        "pause prod",
    ] {
        hub.update(&format!("{line} -n team-a")).is(
            4,
            &["the hub has no namespace team-a: say another one (-n)", "kubectl create namespace team-a"],
        );
    }
    hub.update("list -A").is(0, &["There are no updates anywhere"]);
    assert!(is_empty(&hub), "nothing was made");

    hub.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": {"team": "a"}}}));
    hub.update("submit app --cluster prod -n team-a").is(0, &["Submitted 1 object", "in team-a"]);
    hub.update("submit app --cluster labelled -n team-a").is(0, &["to the stack labelled"]);
    // A timeout that no stack may have is seen by the server only: the content is not left lying about.
    hub.delete_updates();
    hub.until("the content is collected", || hub.all::<Bundle>().is_empty() && parts(&hub).is_empty());
    hub.update("submit app --cluster prod --stack new -n team-a --health-timeout 48h")
        .is(2, &["timeoutSeconds"]);
    hub.until("nothing is left", || hub.all::<Bundle>().is_empty() && parts(&hub).is_empty());
    assert_eq!(hub.all::<Update>().len(), 0);
}

#[test]
fn the_same_content_is_there_once_and_goes_with_its_last_update() {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    hub.file("app/a.yaml", &config("a", "1"));
    hub.file("app/b/b.yaml", &config("b", "2"));
    let first = hub.update("submit app --cluster prod --health-timeout 2m");
    let first = first.is(0, &["Submitted 2 objects", "to the stack prod in default, as prod-"]);
    let stacks = hub.all::<Stack>();
    assert_eq!(stacks.len(), 1);
    assert_eq!((stacks[0].spec.cluster.as_str(), stacks[0].spec.timeout_seconds), ("prod", 120));
    let bundles = hub.all::<Bundle>();
    assert_eq!((bundles.len(), parts(&hub).len()), (1, 1));
    assert_eq!(bundles[0].name_any(), object_name(&bundles[0].spec.digest));

    // The same objects in another order and style.
    let both = format!("{}---\n{}", config("b", "2"), config("a", "1").replace("\"1\"", "'1' # one"));
    let second = hub.update_with("submit - --cluster prod --quiet", &both).is(0, &[]);
    assert_eq!(second.err, "");
    assert_eq!((hub.all::<Bundle>().len(), parts(&hub).len(), hub.all::<Stack>().len()), (1, 1, 1));
    let updates = hub.all::<Update>();
    assert_eq!(updates.len(), 2);
    for update in &updates {
        let owner = &update.owner_references()[0];
        assert_eq!((owner.kind.as_str(), Some(owner.uid.clone())), ("Stack", stacks[0].uid()));
        assert_ne!(owner.block_owner_deletion, Some(true), "a stack does not wait for its updates");
    }
    assert!(updates.iter().all(|update| update.spec.bundle == bundles[0].spec.digest));
    let mut owners: Vec<_> =
        hub.all::<Bundle>()[0].owner_references().iter().map(|owner| owner.name.clone()).collect();
    owners.sort();
    let mut names = vec![first.name().to_owned(), second.name().to_owned()];
    names.sort();
    assert_eq!(owners, names);

    // A part that somebody took away is made again.
    hub.delete_secret(&parts(&hub)[0].name_any());
    hub.update("submit app --cluster prod -o json").is(0, &["\"kind\": \"Update\""]);
    assert_eq!(parts(&hub).len(), 1);

    hub.cluster("other", &json!({"selector": {}}));
    hub.update("submit app --cluster other --stack prod")
        .is(4, &["the stack prod is on the cluster prod, not on other"]);
    hub.delete_updates();
    hub.until("the content is collected", || hub.all::<Bundle>().is_empty() && parts(&hub).is_empty());
    assert_eq!(hub.all::<Stack>().len(), 1, "the stack stays");
    hub.update("submit app --cluster prod").is(0, &[]);
    hub.delete_stack("prod");
    hub.until("its updates go with a stack", || {
        hub.all::<Update>().is_empty() && hub.all::<Bundle>().is_empty()
    });
}

#[test]
fn two_thousand_objects_arrive_whole() {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{state:016x}")
    };
    let mut object = |number: usize| {
        let text: String = (0..125).map(|_| noise()).collect();
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("c{number}")}, "data": {"text": text}})
    };
    let items: Vec<_> = (0..2_000).map(&mut object).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    assert!(list.len() > 4_000_000);
    hub.update_with("submit - --cluster prod", &list).is(0, &["Submitted 2,000 objects"]);
    let bundle = hub.all::<Bundle>().remove(0);
    assert!(bundle.spec.parts.len() > 1);
    let secrets = hub.all::<Secret>();
    let part = |name: String| secrets.iter().find(|secret| secret.name_any() == name).and_then(bytes_of);
    let parts: Vec<_> =
        bundle.spec.parts.iter().map(|named| part(object_name(&named.digest)).expect("a part")).collect();
    let found = unpack(&bundle.spec, &parts).expect("it is whole");
    assert_eq!(found.len(), 2_000);
    assert!(found.iter().all(|manifest| items.contains(manifest.object())));
}
