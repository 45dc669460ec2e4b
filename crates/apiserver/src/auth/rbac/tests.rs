use serde_json::json;

use super::aggregation;
use super::escalation::{self, Write};
use super::*;
use crate::auth::testing::view;
use crate::document::Json;
use crate::key::Key;

fn object(json: Value) -> Json {
    json.as_object().expect("an object").clone()
}

fn cluster_role(name: &str, rules: Value) -> Value {
    json!({"kind": "ClusterRole", "metadata": {"name": name}, "rules": rules})
}

fn cluster_binding(name: &str, role: &str, subjects: Value) -> Value {
    json!({"kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role}, "subjects": subjects})
}

fn binding(namespace: &str, name: &str, kind: &str, role: &str, subjects: Value) -> Value {
    json!({"kind": "RoleBinding", "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role}, "subjects": subjects})
}

fn user(name: &str, groups: &[&str]) -> User {
    User { name: name.into(), groups: groups.iter().map(|&group| group.into()).collect(), ..User::default() }
}

fn pods(namespace: &'static str) -> What<'static> {
    What::Resource { group: "", plural: "pods", subresource: "", namespace, name: "" }
}

fn sample() -> Rules {
    let read = json!([{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}]);
    Rules::build(&view([
        cluster_role("reader", read.clone()),
        json!({"kind": "Role", "metadata": {"name": "local", "namespace": "a"}, "rules": read}),
        cluster_binding("all", "reader", json!([{"kind": "Group", "name": "readers"}])),
        cluster_binding("lost", "gone", json!([{"kind": "User", "name": "bob"}])),
        binding("a", "one", "Role", "local", json!([{"kind": "ServiceAccount", "name": "sa"}])),
        binding("b", "two", "ClusterRole", "reader", json!([{"kind": "User", "name": "eve"}])),
        binding("a", "lost", "Role", "gone", json!([{"kind": "User", "name": "bob"}])),
    ]))
}

#[test]
fn who_is_bound_may_and_nobody_else() {
    let rules = sample();
    let check = |user: &User, what: What<'_>, expected: &str| {
        let said = match rules.decide(&Attributes { user, verb: "list", what: what.clone() }) {
            Decision::Allowed(why) => format!("yes {}", why.unwrap_or_default()),
            Decision::NoOpinion(why) => format!("no {why}"),
        };
        assert_eq!(said, expected, "{user:?} {what:?}");
    };
    let by_group =
        r#"yes RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "readers""#;
    check(&user("x", &["readers"]), pods(""), by_group);
    check(&user("x", &["readers"]), pods("a"), by_group);
    check(&user("x", &[]), pods("a"), "no ");
    let account = user("system:serviceaccount:a:sa", &[]);
    let local = r#"yes RBAC: allowed by RoleBinding "one/a" of Role "local" to ServiceAccount "sa/a""#;
    check(&account, pods("a"), local);
    check(&account, pods("b"), "no ");
    check(&account, pods(""), "no ");
    let eve = r#"yes RBAC: allowed by RoleBinding "two/b" of ClusterRole "reader" to User "eve""#;
    check(&user("eve", &[]), pods("b"), eve);
    check(&user("x", &[MASTERS]), What::Path("/anything"), "yes ");
    check(&user("x", &["readers"]), What::Path("/anything"), "no ");
    check(
        &user("bob", &[]),
        pods("a"),
        r#"no RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]"#,
    );
}

#[test]
fn nobody_gives_away_what_they_lack() {
    let rules = Rules::build(&view([
        cluster_role(
            "manager",
            json!([{"verbs": ["create"], "apiGroups": [GROUP], "resources": ["*"]},
                {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]),
        ),
        cluster_role(
            "binder",
            json!([{"verbs": ["bind"], "apiGroups": [GROUP], "resources": ["clusterroles"],
            "resourceNames": ["everything"]}]),
        ),
        cluster_role(
            "everything",
            json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
            {"verbs": ["*"], "nonResourceURLs": ["*"]}]),
        ),
        cluster_binding("m", "manager", json!([{"kind": "User", "name": "al"}])),
        cluster_binding("b", "binder", json!([{"kind": "User", "name": "bo"}])),
        cluster_binding("l1", "gone", json!([{"kind": "User", "name": "lo"}])),
        cluster_binding("l2", "lost", json!([{"kind": "User", "name": "lo"}])),
    ]));
    let check = |who: &str, plural: &str, new: Value, expected: &str| {
        let new = object(new);
        let write = Write { plural, namespace: "", asked: "", old: None, new: &new };
        let said = escalation::check(&rules, &user(who, &["g1", "system:authenticated"]), &write);
        let said = said.map_or_else(|status| format!("{} {}", status.code, status.message), |()| "ok".into());
        assert_eq!(said, expected);
    };
    let pods = json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]);
    let more = json!([{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}]);
    check("al", "clusterroles", cluster_role("x", pods.clone()), "ok");
    let lacking = r#"403 clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "al" (groups=["g1" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["list"]}"#;
    check("al", "clusterroles", cluster_role("x", more), lacking);
    let lost = r#"403 clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "lo" (groups=["g1" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [[clusterroles.rbac.authorization.k8s.io "gone" not found, clusterroles.rbac.authorization.k8s.io "lost" not found]]"#;
    check("lo", "clusterroles", cluster_role("x", pods.clone()), lost);
    let mut gathering = cluster_role("x", pods);
    gathering["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
    let aggregating = r#"403 clusterroles.rbac.authorization.k8s.io "x" is forbidden: must have cluster-admin privileges to use the aggregationRule"#;
    check("al", "clusterroles", gathering, aggregating);
    let everything = || cluster_binding("x", "everything", json!([]));
    let all = r#"403 clusterrolebindings.rbac.authorization.k8s.io "x" is forbidden: user "al" (groups=["g1" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:["*"], Resources:["*"], Verbs:["*"]}
{NonResourceURLs:["*"], Verbs:["*"]}"#;
    check("al", "clusterrolebindings", everything(), all);
    check("bo", "clusterrolebindings", everything(), "ok");
    let absent = r#"404 clusterrolebindings.rbac.authorization.k8s.io "nope" not found"#;
    check("al", "clusterrolebindings", cluster_binding("x", "nope", json!([])), absent);
    let mut odd = cluster_binding("x", "nope", json!([]));
    odd["roleRef"]["kind"] = json!("Foo");
    check("al", "clusterrolebindings", odd, r#"500 unsupported role reference kind: "Foo""#);
}

#[test]
fn the_collector_may_release_what_it_may_not_grant() {
    let rules = Rules::build(&view([]));
    let old = object(cluster_role("x", json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}])));
    let check = |new: Value, expected: bool| {
        let new = object(new);
        let write = Write { plural: "clusterroles", namespace: "", asked: "x", old: Some(&old), new: &new };
        assert_eq!(escalation::check(&rules, &user("gc", &[]), &write).is_ok(), expected);
    };
    let mut new = Value::Object(old.clone());
    new["metadata"]["finalizers"] = json!(["x"]);
    check(new.clone(), true);
    new["metadata"]["labels"] = json!({"a": "b"});
    check(new, false);
}

