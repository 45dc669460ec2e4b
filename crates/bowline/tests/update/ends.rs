//! `--wait`: how an update ends is how the command ends.

use bowline_api::updates::Update;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::config;
use super::hub::{Hub, Said};

fn ready() -> Hub {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    hub.file("app/a.yaml", &config("a", "1"));
    hub
}

/// Submits, and lets the update say these one after the other.
fn said(hub: &Hub, line: &str, statuses: &[Value]) -> Said {
    hub.meanwhile(&format!("submit app --cluster prod --wait{line}"), || {
        let update = hub.next_update();
        for status in statuses {
            hub.say(&update, status);
        }
    })
}

#[test]
fn the_exit_code_says_how_it_ended() {
    let hub = ready();
    let progress = json!({"done": 1, "total": 2, "summary": "1/2"});
    let steps = [
        json!({"version": 1, "phase": "Queued", "message": "waits for its turn"}),
        json!({"version": 1, "phase": "Partial", "message": "waits for web", "progress": progress}),
        json!({"version": 1, "phase": "Succeeded", "message": "all is healthy"}),
    ];
    let ended = said(&hub, "", &steps).is(0, &["prod/1 Succeeded: all is healthy"]);
    assert_eq!(ended.name(), hub.all::<Update>()[0].name_any());
    let quiet = said(&hub, " -q", &[json!({"version": 2, "phase": "Succeeded"})]).is(0, &[]);
    assert_eq!(quiet.err, "prod/2 Succeeded\n");
    let rolled = json!({"version": 3, "phase": "RolledBack", "message": "web was not healthy in time"});
    said(&hub, "", &[rolled]).is(1, &["prod/3 RolledBack: web was not healthy in time"]);
    for (version, phase, code) in [(4, "Failed", 1), (5, "Superseded", 1), (6, "Rejected", 4)] {
        said(&hub, "", &[json!({"version": version, "phase": phase})])
            .is(code, &[&format!("prod/{version} {phase}")]);
    }
    let json = said(&hub, " -o json", &[json!({"version": 7, "phase": "Succeeded"})]).is(0, &[]);
    let update: Value = serde_json::from_str(&json.out).expect("one document");
    assert_eq!(update["status"]["phase"], "Succeeded");
}

#[test]
fn a_rollback_is_waited_for_and_one_that_cannot_work_is_an_end() {
    let hub = ready();
    let broken = json!({"version": 1, "phase": "PartialFailure", "message": "the cluster does not answer"});
    let back = json!({"version": 1, "phase": "RolledBack"});
    said(&hub, "", &[broken.clone(), back]).is(1, &["prod/1 RolledBack"]);
    let stalled = hub.meanwhile("submit app --cluster prod --wait", || {
        let update = hub.next_update();
        hub.say(
            &update,
            &json!({"version": 2, "phase": "PartialFailure", "message": "it cannot be rolled back"}),
        );
        hub.say_of_stack("prod", &json!({"phase": "Stalled"}));
    });
    stalled.is(1, &["prod/2 PartialFailure: it cannot be rolled back"]);
}

#[test]
fn waiting_is_bounded_and_the_work_is_not() {
    let hub = ready();
    hub.update("submit app --cluster prod --wait --timeout 1s")
        .is(3, &["has not ended within 1 s, and goes on: it is Submitted. Do the controllers run?"]);
    let update = hub.next_update();
    hub.say(&update, &json!({"version": 1, "phase": "Partial", "message": "waits for web"}));
    hub.update("watch prod/1 --timeout 1s").is(3, &["prod/1 has not ended", "it is Partial: waits for web"]);
    let watched =
        hub.meanwhile("watch 1", || hub.say(&update, &json!({"phase": "Succeeded", "message": "done"})));
    watched.is(0, &["prod/1 Succeeded: done"]);
    let deleted = hub.meanwhile("submit app --cluster prod --wait", || {
        hub.next_update();
        hub.delete_updates();
    });
    deleted.is(1, &["was deleted before it ended"]);
}
