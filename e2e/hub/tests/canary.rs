//! What is secret is in no log, no audit log, no count and no complaint: values that are found nowhere else are looked for.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Scratch};
use bowline_realkube::{Client, Identity, Line, Request, Response};
use serde_json::{Value, json};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

/// The value of every secret.
const CANARY: &str = "canary7f3a91c2x";
/// The same in base64: alone, and where one or two bytes come before it.
const CANARY_BASE64: &str = "Y2FuYXJ5N2YzYTkxYzJ4";
const BEHIND_ONE: &str = "NhbmFyeTdmM2E5MWMye";
const BEHIND_TWO: &str = "jYW5hcnk3ZjNhOTFjMn";

fn is_in(text: &str) -> bool {
    let text = text.to_lowercase();
    [CANARY, CANARY_BASE64, BEHIND_ONE, BEHIND_TWO].iter().any(|canary| text.contains(&canary.to_lowercase()))
}

/// Requests that succeed: every way in which a secret is written and read.
fn good(client: &Client) -> Result<()> {
    let expect = |code: u16, response: &Response| {
        ensure!(response.status == code, "{} instead of {code}: {}", response.status, response.text());
        Ok(())
    };
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "made" },
        "stringData": { "password": CANARY }, "data": { "old": CANARY_BASE64 },
    });
    let send = |method: &str, path: &str, media: &str, body: String| {
        client.send(&Request::new(method, path).body(media, body))
    };
    expect(201, &send("POST", SECRETS, "application/json", secret.to_string())?)?;
    expect(200, &send("PUT", &format!("{SECRETS}/made"), "application/json", secret.to_string())?)?;
    let path = format!("{SECRETS}/made?fieldManager=canary");
    let merge = json!({ "stringData": { "merged": CANARY } }).to_string();
    expect(200, &send("PATCH", &path, "application/merge-patch+json", merge.clone())?)?;
    expect(200, &send("PATCH", &path, "application/strategic-merge-patch+json", merge)?)?;
    let patch = json!([{ "op": "add", "path": "/stringData", "value": { "patched": CANARY } }]).to_string();
    expect(200, &send("PATCH", &path, "application/json-patch+json", patch)?)?;
    let applied = format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: applied}}\nstringData: {{password: {CANARY}}}\n"
    );
    let apply = "application/apply-patch+yaml";
    let path = format!("{SECRETS}/applied?fieldManager=canary");
    expect(201, &send("PATCH", &path, apply, applied.clone())?)?;
    expect(200, &send("PATCH", &path, apply, applied)?)?;
    // A way to a cluster, as `cluster add` keeps it.
    let kubeconfig = format!("users: [{{name: a, user: {{token: {CANARY}}}}}]");
    let way = json!({
        "metadata": { "name": "way", "labels": { "bowline.dev/cluster": "x" } }, "stringData": { "kubeconfig": kubeconfig },
    });
    expect(201, &send("POST", SECRETS, "application/json", way.to_string())?)?;
    for accept in ["application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"] {
        for path in [format!("{SECRETS}/made"), SECRETS.to_owned()] {
            expect(200, &client.send(&Request::new("GET", &path).header("Accept", accept))?)?;
        }
    }
    let mut watch = client.open(&Request::new("GET", &format!("{SECRETS}?watch=1&timeoutSeconds=5")))?;
    let Line::Text(event) = watch.line(std::time::Duration::from_secs(30))? else {
        anyhow::bail!("no event")
    };
    ensure!(event.contains("ADDED"), "{event}");
    Ok(())
}

/// A request: its method, path, type and body.
type Sent = (&'static str, String, &'static str, String);

fn secret(fields: &Value) -> String {
    let mut secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "bad" } });
    for (name, value) in fields.as_object().into_iter().flatten() {
        secret[name] = value.clone();
    }
    secret.to_string()
}

