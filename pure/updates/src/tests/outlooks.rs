//! Versions that nobody has submitted: what is foreseen is what is decided.

use std::sync::Arc;

use bowline_control::{Controller, Decision, Millis};

use super::{Plain, applied, at, content, differs, ours};
use crate::{
    Act, Cluster, Content, Fault, Inventory, Number, Objection, Origin, Outlook, Phase, Prospect,
    Quarantined, Rhythm, Sight, Stack, Stage, Step, Update, Updates, Wait, Whose,
};

/// A stack at rest with one object, and a version that makes another one.
fn prospect() -> Prospect<Plain> {
    let s = applied();
    let mut stack = s.stack.expect("a stack");
    stack.status.phase = Phase::Idle;
    stack.status.requests.clear();
    let update = Update { name: "next", digest: "two".into(), shown: None, ..super::update() };
    Prospect {
        stack,
        cluster: s.cluster,
        allowed: true,
        update,
        content: Arc::new(content(&[("x", 0, 1), ("y", 0, 2)])),
        inventory: Arc::new(Inventory([("x", Origin::Created)].into())),
        sights: Arc::new([("x", ours(1)), ("y", Sight { live: None, fit: super::changed() })].into()),
    }
}

fn foreseen(change: impl FnOnce(&mut Prospect<Plain>)) -> Outlook<Plain> {
    let mut prospect = prospect();
    change(&mut prospect);
    prospect.outlook()
}

fn cluster(prospect: &mut Prospect<Plain>) -> &mut Cluster<Plain> {
    prospect.cluster.as_mut().expect("a cluster")
}

#[test]
fn what_nothing_speaks_against_is_planned() {
    let outlook = foreseen(|_| {});
    assert_eq!(
        (outlook.number, outlook.rejected, outlook.fails, outlook.waits),
        (Number(2), None, None, None)
    );
    let acts: Vec<_> = outlook.plan.deeds.iter().map(|(_, deed)| (deed.place, deed.act.clone())).collect();
    assert_eq!(acts, [("y", Act::Create(2))]);
}

#[test]
fn what_would_be_rejected_or_fail_is_said_in_the_words_of_its_end() {
    let quarantined = foreseen(|it| {
        let bad = Quarantined { digest: "two".into(), number: Number(1), why: "it was ill".into() };
        it.stack.status.quarantined.push(bad);
    });
    let (why, words) = quarantined.rejected.expect("it is rejected");
    assert_eq!(why, Objection::Quarantined);
    assert!(words.contains("version 1 failed with the same content (it was ill)"), "{words}");
    assert!(foreseen(|it| it.allowed = false).rejected.is_some_and(|(why, _)| why == Objection::NotAllowed));
    assert!(foreseen(|it| it.cluster = None).rejected.is_some_and(|(why, _)| why == Objection::NoCluster));

    let others = foreseen(|it| {
        let claimed = differs(Whose::Anothers("the stack t".into()), 2);
        Arc::make_mut(&mut it.sights).insert("y", claimed);
    });
    let Some((Fault::Refused, why)) = others.fails else { panic!("it is not refused") };
    assert!(why.starts_with("y belongs to the stack t; take it out here"), "{why}");
    let deletes = foreseen(|it| {
        it.stack.wish.deletions = 0;
        it.content = Arc::new(Content::default());
    });
    let (why, words) = deletes.fails.expect("it fails");
    assert!(why == Fault::Deletions && words.contains("it would delete 1 objects, and at most 0"), "{words}");
    let asked = foreseen(|it| it.update.plan = Some("another".into()));
    assert!(asked.fails.is_some_and(|(why, _)| why == Fault::OtherPlan));
    let digest = foreseen(|_| {}).plan.digest();
    assert_eq!(foreseen(|it| it.update.plan = Some(digest)).fails, None);
}

#[test]
fn what_it_would_wait_for_is_said() {
    assert_eq!(foreseen(|it| it.stack.wish.paused = true).waits, Some(Wait::Unpaused));
    assert_eq!(foreseen(|it| cluster(it).paused = true).waits, Some(Wait::ClusterUnpaused));
    assert_eq!(foreseen(|it| cluster(it).ready = false).waits, Some(Wait::ClusterReady));
    let upgraded = foreseen(|it| {
        cluster(it).upgrade = true;
        cluster(it).updates.clear();
    });
    assert_eq!(upgraded.waits, Some(Wait::Upgrade));
    let untried = foreseen(|it| {
        let silent = Sight { live: None, fit: crate::Fit::Untried("its webhook does not answer".into()) };
        Arc::make_mut(&mut it.sights).insert("y", silent);
    });
    assert_eq!((untried.fails, untried.waits), (None, Some(Wait::Trial)));
    let newest = foreseen(|it| {
        let queued = applied().stack.expect("a stack").status.requests.remove(0);
        it.stack.status.requests.push(crate::Request { stage: Stage::Queued, ..queued });
    });
    assert_eq!((newest.number, newest.waits), (Number(2), None), "it takes the place of what waits");
}

/// The same version, submitted, ends as was foreseen.
#[test]
fn what_is_foreseen_is_what_is_decided() {
    let fails = |change: fn(&mut Stack<Plain>)| {
        let mut it = prospect();
        it.content = Arc::new(content(&[("y", 0, 2)]));
        change(&mut it.stack);
        let number = Number(2);
        let foreseen = it.clone().outlook();
        let mut s = it.submitted(number);
        let stack = s.stack.as_mut().expect("a stack");
        stack.status.phase = Phase::Starting(number);
        stack.status.submitted = number;
        stack.status.requests[0].stage = Stage::Processing;
        s.updates[0].shown = Some(crate::Shown {
            number: Some(number),
            stage: Stage::Processing,
            tally: None,
            done: 0,
            words: String::new(),
        });
        let decided = Updates::<Plain>::new(Rhythm::default()).decide(&s, at(Millis(0)));
        let fails = match decided {
            Decision::Do(Step::Fail(_, why)) => Some(why),
            Decision::Do(Step::Store(_)) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(foreseen.fails.map(|(why, _)| why), fails);
        fails
    };
    assert_eq!(fails(|_| {}), None);
    assert_eq!(fails(|stack| stack.wish.deletions = 0), Some(Fault::Deletions));
}
