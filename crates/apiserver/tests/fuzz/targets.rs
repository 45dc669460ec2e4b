//! What is tried: for each parser, good input to begin with, and the request that carries it.

use std::path::PathBuf;

use bowline_apiserver::Service;
use bowline_apiserver::audit_log;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A parser.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// The request that carries an input; `None` if there is none, or the input cannot be in one.
    pub(crate) request: fn(&[u8]) -> Option<Request<Vec<u8>>>,
    /// What else is done with it.
    pub(crate) check: fn(&[u8]) -> Result<(), String>,
    /// Nobody has said who asks.
    pub(crate) as_stranger: bool,
}

const fn target(
    name: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    request: fn(&[u8]) -> Option<Request<Vec<u8>>>,
) -> Target {
    Target { name, seeds, request, check: |_| Ok(()), as_stranger: false }
}

pub(crate) const TARGETS: [Target; 24] = [
    target("path", paths, |input| sent("GET", &text(input), "", b"")),
    target("query", queries, |input| sent("GET", &format!("{MAPS}?{}", text(input)), "", b"")),
    target("accept", accepts, |input| headed("accept", input)),
    target("label-selector", label_selectors, |input| asked("labelSelector", input)),
    target("field-selector", field_selectors, |input| asked("fieldSelector", input)),
    target("continue", continues, |input| asked("limit=1&continue", input)),
    target("json", objects, |input| posted("application/json", input)),
    target("yaml", yamls, |input| posted("application/yaml", input)),
    target("protobuf", protobufs, |input| {
        sent("POST", "/api/v1/namespaces?dryRun=All", "application/vnd.kubernetes.protobuf", input)
    }),
    target("json-patch", json_patches, |input| patched("application/json-patch+json", input)),
    target("merge-patch", merges, |input| patched("application/merge-patch+json", input)),
    target("strategic-merge", merges, |input| patched("application/strategic-merge-patch+json", input)),
    target("apply", applied, |input| patched("application/apply-patch+yaml", input)),
    target("apply-custom", applied_things, |input| {
        let path = "/apis/test.dev/v1/namespaces/default/things/t?dryRun=All&fieldManager=f&force=true";
        sent("PATCH", path, "application/apply-patch+yaml", input)
    }),
    target("delete-options", delete_options, |input| {
        sent("DELETE", &format!("{MAPS}/m?dryRun=All"), "application/json", input)
    }),
    target("schema", schemas, |input| {
        sent("POST", &format!("{DEFINITIONS}?dryRun=All"), "application/json", input)
    }),
    target("cel", rules, |input| {
        defined(|version| {
            version["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] =
                json!([{ "rule": lossy(input) }]);
        })
    }),
    target("cel-value", values, |input| {
        sent("POST", "/apis/test.dev/v1/namespaces/default/things?dryRun=All", "application/json", input)
    }),
    target("jsonpath", json_paths, |input| {
        defined(|version| {
            let column = json!({ "name": "c", "type": "string", "jsonPath": lossy(input) });
            version["additionalPrinterColumns"] = json!([column]);
        })
    }),
    target("quantity", quantities, |input| {
        let limits = json!({ "requests": { "cpu": lossy(input), "memory": lossy(input) } });
        let container = json!({ "name": "c", "image": "i", "resources": limits });
        let pod = json!({ "metadata": { "name": "p" }, "spec": { "containers": [container] } });
        sent(
            "POST",
            "/api/v1/namespaces/default/pods?dryRun=All",
            "application/json",
            pod.to_string().as_bytes(),
        )
    }),
    target("schedule", schedules, |input| {
        let pod =
            json!({ "spec": { "restartPolicy": "Never", "containers": [{ "name": "c", "image": "i" }] } });
        let spec = json!({ "schedule": lossy(input), "jobTemplate": { "spec": { "template": pod } } });
        let job = json!({ "metadata": { "name": "j" }, "spec": spec }).to_string();
        sent(
            "POST",
            "/apis/batch/v1/namespaces/default/cronjobs?dryRun=All",
            "application/json",
            job.as_bytes(),
        )
    }),
    Target { as_stranger: true, ..target("bearer", tokens, |input| headed("authorization", input)) },
    target("impersonation", users, |input| headed("impersonate-user", input)),
    Target { check: verified, ..target("audit-verify", audits, |_| None) },
];

/// What the targets need.
pub(crate) async fn furnish(service: &Service) {
    let schema = json!({
        "type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "properties": { "spec": { "type": "object",
            "x-kubernetes-validations": [{ "rule": "!has(self.a) || !has(self.list) || self.list.all(x, x.startsWith(self.a))" }],
            "properties": {
                "a": { "type": "string", "maxLength": 100 },
                "list": { "type": "array", "maxItems": 50, "items": { "type": "string", "maxLength": 100 } },
                "when": { "type": "string", "format": "date-time", "maxLength": 100,
                    "x-kubernetes-validations": [{ "rule": "self.getFullYear() > 0" }] },
                "much": { "x-kubernetes-int-or-string": true },
            } } },
    });
    let mut crd: Value = serde_json::from_slice(&definition()).expect("JSON");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    for (path, object) in [
        (DEFINITIONS, crd),
        (MAPS, json!({ "metadata": { "name": "m" }, "data": { "a": "1" } })),
        (
            "/apis/apps/v1/namespaces/default/deployments",
            serde_json::from_slice(&deployment()).expect("JSON"),
        ),
    ] {
        let request = Request::post(path).header("content-type", "application/json");
        let reply = service
            .answer(request.body(Full::new(Bytes::from(object.to_string()))).expect("a request"))
            .await;
        assert_eq!(reply.status(), 201, "{path}");
    }
}

