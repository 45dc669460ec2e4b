//! What people are told.

use bowline_control::Standing;

use super::*;
use crate::{Condition, Holder, Mood};

fn told(snapshot: &Snapshot<Plain>, standing: Standing<'_, Wait>) -> Option<Identity<Plain>> {
    match controller().report(snapshot, standing, NOW)? {
        Write::Status { after: Object::Identity(after), .. } => Some(after),
        other => panic!("{other:?} is no report"),
    }
}

fn words(snapshot: &Snapshot<Plain>, wait: Wait) -> (Mood, String) {
    let told = told(snapshot, Standing::Waiting(&wait)).expect("it is new").told.expect("words");
    (told.mood, told.words)
}

#[test]
fn who_waits_says_for_what_and_what_to_do() {
    let mut snapshot = complete();
    snapshot.memory.refused = Some(crate::Refused {
        step: Step::CreateRole,
        generation: 1,
        at: NOW.clock,
        why: "AccessDenied: allow iam:CreateRole".into(),
    });
    let stuck = crate::Failures { times: 6, at: NOW.clock, why: "Throttling".into() };
    snapshot.memory.failures.insert(Step::CreateRole, stuck);
    let arn = home().policy_arn(&named("reader"));
    for (wait, mood, part) in [
        (Wait::NextLook, Mood::Well, role_arn().as_str()),
        (Wait::Assumable, Mood::Waiting, "waits for the role to be assumable"),
        (Wait::Settings, Mood::Stalled, "--oidc-provider-arn"),
        (Wait::Refused, Mood::Stalled, "could not create the role: AccessDenied: allow iam:CreateRole"),
        (Wait::Stuck, Mood::Stalled, "create the role (more than 5 times: Throttling)"),
        (Wait::ForeignPolicy, Mood::Stalled, arn.as_str()),
        (Wait::ForeignRole, Mood::Stalled, "spec.adopt"),
        (Wait::OtherName, Mood::Stalled, "another --identity-cluster-name"),
    ] {
        let (is, words) = words(&snapshot, wait);
        assert_eq!(is, mood, "{wait:?}");
        assert!(words.contains(part), "{wait:?}: {words}");
    }
    let identity = snapshot.identity.as_mut().expect("one");
    identity.wish.grant.statements[0].actions = vec!["GetObject".into()];
    let (_, words) = words(&snapshot, Wait::Spec);
    assert!(words.starts_with("spec.policy.statement[0].action[0]: `GetObject` is no action"), "{words}");
}

#[test]
fn who_waits_for_an_account_says_whose_it_is_and_where() {
    let mut snapshot = complete();
    let told = |snapshot: &Snapshot<Plain>| words(snapshot, Wait::ForeignAccount).1;
    snapshot.accounts[0].of = None;
    let here = "the service account team/reader is there, and is not this identity's: delete it, name another one in \
                spec.serviceAccountName, or set spec.adopt";
    assert_eq!(told(&snapshot), here);
    snapshot.accounts[0].of = Some((named("writer"), "u2".into()));
    let anothers = "the service account team/reader is of the identity team/writer: name another one in \
                    spec.serviceAccountName, or delete that identity";
    assert_eq!(told(&snapshot), anothers);

    let its = |holder| (NOW.clock, Some(crate::Published { holder, role: None }));
    snapshot.identity.as_mut().expect("one").wish.clusters = vec!["east".into(), "west".into()];
    let memory = &mut snapshot.memory.accounts;
    memory.insert(("east".into(), named("reader")), its(Holder::Itself));
    memory.insert(("west".into(), named("reader")), its(Holder::Others));
    assert_eq!(told(&snapshot), here.replace("reader is", "reader on the cluster west is"));
}

#[test]
fn what_is_told_is_told_once() {
    let mut snapshot = complete();
    snapshot.identity = told(&snapshot, Standing::Waiting(&Wait::NextLook));
    assert_eq!(told(&snapshot, Standing::Waiting(&Wait::NextLook)), None);
    assert!(told(&snapshot, Standing::Failing("no")).is_some());
    let mut fail = |times| {
        let stuck = crate::Failures { times, at: NOW.clock, why: "Throttling".into() };
        snapshot.memory.failures.insert(Step::Look, stuck);
        told(&snapshot, Standing::Waiting(&Wait::Stuck)).map(|told| snapshot.identity = Some(told))
    };
    assert!(fail(6).is_some());
    assert!(fail(7).is_none(), "the next try is no news");
}

