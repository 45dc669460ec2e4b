//! What is tried: for each parser, the request that carries an input.

use bowline_apiserver::Service;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::{Map, Value, json};

use crate::kinds::kinds;
use crate::seeds::*;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A parser that requests reach.
pub(crate) struct Asks {
    pub(crate) name: &'static str,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// The request that carries an input; `None` if it cannot be in one.
    pub(crate) request: fn(&[u8]) -> Option<Request<Vec<u8>>>,
    /// Nobody has said who asks.
    pub(crate) as_stranger: bool,
}

const fn target(
    name: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    request: fn(&[u8]) -> Option<Request<Vec<u8>>>,
) -> Asks {
    Asks { name, seeds, request, as_stranger: false }
}

pub(crate) const TARGETS: &[Asks] = &[
    target("path", paths, |input| sent("GET", &text(input), "", b"")),
    target("query", queries, |input| {
        let query = text(input);
        // A version that is not there yet is waited for, three seconds each time.
        let waits =
            |part: &str| part.strip_prefix("resourceVersion=").is_some_and(|version| version.len() > 3);
        (!query.split('&').any(waits)).then(|| sent("GET", &format!("{MAPS}?{query}"), "", b""))?
    }),
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
    Asks { as_stranger: true, ..target("bearer", tokens, |input| headed("authorization", input)) },
    target("impersonation", users, |input| {
        let extra = format!("impersonate-extra-{}", text(input));
        let asked = Request::get(format!("{MAPS}/m"))
            .header("impersonate-user", input)
            .header("impersonate-uid", input);
        asked.header("impersonate-group", input).header(extra.as_str(), input).body(Vec::new()).ok().or_else(
            || {
                // Not everything can be a header's name.
                headed("impersonate-user", input)
            },
        )
    }),
    target("kinds-sent", kinds, |input| {
        let input = lossy(input);
        let (path, body) = input.split_once('\n')?;
        sent(
            "POST",
            &format!("{}?dryRun=All&fieldValidation=Strict", text(path.as_bytes())),
            "application/json",
            body.as_bytes(),
        )
    }),
    target("policy", policies, |input| {
        let path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All";
        let rule = json!({ "expression": lossy(input), "messageExpression": lossy(input) });
        let rules =
            json!([{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["*"] }]);
        let spec = json!({ "validations": [rule], "variables": [{ "name": "v", "expression": lossy(input) }],
            "matchConstraints": { "resourceRules": rules }, "auditAnnotations": [{ "key": "k", "valueExpression": lossy(input) }] });
        let policy = json!({ "metadata": { "name": "p" }, "spec": spec }).to_string();
        sent("POST", path, "application/json", policy.as_bytes())
    }),
    target("cel-text", texts, |input| thing("text", lossy(input).into())),
    target("formats", texts, |input| {
        thing(
            "formats",
            FORMATS.iter().map(|format| ((*format).to_owned(), Value::from(lossy(input)))).collect(),
        )
    }),
    target("managed-fields", managed, |input| {
        let fields: Value = serde_json::from_slice(input).unwrap_or_else(|_| lossy(input).into());
        let entry = json!({ "manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields });
        let map = json!({ "metadata": { "name": "f", "managedFields": [entry] }, "data": { "a": "1" } })
            .to_string();
        sent("POST", &format!("{MAPS}?dryRun=All"), "application/json", map.as_bytes())
    }),
    target("token-review", tokens, |input| {
        let review = json!({ "spec": { "token": lossy(input), "audiences": [lossy(input)] } }).to_string();
        sent("POST", "/apis/authentication.k8s.io/v1/tokenreviews", "application/json", review.as_bytes())
    }),
];

/// All that Kubernetes knows by name.
const FORMATS: [&str; 20] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "date-time",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "mac",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
];

/// Rules that read a text in every way that CEL has.
const RULES: [&str; 9] = [
    "!isURL(self) || url(self).getHost() != 'x' && url(self).getEscapedPath() != 'x' && !('x' in url(self).getQuery())",
    "!isIP(self) || ip(self).family() > 0 && ip.isCanonical(self) != ip(self).isLoopback()",
    "!isCIDR(self) || cidr(self).prefixLength() >= 0 && cidr(self).masked().containsIP(cidr(self).ip())",
    "!isQuantity(self) || quantity(self).add(quantity(self)).compareTo(quantity('1')) < 2 && quantity(self).asApproximateFloat() < 0.0",
    "!isSemver(self) || semver(self).isLessThan(semver('1.0.0')) || semver(self, true).major() >= 0",
    "duration(self) > duration('1h') || true",
    "timestamp(self).getFullYear() > int(self) || double(self) > 1.0 || true",
    "self.matches(self) || self.find(self) == '' || self.format([self]) == self || true",
    "['dns1123Label','dns1035LabelPrefix','qualifiedName','uri','uuid','byte','date','datetime'].all(f, !format.named(f).hasValue() || format.named(f).value().validate(self).hasValue()) || true",
];

/// A custom object with this in its `spec`.
fn thing(field: &str, value: Value) -> Option<Request<Vec<u8>>> {
    let path = "/apis/test.dev/v1/namespaces/default/things?dryRun=All";
    let thing = json!({ "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": { "name": "t" }, "spec": { field: value } });
    sent("POST", path, "application/json", thing.to_string().as_bytes())
}

/// What the targets need.
pub(crate) async fn furnish(service: &Service) {
    let rules: Vec<_> = RULES.iter().map(|rule| json!({ "rule": rule })).collect();
    let formats: Map<_, _> = FORMATS
        .iter()
        .map(|format| ((*format).to_owned(), json!({ "type": "string", "format": format })))
        .collect();
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
                "text": { "type": "string", "maxLength": 1000, "x-kubernetes-validations": rules },
                "formats": { "type": "object", "properties": formats },
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
        let (code, body) = (reply.status(), reply.into_body().collect().await.expect("a body").to_bytes());
        assert_eq!(code, 201, "{path}: {}", lossy(&body));
    }
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