/// Secrets that cannot be made, each for another reason.
fn unmakable() -> Vec<Sent> {
    let long = format!("{CANARY}{}", "x".repeat(1 << 20));
    let objects = [
        json!({ "data": { "a": format!("!{CANARY}") } }),
        json!({ "data": { "a": { CANARY: CANARY } } }),
        json!({ "data": [CANARY] }),
        json!({ "stringData": { "a": [CANARY] } }),
        json!({ "stringData": { "no/key": CANARY } }),
        json!({ "stringData": { "a": long } }),
        json!({ "type": "kubernetes.io/tls", "stringData": { "a": CANARY } }),
        json!({ "type": "kubernetes.io/dockerconfigjson", "stringData": { ".dockerconfigjson": CANARY } }),
        json!({ "type": "kubernetes.io/basic-auth", "stringData": { "a": CANARY } }),
        json!({ "unknown": CANARY }),
        json!({ "metadata": { "name": "b", "x": CANARY } }),
    ];
    let path = format!("{SECRETS}?fieldValidation=Strict");
    let (json, yaml) = ("application/json", "application/yaml");
    let mut all: Vec<Sent> =
        objects.iter().map(|fields| ("POST", path.clone(), json, secret(fields))).collect();
    let fine = secret(&json!({ "stringData": { "a": CANARY } }));
    all.extend([
        ("POST", path.clone(), json, format!("{{\"data\": {{\"a\": \"{CANARY}\" \"b\"")),
        ("POST", path.clone(), yaml, format!("metadata: {{name: y}}\nstringData: {{a: {CANARY}\n  b: [")),
        ("POST", path.clone(), yaml, format!("metadata: {{name: y}}\nstringData: {{a: *{CANARY}}}")),
        ("POST", path.clone(), "application/vnd.kubernetes.protobuf", format!("k8s\0{CANARY}")),
        ("POST", path, "application/x-other", fine.clone()),
        ("POST", "/api/v1/namespaces/none/secrets".to_owned(), json, fine),
    ]);
    all
}

/// Changes to secrets that are there, which cannot be.
fn unchangeable() -> Vec<Sent> {
    let made = format!("{SECRETS}/made");
    let fixed = json!({
        "metadata": { "name": "fixed" }, "immutable": true, "stringData": { "password": format!("{CANARY}2") },
    });
    let patch = |media: &'static str, body: String| ("PATCH", made.clone(), media, body);
    let json_patch = "application/json-patch+json";
    let apply = |data: Value| {
        let object = json!({ "apiVersion": "v1", "kind": "Secret", "data": data });
        ("PATCH", format!("{made}?fieldManager=other"), "application/apply-patch+yaml", object.to_string())
    };
    vec![
        ("PUT", format!("{SECRETS}/fixed"), "application/json", fixed.to_string()),
        patch(json_patch, json!([{ "op": "test", "path": "/data/password", "value": CANARY }]).to_string()),
        patch(json_patch, json!([{ "op": "add", "path": "/no/way", "value": CANARY }]).to_string()),
        patch(json_patch, format!("[{{\"op\": \"{CANARY}\"}}]")),
        patch("application/merge-patch+json", json!({ "data": CANARY }).to_string()),
        patch("application/strategic-merge-patch+json", json!({ "data": [CANARY] }).to_string()),
        apply(json!({ "password": "b3RoZXI=" })),
        apply(json!({ "a": [CANARY] })),
    ]
}

/// Sends requests that fail, and says what is said of them.
fn bad(client: &Client) -> Result<Vec<String>> {
    let fixed =
        json!({ "metadata": { "name": "fixed" }, "immutable": true, "stringData": { "password": CANARY } });
    let made = client.send(&Request::new("POST", SECRETS).body("application/json", fixed.to_string()))?;
    ensure!(made.status == 201, "{}", made.text());
    let mut said = Vec::new();
    for (method, path, media, body) in unmakable().into_iter().chain(unchangeable()) {
        let answer = client.send(&Request::new(method, &path).body(media, body))?;
        let begin: String = answer.text().chars().take(2000).collect();
        ensure!(answer.status >= 400, "{method} {path} {media}: {begin}");
        said.push(format!("{method} {path} {media}: {begin}"));
    }
    Ok(said)
}

