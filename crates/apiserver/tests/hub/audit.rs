//! The audit log: who did what, and what was answered.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use bowline_apiserver::audit_log::verify;
use bowline_apiserver::{Config, Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get, somebody};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn lines(scratch: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(scratch.join("audit.log")).expect("there is a log");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The lines of requests, without those of the hub itself.
fn requests(scratch: &Scratch) -> Vec<Value> {
    lines(scratch).into_iter().filter(|line| line["user"]["username"] != "system:apiserver").collect()
}

/// The last line, in short.
fn last(scratch: &Scratch) -> String {
    let all = requests(scratch);
    let Some(line) = all.last() else { return String::new() };
    let of = &line["objectRef"];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    format!(
        "{} {} {}/{} {}/{} {} {}",
        text(&line["user"]["username"]),
        text(&line["verb"]),
        text(&of["apiGroup"]),
        text(&of["resource"]),
        text(&of["namespace"]),
        text(&of["name"]),
        line["responseStatus"]["code"],
        text(&line["responseStatus"]["reason"]),
    )
}

fn map(name: &str) -> Value {
    json!({ "metadata": { "name": name }, "data": { "a": "1" } })
}

#[tokio::test]
async fn writes_and_what_is_done_with_secrets_have_a_line_and_nothing_else_has() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let (root, bob) = (admin(&server), somebody(&server, "bob", &["system:authenticated"]));
    let made = expect(201, ask(&root, "POST", MAPS, &map("a")).await);
    assert_eq!(last(&scratch), "admin create -/configmaps default/a 201 -");
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(line["objectRef"]["uid"], made["metadata"]["uid"]);
    assert_eq!(line["objectRef"]["resourceVersion"], made["metadata"]["resourceVersion"]);
    assert_eq!(
        (&line["user"]["groups"], &line["stage"]),
        (&json!(["system:masters"]), &json!("ResponseComplete"))
    );
    assert_eq!(line["annotations"]["authorization.k8s.io/decision"], "allow");
    // Who copies everything copies Secrets too, or would.
    for (service, who, code) in [(&root, "admin", 200), (&bob, "bob", 403)] {
        assert_eq!(get(service, "/hub/backup").await.0, code);
        let line = requests(&scratch).pop().expect("a line");
        assert_eq!((&line["requestURI"], &line["verb"]), (&json!("/hub/backup"), &json!("get")));
        assert_eq!((&line["user"]["username"], &line["responseStatus"]["code"]), (&json!(who), &json!(code)));
    }
    expect(409, ask(&root, "POST", MAPS, &map("a")).await);
    assert_eq!(last(&scratch), "admin create -/configmaps default/a 409 AlreadyExists");
    expect(403, ask(&bob, "POST", MAPS, &map("b")).await);
    assert_eq!(last(&scratch), "bob create -/configmaps default/- 403 Forbidden");
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(line["annotations"]["authorization.k8s.io/decision"], "forbid");
    expect(200, ask(&root, "DELETE", &format!("{MAPS}/a?dryRun=All"), &Value::Null).await);
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(
        (&line["verb"], &line["annotations"]["bowline.dev/dry-run"]),
        (&json!("delete"), &json!("true"))
    );
    let body = json!({ "kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"] });
    expect(200, ask(&root, "DELETE", &format!("{MAPS}/a"), &body).await);
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(
        (&line["annotations"]["bowline.dev/dry-run"], &line["chain"]["versions"]),
        (&json!("true"), &json!([]))
    );
    let count = lines(&scratch).len();
    // Reads, and what only asks.
    expect(200, get(&root, MAPS).await);
    expect(403, get(&bob, MAPS).await);
    let review = json!({ "spec": { "nonResourceAttributes": { "path": "/", "verb": "get" } } });
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect(201, ask(&root, "POST", reviews, &review).await);
    assert_eq!(lines(&scratch).len(), count);
    for (path, verb, code) in
        [("", "list", 200), ("/x", "get", 404), ("?watch=1&timeoutSeconds=1", "watch", 200)]
    {
        get(&root, &format!("{SECRETS}{path}")).await;
        let line = requests(&scratch).pop().expect("a line");
        assert_eq!((&line["verb"], &line["responseStatus"]["code"]), (&json!(verb), &json!(code)));
    }
    expect(403, get(&bob, SECRETS).await);
    assert_eq!(last(&scratch), "bob list -/secrets default/- 403 Forbidden");
    server.stop().await;
    let mode = fs::metadata(scratch.join("audit.log")).expect("there is a log").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(verify(&[scratch.join("audit.log")], None).expect("it can be read").flaw, None);
}

