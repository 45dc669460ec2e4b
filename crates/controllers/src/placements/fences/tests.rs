use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;

use bowline_api::placements::{FenceHook, NetworkFence};
use bowline_runtime::now;
use serde_json::{Value, json};

use super::*;
use crate::updates::Fake;

const FENCE: Order<'_> = Order { target: "east", fences: true, epoch: 3 };
const UNFENCE: Order<'_> = Order { target: "east", fences: false, epoch: 3 };

/// A directory with a hook that notes what it is asked, and says how the fence stands by a file beside it.
fn hooks(name: &str, script: &str) -> (PathBuf, Hooks) {
    let directory = std::env::temp_dir().join(format!("bowline-hooks-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join("hook");
    std::fs::write(&file, format!("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n{script}\n")).expect("a hook");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a program");
    (directory.clone(), Hooks(Some(directory)))
}

fn hook(name: &str, timeout_seconds: u32) -> FenceHook {
    FenceHook { name: name.to_owned(), timeout_seconds }
}

fn said(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("said")).unwrap_or_default()
}

#[tokio::test]
async fn a_hook_is_told_target_and_epoch_and_then_asked_how_it_stands() {
    let script = "echo \"$@\" >> said\ncase $1 in fence) echo fenced > state;; unfence) echo open > state;; status) cat state;; esac";
    let (directory, hooks) = hooks("told", script);
    let always = Mandate::always();
    assert_eq!(hooks.drive(&hook("hook", 30), FENCE, &always).await, Ok(true));
    assert_eq!(hooks.drive(&hook("hook", 30), UNFENCE, &always).await, Ok(false));
    assert_eq!(said(&directory), "fence east 3\nstatus east 3\nunfence east 3\nstatus east 3\n");
    let _ = std::fs::remove_dir_all(directory);
}

#[tokio::test]
async fn a_hook_that_ends_well_has_not_fenced_unless_it_says_so() {
    let (directory, hooks) = hooks("open", "echo open");
    assert_eq!(hooks.drive(&hook("hook", 30), FENCE, &Mandate::always()).await, Ok(false));
    let _ = std::fs::remove_dir_all(directory);
}

#[tokio::test]
async fn a_hook_that_fails_says_nothing_or_does_not_end_has_not_fenced() {
    for (name, script, seconds, why) in [
        ("fails", "echo no such host >&2; exit 3", 30, "no such host"),
        ("silent", "true", 30, "has to print `fenced` or `open`"),
        ("hangs", "exec sleep 60", 1, "was killed"),
    ] {
        let (directory, hooks) = hooks(name, script);
        let told = hooks.drive(&hook("hook", seconds), FENCE, &Mandate::always()).await.expect_err(name);
        assert!(told.contains(why), "{told}");
        let _ = std::fs::remove_dir_all(directory);
    }
}

#[tokio::test]
async fn nothing_is_run_that_is_not_in_the_directory() {
    let (directory, hooks) = hooks("inside", "echo fenced");
    for name in ["../hook", "/bin/true", "..", ".", "", "a/b"] {
        assert!(hooks.drive(&hook(name, 30), FENCE, &Mandate::always()).await.is_err(), "{name}");
    }
    let none =
        Hooks(None).drive(&hook("hook", 30), FENCE, &Mandate::always()).await.expect_err("no directory");
    assert!(none.contains("--fence-hooks"), "{none}");
    let _ = std::fs::remove_dir_all(directory);
}

fn network() -> NetworkFence {
    NetworkFence {
        cluster: "west".into(),
        cidrs: vec!["10.0.0.0/24".to_owned()],
        class_name: Some("fast".into()),
        ..NetworkFence::default()
    }
}

fn object(epoch: u64, state: &str, status: Value) -> Value {
    json!({
        "apiVersion": "csiaddons.openshift.io/v1alpha1", "kind": "NetworkFence", "spec": { "fenceState": state }, "status": status,
        "metadata": { "name": format!("bowline-east-{epoch}"), "resourceVersion": "7",
            "annotations": { "bowline.dev/fence-epoch": epoch.to_string() } },
    })
}

/// Drives a cluster that has these objects, and gives what becomes of one that is written; says what was asked of it.
async fn driven(order: Order<'_>, has: Vec<Value>, becomes: Value) -> (Result<bool, String>, Vec<String>) {
    let fake = Fake::new(move |asked| match asked.what.split_once(' ') {
        Some(("GET", _)) => {
            (200, json!({ "apiVersion": "v1", "kind": "List", "metadata": {}, "items": has }))
        }
        Some(("DELETE", _)) => {
            (200, json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success" }))
        }
        _ => (200, becomes.clone()),
    });
    let fence = network();
    let said = Fenced { client: &fake.client, fence: &fence }.drive(order, &Mandate::always()).await;
    let verbs = fake.heard().iter().map(|one| one.split(' ').next().unwrap_or_default().to_owned()).collect();
    (said, verbs)
}

fn succeeded(message: &str) -> Value {
    json!({ "result": "Succeeded", "message": message })
}

#[tokio::test]
async fn a_network_fence_is_made_for_each_epoch_and_believed_when_its_controller_has_succeeded() {
    let made = driven(FENCE, Vec::new(), object(3, "Fenced", Value::Null)).await;
    assert_eq!(
        made,
        (Ok(false), vec!["GET".to_owned(), "POST".to_owned()]),
        "nobody has said that it is in force"
    );
    let done = object(3, "Fenced", succeeded("fencing operation successful"));
    let old = object(2, "Unfenced", succeeded("unfencing operation successful"));
    let (said, verbs) = driven(FENCE, vec![old, done], Value::Null).await;
    assert_eq!((said, verbs), (Ok(true), vec!["GET".into(), "GET".into(), "DELETE".into()]));
}

#[tokio::test]
async fn a_network_fence_is_down_when_its_controller_says_so_of_that_and_not_of_the_fence() {
    let up = object(3, "Fenced", succeeded("fencing operation successful"));
    let asked = object(3, "Unfenced", succeeded("fencing operation successful"));
    let (said, verbs) = driven(UNFENCE, vec![up], asked.clone()).await;
    assert_eq!(
        (said, verbs),
        (Ok(true), vec!["GET".to_owned(), "PATCH".to_owned()]),
        "that was about the fence"
    );
    let down = object(3, "Unfenced", succeeded("unfencing operation successful"));
    assert_eq!(driven(UNFENCE, vec![down], Value::Null).await.0, Ok(false));
    assert_eq!(
        driven(UNFENCE, Vec::new(), asked).await.1,
        ["GET", "POST"],
        "what was lost is taken down all the same"
    );
}

#[tokio::test]
async fn a_network_fence_of_a_greater_epoch_is_not_touched_and_a_failure_is_told() {
    let later = object(4, "Fenced", succeeded("fencing operation successful"));
    let (said, verbs) = driven(UNFENCE, vec![later], Value::Null).await;
    assert!(said.is_err_and(|why| why.contains("epoch 4")) && verbs == ["GET"]);
    let failed = object(3, "Fenced", json!({ "result": "Failed", "message": "no such driver" }));
    let (said, _) = driven(FENCE, vec![failed], Value::Null).await;
    assert!(said.is_err_and(|why| why.contains("no such driver")));
}

#[tokio::test]
async fn the_lease_of_a_syncer_is_asked_for_where_syncers_have_theirs() {
    let fake = Fake::new(|asked| {
        assert_eq!(
            asked.what,
            "GET /apis/coordination.k8s.io/v1/namespaces/bowline-system/leases/bowline-syncer-east"
        );
        let metadata =
            json!({ "name": "bowline-syncer-east", "namespace": "bowline-system", "resourceVersion": "7" });
        (
            200,
            json!({ "metadata": metadata, "spec": { "holderIdentity": "", "renewTime": "2026-01-01T00:00:00.000000Z" } }),
        )
    });
    let wardens = Wardens::new(&fake.client, &Court::new(now().clock), None, None);
    let look = FenceCall::Look("east".to_owned(), bowline_control::Version(9));
    let said = wardens.call(look, &Mandate::always()).await;
    assert_eq!(
        said,
        FenceReply::Pulse(bowline_control::Version(9), Ok(Pulse::Lapsed), 0),
        "it was given back"
    );
    let silent = Wardens::new(&Fake::silent().client, &Court::new(now().clock), None, None);
    let look = FenceCall::Look("east".to_owned(), bowline_control::Version(9));
    let said = silent.call(look, &Mandate::always()).await;
    assert!(matches!(said, FenceReply::Pulse(_, Err(_), 0)), "a server that does not answer is no lapse");
}

#[tokio::test]
async fn a_target_whose_fencing_was_taken_away_is_not_fenced() {
    let target = json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget", "metadata": { "name": "east" }, "spec": { "cluster": "east" } });
    let asked = Arc::new(Mutex::new(0));
    let fake = Fake::new(move |_| {
        *asked.lock().expect("a lock") += 1;
        (200, target.clone())
    });
    let wardens = Wardens::new(&fake.client, &Court::new(now().clock), None, None);
    let order =
        FenceCall::Drive { target: "east".to_owned(), fences: true, epoch: bowline_placements::Epoch(3) };
    let FenceReply::Driven(true, _, Err(why)) = wardens.call(order, &Mandate::always()).await else {
        panic!("it is not fenced")
    };
    assert!(why.contains("taken away"), "{why}");
}

#[tokio::test]
async fn that_the_hub_was_restored_is_known_of_all_targets() {
    use bowline_runtime::Wire as _;
    let wardens = Wardens::new(&Fake::silent().client, &Court::new(now().clock), None, None);
    let target = |name: &str, restore: u64| {
        let raw = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget",
            "metadata": { "name": name, "uid": name, "resourceVersion": "7" },
            "spec": { "cluster": name }, "status": { "restore": restore },
        });
        let raw = serde_json::from_value(raw).expect("an object");
        crate::placements::PlacementWire.read(Kind::Target, &raw).expect("a target")
    };
    wardens.sees(&Event::Listed(Kind::Target, vec![target("east", 0), target("west", 0)]));
    assert_eq!(wardens.restored(), 0);
    wardens.sees(&Event::Put(target("west", 2)));
    wardens.sees(&Event::Listed(Kind::Placement, Vec::new()));
    assert_eq!(wardens.restored(), 2);
}
