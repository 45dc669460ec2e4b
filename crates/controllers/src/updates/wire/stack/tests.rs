use super::*;

fn raw() -> DynamicObject {
    let object = json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "Stack",
        "metadata": { "name": "shop", "namespace": "a", "uid": "u", "resourceVersion": "7", "generation": 3,
            "finalizers": ["others"] },
        "spec": { "cluster": "prod", "timeoutSeconds": 5, "drift": "Repair", "driftIntervalSeconds": 7,
            "maxDeletions": 2, "historyLimit": 9, "released": [4] },
    });
    serde_json::from_value(object).expect("an object")
}

fn at(second: i64) -> Time {
    Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
}

fn bare() -> Stack<Text> {
    read(&raw()).expect("a stack")
}

fn request(number: u64, stage: Stage) -> Request<Text> {
    Request {
        number: Number(number),
        update: format!("shop-{number}"),
        uid: format!("u{number}"),
        digest: format!("sha256:{number}"),
        plan: (number == 2).then(|| "sha256:plan".into()),
        stage,
        tally: (number == 4).then(|| bowline_api::updates::Plan { create: 3, ..Default::default() }),
        why: if stage.is_last() { "why".into() } else { String::new() },
    }
}

fn truths() -> Vec<Status<Text>> {
    let full = Status {
        submitted: Number(12),
        requests: (1..).zip(Stage::ALL).map(|(number, stage)| request(number, stage)).collect(),
        phase: Phase::Idle,
        good: Some(Good { number: Number(1), digest: "sha256:good".into() }),
        epoch: Epoch(4),
        attempt: 9,
        resumed: true,
        inventory: Some("sha256:inventory".into()),
        quarantined: vec![Quarantined { digest: "sha256:bad".into(), number: Number(3), why: "ill".into() }],
    };
    let number = Number(3);
    let phases = [
        Phase::Idle,
        Phase::Starting(number),
        Phase::Partial(number),
        Phase::RollingBack(Some(number)),
        Phase::RollingBack(None),
        Phase::Stalled(Some(number)),
        Phase::Stalled(None),
    ];
    let all = phases.into_iter().map(|phase| Status { phase, ..full.clone() });
    all.chain([Status::default()]).collect()
}

fn tellings() -> Vec<Option<Told<Text>>> {
    let told = |mood, words: &str| Some(Told { mood, words: words.into(), observed: 3 });
    let all = Mood::ALL.into_iter().flat_map(|mood| [told(mood, ""), told(mood, "why")]);
    all.chain([None]).collect()
}

fn drawn(stack: &Stack<Text>) -> DynamicObject {
    let mut raw = raw();
    draw_status(stack, &mut raw, &at(5));
    raw
}

#[test]
fn what_people_want_is_read() {
    let wish = bare().wish;
    assert_eq!((wish.cluster.as_str(), wish.repairs, wish.deletions), ("prod", true, 2));
    assert_eq!((wish.timeout, wish.interval, wish.paused), (Millis(5_000), Millis(7_000), false));
    assert_eq!((wish.released.as_slice(), wish.history), ([Number(4)].as_slice(), 9));
    assert_eq!((bare().status, bare().told), (Status::default(), None));
}

#[test]
fn every_truth_and_all_that_is_told_comes_back() {
    for status in truths() {
        for told in tellings() {
            let stack = Stack { status: status.clone(), told, ..bare() };
            let mut raw = drawn(&stack);
            assert_eq!(read(&raw), Some(stack.clone()));
            let before = raw.clone();
            draw_status(&stack, &mut raw, &at(9));
            assert_eq!(raw, before, "what is read and drawn again is the same");
            let mut deleted = raw.clone();
            deleted.metadata.deletion_timestamp = Some(at(7));
            let stack = Stack { deleting: true, ..stack };
            draw_status(&stack, &mut deleted, &at(9));
            assert_eq!(read(&deleted), Some(stack), "also while it is being deleted");
        }
    }
}

#[test]
fn what_is_drawn_fits_the_schema() {
    for status in truths() {
        let raw = drawn(&Stack { status, told: tellings()[1].clone(), ..bare() });
        let read: Result<StackStatus, _> = serde_json::from_value(raw.data["status"].clone());
        let again = read.map(|status| json!(status)).expect("a status");
        assert_eq!(again, raw.data["status"], "nothing is said that has no place");
    }
}

