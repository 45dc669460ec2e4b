use serde_json::{Value, json};

use super::*;
use crate::auth::testing::{Temporary, view};

fn world() -> Vec<Value> {
    let group = "rbac.authorization.k8s.io";
    vec![
        json!({"kind": "Namespace", "metadata": {"name": "a"}}),
        json!({"kind": "ServiceAccount", "metadata": {"name": "sa", "namespace": "a"}}),
        json!({"kind": "ClusterRole", "metadata": {"name": "reader"}, "rules": [
            {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]},
            {"verbs": ["get"], "nonResourceURLs": ["/version"]}]}),
        json!({"kind": "ClusterRoleBinding", "metadata": {"name": "readers"},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "reader"},
            "subjects": [{"kind": "User", "name": "bob"}, {"kind": "Group", "name": "g"}]}),
        json!({"kind": "ClusterRoleBinding", "metadata": {"name": "lost"},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "gone"},
            "subjects": [{"kind": "User", "name": "eve"}]}),
    ]
}

fn ask(review: Review, namespace: &str, who: &str, body: Value) -> Result<Value, Status> {
    let directory = Temporary::new(&format!("reviews-{:?}-{:?}", review, std::thread::current().id()));
    let tokens = Tokens::load(&directory).unwrap();
    let view = view(world());
    let rules = Rules::build(&view);
    let user = User { name: who.into(), groups: vec!["g".into()], ..User::default() };
    let now = Moment::parse("2026-11-16T02:42:11Z").unwrap();
    let believe = |signed: &Signed, audiences: &[String]| signed.believe(&view, audiences, now);
    let context = Context { user: &user, namespace, rules: &rules, tokens: &tokens, believe: &believe, now };
    review.answer(&context, body.as_object().unwrap().clone()).map(Value::Object)
}

fn check(review: Review, namespace: &str, who: &str, body: Value, expected: Value) {
    assert_eq!(ask(review, namespace, who, body).unwrap(), expected);
}

fn refused(review: Review, namespace: &str, body: Value, expected: &str) {
    let status = ask(review, namespace, "bob", body).expect_err("it is refused");
    assert_eq!(format!("{} {} {}", status.code, status.reason, status.message), expected);
}