fn check_refused(plural: &str, old: Option<Value>, new: Value, expected: &[&str]) -> String {
    let (old, new) = (old.map(object), object(new));
    let write = Write { plural, namespace: "a", asked: "", old: old.as_ref(), new: &new };
    let status = validation::check(&write).expect_err("it is refused");
    let causes: Vec<_> = status.details.iter().flat_map(|details| &details.causes).collect();
    let causes: Vec<_> = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
    assert_eq!(causes, expected);
    status.message
}

#[test]
fn bad_roles_and_bindings_are_refused_as_kubernetes_does() {
    let rules = json!([{"verbs": [], "apiGroups": [""], "resources": ["pods"]}, {"verbs": ["get"]},
        {"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["a"]}]);
    let mut role = cluster_role("a", rules);
    role["aggregationRule"] = json!({});
    let message = check_refused(
        "clusterroles",
        None,
        role,
        &[
            "rules[0].verbs: Required value: verbs must contain at least one value",
            "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
            "rules[1].resources: Required value: resource rules must supply at least one resource",
            r#"rules[2].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs"#,
            "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
        ],
    );
    assert!(message.starts_with(
        r#"ClusterRole.rbac.authorization.k8s.io "a" is invalid: [rules[0].verbs: Required value: verbs"#
    ));
    check_refused(
        "rolebindings",
        None,
        json!({"metadata": {"name": "a/b%"}, "roleRef": {"kind": "Foo", "apiGroup": "x"}, "subjects": [
            {"kind": "User", "apiGroup": GROUP}, {"kind": "ServiceAccount", "name": "a", "apiGroup": "x"},
            {"kind": "Zoo", "name": "x"}, {"kind": "Group", "name": "x", "apiGroup": "y"}]}),
        &[
            r#"metadata.name: Invalid value: "a/b%": may not contain '/'"#,
            r#"metadata.name: Invalid value: "a/b%": may not contain '%'"#,
            r#"roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io""#,
            r#"roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole""#,
            "roleRef.name: Required value",
            "subjects[0].name: Required value",
            r#"subjects[1].apiGroup: Unsupported value: "x": supported values: """#,
            r#"subjects[2].kind: Unsupported value: "Zoo": supported values: "ServiceAccount", "User", "Group""#,
            r#"subjects[3].apiGroup: Unsupported value: "y": supported values: "rbac.authorization.k8s.io""#,
        ],
    );
    let verbs = "rules[0].verbs: Required value: verbs must contain at least one value";
    let empty = cluster_role("a", json!([{"apiGroups": [""], "resources": ["pods"]}]));
    let message = check_refused("clusterroles", Some(cluster_role("a", json!([]))), empty, &[verbs, verbs]);
    assert_eq!(message, format!(r#"ClusterRole.rbac.authorization.k8s.io "a" is invalid: {verbs}"#));
    let message = check_refused(
        "clusterrolebindings",
        Some(cluster_binding("rb", "one", json!([]))),
        cluster_binding("rb", "two", json!([])),
        &[
            r#"roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"two"}: cannot change roleRef"#,
        ],
    );
    assert_eq!(
        message,
        r#"ClusterRoleBinding.rbac.authorization.k8s.io "rb" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"two"}: cannot change roleRef"#
    );
}

#[test]
fn aggregated_roles_gather_once_in_order() {
    let rule = |verb: &str| json!({"verbs": [verb], "apiGroups": [""], "resources": ["pods"]});
    let labelled = |name: &str, rules: Value| {
        let mut role = cluster_role(name, rules);
        role["metadata"]["labels"] = json!({"to": "all"});
        role
    };
    let mut all = labelled("all", Value::Null);
    all["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"to": "all"}}]});
    let parts = [
        labelled("b", json!([rule("get"), rule("list")])),
        labelled("a", json!([rule("list")])),
        cluster_role("c", json!([rule("watch")])),
    ];
    let key = Key::new(CLUSTER_ROLES.clone(), "", "all");
    let gathered = json!([rule("list"), rule("get")]);
    let before = view(parts.iter().cloned().chain([all.clone()]));
    assert_eq!(aggregation::updates(&before), [(key, gathered.clone())]);
    all["rules"] = gathered;
    let after = view(parts.into_iter().chain([all]));
    assert_eq!(aggregation::updates(&after), []);
}

/// Every line is what a real kube-apiserver 1.34.4 said: the answer, the user, a group, the verb, and a path or else
/// group, resource, namespace and name; `-` is nothing. Beside its default roles it had the bindings of the test.
#[test]
fn the_default_roles_allow_what_they_allow_in_kubernetes() {
    let mut objects: Vec<Value> = serde_json::from_str(include_str!("../../../data/roles.json")).unwrap();
    for role in ["admin", "edit", "view"] {
        let name = format!("auth-{role}");
        objects.push(cluster_binding(&name, role, json!([{"kind": "User", "name": name}])));
    }
    let local =
        json!([{"kind": "ServiceAccount", "name": "auth-local"}, {"kind": "Group", "name": "auth-group"}]);
    objects.push(binding("auth-ns", "local", "ClusterRole", "edit", local));
    // A role may gather from one that gathers, too: until nothing changes.
    loop {
        let updates = aggregation::updates(&view(objects.clone()));
        if updates.is_empty() {
            break;
        }
        for (key, rules) in updates {
            let mut all = objects.iter_mut().filter(|object| object["kind"] == "ClusterRole");
            let role = all.find(|object| object["metadata"]["name"] == *key.name).unwrap();
            role["rules"] = rules;
        }
    }
    let rules = Rules::build(&view(objects));
    let mut wrong = Vec::new();
    for line in include_str!("decisions.txt").lines() {
        let words: Vec<&str> = line.split(' ').map(|word| if word == "-" { "" } else { word }).collect();
        let [answer, name, group, verb, rest @ ..] = words.as_slice() else { panic!("{line}") };
        let what = match rest {
            [path] => What::Path(path),
            [group, resource, namespace, name] => {
                let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                What::Resource { group, plural, subresource, namespace, name }
            }
            _ => panic!("{line}"),
        };
        let allowed = rules.allow(&Attributes { user: &user(name, &[group]), verb, what });
        if allowed != (*answer == "yes") {
            wrong.push(line);
        }
    }
    assert_eq!(wrong, [""; 0]);
}
