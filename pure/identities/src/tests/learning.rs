//! What is remembered of what AWS says.

use super::*;

fn told(
    said: Said<Plain>,
    step: Step,
    what: Ask<Plain>,
    before: Look<Plain>,
    now: Moment,
) -> (Memory<Plain>, Result<(), String>) {
    let about = Some(("u1".to_owned(), 0));
    let mut memory = Memory { about, look: Some(before), ..Memory::default() };
    let learned = learn(&mut memory, step, what, said, now);
    (memory, learned)
}

#[test]
fn making_an_identity_costs_five_calls() {
    let identity = identity();
    let mut snapshot = snapshot(identity.clone(), None);
    let mut calls = Vec::new();
    while let Decision::Do(step) = controller().decide(&snapshot, NOW) {
        match controller().effect(&snapshot, &step, NOW) {
            Effect::Call(call) => {
                let said = match &call.what {
                    Ask::Look { .. } => Said::Seen { policy: None, role: None },
                    Ask::CreatePolicy(_) => Said::Made(home().policy_arn(&identity.name)),
                    Ask::CreateRole { .. } => Said::Made(role_arn()),
                    _ => Said::Done,
                };
                calls.push(step);
                let reply = Reply { to: call, said };
                controller().learn(&mut snapshot.memory, &step, reply, NOW).expect("it works");
            }
            Effect::Write(Write::Status { after: Object::Identity(after), .. }) => {
                snapshot.identity = Some(after)
            }
            Effect::Write(Write::Create(Object::Account(account))) => snapshot.accounts.push(account),
            other => panic!("{other:?}"),
        }
    }
    // The look at what is not there is two requests.
    assert_eq!(calls, [Step::Look, Step::CreatePolicy, Step::CreateRole, Step::AttachRolePolicy]);
    let status = snapshot.identity.expect("one").status;
    assert!(status.complete.is_some() && !status.ready, "{status:?}");
}

#[test]
fn answers_patch_what_was_seen() {
    let identity = identity();
    let before = look(Some(policy(&identity)), Some(role(&identity)));
    let other = document("{\"Statement\": []}");
    let (memory, _) = told(
        Said::Version(2),
        Step::CreatePolicyVersion,
        Ask::CreatePolicyVersion(other.clone()),
        before.clone(),
        NOW,
    );
    let after = memory.look.expect("a look");
    let policy = after.policy.expect("a policy");
    assert_eq!((policy.default, policy.others, policy.document), (2, vec![1], other));
    assert_eq!(after.written, Some(NOW.clock));
    let (memory, _) = told(Said::Missing, Step::DeleteRole, Ask::DeleteRole, before, NOW);
    let after = memory.look.expect("a look");
    assert_eq!((after.role, after.clear), (None, None), "the policy is still there");
}

#[test]
fn absence_is_confirmed_by_a_second_look_a_minute_later() {
    let nothing = || Said::Seen { policy: None, role: None };
    let ask = Ask::Look { goes: true };
    let mut memory = Memory::default();
    for (minutes, confirmed) in [(0, false), (0, false), (1, true), (1, true)] {
        learn(&mut memory, Step::Look, ask.clone(), nothing(), later(minutes)).expect("it works");
        assert_eq!(memory.look.as_ref().expect("a look").confirmed, confirmed);
    }
    let identity = identity();
    let there = Said::Seen { policy: None, role: Some(role(&identity)) };
    learn(&mut memory, Step::Look, ask, there, later(2)).expect("it works");
    assert!(!memory.look.expect("a look").confirmed, "something has arrived");
}

#[test]
fn what_was_just_written_may_not_be_visible_yet() {
    let identity = identity();
    let mut before = look(Some(policy(&identity)), Some(role(&identity)));
    before.written = Some(NOW.clock);
    let nothing = Said::Seen { policy: None, role: None };
    let ask = Ask::Look { goes: false };
    let (memory, _) = told(nothing.clone(), Step::Look, ask.clone(), before.clone(), NOW);
    assert!(memory.look.expect("a look").role.is_some(), "it is believed");
    let (memory, _) = told(nothing, Step::Look, ask, before.clone(), later(1));
    assert_eq!(memory.look.expect("a look").role, None, "it is drift");
    let attach = || Ask::AttachRolePolicy("x".into());
    let (memory, learned) = told(Said::Missing, Step::AttachRolePolicy, attach(), before.clone(), NOW);
    assert!(memory.look.is_some() && learned.expect_err("trouble").contains("not visible"));
    let asked_too_often = Look { doubts: 5, ..before.clone() };
    let (memory, _) = told(Said::Missing, Step::AttachRolePolicy, attach(), asked_too_often, NOW);
    assert!(memory.look.is_none(), "it was asked five times, and is not believed any more");
    let (memory, learned) = told(Said::Missing, Step::AttachRolePolicy, attach(), before, later(1));
    assert!(memory.look.is_none() && learned.is_err(), "it is looked at again");
}

