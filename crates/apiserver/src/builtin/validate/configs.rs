//! Config maps, secrets, and what else is kept for others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::check::Check;
use crate::builtin::fields::{at, flag, object, text};
use crate::document::Json;
use crate::metadata::names;

/// How many bytes of data there may be.
const MOST: usize = 1024 * 1024;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// A config map.
pub(super) fn config_map(check: &mut Check, json: &Json) {
    let (data, binary) = (object(json, "data"), object(json, "binaryData"));
    let mut size = 0;
    for (key, value) in data {
        let path = format!("data[{key}]");
        check.faults(&path, key.as_str(), names::config_key(key));
        if binary.contains_key(key) {
            check.invalid(path, key.as_str(), "duplicate of key present in binaryData");
        }
        size += value.as_str().map_or(0, str::len);
    }
    for (key, value) in binary {
        check.faults(format!("binaryData[{key}]"), key.as_str(), names::config_key(key));
        size += decoded(value).len();
    }
    if size > MOST {
        // So Go writes a path that is empty.
        check.too_long("[]", MOST);
    }
}

/// What changes of a config map or secret that may not change.
pub(super) fn immutable(check: &mut Check, new: &Json, old: &Json) {
    if !flag(old, "immutable") {
        return;
    }
    if !flag(new, "immutable") {
        check.forbidden("immutable", IMMUTABLE);
    }
    for name in ["data", "binaryData"] {
        if object(new, name) != object(old, name) {
            check.forbidden(name, IMMUTABLE);
        }
    }
}

fn decoded(value: &Value) -> Vec<u8> {
    value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default()
}

/// A secret.
pub(super) fn secret(check: &mut Check, json: &Json) {
    let data = object(json, "data");
    let mut size = 0;
    for (key, value) in data {
        check.faults(format!("data[{key}]"), key.as_str(), names::config_key(key));
        size += decoded(value).len();
    }
    if size > MOST {
        check.too_long("data", MOST);
    }
    let mut required = |keys: &[&str]| {
        for key in keys.iter().filter(|key| !data.contains_key(**key)) {
            check.required(format!("data[{key}]"), "");
        }
    };
    match text(json, "type") {
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            if text(at(json, &["metadata", "annotations"]), NAME).is_empty() {
                check.required(format!("metadata.annotations[{NAME}]"), "");
            }
        }
        "kubernetes.io/dockercfg" => docker(check, data, ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => docker(check, data, ".dockerconfigjson"),
        "kubernetes.io/basic-auth" if !data.contains_key("username") && !data.contains_key("password") => {
            required(&["username", "password"]);
        }
        "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").is_none_or(|key| decoded(key).is_empty()) => {
            check.required("data[ssh-privatekey]", "");
        }
        "kubernetes.io/tls" => required(&["tls.crt", "tls.key"]),
        _ => {}
    }
}

fn docker(check: &mut Check, data: &Json, key: &str) {
    let Some(value) = data.get(key) else {
        return check.required(format!("data[{key}]"), "");
    };
    if let Some(why) = not_an_object(&decoded(value)) {
        check.invalid(format!("data[{key}]"), "<secret contents redacted>", why);
    }
}

/// Why bytes are not a JSON object, in Go's words.
fn not_an_object(bytes: &[u8]) -> Option<String> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(_) | Value::Null) => None,
        Ok(other) => {
            let found = match other {
                Value::Array(_) => "array",
                Value::String(_) => "string",
                Value::Bool(_) => "bool",
                _ => "number",
            };
            Some(format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"))
        }
        Err(_) => Some(match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => "unexpected end of JSON input".into(),
            Some(first) if !b"{[\"tfn-0123456789".contains(first) => {
                format!("invalid character '{}' looking for beginning of value", char::from(*first))
            }
            Some(_) => "unexpected end of JSON input".into(),
        }),
    }
}
