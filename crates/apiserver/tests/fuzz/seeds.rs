//! Good input to begin with.

use serde_json::json;

/// An input as a text.
pub(crate) fn lossy(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

pub(crate) fn all(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub(crate) fn paths() -> Vec<Vec<u8>> {
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

pub(crate) fn queries() -> Vec<Vec<u8>> {
    all(&[
        "limit=500&resourceVersion=0&pretty=true",
        "watch=1&timeoutSeconds=0&allowWatchBookmarks=true&sendInitialEvents=true",
        "resourceVersionMatch=Exact&resourceVersion=5",
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dm&limit=1&continue=x",
    ])
}

pub(crate) fn accepts() -> Vec<Vec<u8>> {
    all(&[
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=X, */*;q=0.8",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "text/*;q=0, application/json;stream=watch",
    ])
}

pub(crate) fn label_selectors() -> Vec<Vec<u8>> {
    all(&["a=b,c!=d,e in (f,g),h notin (i),j,!k", "x.y/z==1,a>5,b<7", "a in ()", "!x.example.com/y"])
}

pub(crate) fn field_selectors() -> Vec<Vec<u8>> {
    all(&["metadata.name=m,metadata.namespace!=x", "metadata.name==a\\,b", "status.phase=Running"])
}

pub(crate) fn continues() -> Vec<Vec<u8>> {
    all(&[
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvZFx1MDAwMCJ9",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2RcdTAwMDAifQ",
    ])
}

pub(crate) fn deployment() -> Vec<u8> {
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

pub(crate) fn objects() -> Vec<Vec<u8>> {
    vec![deployment()]
}

pub(crate) fn yamls() -> Vec<Vec<u8>> {
    let mut seeds = objects();
    seeds.extend(all(&[
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: &m\n  name: y\nspec:\n  selector: {matchLabels: {a: 'b'}}\n  template:\n    \
         metadata:\n      labels: {a: b}\n    spec:\n      containers:\n      - name: c\n        image: |\n          i\n        command: [\"x\", ~, yes]\n",
        "a: &a [x, x]\nb: [*a, *a]\n<<: {c: d}\n? e\n: f\n--- !!map {}\n",
    ]));
    seeds
}

pub(crate) fn protobufs() -> Vec<Vec<u8>> {
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

pub(crate) fn json_patches() -> Vec<Vec<u8>> {
    all(&[
        r#"[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"test","path":"/spec/replicas","value":2}]"#,
        r#"[{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"},{"op":"copy","from":"/spec","path":"/spec/template/x"}]"#,
        r#"[{"op":"remove","path":"/spec/template/spec/containers/0"},{"op":"replace","path":"/spec/template/spec/containers/-","value":{}}]"#,
    ])
}

pub(crate) fn merges() -> Vec<Vec<u8>> {
    all(&[
        r#"{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"},{"name":"x","$patch":"delete"}]}}}}"#,
        r#"{"metadata":{"labels":{"a":null,"$patch":"replace"}},"spec":{"$retainKeys":["type"],"strategy":{"type":"Recreate"}}}"#,
        r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"c"}],"$deleteFromPrimitiveList/x":["y"]}}}}"#,
    ])
}

pub(crate) fn applied() -> Vec<Vec<u8>> {
    let mut seeds = objects();
    seeds.extend(all(&["apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 3}\n"]));
    seeds
}

pub(crate) fn applied_things() -> Vec<Vec<u8>> {
    all(&[
        "apiVersion: test.dev/v1\nkind: Thing\nmetadata: {name: t}\nspec: {a: x, list: [x1, x2], much: 5%}\n",
        r#"{"apiVersion":"test.dev/v1","kind":"Thing","spec":{"a":"x","deep":{"b":[{"c":1}]}}}"#,
    ])
}

pub(crate) fn delete_options() -> Vec<Vec<u8>> {
    all(&[
        r#"{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"x","resourceVersion":"1"},"propagationPolicy":"Foreground","dryRun":["All"]}"#,
    ])
}

pub(crate) fn definition() -> Vec<u8> {
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

pub(crate) fn schemas() -> Vec<Vec<u8>> {
    let text = lossy(&definition()).replace("things", "others").replace("Thing", "Other");
    let more = r#"{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
        "anyOf":[{"required":["k"]}],"properties":{"k":{"type":"string","enum":["a",null]}}}}"#;
    vec![
        text.clone().into_bytes(),
        text.replace(r#"{"multipleOf":2"#, &format!(r#"{{"x":{more},"multipleOf":2"#)).into_bytes(),
    ]
}

pub(crate) fn rules() -> Vec<Vec<u8>> {
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

pub(crate) fn values() -> Vec<Vec<u8>> {
    all(&[
        r#"{"apiVersion":"test.dev/v1","kind":"Thing","metadata":{"name":"v"},"spec":{"a":"x","list":["x1","x2"],"when":"2020-01-01T00:00:00Z","much":"5%"}}"#,
    ])
}

pub(crate) fn json_paths() -> Vec<Vec<u8>> {
    all(&[
        ".spec.a",
        ".status.conditions[?(@.type==\"Ready\")].status",
        ".spec['a','b'][0:2:1]",
        "..name",
        ".spec.list[-1:]",
        "{.a}{\"b\"}",
    ])
}

pub(crate) fn quantities() -> Vec<Vec<u8>> {
    all(&["100m", "1.5Gi", "-1e3", "0.000000001", "9223372036854775807", "1E", "+.5k"])
}

pub(crate) fn schedules() -> Vec<Vec<u8>> {
    all(&[
        "*/5 1-3,7 * JAN-MAR ?",
        "@every 1h30m",
        "@hourly",
        "TZ=UTC 0 0 31 2 7",
        "CRON_TZ=Europe/Berlin 0 0 * * 0",
    ])
}

pub(crate) fn tokens() -> Vec<Vec<u8>> {
    all(&[
        "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJhIiwic3ViIjoiYiIsImF1ZCI6WyJjIl19.AAAA",
        "Basic YTpi",
        "Bearer a.b.c",
    ])
}

pub(crate) fn users() -> Vec<Vec<u8>> {
    all(&["system:serviceaccount:default:a", "ann", "system:serviceaccount:a", "system:anonymous"])
}

pub(crate) fn texts() -> Vec<Vec<u8>> {
    all(&[
        "https://me:pw@a.example:80/b%20c?d=e&f#g",
        "10.1.2.3",
        "2001:db8::1/64",
        "::ffff:1.2.3.4",
        "1.5Gi",
        "v1.2.3-alpha.1+build",
        "1h2m3.5s",
        "2026-11-16T02:11:58.5+01:00",
        "a.b-c.d/e_f",
        "123e4567-e89b-12d3-a456-426614174000",
        "YWJj",
        "4111 1111 1111 1111",
        "978-3-16-148410-0",
        "00:00:5e:00:53:01",
        "ann@example.org",
        "rgb(1,2,3)",
        "^(a|b)*%s$",
    ])
}

pub(crate) fn policies() -> Vec<Vec<u8>> {
    all(&[
        "object.metadata.name.startsWith('x') || request.operation == 'DELETE'",
        "oldObject == null ? 'a' : string(variables.v)",
        "authorizer.group('').resource('pods').namespace('x').check('get').allowed() && has(params.a)",
        "namespaceObject.metadata.labels.exists(k, k == 'a') && request.userInfo.groups.size() > 0",
    ])
}

pub(crate) fn managed() -> Vec<Vec<u8>> {
    all(&[
        r#"{"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{"f:x":{}}}}"#,
        r#"{"f:spec":{"k:{\"name\":\"x\",\"port\":1}":{".":{}},"v:\"y\"":{},"i:0":{}}}"#,
    ])
}