#[tokio::test]
async fn what_was_only_tried_is_said_to_be_also_if_nobody_looked_at_its_options() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let bob = somebody(&server, "bob", &["system:authenticated"]);
    expect(403, ask(&bob, "DELETE", &format!("{MAPS}/a?dryRun=All"), &Value::Null).await);
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(line["annotations"]["bowline.dev/dry-run"], "true");
    server.stop().await;
}

#[tokio::test]
async fn a_line_says_who_really_asked_and_by_which_request() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let send = async |service: &Service, headers: &[(&str, &str)]| {
        let mut request = Request::builder().method("POST").uri(format!("{MAPS}?token=geheim&pretty=true"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::from(map("geheim-a").to_string()));
        service.answer(request.body(body).expect("a request")).await
    };
    let headers = [
        ("content-type", "application/json"),
        ("user-agent", "kubectl/v1"),
        ("impersonate-user", "eve"),
        ("impersonate-group", "g"),
    ];
    let reply = send(&admin(&server), &headers).await;
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(line["auditID"], reply.headers()["audit-id"].to_str().expect("text"));
    assert_eq!((reply.status().as_u16(), &line["responseStatus"]["code"]), (403, &json!(403)));
    assert_eq!(line["user"]["username"], "admin");
    assert_eq!(line["impersonatedUser"]["username"], "eve");
    assert_eq!(line["impersonatedUser"]["groups"], json!(["g", "system:authenticated"]));
    assert_eq!((&line["requestURI"], &line["userAgent"]), (&json!(MAPS), &json!("kubectl/v1")));
    // Who shows what nobody believes is nobody.
    let reply = send(&server.service(), &[("authorization", "Bearer geheim.geheim.geheim")]).await;
    assert_eq!(reply.status(), 401);
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!((&line["user"], &line["responseStatus"]["reason"]), (&json!({}), &json!("Unauthorized")));
    server.stop().await;
    let text = fs::read_to_string(scratch.join("audit.log")).expect("there is a log");
    assert!(!text.contains("geheim"), "{text}");
}

/// How many lines name each version, and the version of the store.
async fn named(scratch: &Scratch, server: &Server) -> (BTreeMap<u64, usize>, u64) {
    let list = expect(200, get(&admin(server), MAPS).await);
    let version =
        list["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("it has one");
    let mut named = BTreeMap::new();
    for line in lines(scratch) {
        for span in line["chain"]["versions"].as_array().expect("they are listed") {
            let (first, last) = (span[0].as_u64().expect("a number"), span[1].as_u64().expect("a number"));
            for version in first..=last {
                *named.entry(version).or_default() += 1;
            }
        }
    }
    (named, version)
}

#[tokio::test]
async fn every_version_of_the_store_has_one_line_also_what_the_hub_does_by_itself() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    for namespace in ["n1", "n2"] {
        expect(
            201,
            ask(&root, "POST", "/api/v1/namespaces", &json!({ "metadata": { "name": namespace } })).await,
        );
        let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
        for number in 0..20 {
            expect(201, ask(&root, "POST", &maps, &map(&format!("m{number}"))).await);
        }
        // One that is changed, and one that is not.
        expect(200, ask(&root, "PUT", &format!("{maps}/m0"), &map("m0")).await);
        let changed = json!({ "metadata": { "name": "m1" }, "data": {} });
        expect(200, ask(&root, "PUT", &format!("{maps}/m1"), &changed).await);
    }
    expect(200, ask(&root, "DELETE", "/api/v1/namespaces/n1/configmaps", &Value::Null).await);
    let line = requests(&scratch).pop().expect("a line");
    assert_eq!(line["verb"], "deletecollection");
    // The namespace is emptied by the hub itself.
    expect(200, ask(&root, "DELETE", "/api/v1/namespaces/n2", &Value::Null).await);
    let mut bell = 0;
    while get(&root, "/api/v1/namespaces/n2").await.0 != 404 {
        bell += 1;
        assert!(bell < 1_000_000, "it goes");
        tokio::task::yield_now().await;
    }
    server.stop().await;
    // What was under way when it stopped is written.
    let server = Server::start(scratch.path()).await.expect("it starts again");
    let (named, version) = named(&scratch, &server).await;
    assert_eq!(named, (1..=version).map(|version| (version, 1)).collect());
    let text = fs::read_to_string(scratch.join("audit.log")).expect("there is a log");
    assert!(!text.contains("no line says who made them"), "{text}");
    assert!(text.contains("done by the hub itself"));
    server.stop().await;
}

