//! Each ask is the call of AWS that it is called after, for as long as the mandate lasts; what is there is seen as it is.

mod story;

use bowline_aws::{Action, Holder, Kind};
use bowline_identities::plain::{Document, Home, Named, Plain};
use bowline_identities::{Ask, Call, Others, Policy, Reply, Role, Said, Whose};
use bowline_runtime::Mandate;

use super::fake::FakeIam;
use super::*;
use crate::updates::{Fake, missing};

const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X";
const OTHER: &str = "arn:aws:iam::aws:policy/Other";

fn home() -> Home {
    Home::new("hub-1", "demo", PROVIDER).expect("a provider")
}

fn named() -> Named {
    Named { namespace: "team".into(), name: "reader".into() }
}

fn document(text: &str) -> Document {
    Document::read(text)
}

struct Bench {
    iam: FakeIam,
    desk: Desk<FakeIam>,
}

impl Bench {
    fn new() -> Bench {
        Bench::with(&Fake::new(|_| missing()))
    }

    fn with(server: &Fake) -> Bench {
        let iam = FakeIam::default();
        let office = Office {
            iam: iam.clone(),
            home: home(),
            abroad: Abroad::new(server.client.clone(), None, "hub-1".into()),
            tokens: Tokens::new(server.client.clone()),
            is_issuer: true,
        };
        Bench { iam, desk: Desk { office: Some(office), gauges: Gauges::new(&Metrics::new()) } }
    }

    async fn ask(&self, what: Ask<Plain>) -> Said<Plain> {
        let call = Call { name: named(), uid: "u1".into(), round: 0, generation: 1, rested: false, what };
        let reply = self.desk.call(call.clone(), &Mandate::always()).await;
        assert_eq!(reply.to, call);
        reply.said
    }