/// Tokens: asked for, shown, and such that are none.
fn tokens(client: &Client) -> Result<String> {
    let request = json!({ "spec": { "audiences": [], "expirationSeconds": 600 } }).to_string();
    let request =
        Request::new("POST", &format!("{ACCOUNTS}/default/token")).body("application/json", request);
    let answer = client.send(&request)?;
    let answer: Value = serde_json::from_slice(&answer.body)?;
    let token = answer["status"]["token"].as_str().context("a token")?.to_owned();
    for shown in
        [token.clone(), format!("{token}{CANARY}"), CANARY.to_owned(), format!("{CANARY}.{CANARY}.{CANARY}")]
    {
        let robot = client.with_identity(&Identity { token: Some(shown.clone()), ..Identity::default() })?;
        let expected = if shown == token { 403 } else { 401 };
        for (method, path) in [("GET", SECRETS.to_owned()), ("POST", format!("{SECRETS}?token={CANARY}"))] {
            let answer =
                robot.send(&Request::new(method, &path).body("application/json", "{}".to_owned()))?;
            ensure!(
                answer.status == expected && !is_in(&answer.text()),
                "{}: {}",
                answer.status,
                answer.text()
            );
        }
        let review = json!({ "spec": { "token": shown } }).to_string();
        let path = "/apis/authentication.k8s.io/v1/tokenreviews";
        let answer = client.send(&Request::new("POST", path).body("application/json", review))?;
        ensure!(answer.status == 201, "{}", answer.text());
    }
    let basic = Request::new("POST", SECRETS).header("Authorization", &format!("Basic {CANARY_BASE64}"));
    let nobody = client.with_identity(&Identity::default())?;
    ensure!(nobody.send(&basic)?.status == 403, "a password is no token");
    Ok(token)
}

fn search(path: &Path, token: &str) -> Result<String> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let signature = token.rsplit('.').next().context("a signature")?;
    let line = text.lines().find(|line| is_in(line) || line.contains(signature));
    ensure!(line.is_none(), "{}: {}", path.display(), line.unwrap_or_default());
    Ok(text)
}

#[test]
fn what_is_secret_is_found_where_it_was_put_and_nowhere_else() -> Result<()> {
    let scratch = Scratch::new("canary")?;
    let (data, log) = (scratch.join("data"), scratch.join("log"));
    let hub = Hub::start_verbose(&data, &log)?;
    let kubectl = Kubectl::new(&hub, scratch.join("cache"))?;
    kubectl.ok(&format!("create secret generic typed --from-literal=password={CANARY}"), "")?;
    kubectl.ok("get secret typed -o yaml", "")?;
    kubectl.ok("describe secret typed", "")?;
    good(hub.client())?;
    let said = bad(hub.client())?;
    let token = tokens(hub.client())?;
    let (_, metrics) = hub.page("/metrics")?;
    ensure!(metrics.contains("bowline_hub_requests") && !is_in(&metrics), "{metrics}");
    hub.terminate()?;
    let told = search(&log, &token)?;
    ensure!(told.contains("TRACE") || told.contains("DEBUG"), "it says little: {told}");
    search(&scratch.join("log.out"), &token)?;
    let audit = search(&data.join("audit.log"), &token)?;
    for expected in [
        "\"name\":\"typed\"",
        "\"name\":\"applied\"",
        "\"subresource\":\"token\"",
        "\"code\":422",
        "\"code\":401",
    ] {
        ensure!(audit.contains(expected), "{expected} is not in {audit}");
    }
    let echoes: Vec<_> = said.iter().filter(|said| is_in(said)).collect();
    ensure!(echoes.is_empty(), "{echoes:#?}");
    Ok(())
}