#[tokio::test]
async fn a_store_that_is_older_than_what_was_acknowledged_is_not_started_on() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    expect(201, ask(&admin(&server), "POST", MAPS, &map("a")).await);
    server.stop().await;
    let old = fs::read(scratch.join("hub.redb")).expect("the store");
    let server = Server::start(scratch.path()).await.expect("it starts again");
    expect(201, ask(&admin(&server), "POST", MAPS, &map("b")).await);
    server.stop().await;
    fs::write(scratch.join("hub.redb"), &old).expect("somebody puts it back");
    let error = Server::start(scratch.path()).await.err().expect("it does not start").to_string();
    assert!(error.contains("the store is at version") && error.contains("was acknowledged"), "{error}");
    // The store's own note says so, too; without it the log still knows.
    fs::remove_file(scratch.join("acknowledged")).expect("it is there");
    let error = Server::start(scratch.path()).await.err().expect("it does not start").to_string();
    assert!(error.contains("the store is at version") && error.contains("was acknowledged"), "{error}");
    // Without both nobody knows.
    fs::remove_file(scratch.join("audit.log")).expect("it is there");
    let server = Server::start(scratch.path()).await.expect("it starts");
    expect(404, get(&admin(&server), &format!("{MAPS}/b")).await);
    server.stop().await;
}

#[tokio::test]
async fn half_a_line_is_put_aside_and_the_chain_goes_on() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    server.stop().await;
    let path = scratch.join("audit.log");
    let whole = fs::read_to_string(&path).expect("there is a log");
    let torn = &whole.lines().last().expect("a line")[..40];
    fs::write(&path, format!("{whole}{torn}")).expect("it is torn");
    assert_eq!(verify(std::slice::from_ref(&path), None).expect("it can be read").torn, 40);
    let server = Server::start(scratch.path()).await.expect("it starts again");
    expect(201, ask(&admin(&server), "POST", MAPS, &map("a")).await);
    server.stop().await;
    let verdict = verify(std::slice::from_ref(&path), None).expect("it can be read");
    assert_eq!((&verdict.flaw, verdict.torn), (&None, 0));
    assert!(fs::read_to_string(&path).expect("a log").contains("40 bytes behind the last line were no line"));
    let apart = scratch
        .contents()
        .into_iter()
        .find(|(path, _)| path.extension().is_some_and(|ending| ending == "torn"));
    assert_eq!(apart.expect("it is kept").1, torn.as_bytes());
}

#[tokio::test]
async fn an_idle_hub_writes_nothing_and_one_without_a_log_has_none() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    expect(201, ask(&root, "POST", MAPS, &map("a")).await);
    let before = fs::read(scratch.join("audit.log")).expect("there is a log");
    for _ in 0..100 {
        expect(200, get(&root, &format!("{MAPS}/a")).await);
        expect(200, get(&root, "/readyz").await);
    }
    assert_eq!(fs::read(scratch.join("audit.log")).expect("there is a log"), before);
    server.stop().await;
    let scratch = Scratch::new();
    let server =
        Server::start_with(Config { audit: None, ..Config::local(scratch.path()) }).await.expect("it starts");
    expect(201, ask(&admin(&server), "POST", MAPS, &map("a")).await);
    server.stop().await;
    assert!(!scratch.join("audit.log").exists());
}
