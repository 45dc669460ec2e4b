//! Which step is decided, by what was seen.

use super::*;
use crate::{Cluster, Holder, Tombstone, Trial};

type Case = (&'static str, fn(&mut Snapshot<Plain>), Result<Step, Wait>);

fn seen(s: &mut Snapshot<Plain>) -> &mut Look<Plain> {
    s.memory.look.as_mut().expect("a look")
}

fn its_policy(s: &mut Snapshot<Plain>) -> &mut Policy<Plain> {
    seen(s).policy.as_mut().expect("a policy")
}

fn its_role(s: &mut Snapshot<Plain>) -> &mut Role<Plain> {
    seen(s).role.as_mut().expect("a role")
}

fn it(s: &mut Snapshot<Plain>) -> &mut Identity<Plain> {
    s.identity.as_mut().expect("an identity")
}

fn check(cases: &[Case]) {
    for (about, change, expected) in cases {
        let mut snapshot = complete();
        change(&mut snapshot);
        assert_eq!(what(&snapshot), *expected, "{about}");
    }
}

#[test]
fn what_is_not_as_wanted_is_made_so() {
    check(&[
        ("all is as it should be", |_| {}, Err(Wait::NextLook)),
        ("not held", |s| it(s).held = false, Ok(Step::Hold)),
        ("nothing intended", |s| it(s).status = Status::default(), Ok(Step::Intend)),
        ("nobody has looked", |s| s.memory.look = None, Ok(Step::Look)),
        ("the look is old", |s| seen(s).at = Millis(0), Ok(Step::Look)),
        ("no policy", |s| seen(s).policy = None, Ok(Step::CreatePolicy)),
        ("another policy", |s| its_policy(s).document = document("{}"), Ok(Step::CreatePolicyVersion)),
        (
            "another policy with all versions that there can be",
            |s| {
                its_policy(s).document = document("{}");
                its_policy(s).others = vec![1, 2, 3, 4];
            },
            Ok(Step::DeletePolicyVersion),
        ),
        ("the policy of one before", |s| its_policy(s).whose = Whose::Ours("u0".into()), Ok(Step::TagPolicy)),
        ("somebody's policy", |s| its_policy(s).whose = Whose::Theirs, Err(Wait::ForeignPolicy)),
        ("another trust", |s| its_role(s).trust = document("{}"), Ok(Step::UpdateAssumeRolePolicy)),
        ("a boundary", |s| its_role(s).boundary = Some("x".into()), Ok(Step::DeleteRolePermissionsBoundary)),
        (
            "no boundary",
            |s| it(s).wish.grant.boundary = Some("arn:aws:iam::aws:policy/edge".into()),
            Ok(Step::PutRolePermissionsBoundary),
        ),
        ("not attached", |s| its_role(s).attached.clear(), Ok(Step::AttachRolePolicy)),
        ("too much attached", |s| its_role(s).attached.push("x".into()), Ok(Step::DetachRolePolicy)),
        ("something written into it", |s| its_role(s).inline.push("x".into()), Ok(Step::DeleteRolePolicy)),
        (
            "full of what others have attached",
            |s| its_role(s).attached = (0..10).map(|number| number.to_string()).collect(),
            Ok(Step::DetachRolePolicy),
        ),
        (
            "not quite full",
            |s| its_role(s).attached = (0..9).map(|number| number.to_string()).collect(),
            Ok(Step::AttachRolePolicy),
        ),
        ("another role than before", |s| its_role(s).arn = "y".into(), Ok(Step::Record)),
        ("no account", |s| s.accounts.clear(), Ok(Step::PublishHere)),
        ("an account without its role", |s| s.accounts[0].role = None, Ok(Step::PublishHere)),
        ("somebody's account", |s| s.accounts[0].of = None, Err(Wait::ForeignAccount)),
        ("an account that goes", |s| s.accounts[0].deleting = true, Err(Wait::AccountGone)),
        ("not ready, and it is time", |s| it(s).status.ready = false, Ok(Step::Settle)),
        (
            "not ready, and too early",
            |s| {
                it(s).status.ready = false;
                it(s).status.complete = Some(NOW.wall);
            },
            Err(Wait::Assumable),
        ),
        ("nothing is granted", |s| it(s).wish.grant = Grant::default(), Err(Wait::Spec)),
    ]);
}

#[test]
fn a_role_is_made_and_somebody_elses_is_left_or_taken_over() {
    check(&[
        ("no role any more", |s| seen(s).role = None, Ok(Step::Lapse)),
        ("somebody's role by now", |s| its_role(s).whose = Whose::Theirs, Ok(Step::Lapse)),
    ]);
    for (whose, adopts, expected) in [
        (None, false, Ok(Step::CreateRole)),
        (Some(Whose::Theirs), false, Err(Wait::ForeignRole)),
        (Some(Whose::Theirs), true, Ok(Step::TagRole)),
    ] {
        let mut snapshot = complete();
        it(&mut snapshot).status.complete = None;
        it(&mut snapshot).wish.adopts = adopts;
        let role = whose.clone().map(|whose| Role { whose, ..its_role(&mut snapshot).clone() });
        seen(&mut snapshot).role = role;
        assert_eq!(what(&snapshot), expected, "{whose:?} {adopts}");
    }
}

#[test]
fn without_settings_it_waits_for_them() {
    let bare: Identities<Plain> = Identities::new(None, Rhythm::default());
    let wait = Decision::Wait { what: Wait::Settings, until: None };
    assert_eq!(bare.decide(&complete(), NOW), wait);
    let mut going = complete();
    it(&mut going).deleting = true;
    assert_eq!(bare.decide(&going, NOW), wait);
    it(&mut going).status = Status::default();
    assert_eq!(bare.decide(&going, NOW), Decision::Do(Step::LetGo), "nothing was ever made");
}

#[test]
fn what_was_made_under_another_name_is_not_left_behind() {
    let home = Home::new("hub", "elsewhere", PROVIDER).expect("a provider");
    let elsewhere = Identities::new(Some(home), Rhythm::default());
    let mut going = complete();
    it(&mut going).deleting = true;
    *seen(&mut going) = Look { confirmed: true, ..look(None, None) };
    let wait = Decision::Wait { what: Wait::OtherName, until: None };
    assert_eq!(elsewhere.decide(&going, NOW), wait, "nothing is there under the name that it looks for");
    assert_eq!(what(&going), Ok(Step::Bury), "under its own name it looks where it is");
    it(&mut going).wish.orphans = true;
    assert_eq!(elsewhere.decide(&going, NOW), Decision::Do(Step::LetGo), "all is to be left");
}

#[test]
fn what_is_deleted_goes_in_the_order_that_aws_wants() {
    check_going(&[
        ("attached", |_| {}, Ok(Step::DetachRolePolicy)),
        ("detached", |s| its_role(s).attached.clear(), Ok(Step::DeleteRole)),
        (
            "detached, and something written into it",
            |s| {
                its_role(s).attached.clear();
                its_role(s).inline.push("x".into());
            },
            Ok(Step::DeleteRolePolicy),
        ),
        (
            "in an instance profile",
            |s| {
                its_role(s).attached.clear();
                its_role(s).held_by = vec!["the instance profile p".into()];
            },
            Err(Wait::RoleFree),
        ),
        ("no role", |s| seen(s).role = None, Ok(Step::DeletePolicy)),
        (
            "other versions",
            |s| {
                seen(s).role = None;
                its_policy(s).others = vec![1];
            },
            Ok(Step::DeletePolicyVersion),
        ),
        (
            "attached elsewhere",
            |s| {
                seen(s).role = None;
                its_policy(s).held_by = vec!["the user u".into()];
            },
            Err(Wait::PolicyFree),
        ),
        (
            "attached to somebody's role of that name",
            |s| its_role(s).whose = Whose::Theirs,
            Err(Wait::PolicyFree),
        ),
    ]);
}

#[test]
fn what_is_deleted_is_let_go_when_nothing_was_seen_twice() {
    check_going(&[
        (
            "nothing, seen once",
            |s| *seen(s) = Look { clear: Some(NOW.clock), ..look(None, None) },
            Err(Wait::Absence),
        ),
        (
            "nothing, and it is time for a second look",
            |s| *seen(s) = Look { clear: Some(Millis(NOW.clock.0 - MINUTE)), ..look(None, None) },
            Ok(Step::Look),
        ),
        ("nothing, seen twice", |s| *seen(s) = Look { confirmed: true, ..look(None, None) }, Ok(Step::Bury)),
        (
            "somebody's are no matter",
            |s| {
                its_role(s).whose = Whose::Theirs;
                its_policy(s).whose = Whose::Theirs;
                seen(s).confirmed = true;
            },
            Ok(Step::Bury),
        ),
        (
            "buried",
            |s| {
                *seen(s) = Look { confirmed: true, ..look(None, None) };
                s.tombstone = Some(tombstone(&["u0", "u1"]));
            },
            Ok(Step::LetGo),
        ),
        ("to be left", |s| it(s).wish.orphans = true, Ok(Step::LetGo)),
        (
            "to be left, and one before was not",
            |s| {
                it(s).wish.orphans = true;
                s.tombstone = Some(tombstone(&["u0"]));
            },
            Ok(Step::Forget),
        ),
        ("nothing was ever intended", |s| it(s).status = Status::default(), Ok(Step::LetGo)),
    ]);
}

/// As [`check`], of an identity that is being deleted.
fn check_going(cases: &[Case]) {
    for (about, change, expected) in cases {
        let mut snapshot = complete();
        it(&mut snapshot).deleting = true;
        change(&mut snapshot);
        assert_eq!(what(&snapshot), *expected, "{about}");
    }
}

fn tombstone(of: &[&str]) -> Tombstone<Plain> {
    Tombstone {
        name: named("reader"),
        uid: "t".into(),
        version: Version(3),
        of: of.iter().map(|uid| (*uid).to_owned()).collect(),
        at: Millis(NOW.wall.0 - 20 * MINUTE),
        sweeps: 0,
    }
}

/// What is left when an identity is gone.
fn left(look: Option<Look<Plain>>, of: &[&str]) -> Snapshot<Plain> {
    let mut snapshot = complete();
    snapshot.identity = None;
    snapshot.tombstone = Some(tombstone(of));
    snapshot.memory.look = look;
    snapshot
}

#[test]
fn only_what_was_of_the_buried_is_swept() {
    let identity = identity();
    let there = || Some(look(Some(policy(&identity)), Some(role(&identity))));
    assert_eq!(what(&left(None, &["u1"])), Ok(Step::Look), "a quarter of an hour has passed");
    assert_eq!(what(&left(there(), &["u1"])), Ok(Step::DetachRolePolicy));
    assert_eq!(what(&left(there(), &["u0"])), Ok(Step::Swept), "it is of one that nobody has buried");
    let mut of_two = left(there(), &["u1"]);
    its_role(&mut of_two).whose = Whose::Ours("u0".into());
    assert_eq!(what(&of_two), Ok(Step::Swept), "the policy is attached to a role that stays");
    its_role(&mut of_two).attached.clear();
    assert_eq!(what(&of_two), Ok(Step::DeletePolicy));
    let mut early = left(None, &["u1"]);
    early.tombstone.as_mut().expect("one").at = NOW.wall;
    assert_eq!(what(&early), Err(Wait::Sweep));
    let Write::Change { after: Object::Tombstone(after), .. } = written(&left(there(), &["u0"])) else {
        panic!("it is recorded that it was swept")
    };
    assert_eq!(after.sweeps, 1);
    let mut last = left(there(), &["u0"]);
    last.tombstone.as_mut().expect("one").sweeps = 2;
    let Write::Delete(Object::Tombstone(_)) = written(&last) else { panic!("after the third it is gone") };
}

#[test]
fn the_next_one_of_the_name_is_buried_beside_the_one_before() {
    let mut snapshot = complete();
    it(&mut snapshot).deleting = true;
    *seen(&mut snapshot) = Look { confirmed: true, ..look(None, None) };
    snapshot.tombstone = Some(Tombstone { sweeps: 2, ..tombstone(&["u0"]) });
    let Write::Change { after: Object::Tombstone(after), .. } = written(&snapshot) else {
        panic!("it is the same tombstone")
    };
    assert_eq!((after.of, after.sweeps, after.at), (vec!["u0".to_owned(), "u1".to_owned()], 0, NOW.wall));
}

#[test]
fn a_name_that_is_used_again_and_again_has_room_in_its_tombstone() {
    let mut snapshot = complete();
    it(&mut snapshot).deleting = true;
    *seen(&mut snapshot) = Look { confirmed: true, ..look(None, None) };
    let before: Vec<_> = (0..2_000).map(|number| format!("u-{number}")).collect();
    snapshot.tombstone = Some(Tombstone { of: before.clone(), ..tombstone(&[]) });
    let Write::Change { after: Object::Tombstone(after), .. } = written(&snapshot) else {
        panic!("it is the same tombstone")
    };
    assert_eq!((&after.of[..1_999], after.of[1_999].as_str()), (&before[1..], "u1"), "the oldest goes");
}

#[test]
fn who_lives_beside_a_tombstone_forgets_it_after_a_day() {
    let mut snapshot = complete();
    snapshot.tombstone = Some(tombstone(&["u0"]));
    assert_eq!(what(&snapshot), Err(Wait::NextLook));
    assert_eq!(controller().decide(&snapshot, later(24 * 60)), Decision::Do(Step::Forget));
}

#[test]
fn what_is_asked_says_what_is_wanted() {
    let mut snapshot = complete();
    seen(&mut snapshot).policy = None;
    let document = wanted(&identity()).policy.expect("a policy");
    assert_eq!(asked(&snapshot), Ask::CreatePolicy(document));
    let mut snapshot = complete();
    its_policy(&mut snapshot).document = super::document("{}");
    its_policy(&mut snapshot).others = vec![3, 4, 6, 7];
    assert_eq!(asked(&snapshot), Ask::DeletePolicyVersion(3), "the oldest");
    let mut snapshot = complete();
    it(&mut snapshot).wish.grant.managed = vec!["arn:aws:iam::aws:policy/b".into()];
    assert_eq!(asked(&snapshot), Ask::AttachRolePolicy("arn:aws:iam::aws:policy/b".into()));
}

#[test]
fn a_policy_that_is_not_wanted_any_more_goes_after_it_was_detached() {
    let managed = "arn:aws:iam::aws:policy/b";
    let mut snapshot = complete();
    it(&mut snapshot).wish.grant = Grant { managed: vec![managed.into()], ..Grant::default() };
    assert_eq!(what(&snapshot), Ok(Step::AttachRolePolicy));
    its_role(&mut snapshot).attached.push(managed.into());
    assert_eq!(what(&snapshot), Ok(Step::DetachRolePolicy));
    its_role(&mut snapshot).attached = vec![managed.into()];
    assert_eq!(what(&snapshot), Ok(Step::DeletePolicy));
    seen(&mut snapshot).policy = None;
    assert_eq!(what(&snapshot), Ok(Step::Record));
}

#[test]
fn an_account_of_another_name_is_withdrawn() {
    let mut snapshot = complete();
    it(&mut snapshot).wish.account = named("writer");
    assert_eq!(what(&snapshot), Ok(Step::UpdateAssumeRolePolicy), "the role trusts the other one");
    its_role(&mut snapshot).trust = wanted(snapshot.identity.as_ref().expect("one")).trust;
    let Write::Status { after: Object::Identity(after), .. } = written(&snapshot) else {
        panic!("recorded first")
    };
    assert_eq!(after.status.published, [(None, named("writer")), (None, named("reader"))]);
    *it(&mut snapshot) = after;
    assert_eq!(what(&snapshot), Ok(Step::PublishHere));
    let mut account = snapshot.accounts[0].clone();
    account.name = named("writer");
    snapshot.accounts.push(account);
    let Write::Delete(Object::Account(gone)) = written(&snapshot) else { panic!("the other one goes") };
    assert_eq!(gone.name, named("reader"));
    snapshot.accounts.remove(0);
    let Write::Status { after: Object::Identity(after), .. } = written(&snapshot) else {
        panic!("recorded last")
    };
    assert_eq!(after.status.published, [(None, named("writer"))]);
}

/// Two that want one account, and may take over what is somebody else's, would take it from each other for ever.
#[test]
fn what_another_identity_has_is_not_taken_over() {
    let mut snapshot = complete();
    it(&mut snapshot).wish.adopts = true;
    snapshot.accounts[0].of = Some((named("writer"), "u2".into()));
    assert_eq!(what(&snapshot), Err(Wait::ForeignAccount));
    snapshot.accounts[0].of = None;
    assert_eq!(what(&snapshot), Ok(Step::PublishHere));

    let issuer = crate::plain::Issuer::of(PROVIDER).expect("an issuer");
    let east = Cluster { name: "east".into(), uid: "c".into(), version: Version(1), issuer: Some(issuer) };
    let spot = || ("east".to_owned(), named("reader"));
    snapshot.clusters = vec![east];
    it(&mut snapshot).wish.clusters = vec!["east".into()];
    it(&mut snapshot).status.published = vec![(Some("east".into()), named("reader"))];
    for (holder, expected) in [
        (Holder::Another(named("writer")), Err(Wait::ForeignAccount)),
        (Holder::Others, Ok(Step::Publish)),
        (Holder::Itself, Ok(Step::Publish)),
    ] {
        let seen = crate::Published { holder, role: None };
        snapshot.memory.accounts.insert(spot(), (NOW.clock, Some(seen)));
        assert_eq!(what(&snapshot), expected);
    }
}

#[test]
fn what_somebody_has_on_one_cluster_keeps_nobody_waiting_on_another() {
    let issuer = crate::plain::Issuer::of(PROVIDER).expect("an issuer");
    let mut snapshot = complete();
    let names = ["east", "north", "west"].map(str::to_owned);
    for name in &names {
        let issuer = Some(issuer.clone());
        snapshot.clusters.push(Cluster { name: name.clone(), uid: "c".into(), version: Version(1), issuer });
    }
    it(&mut snapshot).wish.clusters = names.to_vec();
    it(&mut snapshot).status.published =
        names.iter().map(|name| (Some(name.clone()), named("reader"))).collect();
    let trust =
        <Plain as crate::Names>::wanted(&home(), snapshot.identity.as_ref().expect("one"), &vec![issuer; 3]);
    its_role(&mut snapshot).trust = trust.expect("a good spec").trust;
    let somebodys = || Some(crate::Published { holder: Holder::Others, role: None });
    for (name, at) in [("east", NOW.clock), ("north", Millis(NOW.clock.0 - 7))] {
        snapshot.memory.accounts.insert((name.to_owned(), named("reader")), (at, somebodys()));
    }
    assert_eq!(asked(&snapshot), Ask::LookAtAccount("west".into(), named("reader")));
    snapshot.memory.accounts.insert(("west".into(), named("reader")), (NOW.clock, None));
    let Ask::Publish { cluster, .. } = asked(&snapshot) else { panic!("it is made") };
    assert_eq!(cluster, "west");
    let ours = crate::Published { holder: Holder::Itself, role: Some(role_arn()) };
    snapshot.memory.accounts.insert(("west".into(), named("reader")), (NOW.clock, Some(ours)));
    let until = Some(Millis(NOW.clock.0 - 7 + MINUTE));
    assert_eq!(decide(&snapshot), Decision::Wait { what: Wait::ForeignAccount, until }, "the first of both");
}

#[test]
fn accounts_on_other_clusters_are_published_and_withdrawn_by_calls() {
    let issuer = crate::plain::Issuer::of(PROVIDER).expect("an issuer");
    let cluster =
        |name: &str, issuer| Cluster { name: name.into(), uid: "c".into(), version: Version(1), issuer };
    let spot = |name: &str| (name.to_owned(), named("reader"));
    let mut snapshot = complete();
    it(&mut snapshot).wish.clusters = vec!["east".into()];
    assert_eq!(what(&snapshot), Err(Wait::Clusters), "it is not there");
    snapshot.clusters = vec![cluster("east", None)];
    assert_eq!(what(&snapshot), Err(Wait::Clusters), "it does not say who signs");
    snapshot.clusters = vec![cluster("east", Some(issuer))];
    assert_eq!(what(&snapshot), Ok(Step::Record));
    it(&mut snapshot).status.published =
        vec![(Some("east".into()), named("reader")), (None, named("reader"))];
    assert_eq!(asked(&snapshot), Ask::LookAtAccount("east".into(), named("reader")));
    snapshot.memory.accounts.insert(spot("east"), (NOW.clock, None));
    let Ask::Publish { cluster, adopts: false, .. } = asked(&snapshot) else { panic!("it is made") };
    assert_eq!(cluster, "east");
    let theirs = crate::Published { holder: Holder::Others, role: None };
    snapshot.memory.accounts.insert(spot("east"), (NOW.clock, Some(theirs)));
    assert_eq!(what(&snapshot), Err(Wait::ForeignAccount));
    let ours = crate::Published { holder: Holder::Itself, role: Some(role_arn()) };
    snapshot.memory.accounts.insert(spot("east"), (NOW.clock, Some(ours)));
    assert_eq!(what(&snapshot), Ok(Step::WithdrawHere), "the one here is not wanted any more");
    it(&mut snapshot).deleting = true;
    assert_eq!(asked(&snapshot), Ask::Withdraw("east".into(), named("reader")));
    snapshot.memory.accounts.clear();
    assert_eq!(asked(&snapshot), Ask::Withdraw("east".into(), named("reader")), "nobody may have to look");
    it(&mut snapshot).wish.orphans = true;
    assert_eq!(what(&snapshot), Ok(Step::Withdraw), "it is AWS that is left as it is");
    snapshot.memory.accounts.insert(spot("east"), (NOW.clock, None));
    assert_eq!(what(&snapshot), Ok(Step::LetGo));
    it(&mut snapshot).wish.orphans = false;
    snapshot.memory.accounts.clear();
    snapshot.clusters.clear();
    assert_eq!(what(&snapshot), Ok(Step::DetachRolePolicy), "what was on a cluster that is gone is gone");
}

#[test]
fn the_role_is_tried_where_it_can_be() {
    let assuming: Identities<Plain> =
        Identities::new(Some(home()), Rhythm { assumes: true, ..Rhythm::default() });
    let mut snapshot = complete();
    it(&mut snapshot).status.ready = false;
    assert_eq!(assuming.decide(&snapshot, NOW), Decision::Do(Step::Assume));
    // AWS may deny a new role for a while: for a person it is when that has passed.
    let failures = crate::Failures { times: u8::MAX, at: NOW.clock, why: String::new() };
    snapshot.memory.failures.insert(Step::Assume, failures);
    for (since, expected) in [(NOW.wall, Ok(Step::Assume)), (Millis(0), Err(Wait::Stuck))] {
        it(&mut snapshot).status.complete = Some(since);
        let decided = match assuming.decide(&snapshot, NOW) {
            Decision::Do(step) => Ok(step),
            Decision::Wait { what, .. } => Err(what),
            Decision::Converged => panic!("it is not ready"),
        };
        assert_eq!(decided, expected);
    }
    snapshot.memory.failures.clear();
    snapshot.memory.trial = Trial::Worked;
    assert_eq!(assuming.decide(&snapshot, NOW), Decision::Do(Step::Settle));
}

/// A cluster may not give tokens of its accounts to us, though the home does.
#[test]
fn where_no_token_can_be_had_the_role_is_given_time() {
    let assuming: Identities<Plain> =
        Identities::new(Some(home()), Rhythm { assumes: true, ..Rhythm::default() });
    let mut snapshot = complete();
    it(&mut snapshot).status.ready = false;
    it(&mut snapshot).status.complete = Some(NOW.wall);
    learn(&mut snapshot.memory, Step::Assume, Ask::Assume, Said::Untried, NOW).expect("it was answered");
    let wait = Decision::Wait { what: Wait::Assumable, until: Some(later(1).clock) };
    assert_eq!(assuming.decide(&snapshot, NOW), wait);
    assert_eq!(assuming.decide(&snapshot, later(1)), Decision::Do(Step::Settle));
}