#[test]
fn conditions_say_what_is_so() {
    let is = |identity: &Identity<Plain>| identity.conditions().map(|Condition { kind, is, .. }| (kind, is));
    let mut snapshot = complete();
    let all = |complete, ready, synced, stalled| {
        [("Complete", complete), ("Ready", ready), ("Synced", synced), ("Stalled", stalled)]
    };
    assert_eq!(
        is(snapshot.identity.as_ref().expect("one")),
        all(true, true, false, false),
        "nobody has looked"
    );
    snapshot.identity = told(&snapshot, Standing::Waiting(&Wait::NextLook));
    let mut identity = snapshot.identity.clone().expect("one");
    assert_eq!(is(&identity), all(true, true, true, false));
    identity.generation = 2;
    assert_eq!(is(&identity), all(true, true, false, false), "that was of another wish");
    let stalled = told(&snapshot, Standing::Waiting(&Wait::ForeignRole)).expect("news");
    assert_eq!(is(&stalled), all(true, true, false, true));
    let going = Identity { deleting: true, ..stalled };
    assert_eq!(is(&going), all(false, false, false, true), "nobody counts on what is taken down");
}

#[test]
fn events_tell_what_is_new() {
    let snapshot = complete();
    let after = snapshot.identity.clone().expect("one");
    let mut before = after.clone();
    assert_eq!(after.notice(&before), None);
    before.status.ready = false;
    assert_eq!(after.notice(&before).map(|notice| notice.reason), Some("Ready"));
    before.status.complete = None;
    let recorded = Identity { status: Status { ready: false, ..after.status.clone() }, ..after.clone() };
    assert_eq!(recorded.notice(&before).map(|notice| notice.reason), Some("Complete"));
    let stalled = told(&snapshot, Standing::Waiting(&Wait::ForeignRole)).expect("news");
    assert!(stalled.notice(&after).is_some_and(|notice| notice.warns));
    assert_eq!(stalled.notice(&stalled), None);
}

/// What a person has to do stays to be done while AWS does not answer; and what does not work says so in one way.
#[test]
fn who_is_stalled_does_not_flap_in_an_outage() {
    let mut snapshot = complete();
    let stalled = told(&snapshot, Standing::Waiting(&Wait::ForeignRole)).expect("news");
    snapshot.identity = Some(stalled.clone());
    assert_eq!(told(&snapshot, Standing::Failing("no answer")), None, "it says what it said");
    // What is wanted otherwise is another matter.
    let identity = snapshot.identity.as_mut().expect("one");
    identity.generation = 2;
    let failing = told(&snapshot, Standing::Failing("no answer")).expect("news").told.expect("words");
    assert_eq!((failing.mood, failing.words.as_str()), (Mood::Failing, "no answer"));

    let mut snapshot = complete();
    let mut words = Vec::new();
    for number in 1..=20 {
        let why = format!("the way not to answer with the number {number}");
        let said = Said::Failed(why.clone());
        learn(&mut snapshot.memory, Step::Look, Ask::Look { goes: false }, said, NOW).expect_err("it failed");
        for standing in [Standing::Failing(&why), Standing::Waiting(&Wait::Stuck)] {
            let is_too_often = number > 5;
            if !is_too_often && standing == Standing::Waiting(&Wait::Stuck) {
                continue;
            }
            if let Some(after) = told(&snapshot, standing) {
                words.push(after.told.clone().expect("words"));
                snapshot.identity = Some(after);
            }
        }
    }
    let moods: Vec<_> = words.iter().map(|told| told.mood).collect();
    assert_eq!(moods, [vec![Mood::Failing; 5], vec![Mood::Stalled]].concat(), "{words:?}");
    assert!(words[5].words.contains("number 6"), "{words:?}");
}
