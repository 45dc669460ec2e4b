use serde_json::{Value, json};

use super::*;
use crate::auth::testing::{Temporary, view};

const NOW: &str = "2026-11-16T02:43:11Z";

fn now() -> Moment {
    Moment::parse(NOW).unwrap()
}

fn world() -> Vec<Value> {
    let place = |name: &str| json!({"name": name, "namespace": "a"});
    vec![
        json!({"kind": "Namespace", "metadata": {"name": "a"}}),
        json!({"kind": "ServiceAccount", "metadata": place("sa")}),
        json!({"kind": "Secret", "metadata": place("s")}),
        json!({"kind": "Node", "metadata": {"name": "n"}}),
        json!({"kind": "Pod", "metadata": place("p"), "spec": {"serviceAccountName": "sa", "nodeName": "n"}}),
        json!({"kind": "Pod", "metadata": place("other"), "spec": {"serviceAccountName": "x"}}),
    ]
}

fn request(tokens: &Tokens, name: &str, body: Value) -> Result<Value, Status> {
    let body = body.as_object().unwrap().clone();
    tokens.request(&view(world()), "a", name, body, now()).map(Value::Object)
}

fn token(tokens: &Tokens, spec: Value) -> String {
    let answer = request(tokens, "sa", json!({ "spec": spec })).unwrap();
    answer["status"]["token"].as_str().unwrap().to_owned()
}

fn ours() -> Vec<String> {
    vec![ISSUER.to_owned()]
}

fn verify(
    tokens: &Tokens,
    world: Vec<Value>,
    token: &str,
    audiences: &[String],
    now: Moment,
) -> Result<Verified, Option<String>> {
    tokens.signed(token)?.believe(&view(world), audiences, now).map_err(Some)
}

#[test]
fn a_request_is_answered_as_kubernetes_does() {
    let directory = Temporary::new("request");
    let tokens = Tokens::load(&directory).unwrap();
    let mut answer = request(&tokens, "sa", json!({"metadata": {"labels": {"a": "b"}}})).unwrap();
    let token = answer["status"]["token"].take();
    let expected = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "metadata": {"name": "sa", "namespace": "a", "uid": "uid-sa", "creationTimestamp": NOW,
            "labels": {"a": "b"}},
        "spec": {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": null},
        "status": {"token": null, "expirationTimestamp": "2026-11-16T03:43:11Z"},
    });
    assert_eq!(answer, expected);
    let claims = tokens.key.open(token.as_str().unwrap()).unwrap();
    let mut claims = serde_json::to_value(claims).unwrap();
    assert_eq!(claims["jti"].take().as_str().unwrap().len(), 36);
    let expected = json!({"aud": [ISSUER], "exp": 1794800591, "iat": 1794796991, "nbf": 1794796991,
        "iss": ISSUER, "jti": null, "sub": "system:serviceaccount:a:sa",
        "kubernetes.io": {"namespace": "a", "serviceaccount": {"name": "sa", "uid": "uid-sa"}}});
    assert_eq!(claims, expected);
}

