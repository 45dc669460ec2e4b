use bowline_control::lease::Epoch;
use bowline_control::{Millis, Object};

use super::*;
use crate::plain::{Grant, Issuer, Statement};
use crate::{Mood, Status, Told, Wish};

const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
const NOW: Moment = Moment { clock: Millis(0), wall: Millis(0), epoch: Epoch(1), handed: false };

fn home() -> Home {
    Home::new("hub-1", "demo", PROVIDER).expect("a provider")
}

fn controller() -> Children {
    Children::new(Some(home()))
}

fn named(name: &str) -> Named {
    Named { namespace: "team".into(), name: name.into() }
}

fn identity() -> Identity<Plain> {
    let statement = Statement {
        sid: Some("Read".into()),
        effect: "Allow".into(),
        actions: vec!["s3:GetObject".into()],
        resources: vec!["*".into()],
        condition: Default::default(),
    };
    Identity {
        name: named("reader"),
        uid: "u1".into(),
        version: Version(7),
        generation: 1,
        deleting: false,
        held: true,
        wish: Wish {
            grant: Grant { statements: vec![statement], ..Grant::default() },
            account: named("sa"),
            clusters: Vec::new(),
            adopts: false,
            orphans: false,
        },
        status: Status { intent: Some(Millis(1)), ..Status::default() },
        told: Some(Told { mood: Mood::Waiting, words: "waits".into(), observed: 1 }),
    }
}

/// A hub with these objects: what becomes of them, step by step, until nothing is to be done.
fn settled(controller: &Children, objects: &mut Vec<Member>) -> (Vec<String>, Decision<Step, Wait>) {
    let mut steps = Vec::new();
    loop {
        let family = controller.snapshot(&named("reader"), &objects.iter().collect::<Vec<_>>(), &());
        let Decision::Do(step) = controller.decide(&family, NOW) else {
            return (steps, controller.decide(&family, NOW));
        };
        steps.push(format!("{step:?}"));
        assert!(steps.len() < 20, "{steps:?}");
        let Effect::Write(write) = controller.effect(&family, &step, NOW) else {
            panic!("it has no outside")
        };
        match write {
            Write::Create(member) => objects.push(member),
            Write::Change { before, after } | Write::Status { before, after } => {
                let place = objects.iter().position(|member| *member == before).expect("it is there");
                objects[place] = after;
            }
            Write::Delete(member) => objects.retain(|other| other.id() != member.id()),
        }
    }
}

fn of(identity: Identity<Plain>) -> Vec<Member> {
    vec![Member::Identity(Box::new(identity))]
}

fn child(objects: &[Member], part: Part) -> Option<&Child> {
    objects.iter().find_map(|member| match member {
        Member::Child(child) if child.part == part => Some(child),
        _ => None,
    })
}

#[test]
fn children_say_what_their_identity_says_and_then_rest() {
    let mut objects = of(identity());
    let (steps, end) = settled(&controller(), &mut objects);
    assert_eq!(steps, ["Make(Policy)", "Show(Policy)", "Make(Role)", "Show(Role)"]);
    assert_eq!(end, Decision::Converged);
    let name = home().aws_name(&named("reader"));
    let policy = child(&objects, Part::Policy).expect("a policy");
    assert_eq!(
        (policy.spec["policyName"].as_str(), policy.owner.as_deref()),
        (Some(name.as_str()), Some("u1"))
    );
    assert_eq!(policy.spec["policy"]["statement"][0]["action"][0], "s3:GetObject");
    assert_eq!(policy.spec["policy"]["statement"][0]["sid"], "Read");
    let role = child(&objects, Part::Role).expect("a role");
    assert_eq!(role.spec["trusts"][0]["issuer"], "https://oidc.example/id/X");
    assert_eq!((&role.spec["policy"], &role.spec["serviceAccountName"]), (&"reader".into(), &"sa".into()));
    // What becomes of the identity is shown, and only that.
    let mut complete = identity();
    complete.status.role = Some("r".into());
    complete.status.policy = Some("p".into());
    complete.status.complete = Some(Millis(5));
    objects[0] = Member::Identity(Box::new(complete));
    assert_eq!(settled(&controller(), &mut objects).0, ["Show(Policy)", "Show(Role)"]);
    let ready = |part| {
        let shown = child(&objects, part).and_then(|child| child.shown.clone()).expect("it is shown");
        (shown.arn, shown.policy, shown.conditions[0].is)
    };
    assert_eq!(ready(Part::Policy), (Some("p".into()), None, true), "it is attached");
    assert_eq!(ready(Part::Role), (Some("r".into()), Some("p".into()), false), "it cannot be assumed yet");
}