#[test]
fn what_is_told_and_spoiled_is_told_again_and_the_truth_stays() {
    for told in tellings().into_iter().flatten() {
        let stack = Stack { told: Some(told), status: truths()[0].clone(), ..bare() };
        let raw = drawn(&stack);
        for (pointer, value) in [
            ("/status/conditions/0/message", json!("other")),
            ("/status/conditions/4/status", json!("Unknown")),
            ("/status/observedGeneration", json!(2)),
            ("/status/conditions", json!([])),
        ] {
            let mut spoiled = raw.clone();
            *spoiled.data.pointer_mut(pointer).expect("a field") = value;
            let read = read(&spoiled).expect("a stack");
            assert_eq!((read.told, read.status), (None, stack.status.clone()), "{pointer}");
        }
        let mut paused = raw.clone();
        paused.data["spec"]["paused"] = json!(true);
        let is_told = stack.told.as_ref().is_some_and(|told| told.mood == Mood::Paused);
        assert_eq!(read(&paused).expect("a stack").told.is_some(), is_told, "that it is paused is told");
    }
}

#[test]
fn a_truth_that_cannot_be_read_is_none() {
    let mut raw = raw();
    raw.data["status"] = json!({ "phase": "Odd" });
    assert_eq!(read(&raw), None);
}

#[test]
fn since_when_something_is_quarantined_stays() {
    let mut raw = drawn(&Stack { status: truths()[0].clone(), ..bare() });
    let mut more = truths()[0].clone();
    more.quarantined.push(Quarantined { digest: "sha256:worse".into(), number: Number(5), why: "x".into() });
    draw_status(&Stack { status: more, ..bare() }, &mut raw, &at(8));
    let since = |index: usize| raw.data["status"]["quarantined"][index]["since"].clone();
    assert_eq!((since(0), since(1)), (json!(at(5)), json!(at(8))));
}

#[test]
fn the_finalizer_comes_and_goes_and_others_keep_theirs() {
    let mut raw = raw();
    draw(&Stack { held: true, ..bare() }, &mut raw);
    assert!(read(&raw).expect("a stack").held);
    draw(&bare(), &mut raw);
    assert_eq!(raw.metadata.finalizers, Some(vec!["others".to_owned()]));
}

#[test]
fn versions_are_told_as_people_ask_for_them() {
    let of = |status: &Status<Text>| (applied(status), target(status));
    let all = truths();
    let (idle, partial, none) = (&all[0], &all[2], all.last().expect("one"));
    let number = |number| Some(Number(number));
    assert_eq!(of(idle), (number(1), number(2)), "what is queued is the target");
    assert_eq!(of(partial), (number(3), number(2)));
    let alone = Status { requests: Vec::new(), ..partial.clone() };
    assert_eq!(of(&alone), (number(3), number(3)));
    assert_eq!(of(none), (None, None));
    let calm = Status { requests: Vec::new(), ..idle.clone() };
    let told = Some(Told { mood: Mood::Well, words: String::new(), observed: 3 });
    let raw = drawn(&Stack { status: calm, told, ..bare() });
    assert_eq!(raw.data["status"]["message"], "version 1 is on the cluster");
}

#[test]
fn a_rollback_is_told_once() {
    let all = truths();
    let at = |index: usize| Stack { status: all[index].clone(), ..bare() };
    let told = notice(&at(2), &at(3)).expect("it is new");
    assert_eq!((told.reason.as_str(), told.good), ("RollingBack", false));
    assert_eq!(notice(&at(3), &at(3)), None);
    assert_eq!(notice(&at(3), &at(5)).map(|told| told.reason), Some("RollbackFailed".into()));
    assert_eq!(notice(&at(5), &at(0)), None);
}

