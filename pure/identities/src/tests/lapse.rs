//! A role that others have taken away.

use super::*;
use crate::Trial;

fn recorded(snapshot: &Snapshot<Plain>) -> Identity<Plain> {
    match written(snapshot) {
        Write::Status { after: Object::Identity(after), .. } => after,
        other => panic!("{other:?} records nothing"),
    }
}

#[test]
fn it_is_not_ready_until_it_is_made_and_tried_again() {
    let rhythm = Rhythm { assumes: true, ..Rhythm::default() };
    let trying: Identities<Plain> = Identities::new(Some(home()), rhythm);
    let mut snapshot = complete();
    snapshot.memory.trial = Trial::Worked;
    let before = snapshot.identity.clone().expect("one");
    let gone = Said::Seen { policy: Some(policy(&before)), role: None };
    let seen = Reply { to: call(Ask::Look { goes: false }), said: gone };
    trying.learn(&mut snapshot.memory, &Step::Look, seen, NOW).expect("it is seen");
    let lapsed = recorded(&snapshot);
    assert_eq!(lapsed.conditions().map(|condition| condition.is), [false; 4], "{lapsed:?}");
    let Status { intent, published, .. } = before.status.clone();
    assert_eq!(
        lapsed.status,
        Status { intent, published, ..Status::default() },
        "what is out there is known"
    );
    assert!(lapsed.notice(&before).is_some_and(|notice| notice.warns && notice.reason == "RoleLost"));
    snapshot.identity = Some(lapsed);
    assert_eq!(trying.decide(&snapshot, NOW), Decision::Do(Step::CreateRole));
    snapshot.memory.look = Some(look(Some(policy(&before)), Some(role(&before))));
    let again = recorded(&snapshot);
    assert_eq!((again.status.complete, again.status.ready), (Some(NOW.wall), false));
    snapshot.identity = Some(again);
    assert_eq!(trying.decide(&snapshot, NOW), Decision::Do(Step::Assume), "what worked before says nothing");
}