fn lossy(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// What may stand in a URL as it is.
fn text(input: &[u8]) -> String {
    input.iter().filter(|byte| byte.is_ascii_graphic()).map(|byte| char::from(*byte)).collect()
}

fn sent(method: &str, path: &str, media: &str, body: &[u8]) -> Option<Request<Vec<u8>>> {
    Request::builder().method(method).uri(path).header("content-type", media).body(body.to_vec()).ok()
}

fn headed(name: &str, input: &[u8]) -> Option<Request<Vec<u8>>> {
    Request::get(format!("{MAPS}/m")).header(name, input).body(Vec::new()).ok()
}

fn asked(parameter: &str, input: &[u8]) -> Option<Request<Vec<u8>>> {
    sent("GET", &format!("{MAPS}?{parameter}={}", percent_encode(input, NON_ALPHANUMERIC)), "", b"")
}

fn posted(media: &str, input: &[u8]) -> Option<Request<Vec<u8>>> {
    sent("POST", "/apis/apps/v1/namespaces/default/deployments?dryRun=All&fieldValidation=Warn", media, input)
}

fn patched(media: &str, input: &[u8]) -> Option<Request<Vec<u8>>> {
    sent(
        "PATCH",
        "/apis/apps/v1/namespaces/default/deployments/d?dryRun=All&fieldManager=f&force=true",
        media,
        input,
    )
    .filter(|_| media.contains("apply"))
    .or_else(|| sent("PATCH", "/apis/apps/v1/namespaces/default/deployments/d?dryRun=All", media, input))
}

fn defined(change: impl FnOnce(&mut Value)) -> Option<Request<Vec<u8>>> {
    let mut crd: Value = serde_json::from_slice(&definition()).expect("JSON");
    crd["metadata"]["name"] = "others.test.dev".into();
    crd["spec"]["names"] = json!({ "plural": "others", "kind": "Other" });
    change(&mut crd["spec"]["versions"][0]);
    sent("POST", &format!("{DEFINITIONS}?dryRun=All"), "application/json", crd.to_string().as_bytes())
}

fn all(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn paths() -> Vec<Vec<u8>> {
    all(&[
        "/api/v1/namespaces/default/configmaps/m",
        "/apis/apps/v1/deployments",
        "/api/v1/watch/namespaces/a/pods",
        "/openapi/v3",
        "/apis/test.dev/v1/namespaces/default/things/t/status",
        "/openapi/v3/apis/apps/v1?hash=1",
        "/livez?verbose",
    ])
}

fn queries() -> Vec<Vec<u8>> {
    all(&[
        "limit=500&resourceVersion=0&pretty=true",
        "watch=1&timeoutSeconds=0&allowWatchBookmarks=true&sendInitialEvents=true",
        "resourceVersionMatch=Exact&resourceVersion=5",
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dm&limit=1&continue=x",
    ])
}

fn accepts() -> Vec<Vec<u8>> {
    all(&[
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=X, */*;q=0.8",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "text/*;q=0, application/json;stream=watch",
    ])
}

fn label_selectors() -> Vec<Vec<u8>> {
    all(&["a=b,c!=d,e in (f,g),h notin (i),j,!k", "x.y/z==1,a>5,b<7", "a in ()", "!x.example.com/y"])
}

fn field_selectors() -> Vec<Vec<u8>> {
    all(&["metadata.name=m,metadata.namespace!=x", "metadata.name==a\\,b", "status.phase=Running"])
}

fn continues() -> Vec<Vec<u8>> {
    all(&[
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvZFx1MDAwMCJ9",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2RcdTAwMDAifQ",
    ])
}

fn deployment() -> Vec<u8> {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d", "labels": { "a": "b" }, "annotations": { "x": "y" } },
        "spec": { "replicas": 2, "selector": { "matchLabels": { "a": "b" } }, "strategy": { "rollingUpdate": { "maxSurge": "25%" } },
            "template": { "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{
                "name": "c", "image": "i", "ports": [{ "containerPort": 80, "protocol": "TCP" }],
                "env": [{ "name": "E", "value": "v" }], "resources": { "limits": { "cpu": "100m" } } }],
                "volumes": [{ "name": "v", "emptyDir": {} }], "tolerations": [{ "operator": "Exists" }] } } },
    })
    .to_string()
    .into_bytes()
}

fn objects() -> Vec<Vec<u8>> {
    vec![deployment()]
}

fn yamls() -> Vec<Vec<u8>> {
    let mut seeds = objects();
    seeds.extend(all(&[
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: &m\n  name: y\nspec:\n  selector: {matchLabels: {a: 'b'}}\n  template:\n    \
         metadata:\n      labels: {a: b}\n    spec:\n      containers:\n      - name: c\n        image: |\n          i\n        command: [\"x\", ~, yes]\n",
        "a: &a [x, x]\nb: [*a, *a]\n<<: {c: d}\n? e\n: f\n--- !!map {}\n",
    ]));
    seeds
}

fn protobufs() -> Vec<Vec<u8>> {
    let field = |number: u8, bytes: &[u8]| {
        let mut out = vec![number << 3 | 2, u8::try_from(bytes.len()).expect("it is short")];
        out.extend_from_slice(bytes);
        out
    };
    let label = field(11, &[field(1, b"a"), field(2, b"b")].concat());
    let metadata = field(1, &[field(1, b"n"), label, vec![0x40, 5]].concat());
    let kind = field(1, &[field(1, b"v1"), field(2, b"Namespace")].concat());
    let raw = field(2, &[metadata, field(2, &field(1, b"kubernetes"))].concat());
    vec![[b"k8s\0".to_vec(), kind, raw].concat()]
}

fn json_patches() -> Vec<Vec<u8>> {
    all(&[
        r#"[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"test","path":"/spec/replicas","value":2}]"#,
        r#"[{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"},{"op":"copy","from":"/spec","path":"/spec/template/x"}]"#,
        r#"[{"op":"remove","path":"/spec/template/spec/containers/0"},{"op":"replace","path":"/spec/template/spec/containers/-","value":{}}]"#,
    ])
}

fn merges() -> Vec<Vec<u8>> {
    all(&[
        r#"{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"},{"name":"x","$patch":"delete"}]}}}}"#,
        r#"{"metadata":{"labels":{"a":null,"$patch":"replace"}},"spec":{"$retainKeys":["type"],"strategy":{"type":"Recreate"}}}"#,
        r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"c"}],"$deleteFromPrimitiveList/x":["y"]}}}}"#,
    ])
}

fn applied() -> Vec<Vec<u8>> {
    let mut seeds = objects();
    seeds.extend(all(&["apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 3}\n"]));
    seeds
}

fn applied_things() -> Vec<Vec<u8>> {
    all(&[
        "apiVersion: test.dev/v1\nkind: Thing\nmetadata: {name: t}\nspec: {a: x, list: [x1, x2], much: 5%}\n",
        r#"{"apiVersion":"test.dev/v1","kind":"Thing","spec":{"a":"x","deep":{"b":[{"c":1}]}}}"#,
    ])
}

fn delete_options() -> Vec<Vec<u8>> {
    all(&[
        r#"{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"x","resourceVersion":"1"},"propagationPolicy":"Foreground","dryRun":["All"]}"#,
    ])
}

fn definition() -> Vec<u8> {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "things.test.dev" },
        "spec": { "group": "test.dev", "scope": "Namespaced", "names": { "plural": "things", "kind": "Thing" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object",
                "properties": { "spec": { "type": "object", "properties": { "a": { "type": "string", "pattern": "^x.*$", "default": "x" },
                    "n": { "type": "integer", "minimum": 1, "multipleOf": 2 } }, "required": ["a"] } } } } }] },
    })
    .to_string()
    .into_bytes()
}

fn schemas() -> Vec<Vec<u8>> {
    let text = lossy(&definition()).replace("things", "others").replace("Thing", "Other");
    let more = r#"{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
        "anyOf":[{"required":["k"]}],"properties":{"k":{"type":"string","enum":["a",null]}}}}"#;
    vec![
        text.clone().into_bytes(),
        text.replace(r#"{"multipleOf":2"#, &format!(r#"{{"x":{more},"multipleOf":2"#)).into_bytes(),
    ]
}

fn rules() -> Vec<Vec<u8>> {
    all(&[
        "self.spec.a.startsWith('x') && size(self.spec.a) < 5 || has(self.spec.n)",
        "self == oldSelf ? true : self.spec.n > 1u",
        "[1, 2].exists_one(x, x == self.spec.n % 3) && {'a': 1}['a'] in [1]",
        "duration('1h') < duration(\"90m\") && timestamp('2020-01-01T00:00:00Z').getFullYear() > 1",
        "self.spec.a.matches('^(a|b)*$') && quantity('1Gi').isGreaterThan(quantity('1M'))",
        "cidr('10.0.0.0/8').containsIP('10.1.1.1') && r'\\n' != b'\\x00'",
        "optional.of(self.spec.a).orValue('x') == 'x' && url('https://a/b?c=d').getHost() == 'a'",
        "self.spec.a.format([1]).split('a').join() != \"\"\"q\"\"\"",
    ])
}

fn values() -> Vec<Vec<u8>> {
    all(&[
        r#"{"apiVersion":"test.dev/v1","kind":"Thing","metadata":{"name":"v"},"spec":{"a":"x","list":["x1","x2"],"when":"2020-01-01T00:00:00Z","much":"5%"}}"#,
    ])
}

fn json_paths() -> Vec<Vec<u8>> {
    all(&[
        ".spec.a",
        ".status.conditions[?(@.type==\"Ready\")].status",
        ".spec['a','b'][0:2:1]",
        "..name",
        ".spec.list[-1:]",
        "{.a}{\"b\"}",
    ])
}

fn quantities() -> Vec<Vec<u8>> {
    all(&["100m", "1.5Gi", "-1e3", "0.000000001", "9223372036854775807", "1E", "+.5k"])
}

fn schedules() -> Vec<Vec<u8>> {
    all(&[
        "*/5 1-3,7 * JAN-MAR ?",
        "@every 1h30m",
        "@hourly",
        "TZ=UTC 0 0 31 2 7",
        "CRON_TZ=Europe/Berlin 0 0 * * 0",
    ])
}

fn tokens() -> Vec<Vec<u8>> {
    all(&[
        "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJhIiwic3ViIjoiYiIsImF1ZCI6WyJjIl19.AAAA",
        "Basic YTpi",
        "Bearer a.b.c",
    ])
}

fn users() -> Vec<Vec<u8>> {
    all(&["system:serviceaccount:default:a", "ann", "system:serviceaccount:a", "system:anonymous"])
}

fn audits() -> Vec<Vec<u8>> {
    let link = r#""chain":{"line":1,"versions":[[1,2]],"covered":2,"highest":2,"previous":"00"}"#;
    all(&[&format!("{{\"stageTimestamp\":\"x\",{link},\"hash\":\"{}\"}}\n", "0".repeat(64))])
}

/// What is no log is found out, and nothing else happens.
fn verified(input: &[u8]) -> Result<(), String> {
    let path: PathBuf = std::env::temp_dir().join(format!("bowline-fuzz-log-{}", std::process::id()));
    std::fs::write(&path, input).map_err(|error| error.to_string())?;
    let verdict =
        audit_log::verify(std::slice::from_ref(&path), None).map_err(|(_, error)| error.to_string());
    let _ = std::fs::remove_file(&path);
    // Nobody has made a hash that fits.
    verdict.and_then(|verdict| if verdict.lines == 0 { Ok(()) } else { Err(format!("{verdict:?}")) })
}