#[test]
fn what_contradicts_is_looked_at_again() {
    let before = || look(None, None);
    for said in [Said::Exists, Said::Outdated("DeleteConflict".into())] {
        let (memory, learned) = told(said, Step::CreateRole, Ask::DeleteRole, before(), NOW);
        assert_eq!(memory.look, None);
        assert!(learned.expect_err("trouble").contains("looked at again"));
    }
}

#[test]
fn more_than_five_failures_are_told_and_rested_for() {
    let mut snapshot = snapshot(identity(), Some(look(None, None)));
    for _ in 0..5 {
        let said = Said::Failed("Throttling: Rate exceeded".into());
        learn(&mut snapshot.memory, Step::CreatePolicy, Ask::DeletePolicy, said, NOW).expect_err("it failed");
        assert_eq!(what(&snapshot), Ok(Step::CreatePolicy));
    }
    let said = Said::Failed("Throttling: Rate exceeded".into());
    learn(&mut snapshot.memory, Step::CreatePolicy, Ask::DeletePolicy, said, NOW).expect_err("it failed");
    let until = Some(later(1).clock);
    assert_eq!(decide(&snapshot), Decision::Wait { what: Wait::Stuck, until });
    assert_eq!(controller().decide(&snapshot, later(1)), Decision::Do(Step::CreatePolicy), "once more");
    learn(&mut snapshot.memory, Step::CreatePolicy, Ask::TagPolicy, Said::Done, NOW).expect("it works");
    assert!(snapshot.memory.failures.is_empty());
}

/// Whoever looks more often than a step is tried again is told all the same that it does not work.
#[test]
fn looks_between_the_tries_do_not_hide_that_a_step_is_stuck() {
    let mut snapshot = snapshot(identity(), Some(look(None, None)));
    let nothing = || Said::Seen { policy: None, role: None };
    let fail = |memory: &mut Memory<Plain>, now| {
        let said = Said::Failed("Throttling: Rate exceeded".into());
        learn(memory, Step::CreatePolicy, Ask::DeletePolicy, said, now).expect_err("it failed");
    };
    for minutes in (20..=120).step_by(20) {
        let ask = Ask::Look { goes: false };
        learn(&mut snapshot.memory, Step::Look, ask, nothing(), later(minutes)).expect("it works");
        assert_eq!(controller().decide(&snapshot, later(minutes)), Decision::Do(Step::CreatePolicy));
        fail(&mut snapshot.memory, later(minutes));
    }
    let stuck = Decision::Wait { what: Wait::Stuck, until: Some(later(121).clock) };
    assert_eq!(controller().decide(&snapshot, later(120)), stuck);
    // It is not needed any more: two looks later nobody knows of it.
    for (minutes, left) in [(140, 1), (160, 0)] {
        let ask = Ask::Look { goes: false };
        learn(&mut snapshot.memory, Step::Look, ask, nothing(), later(minutes)).expect("it works");
        assert_eq!(snapshot.memory.failures.len(), left);
    }
}

#[test]
fn what_is_refused_waits_for_a_person_or_a_minute() {
    let mut snapshot = snapshot(identity(), Some(look(None, None)));
    let said = Said::Refused("AccessDenied: iam:CreatePolicy is missing".into());
    learn(&mut snapshot.memory, Step::CreatePolicy, Ask::DeletePolicy, said, NOW).expect("it was answered");
    assert_eq!(what(&snapshot), Err(Wait::Refused));
    assert_eq!(controller().decide(&snapshot, later(1)), Decision::Do(Step::CreatePolicy));
    // What is wanted otherwise is tried at once.
    let mut identity = identity();
    identity.generation = 2;
    let object = Object::Identity(identity);
    let anew = Snapshot::of(&named("reader"), &[&object], &snapshot.memory);
    assert_eq!(anew.memory.refused, None);
}

#[test]
fn what_was_learned_of_another_one_of_the_name_is_forgotten() {
    let snapshot = complete();
    let mut identity = identity();
    identity.uid = "u2".into();
    let object = Object::Identity(identity);
    let anew = Snapshot::of(&named("reader"), &[&object], &snapshot.memory);
    assert_eq!(anew.memory, Memory { about: Some(("u2".into(), 0)), ..Memory::default() });
}