    /// An account with all that an identity has.
    async fn furnished() -> Bench {
        let bench = Bench::new();
        bench.ask(Ask::CreatePolicy(document(r#"{"a":1}"#))).await;
        bench.ask(Ask::CreateRole { trust: document(r#"{"t":1}"#), boundary: None }).await;
        bench.ask(Ask::AttachRolePolicy(home().policy_arn(&named()))).await;
        bench.iam.heard();
        bench
    }

    async fn seen(&self, goes: bool) -> (Option<Policy<Plain>>, Option<Role<Plain>>) {
        match self.ask(Ask::Look { goes }).await {
            Said::Seen { policy, role } => (policy, role),
            said => panic!("{said:?}"),
        }
    }
}

#[tokio::test]
async fn a_look_at_nothing_takes_two_calls_and_making_all_takes_three_more() {
    let bench = Bench::new();
    assert_eq!(bench.seen(false).await, (None, None));
    let name = home().aws_name(&named());
    let made = bench.ask(Ask::CreatePolicy(document(r#"{"a":1}"#))).await;
    assert_eq!(made, Said::Made(home().policy_arn(&named())));
    let made =
        bench.ask(Ask::CreateRole { trust: document(r#"{"t":1}"#), boundary: Some(OTHER.into()) }).await;
    assert_eq!(made, Said::Made(format!("arn:aws:iam::123456789012:role/{name}")));
    let own = home().policy_arn(&named());
    assert_eq!(bench.ask(Ask::AttachRolePolicy(own.clone())).await, Said::Done);
    let mut heard = bench.iam.heard();
    heard[..2].sort();
    let expected = [
        "GetPolicy ".to_owned(),
        "GetRole ".to_owned(),
        format!("CreatePolicy {name}"),
        format!("CreateRole {name}"),
        format!("AttachRolePolicy {own}"),
    ];
    assert_eq!(heard, expected);
    let world = bench.iam.world();
    let (policy, role) = (world.policy.as_ref().expect("a policy"), world.role.as_ref().expect("a role"));
    assert_eq!(role.boundary.as_deref(), Some(OTHER));
    for tags in [&policy.tags, &role.tags] {
        let said: Vec<_> = tags.values().map(String::as_str).collect();
        assert_eq!(said, ["hub-1", "reader", "team", "u1"], "hub, name, namespace and uid");
    }
}

#[tokio::test]
async fn what_is_there_is_seen_as_it_is() {
    let bench = Bench::furnished().await;
    bench.ask(Ask::CreatePolicyVersion(document(r#"{"a":2}"#))).await;
    bench.ask(Ask::CreatePolicyVersion(document(r#"{"a":3}"#))).await;
    bench.ask(Ask::AttachRolePolicy(OTHER.into())).await;
    bench.iam.world().holders = vec![Holder::User("ann".into()), Holder::Role(home().aws_name(&named()))];
    bench.iam.world().inline = vec!["theirs".into(), "a".into()];
    bench.iam.world().profiles = vec!["machines".into()];
    bench.iam.heard();
    let (policy, role) = bench.seen(false).await;
    let (policy, role) = (policy.expect("a policy"), role.expect("a role"));
    assert_eq!((policy.default, policy.others.as_slice()), (3, &[1, 2][..]));
    assert_eq!((&policy.document, &policy.whose), (&document(r#"{"a":3}"#), &Whose::Ours("u1".into())));
    assert_eq!(role.attached, [home().policy_arn(&named()), OTHER.to_owned()], "in order");
    assert_eq!((&role.trust, &role.whose), (&document(r#"{"t":1}"#), &Whose::Ours("u1".into())));
    assert_eq!(role.inline, ["a", "theirs"], "in order");
    assert!(policy.held_by.is_empty() && role.held_by.is_empty());
    assert_eq!(bench.iam.heard().len(), 6, "what keeps them is asked only when they are to go");
    let (policy, role) = bench.seen(true).await;
    assert_eq!(policy.expect("a policy").held_by, ["the user ann"], "not our own role");
    assert_eq!(role.expect("a role").held_by, ["the instance profile machines"]);
    if let Some(role) = &mut bench.iam.world().role {
        role.tags.clear();
    }
    assert_eq!(bench.seen(false).await.1.expect("a role").whose, Whose::Theirs);
}

#[tokio::test]
async fn every_ask_is_the_call_that_it_is_called_after() {
    let bench = Bench::furnished().await;
    let asks = [
        (Ask::CreatePolicyVersion(document("{}")), "CreatePolicyVersion {}", Said::Version(2)),
        (Ask::DeletePolicyVersion(1), "DeletePolicyVersion v1", Said::Done),
        (Ask::TagPolicy, "TagPolicy ", Said::Done),
        (Ask::UpdateAssumeRolePolicy(document("[]")), "UpdateAssumeRolePolicy []", Said::Done),
        (
            Ask::PutRolePermissionsBoundary(OTHER.into()),
            "PutRolePermissionsBoundary arn:aws:iam::aws:policy/Other",
            Said::Done,
        ),
        (Ask::DeleteRolePermissionsBoundary, "DeleteRolePermissionsBoundary ", Said::Done),
        (Ask::TagRole, "TagRole ", Said::Done),
        (Ask::DetachRolePolicy(OTHER.into()), "DetachRolePolicy arn:aws:iam::aws:policy/Other", Said::Done),
        (Ask::DeleteRolePolicy("theirs".into()), "DeleteRolePolicy theirs", Said::Done),
        (Ask::DeleteRole, "DeleteRole ", Said::Done),
        (Ask::DeleteRole, "DeleteRole ", Said::Missing),
        (Ask::DeletePolicy, "DeletePolicy ", Said::Done),
        (Ask::DeletePolicy, "DeletePolicy ", Said::Missing),
    ];
    for (what, heard, said) in asks {
        assert_eq!(bench.ask(what.clone()).await, said, "{what:?}");
        assert_eq!(bench.iam.heard(), [heard], "{what:?}");
    }
}

#[tokio::test]
async fn policies_that_are_named_are_looked_for_and_who_may_not_look_goes_on() {
    const GONE: &str = "arn:aws:iam::123456789012:policy/gone";
    let bench = Bench::furnished().await;
    bench.iam.world().others.insert(OTHER.to_owned());
    let check = |boundary: Option<&str>, managed: &[&str]| {
        let managed = managed.iter().map(ToString::to_string).collect();
        bench.ask(Ask::Check(Others { boundary: boundary.map(str::to_owned), managed }))
    };
    assert_eq!(check(Some(OTHER), &[]).await, Said::Done);
    assert_eq!(bench.iam.heard(), [format!("GetPolicy {OTHER}")]);
    let Said::Refused(why) = check(Some(OTHER), &[OTHER, GONE]).await else { panic!("it is not there") };
    assert!(why.starts_with("spec.managedPolicyArns: ") && why.contains(GONE), "{why}");
    let Said::Refused(why) = check(Some(GONE), &[GONE]).await else { panic!("it is not there") };
    assert!(why.starts_with("spec.permissionsBoundary: ") && why.contains(GONE), "{why}");
    bench.iam.world().fails.insert(Action::GetPolicy, Kind::Throttled);
    assert!(matches!(check(Some(OTHER), &[OTHER]).await, Said::Failed(_)));
    bench.iam.world().fails.insert(Action::GetPolicy, Kind::AccessDenied { action: "iam:GetPolicy".into() });
    assert_eq!(check(Some(OTHER), &[OTHER]).await, Said::Done);
}

#[tokio::test]
async fn what_was_put_right_is_told_and_counted() {
    let bench = Bench::furnished().await;
    let about = |said, rested| {
        let what = Ask::DeleteRolePolicy("backdoor".into());
        let to = Call { name: named(), uid: "u1".into(), round: 0, generation: 1, rested, what };
        bench.desk.notice(&Reply { to, said })
    };
    let (object, notice) = about(Said::Done, true).expect("it is told");
    assert!(
        !notice.good && notice.reason == "DriftRepaired" && notice.note.contains("backdoor"),
        "{notice:?}"
    );
    assert_eq!((object.kind.as_deref(), object.uid.as_deref()), (Some("IamRoleServiceAccount"), Some("u1")));
    for (said, rested) in [(Said::Done, false), (Said::Missing, true), (Said::Failed("no".into()), true)] {
        assert_eq!(about(said, rested), None);
    }
}

#[tokio::test]
async fn what_does_not_work_is_told_and_a_look_that_fails_half_way_shows_nothing() {
    let bench = Bench::furnished().await;
    bench.iam.world().fails.insert(Action::ListAttachedRolePolicies, Kind::NotFound);
    assert!(matches!(bench.ask(Ask::Look { goes: false }).await, Said::Failed(_)));
    bench.iam.world().fails.insert(Action::ListAttachedRolePolicies, Kind::Throttled);
    assert!(matches!(bench.ask(Ask::Look { goes: false }).await, Said::Failed(_)));
    bench.iam.world().fails.insert(Action::TagRole, Kind::AccessDenied { action: "iam:TagRole".into() });
    let said = bench.ask(Ask::TagRole).await;
    assert!(matches!(&said, Said::Refused(why) if why.contains("iam:TagRole")), "{said:?}");
}

#[tokio::test]
async fn nothing_is_sent_for_one_who_may_not_act_any_more() {
    let bench = Bench::furnished().await;
    let late = bench.iam.within(Arc::new(|_| None));
    let office = bench.desk.office.as_ref().expect("one");
    let hands = Hands { iam: &late, home: &office.home, name: &named(), uid: "u1" };
    let error = hands.ask(&Ask::TagRole).await.expect_err("it is withheld");
    assert_eq!(error.kind, Kind::Withheld);
    assert!(bench.iam.heard().is_empty());
}

#[tokio::test]
async fn without_settings_nothing_is_asked() {
    let desk: Desk<FakeIam> = Desk { office: None, gauges: Gauges::new(&Metrics::new()) };
    let call = Call {
        rested: false,
        name: named(),
        uid: "u1".into(),
        round: 0,
        generation: 1,
        what: Ask::Look { goes: false },
    };
    assert!(matches!(desk.call(call, &Mandate::always()).await.said, Said::Failed(_)));
}

/// An identity whose role is there, as the hub has it.
fn identity() -> serde_json::Value {
    serde_json::json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
        "metadata": { "name": "reader", "namespace": "team" },
        "spec": { "managedPolicyArns": [OTHER], "serviceAccountName": "sa" },
        "status": { "roleArn": "arn:aws:iam::123456789012:role/x" },
    })
}

#[tokio::test]
async fn a_role_is_tried_by_its_accounts_own_token() {
    let server = Fake::new(|asked| match asked.what.as_str() {
        "GET /apis/bowline.dev/v1alpha1/namespaces/team/iamroleserviceaccounts/reader" => (200, identity()),
        "POST /api/v1/namespaces/team/serviceaccounts/sa/token" => {
            (201, serde_json::json!({ "status": { "token": "s3kr1t" } }))
        }
        _ => missing(),
    });
    let bench = Bench::with(&server);
    assert_eq!(bench.ask(Ask::Assume).await, Said::Done);
    assert_eq!(bench.iam.heard(), ["AssumeRoleWithWebIdentity arn:aws:iam::123456789012:role/x"]);
    bench.iam.world().fails.insert(Action::AssumeRoleWithWebIdentity, Kind::InvalidToken);
    assert!(matches!(bench.ask(Ask::Assume).await, Said::Refused(_)));
    // Where it was only worth a try, time is waited for instead.
    let mut speculative = Bench::with(&server);
    speculative.desk.office.as_mut().expect("one").is_issuer = false;
    for kind in [Kind::InvalidToken, Kind::Refused, Kind::Unavailable(bowline_aws::Arrival::NotSent)] {
        speculative.iam.world().fails.insert(Action::AssumeRoleWithWebIdentity, kind);
        assert_eq!(speculative.ask(Ask::Assume).await, Said::Untried);
    }
    // Who may not have a token cannot try.
    let silent = Bench::with(&Fake::new(|asked| match asked.what.as_str() {
        "POST /api/v1/namespaces/team/serviceaccounts/sa/token" => {
            (403, serde_json::json!({ "kind": "Status", "message": "no", "code": 403 }))
        }
        _ => (200, identity()),
    }));
    assert_eq!(silent.ask(Ask::Assume).await, Said::Untried);
    assert!(silent.iam.heard().is_empty());
    // Who has no token has not tried.
    let bench = Bench::new();
    assert!(matches!(bench.ask(Ask::Assume).await, Said::Failed(_)));
    assert!(bench.iam.heard().is_empty());
}