#[test]
fn who_changes_or_deletes_one_finds_it_put_right() {
    let mut objects = of(identity());
    settled(&controller(), &mut objects);
    let before = objects.clone();
    for member in &mut objects {
        if let Member::Child(child) = member {
            child.spec["deletionPolicy"] = "Orphan".into();
        }
    }
    assert_eq!(settled(&controller(), &mut objects).0, ["Change(Policy)", "Change(Role)"]);
    assert_eq!(objects, before);
    objects.truncate(1);
    assert_eq!(settled(&controller(), &mut objects).0.len(), 4);
}

#[test]
fn what_somebody_else_has_made_is_left_alone() {
    let mut objects = of(identity());
    settled(&controller(), &mut objects);
    for member in &mut objects {
        if let Member::Child(child) = member {
            child.owner = Some("u0".into());
        }
    }
    let before = objects.clone();
    let (steps, end) = settled(&controller(), &mut objects);
    assert!(steps.is_empty() && objects == before, "{steps:?}");
    assert_eq!(end, Decision::Wait { what: Wait::Gone(Part::Policy), until: None });
}

#[test]
fn a_policy_that_is_not_wanted_any_more_goes_and_so_does_what_is_called_otherwise() {
    let mut objects = of(identity());
    settled(&controller(), &mut objects);
    let elsewhere = Children::new(Some(Home::new("hub-1", "other", PROVIDER).expect("a provider")));
    let (steps, _) = settled(&elsewhere, &mut objects);
    assert_eq!(
        steps,
        ["Remove(Policy)", "Make(Policy)", "Show(Policy)", "Remove(Role)", "Make(Role)", "Show(Role)"]
    );
    let mut bare = identity();
    bare.wish.grant = Grant { managed: vec!["m".into()], ..Grant::default() };
    objects[0] = Member::Identity(Box::new(bare));
    assert_eq!(settled(&elsewhere, &mut objects).0, ["Remove(Policy)", "Change(Role)"]);
    assert_eq!(child(&objects, Part::Role).expect("a role").spec.get("policy"), None);
}

#[test]
fn nothing_is_shown_before_something_is_made_or_after_it_is_let_go() {
    let changes: [fn(&mut Identity<Plain>); 3] = [
        |identity| identity.status.intent = None,
        |identity| identity.held = false,
        |identity| identity.deleting = true,
    ];
    for change in changes {
        let mut changed = identity();
        change(&mut changed);
        assert_eq!(settled(&controller(), &mut of(changed)), (Vec::new(), Decision::Converged));
    }
    assert_eq!(settled(&Children::new(None), &mut of(identity())), (Vec::new(), Decision::Converged));
}

#[test]
fn a_role_trusts_the_issuers_of_its_clusters_once_they_are_known() {
    let mut wide = identity();
    wide.wish.clusters = vec!["east".into(), "west".into()];
    let issuer = Issuer::of(PROVIDER).expect("a provider");
    let cluster = |name: &str, issuer| {
        Member::Cluster(Cluster { name: name.into(), uid: name.into(), version: Version(1), issuer })
    };
    let mut objects = of(wide);
    objects.extend([cluster("east", Some(issuer.clone())), cluster("west", None)]);
    assert_eq!(settled(&controller(), &mut objects).0, ["Make(Policy)", "Show(Policy)"]);
    objects[2] = cluster("west", Some(issuer));
    assert_eq!(settled(&controller(), &mut objects).0, ["Make(Role)", "Show(Role)"]);
    let trusts = child(&objects, Part::Role).map(|child| child.spec["trusts"].clone());
    assert_eq!(trusts.and_then(|trusts| trusts.as_array().map(Vec::len)), Some(1), "each once");
}
