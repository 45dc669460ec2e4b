//! Other people's policies that a spec names: they are looked for before anything is made for them.

use super::*;

const BOUNDARY: &str = "arn:aws:iam::aws:policy/ViewOnlyAccess";
const MANAGED: &str = "arn:aws:iam::aws:policy/ReadOnlyAccess";

/// One that names both, with this of AWS.
fn naming(look: Look<Plain>) -> Snapshot<Plain> {
    let mut identity = identity();
    identity.wish.grant.boundary = Some(BOUNDARY.into());
    identity.wish.grant.managed = vec![MANAGED.into()];
    snapshot(identity, Some(look))
}

fn both() -> Others<Plain> {
    Others { boundary: Some(BOUNDARY.into()), managed: vec![MANAGED.into()] }
}

#[test]
fn nothing_is_made_before_they_are_found() {
    let mut snapshot = naming(look(None, None));
    assert_eq!(asked(&snapshot), Ask::Check(both()));
    let refused = Said::Refused("spec.permissionsBoundary: there is no such policy".into());
    learn(&mut snapshot.memory, Step::Check, Ask::Check(both()), refused, NOW).expect("it was answered");
    assert_eq!(what(&snapshot), Err(Wait::Refused), "nothing half-made stays behind");
    assert_eq!(
        controller().decide(&snapshot, later(1)),
        Decision::Do(Step::Check),
        "somebody may have made it"
    );
    learn(&mut snapshot.memory, Step::Check, Ask::Check(both()), Said::Done, later(1))
        .expect("they are there");
    assert_eq!(snapshot.memory.look.as_ref().and_then(|look| look.written), None, "a look writes nothing");
    assert_eq!(controller().decide(&snapshot, later(1)), Decision::Do(Step::CreatePolicy));
}

#[test]
fn what_was_there_is_looked_for_again_when_aws_refuses_it() {
    let mut snapshot = naming(look(None, None));
    learn(&mut snapshot.memory, Step::Check, Ask::Check(both()), Said::Done, NOW).expect("they are there");
    let refused = Said::Refused("the boundary is not there".into());
    learn(&mut snapshot.memory, Step::CreateRole, Ask::DeleteRole, refused, NOW).expect("it was answered");
    assert_eq!(controller().decide(&snapshot, later(1)), Decision::Do(Step::Check));
}

#[test]
fn what_the_role_has_already_is_there() {
    let base = identity();
    let mut bounded = role(&base);
    bounded.boundary = Some(BOUNDARY.into());
    let snapshot = naming(look(None, Some(bounded)));
    let others = Others { boundary: None, managed: vec![MANAGED.into()] };
    assert_eq!(asked(&snapshot), Ask::Check(others));
}

#[test]
fn what_is_there_is_put_right_whatever_is_named() {
    let base = identity();
    let mut edited = role(&base);
    edited.trust = document("{}");
    edited.inline.push("backdoor".into());
    let mut snapshot = naming(look(Some(policy(&base)), Some(edited)));
    for (step, mend) in [
        (
            Step::UpdateAssumeRolePolicy,
            (|role, base| role.trust = wanted(base).trust) as fn(&mut Role<Plain>, &_),
        ),
        (Step::PutRolePermissionsBoundary, |role, _| role.boundary = Some(BOUNDARY.into())),
        (Step::DeleteRolePolicy, |role, _| role.inline.clear()),
    ] {
        assert_eq!(what(&snapshot), Ok(step));
        let role = snapshot.memory.look.as_mut().and_then(|look| look.role.as_mut()).expect("a role");
        mend(role, &base);
    }
    // The last of it is what may not be there.
    assert_eq!(what(&snapshot), Ok(Step::AttachRolePolicy));
}