#[test]
fn rights_are_told() {
    let why = |subject: &str| {
        format!(r#"RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to {subject}"#)
    };
    let pods = json!({"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "a"}});
    check(
        Review::SelfSubjectAccess,
        "",
        "bob",
        json!({"metadata": {"managedFields": [{"manager": "x"}]}, "status": {"allowed": false}, "spec":
            {"resourceAttributes": {"verb": "get", "resource": "pods", "group": "", "subresource": ""}}}),
        json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "metadata": {"managedFields": [{"manager": "x"}]},
            "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
            "status": {"allowed": true, "reason": why(r#"User "bob""#)}}),
    );
    let mut spec = pods.clone();
    spec["user"] = json!("eve");
    spec["groups"] = json!([]);
    check(
        Review::LocalSubjectAccess,
        "a",
        "bob",
        json!({ "spec": spec }),
        json!({"apiVersion": "authorization.k8s.io/v1", "kind": "LocalSubjectAccessReview",
            "metadata": {"namespace": "a"},
            "spec": {"resourceAttributes": pods["resourceAttributes"], "user": "eve"},
            "status": {"allowed": false,
                "reason": r#"RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found"#}}),
    );
    let spec = json!({"groups": ["g"], "nonResourceAttributes": {"verb": "get", "path": "/version"}});
    check(
        Review::SubjectAccess,
        "",
        "bob",
        json!({"metadata": {"namespace": "x"}, "spec": spec}),
        json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
            "spec": spec, "status": {"allowed": true, "reason": why(r#"Group "g""#)}}),
    );
}

fn invalid(why: &str) -> String {
    format!(r#"422 Invalid .authorization.k8s.io "" is invalid: {why}"#)
}

#[test]
fn questions_that_make_no_sense_are_refused_as_kubernetes_does() {
    let pods = json!({"verb": "get", "resource": "pods", "namespace": "a"});
    let one = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    let expected = invalid(&format!("spec.resourceAttributes: Invalid value: null: {one}"));
    refused(Review::SelfSubjectAccess, "", json!({}), &expected);
    refused(
        Review::SelfSubjectAccess,
        "",
        json!({"metadata": {"name": "x", "managedFields": [{"time": "t", "manager": "curl"}]},
            "spec": {"resourceAttributes": {"verb": "get"}, "nonResourceAttributes": {"path": "/x", "verb": "get"}}}),
        &invalid(
            r#"[spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes, metadata: Invalid value: {"name":"x","managedFields":[{"manager":"curl","time":"t"}]}: must be empty]"#,
        ),
    );
    refused(
        Review::SubjectAccess,
        "",
        json!({"spec": {"resourceAttributes": pods}}),
        &invalid(r#"spec.user: Invalid value: "": at least one of user or group must be specified"#),
    );
    let selecting = json!({"user": "x", "resourceAttributes": {"verb": "list", "fieldSelector": {},
        "labelSelector": {"rawSelector": "a=b", "requirements": [{"key": "x", "operator": "In", "values": []}]}}});
    refused(
        Review::SubjectAccess,
        "",
        json!({ "spec": selecting }),
        &invalid(
            r#"[spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required, spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements, spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn']"#,
        ),
    );
    let selecting = json!({"user": "x", "resourceAttributes": {"labelSelector": {"rawSelector": "a in b"},
        "fieldSelector": {"requirements": [{"key": "", "operator": "Foo", "values": ["a", "b"]},
            {"key": "a", "operator": "In"}]}}});
    refused(
        Review::SubjectAccess,
        "",
        json!({ "spec": selecting }),
        &invalid(
            "[spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, spec.resourceAttributes.fieldSelector.requirements[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn']",
        ),
    );
    refused(Review::SelfSubjectRules, "", json!({"spec": {}}), "400 BadRequest no namespace on request");
    let token = "400 BadRequest token is required for TokenReview in authentication";
    refused(Review::Token, "", json!({"spec": {}}), token);
}

#[test]
fn local_questions_are_about_their_namespace() {
    let pods = json!({"verb": "get", "resource": "pods", "namespace": "a"});
    refused(
        Review::LocalSubjectAccess,
        "b",
        json!({"spec": {"user": "x", "resourceAttributes": pods}}),
        &invalid(r#"spec.resourceAttributes.namespace: Invalid value: "a": must match metadata.namespace"#),
    );
    refused(
        Review::LocalSubjectAccess,
        "b",
        json!({"spec": {"user": "x", "nonResourceAttributes": {"verb": "get", "path": "/"}}}),
        &invalid(
            r#"spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request"#,
        ),
    );
    refused(
        Review::LocalSubjectAccess,
        "a",
        json!({"metadata": {"name": "n"}, "spec": {"user": "x", "resourceAttributes": pods}}),
        &invalid(
            r#"metadata: Invalid value: {"name":"n","namespace":"a"}: must be empty except for namespace"#,
        ),
    );
    refused(
        Review::LocalSubjectAccess,
        "b",
        json!({"metadata": {"namespace": "a"}, "spec": {"user": "x", "resourceAttributes": pods}}),
        "400 BadRequest the namespace of the provided object does not match the namespace sent on the request",
    );
}

#[test]
fn users_learn_what_they_may_and_who_they_are() {
    check(
        Review::SelfSubjectRules,
        "",
        "eve",
        json!({"metadata": {"name": "x"}, "spec": {"namespace": "a"}}),
        json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "metadata": {},
            "spec": {}, "status": {"incomplete": false,
                "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/version"]}],
                "evaluationError": r#"clusterrole.rbac.authorization.k8s.io "gone" not found"#}}),
    );
    check(
        Review::SelfSubject,
        "",
        "eve",
        json!({"metadata": {"name": "x"}}),
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
            "metadata": {"creationTimestamp": "2026-11-16T02:42:11Z"},
            "status": {"userInfo": {"username": "eve", "groups": ["g"]}}}),
    );
}

#[test]
fn tokens_are_told_apart() {
    check(
        Review::Token,
        "",
        "bob",
        json!({"metadata": {"name": "f"}, "spec": {"token": "a.b.c", "audiences": ["x"]}}),
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "metadata": {"name": "f"},
            "spec": {"token": "a.b.c", "audiences": ["x"]},
            "status": {"user": {}, "error": "invalid bearer token"}}),
    );
    let directory = Temporary::new("token-review");
    let tokens = Tokens::load(&directory).unwrap();
    let view = view(world());
    let now = Moment::now();
    let body = json!({"spec": {"audiences": ["x"]}}).as_object().unwrap().clone();
    let token = tokens.request(&view, "a", "sa", body, now).unwrap()["status"]["token"].clone();
    let (rules, user) = (Rules::build(&view), User::default());
    let believe = |signed: &Signed, audiences: &[String]| signed.believe(&view, audiences, now);
    let context =
        Context { user: &user, namespace: "", rules: &rules, tokens: &tokens, believe: &believe, now };
    let ask = |audiences: &[&str]| {
        let body = json!({"spec": {"token": token, "audiences": audiences}}).as_object().unwrap().clone();
        Review::Token.answer(&context, body).unwrap()["status"].clone()
    };
    let good = ask(&["y", "x"]);
    assert_eq!((&good["authenticated"], &good["audiences"]), (&json!(true), &json!(["x"])));
    assert_eq!(good["user"]["username"], "system:serviceaccount:a:sa");
    let error = r#"[invalid bearer token, token audiences ["x"] is invalid for the target audiences ["https://kubernetes.default.svc"]]"#;
    assert_eq!(ask(&[]), json!({"user": {}, "error": error}));
}