#[test]
fn drift_is_told_by_what_has_drifted_and_a_repair_before_and_after() {
    let all = truths();
    let at = |index: usize| Stack { status: all[index].clone(), ..bare() };
    let drifted = |index: usize, words: &str| Stack {
        told: Some(Told { mood: Mood::Drifted, words: words.into(), observed: 3 }),
        ..at(index)
    };
    let of = |before: &Stack<Text>, after: &Stack<Text>| {
        notice(before, after).map(|told| (told.reason.clone(), told.note, told.good))
    };
    let news = |reason: &str, note: &str, good: bool| Some((reason.to_owned(), note.to_owned(), good));
    assert_eq!(of(&at(0), &drifted(0, "a")), news("Drifted", "a", false));
    assert_eq!(of(&drifted(0, "a"), &drifted(0, "a")), None);
    assert_eq!(of(&drifted(0, "a"), &drifted(0, "a, b")), news("Drifted", "a, b", false));
    assert_eq!(of(&drifted(0, "a"), &drifted(4, "a")), news("Drifted", "a; it is put right", false));
    assert_eq!(of(&drifted(4, "a"), &drifted(4, "a")), None);
    let repaired = news("Repaired", "what was not as it should be is put right", true);
    assert_eq!(of(&drifted(4, "a"), &drifted(0, "a")), repaired);
    let unhealthy = |words: &str| Stack {
        told: Some(Told { mood: Mood::Unhealthy, words: words.into(), observed: 3 }),
        ..at(0)
    };
    assert_eq!(of(&at(0), &unhealthy("1 of 3")), news("Unhealthy", "1 of 3", false));
    assert_eq!(of(&unhealthy("1 of 3"), &unhealthy("2 of 3")), None, "it goes on, and is no news");
}

fn conditions(stack: &Stack<Text>) -> Vec<Value> {
    drawn(stack).data["status"]["conditions"].as_array().cloned().unwrap_or_default()
}

#[test]
fn every_condition_has_a_message_and_so_has_the_stack() {
    for status in truths() {
        for told in tellings().into_iter().flatten() {
            for deleting in [false, true] {
                let stack = Stack { status: status.clone(), told: Some(told.clone()), deleting, ..bare() };
                let all = conditions(&stack);
                assert_eq!(all.len(), 5);
                let message = drawn(&stack).data["status"]["message"].clone();
                assert!(message.as_str().is_some_and(|message| !message.is_empty()), "{stack:?}");
                assert!(all.iter().all(|one| one["message"] == message), "{all:?}");
            }
        }
    }
}

#[test]
fn a_stack_of_which_no_version_has_succeeded_is_not_ready() {
    let ready = |mood: Mood, submitted: u64, good: Option<u64>| {
        let told = Some(Told { mood, words: "why".into(), observed: 3 });
        let good = good.map(|number| Good { number: Number(number), digest: "sha256:good".into() });
        let status = Status { submitted: Number(submitted), good, ..Status::default() };
        let stack = Stack { status, told, ..bare() };
        let ready = conditions(&stack).swap_remove(0);
        (ready["status"].clone(), ready["reason"].clone())
    };
    assert_eq!(ready(Mood::Well, 0, None), (json!("True"), json!("AsWanted")), "nothing is wanted");
    assert_eq!(ready(Mood::Well, 3, Some(2)), (json!("True"), json!("AsWanted")));
    assert_eq!(ready(Mood::Empty, 3, None), (json!("False"), json!("NoVersionSucceeded")));
}

#[test]
fn a_stack_that_is_being_deleted_says_so_in_a_word() {
    let told = Some(Told { mood: Mood::Going, words: "why".into(), observed: 3 });
    let stack = Stack { status: truths()[0].clone(), told, deleting: true, ..bare() };
    let mut all = conditions(&stack);
    assert!(all.iter().all(|one| one["reason"] == "Deleting"), "{all:?}");
    assert_eq!(all.swap_remove(0)["status"], "False");
}

#[test]
fn a_status_that_cannot_be_is_taken_for_nothing_else() {
    let mut raw = raw();
    for (phase, readable) in [("Idle", true), ("RollingBack", true), ("Starting", false), ("Partial", false)]
    {
        raw.data["status"] = json!({ "phase": phase });
        assert_eq!(read(&raw).is_some(), readable, "{phase} without a version");
        raw.data["status"]["working"] = json!(3);
        assert_eq!(read(&raw).is_some(), readable, "{phase} of a version that nobody knows");
        raw.data["status"]["requests"] = json!([{
            "version": 3, "update": "a", "uid": "u", "digest": format!("sha256:{}", "0".repeat(64)), "phase": "Partial",
        }]);
        assert!(read(&raw).is_some(), "{phase}");
    }
}
