//! Accounts on a cluster that is in this process.

use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;
use crate::clusters::{NotStarted, Running};
use crate::updates::{Fake, missing};

/// The namespaces that may use the cluster.
const ALL: &[&str] = &["team"];
const ROLE: &str = "arn:aws:iam::123456789012:role/x";

/// The cluster `east`, and nothing else.
struct East(Client);

impl Embed for East {
    fn start<'a>(&'a self, _: &'a str, _: &'a str, _: bool) -> BoxFuture<'a, Result<Running, NotStarted>> {
        async { Err(NotStarted::Failed("it runs".into())) }.boxed()
    }

    fn client(&self, name: &str, _: &str) -> Option<Client> {
        (name == "east").then(|| self.0.clone())
    }

    fn stop<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<(), String>> {
        async { Ok(()) }.boxed()
    }
}

fn named(name: &str) -> Named {
    Named { namespace: "team".into(), name: name.into() }
}

/// The home, whose cluster `east` lets these namespaces use it.
fn home(allowed: &'static [&'static str]) -> Fake {
    Fake::new(move |asked| match asked.what.as_str() {
        "GET /apis/bowline.dev/v1alpha1/clusters/east" => (
            200,
            json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster", "metadata": { "name": "east", "uid": "c" },
                "spec": { "embedded": {}, "allowedNamespaces": { "names": allowed } },
            }),
        ),
        _ => missing(),
    })
}

/// A cluster with this account, which says yes to everything, or this.
fn east(account: Option<Value>, refuses: Option<u16>) -> Fake {
    Fake::new(move |asked| match (asked.what.split(' ').next(), &account, refuses) {
        (Some("GET"), Some(account), _) => (200, account.clone()),
        (Some("GET"), None, _) => missing(),
        (_, _, Some(code)) => (code, json!({ "kind": "Status", "message": "no", "code": code })),
        (_, _, None) => (200, json!({})),
    })
}

fn account(annotations: &Value) -> Value {
    json!({ "metadata": { "name": "sa", "namespace": "team", "uid": "1", "resourceVersion": "7", "annotations": annotations } })
}

fn ours() -> Value {
    account(&json!({ HUB: "hub-1", IDENTITY: "team/reader", ROLE_ARN: ROLE }))
}

/// Of another identity of this hub.
fn anothers() -> Value {
    account(&json!({ HUB: "hub-1", IDENTITY: "team/writer", ROLE_ARN: ROLE }))
}

struct Bench {
    east: Fake,
    abroad: Abroad,
}

impl Bench {
    fn new(allowed: &'static [&'static str], east: Fake) -> Bench {
        let embed: Arc<dyn Embed> = Arc::new(East(east.client.clone()));
        let abroad = Abroad::new(home(allowed).client, Some(embed), "hub-1".into());
        Bench { east, abroad }
    }

    async fn look(&self) -> Said<Plain> {
        self.abroad.look((&named("reader"), "east", &named("sa")), &Mandate::always()).await
    }

    async fn publish(&self, adopts: bool) -> Said<Plain> {
        let spot = (&named("reader"), "east", &named("sa"));
        self.abroad.publish(spot, ROLE, adopts, &Mandate::always()).await
    }

    async fn withdraw(&self) -> Said<Plain> {
        self.abroad.withdraw((&named("reader"), "east", &named("sa")), &Mandate::always()).await
    }

    fn wrote(&self) -> Vec<String> {
        let heard = self.east.heard().into_iter();
        heard
            .filter(|what| !what.starts_with("GET"))
            .map(|what| what.split(' ').next().unwrap_or_default().to_owned())
            .collect()
    }
}

#[tokio::test]
async fn an_account_says_whose_it_is_and_which_role_it_has() {
    let seen = |holder, role: Option<&str>| {
        Said::Account(Some(Published { holder, role: role.map(ToOwned::to_owned) }))
    };
    assert_eq!(Bench::new(ALL, east(None, None)).look().await, Said::Account(None));
    assert_eq!(Bench::new(ALL, east(Some(ours()), None)).look().await, seen(Holder::Itself, Some(ROLE)));
    let another = Holder::Another(named("writer"));
    assert_eq!(Bench::new(ALL, east(Some(anothers()), None)).look().await, seen(another, Some(ROLE)));
    let elsewhere = account(&json!({ HUB: "hub-2", IDENTITY: "team/reader", ROLE_ARN: ROLE }));
    assert_eq!(Bench::new(ALL, east(Some(elsewhere), None)).look().await, seen(Holder::Others, Some(ROLE)));
    assert_eq!(
        Bench::new(ALL, east(Some(account(&json!({}))), None)).look().await,
        seen(Holder::Others, None)
    );
}

#[tokio::test]
async fn an_account_is_made_or_changed_but_not_somebody_elses() {
    for (there, adopts, said, wrote) in [
        (None, false, Said::Done, vec!["POST"]),
        (Some(ours()), false, Said::Done, vec!["PATCH"]),
        (Some(account(&json!({}))), false, Said::Exists, vec![]),
        (Some(account(&json!({}))), true, Said::Done, vec!["PATCH"]),
        (Some(anothers()), true, Said::Exists, vec![]),
    ] {
        let bench = Bench::new(ALL, east(there, None));
        assert_eq!(bench.publish(adopts).await, said);
        assert_eq!(bench.wrote(), wrote);
    }
}

#[tokio::test]
async fn what_a_cluster_says_is_told_apart() {
    let said = |there: Option<Value>, code| async move {
        Bench::new(ALL, east(there, Some(code))).publish(false).await
    };
    assert!(matches!(said(None, 404).await, Said::Refused(why) if why.contains("namespace team")));
    assert!(matches!(said(Some(ours()), 404).await, Said::Outdated(_)));
    assert!(matches!(said(None, 409).await, Said::Outdated(_)));
    assert!(matches!(said(None, 403).await, Said::Refused(_)));
    assert!(matches!(said(None, 500).await, Said::Failed(_)));
}

#[tokio::test]
async fn only_ones_own_account_is_withdrawn() {
    // Also where the identity may not publish any more.
    for (there, said, wrote) in [
        (None, Said::Missing, vec![]),
        (Some(ours()), Said::Done, vec!["DELETE"]),
        (Some(account(&json!({}))), Said::Missing, vec![]),
    ] {
        let bench = Bench::new(&[], east(there, None));
        assert_eq!(bench.withdraw().await, said);
        assert_eq!(bench.wrote(), wrote);
    }
}

#[tokio::test]
async fn a_cluster_that_does_not_let_the_namespace_use_it_is_not_asked() {
    let bench = Bench::new(&["other"], east(None, None));
    for said in [bench.look().await, bench.publish(true).await] {
        assert!(matches!(&said, Said::Refused(why) if why.contains("allowedNamespaces")), "{said:?}");
    }
    assert!(bench.east.heard().is_empty());
}