#[test]
fn bad_requests_are_refused_as_kubernetes_does() {
    let directory = Temporary::new("refusals");
    let tokens = Tokens::load(&directory).unwrap();
    let check = |name: &str, body: Value, expected: &str| {
        let status = request(&tokens, name, body).expect_err("it is refused");
        assert_eq!(format!("{} {} {}", status.code, status.reason, status.message), expected);
    };
    let bound = |kind: &str, name: &str| json!({"spec": {"boundObjectRef": {"kind": kind, "name": name}}});
    check("none", json!({}), r#"404 NotFound serviceaccounts "none" not found"#);
    for (seconds, why) in [
        (599_i64, "less than 10 minutes"),
        (0, "less than 10 minutes"),
        (4_294_967_297, "larger than 2^32 seconds"),
    ] {
        let expected = format!(
            r#"422 Invalid TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: {seconds}: may not specify a duration {why}"#
        );
        check("sa", json!({"spec": {"expirationSeconds": seconds}}), &expected);
    }
    check(
        "sa",
        json!({"metadata": {"name": "zz"}}),
        r#"422 Invalid TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "zz": must match the service account name if specified"#,
    );
    check(
        "sa",
        json!({"metadata": {"namespace": "zz"}}),
        "400 BadRequest the namespace of the provided object does not match the namespace sent on the request",
    );
    check(
        "sa",
        json!({"metadata": {"uid": "zz"}}),
        r#"409 Conflict Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in the token request (zz) does not match the UID of the service account (uid-sa)"#,
    );
    check(
        "sa",
        json!({"spec": {"boundObjectRef": {}}}),
        "400 BadRequest cannot bind token to object of type /, Kind=",
    );
    check(
        "sa",
        json!({"spec": {"boundObjectRef": {"kind": "Deployment", "apiVersion": "apps/v1", "name": "x"}}}),
        "400 BadRequest cannot bind token to object of type apps/v1, Kind=Deployment",
    );
    check("sa", bound("Secret", "x"), r#"404 NotFound secrets "x" not found"#);
    check("sa", bound("Node", "x"), r#"404 NotFound nodes "x" not found"#);
    check(
        "sa",
        bound("Pod", "other"),
        r#"400 BadRequest cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name."#,
    );
    let mut wrong = bound("Secret", "s");
    wrong["spec"]["boundObjectRef"]["uid"] = json!("zz");
    check(
        "sa",
        wrong,
        r#"409 Conflict Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (zz) does not match the UID in record. The object might have been deleted and then recreated"#,
    );
}

#[test]
fn a_good_token_says_whose_it_is() {
    let directory = Temporary::new("good");
    let tokens = Tokens::load(&directory).unwrap();
    let pod = json!({"expirationSeconds": 3607, "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p"}});
    let token = token(&tokens, pod);
    // A pod's token lasts a year, so that those who do not look for another one notice, and do not fail.
    let later = Moment::at_unix_s(now().unix_s() + 300 * 24 * 3600);
    // The key is kept: the next process believes it, too.
    for tokens in [&tokens, &Tokens::load(&directory).unwrap()] {
        for _ in 0..2 {
            let verified = verify(tokens, world(), &token, &ours(), later).unwrap();
            assert_eq!(verified.audiences, ours());
            assert_eq!(verified.user.name, "system:serviceaccount:a:sa");
            assert_eq!(verified.user.uid, "uid-sa");
            let groups = ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"];
            assert_eq!(verified.user.groups, groups);
            let extra: Vec<_> = verified.user.extra.iter().map(|(key, value)| (&**key, &*value[0])).collect();
            assert!(extra[0].1.starts_with("JTI="));
            let rest = [
                ("authentication.kubernetes.io/node-name", "n"),
                ("authentication.kubernetes.io/node-uid", "uid-n"),
                ("authentication.kubernetes.io/pod-name", "p"),
                ("authentication.kubernetes.io/pod-uid", "uid-p"),
            ];
            assert_eq!(extra[1..], rest);
        }
    }
}

#[test]
fn a_token_that_is_not_good_is_not_believed() {
    let directory = Temporary::new("bad");
    let tokens = Tokens::load(&directory).unwrap();
    let check = |token: &str, world: Vec<Value>, seconds: i64, expected: &str| {
        let at = Moment::at_unix_s(now().unix_s() + seconds);
        let why = verify(&tokens, world, token, &ours(), at).map(|_| ()).expect_err("it is not believed");
        assert_eq!(why.unwrap_or_default(), expected);
    };
    let plain = token(&tokens, json!({}));
    let bound =
        token(&tokens, json!({"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "s"}}));
    let elsewhere = token(&tokens, json!({"audiences": ["x"]}));
    let without =
        |kind: &str| world().into_iter().filter(|object| object["kind"] != kind).collect::<Vec<_>>();
    let another = |kind: &str| {
        let mut world = world();
        let found = world.iter_mut().find(|object| object["kind"] == kind).unwrap();
        found["metadata"]["uid"] = json!("new");
        world
    };
    assert!(verify(&tokens, world(), &plain, &ours(), now()).is_ok());
    check("abc", world(), 0, "");
    check("a.b.c", world(), 0, "");
    check(&plain, world(), 3661, "service account token has expired");
    check(&plain, world(), -61, "service account token is not valid yet");
    check(&plain, without("ServiceAccount"), 0, r#"serviceaccounts "sa" not found"#);
    check(&plain, another("ServiceAccount"), 0, "service account UID (new) does not match claim (uid-sa)");
    check(&bound, without("Secret"), 0, "service account token has been invalidated");
    let other = "secret UID (new) does not match service account secret ref claim (uid-s)";
    check(&bound, another("Secret"), 0, other);
    let audience = format!(r#"token audiences ["x"] is invalid for the target audiences ["{ISSUER}"]"#);
    check(&elsewhere, world(), 0, &audience);
    let broken = "go-jose/go-jose: error in cryptographic primitive";
    let (signed, signature) = plain.rsplit_once('.').unwrap();
    // The first letter only: the last one has bits that must be zero.
    let (first, rest) = signature.split_at(1);
    let flipped = if first == "A" { "B" } else { "A" };
    check(&format!("{signed}.{flipped}{rest}"), world(), 0, broken);
    let (_, claims) = signed.split_once('.').unwrap();
    // {"alg":"none"} and a key that nobody has.
    check(&format!("eyJhbGciOiJub25lIn0.{claims}."), world(), 0, broken);
    check(
        &format!("eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.{claims}.{signature}"),
        world(),
        0,
        "invalid signature, no keys found",
    );
    let strangers = Temporary::new("strangers");
    let theirs = token(&Tokens::load(&strangers).unwrap(), json!({}));
    check(&theirs, world(), 0, "invalid signature, no keys found");
}

#[test]
fn others_learn_how_to_verify() {
    let directory = Temporary::new("openid");
    let tokens = Tokens::load(&directory).unwrap();
    let configuration = String::from_utf8(tokens.openid_configuration("127.0.0.1:6443")).unwrap();
    assert_eq!(
        configuration,
        r#"{"issuer":"https://kubernetes.default.svc","jwks_uri":"https://127.0.0.1:6443/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}"#
    );
    let keys: Value = serde_json::from_slice(&tokens.jwks()).unwrap();
    let key = &keys["keys"][0];
    assert_eq!((&key["kty"], &key["alg"], &key["use"]), (&json!("EC"), &json!("ES256"), &json!("sig")));
    for coordinate in ["x", "y", "kid"] {
        assert_eq!(key[coordinate].as_str().unwrap().len(), 43);
    }
}
