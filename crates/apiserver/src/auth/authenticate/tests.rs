use std::sync::Arc;

use http::Request;
use serde_json::{Value, json};

use super::*;
use crate::auth::testing::{Temporary, hub};
use crate::auth::tokens::Tokens;
use crate::user::{AUTHENTICATED, MASTERS};

fn world() -> Vec<Value> {
    let group = "rbac.authorization.k8s.io";
    vec![
        json!({"kind": "Namespace", "metadata": {"name": "a"}}),
        json!({"kind": "ServiceAccount", "metadata": {"name": "sa", "namespace": "a"}}),
        json!({"kind": "ClusterRole", "metadata": {"name": "actor"}, "rules": [
            {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["users"], "resourceNames": ["bob"]}]}),
        json!({"kind": "ClusterRoleBinding", "metadata": {"name": "actor"},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "actor"},
            "subjects": [{"kind": "User", "name": "eve"}]}),
    ]
}

fn user(name: &str, groups: &[&str]) -> User {
    User { name: name.into(), groups: groups.iter().map(|&group| group.into()).collect(), ..User::default() }
}

struct Desk {
    auth: Auth,
    hub: Hub,
    _directory: Temporary,
}

impl Desk {
    fn open(name: &str) -> Desk {
        let directory = Temporary::new(name);
        let hub = hub(world());
        let auth = Auth::new(Tokens::load(&directory).unwrap(), &hub.view());
        Desk { auth, hub, _directory: directory }
    }

    fn ask(&self, request: http::request::Builder) -> Result<User, Status> {
        let (head, ()) = request.body(()).unwrap().into_parts();
        let user = self.auth.authenticate(&head, &self.hub, Moment::now())?;
        Ok(self.auth.impersonate(&user, &head, &self.hub)?.unwrap_or(user))
    }

    fn token(&self) -> String {
        let answer =
            self.auth.tokens().request(self.hub.view(), "a", "sa", Default::default(), Moment::now());
        answer.unwrap()["status"]["token"].as_str().unwrap().to_owned()
    }
}

fn said(answer: Result<User, Status>) -> String {
    match answer {
        Ok(user) => format!("{} {:?}", user.name, user.groups),
        Err(status) => format!("{} {}", status.code, status.message),
    }
}

#[test]
fn what_a_request_shows_says_who_asks() {
    let desk = Desk::open("identify");
    let bearer = |token: &str| Request::get("/").header("authorization", format!("Bearer {token}"));
    let check = |request, expected: &str| assert_eq!(said(desk.ask(request)), expected);
    let anonymous = r#"system:anonymous ["system:unauthenticated"]"#;
    let account = r#"system:serviceaccount:a:sa ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"]"#;
    let token = desk.token();
    let known = |seconds: i64| Peer::Known {
        user: Arc::new(user("kate", &[AUTHENTICATED])),
        until: Moment::at_unix_s(Moment::now().unix_s() + seconds),
    };
    check(Request::get("/"), anonymous);
    check(Request::get("/").extension(Peer::Unnamed), anonymous);
    check(Request::get("/").extension(Peer::Refused), "401 Unauthorized");
    check(Request::get("/").extension(known(60)), r#"kate ["system:authenticated"]"#);
    check(Request::get("/").extension(known(-60)), "401 Unauthorized");
    check(bearer(&token), account);
    check(bearer(&token).extension(Peer::Refused), account);
    check(bearer("abc"), "401 Unauthorized");
    check(bearer("abc").extension(known(60)), r#"kate ["system:authenticated"]"#);
    check(bearer("abc").extension(user("inside", &[])), "inside []");
    check(bearer(""), anonymous);
    check(Request::get("/").header("authorization", "Basic abc"), anonymous);
    check(Request::get("/").header("authorization", format!("bearer {token}")), account);
}

#[test]
fn who_may_is_treated_as_another() {
    let desk = Desk::open("impersonate");
    let check = |who: &User, headers: &[(&str, &str)], expected: &str| {
        let mut request = Request::get("/api/v1/pods").extension(who.clone());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        assert_eq!(said(desk.ask(request)), expected, "{headers:?}");
    };
    let root = user("root", &[MASTERS]);
    let eve = user("eve", &[]);
    let bob = ("Impersonate-User", "bob");
    check(&root, &[bob], r#"bob ["system:authenticated"]"#);
    check(&root, &[bob, ("Impersonate-Group", "g")], r#"bob ["g", "system:authenticated"]"#);
    let outsiders = ("Impersonate-Group", "system:unauthenticated");
    check(&root, &[bob, outsiders], r#"bob ["system:unauthenticated"]"#);
    let anonymous = r#"system:anonymous ["system:unauthenticated"]"#;
    check(&root, &[("Impersonate-User", "system:anonymous")], anonymous);
    check(
        &root,
        &[("Impersonate-User", "system:serviceaccount:a:sa")],
        r#"system:serviceaccount:a:sa ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"]"#,
    );
    check(&eve, &[bob], r#"bob ["system:authenticated"]"#);
    let cannot = |what: &str, resource: &str, group: &str| {
        format!(
            r#"403 {what} is forbidden: User "eve" cannot impersonate resource "{resource}" in API group "{group}" at the cluster scope"#
        )
    };
    check(&eve, &[("Impersonate-User", "al")], &cannot(r#"users "al""#, "users", ""));
    check(&eve, &[bob, ("Impersonate-Group", "g")], &cannot(r#"groups "g""#, "groups", ""));
    let authentication = "authentication.k8s.io";
    let uid = cannot(r#"uids.authentication.k8s.io "u""#, "uids", authentication);
    check(&eve, &[bob, ("Impersonate-Uid", "u")], &uid);
    let extra = cannot(r#"userextras.authentication.k8s.io "v""#, "userextras/foo/bar", authentication);
    check(&eve, &[bob, ("Impersonate-Extra-Foo%2fbar", "v")], &extra);
    check(
        &eve,
        &[("Impersonate-User", "system:serviceaccount:a:sa")],
        r#"403 serviceaccounts "sa" is forbidden: User "eve" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a""#,
    );
    let nobody = |what: &str| {
        format!(
            "500 Internal Server Error: \"/api/v1/pods\": requested [{{{what}}}] without impersonating a user\n"
        )
    };
    check(&root, &[("Impersonate-Group", "g")], &nobody("Group  g    "));
    check(&root, &[("Impersonate-Uid", "g")], &nobody("UID  g  authentication.k8s.io/v1  "));
    let extra = nobody("UserExtra  g  authentication.k8s.io/v1  foo/bar");
    check(&root, &[("Impersonate-Extra-Foo%2fbar", "g")], &extra);
}

#[test]
fn another_is_known_by_uid_and_extra() {
    let desk = Desk::open("extra");
    let request = Request::get("/").extension(user("root", &[MASTERS]));
    let request = request.header("Impersonate-User", "bob").header("Impersonate-Uid", "q");
    let request = request.header("Impersonate-Extra-Foo%2fBar", "g").header("Impersonate-Extra-Foo", "h");
    let another = desk.ask(request.header("Impersonate-Extra-Foo", "i")).unwrap();
    assert_eq!(another.uid, "q");
    let extra: Vec<_> = another.extra.into_iter().collect();
    let list = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
    assert_eq!(extra, [("foo".to_owned(), list(&["h", "i"])), ("foo/bar".to_owned(), list(&["g"]))]);
}
