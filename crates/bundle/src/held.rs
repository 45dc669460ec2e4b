//! What ConfigMaps and Secrets hold: texts, and bytes as base64. Servers say late, in words of Go and without a field that it is
//! something else, and YAML makes numbers and truths of what looks like it.

use base64::Engine;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use crate::fault::Fault;
use crate::manifest::what_is;

/// Base64 as Go reads it, which does not mind what the last letter says too much.
const AS_GO: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// A field that holds texts, or bytes.
struct Field {
    name: &'static str,
    /// Where what is no base64 may stand as it is; only bytes are base64.
    as_text: Option<&'static str>,
}

const CONFIG_MAP: &[Field] =
    &[Field { name: "data", as_text: None }, Field { name: "binaryData", as_text: Some("data") }];
const SECRET: &[Field] =
    &[Field { name: "stringData", as_text: None }, Field { name: "data", as_text: Some("stringData") }];

/// Refuses a ConfigMap or a Secret that no server takes. What it holds is never told.
pub(crate) fn held(api_version: &str, kind: &str, object: &Map<String, Value>) -> Result<(), Fault> {
    let fields = match (api_version, kind) {
        ("v1", "ConfigMap") => CONFIG_MAP,
        ("v1", "Secret") => SECRET,
        _ => return Ok(()),
    };
    fields.iter().try_for_each(|field| field.fits(object.get(field.name)))
}

impl Field {
    fn fits(&self, found: Option<&Value>) -> Result<(), Fault> {
        match found {
            None | Some(Value::Null) => Ok(()),
            Some(Value::Object(map)) => map.iter().try_for_each(|(key, value)| self.entry(key, value)),
            Some(other) => Err(Fault::NotAMap { field: self.name, found: what_is(other) }),
        }
    }

    fn entry(&self, key: &str, value: &Value) -> Result<(), Fault> {
        let field = || format!("{}[{key:?}]", self.name);
        match (value, self.as_text) {
            // Servers take nothing for an empty text.
            (Value::Null, _) | (Value::String(_), None) => Ok(()),
            (Value::String(text), Some(instead)) => match base64_fault(text) {
                None => Ok(()),
                Some(why) => Err(Fault::NotBase64 { field: field(), why, instead }),
            },
            (other, None) => Err(Fault::NotText { field: field(), found: what_is(other) }),
            (other, Some(instead)) => {
                Err(Fault::NotBase64 { field: field(), why: format!("it is {}", what_is(other)), instead })
            }
        }
    }
}

/// Why a text is no base64. Line breaks are passed over.
fn base64_fault(text: &str) -> Option<String> {
    let packed: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    match AS_GO.decode(&packed).err()? {
        base64::DecodeError::InvalidByte(at, _) => Some(format!("its character {} cannot be there", at + 1)),
        _ => Some("its end is missing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Manifest;

    fn said(kind: &str, field: &str, value: serde_json::Value) -> Option<String> {
        let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "a"}, field: value});
        Manifest::new(object).err().map(|fault| fault.to_string())
    }

    #[test]
    fn what_servers_take_is_taken() {
        let bytes = json!({"a": "YQ==", "b": "", "c": null, "d": "YR==", "e": "Y\r\nQ\n==\n"});
        let texts = json!({"a": "1", "b": "", "c": null, "d": "??"});
        for (kind, field, value) in [
            ("Secret", "data", bytes.clone()),
            ("ConfigMap", "binaryData", bytes),
            ("Secret", "stringData", texts.clone()),
            ("ConfigMap", "data", texts),
            ("Secret", "data", json!({})),
            ("ConfigMap", "data", json!(null)),
            ("Thing", "data", json!({"a": 1})),
        ] {
            assert_eq!(said(kind, field, value), None, "{kind} {field}");
        }
        let others = json!({"apiVersion": "g/v1", "kind": "Secret", "metadata": {"name": "a"}, "data": 1});
        assert!(Manifest::new(others).is_ok(), "it is another kind of that name");
    }

    #[test]
    fn texts_are_texts_and_the_field_is_named() {
        for (kind, field) in [("ConfigMap", "data"), ("Secret", "stringData")] {
            for (value, is) in [
                (json!(12345), "a number"),
                (json!(true), "true or false"),
                (json!(["12345"]), "a list"),
                (json!({"12345": 1}), "a map"),
            ] {
                let wanted = format!("{field}[\"the key\"] is {is}, and has to be a text: put it in quotes");
                assert_eq!(said(kind, field, json!({"a": "fine", "the key": value})), Some(wanted));
            }
            let wanted = format!("{field} is a list, and has to be a map of names and values");
            assert_eq!(said(kind, field, json!(["12345"])), Some(wanted));
        }
    }

    #[test]
    fn bytes_are_base64_and_what_is_secret_is_not_told() {
        for (kind, field, instead) in [("Secret", "data", "stringData"), ("ConfigMap", "binaryData", "data")]
        {
            for (value, why) in [
                (json!("hun*ter2"), "its character 4 cannot be there"),
                (json!("hunter2"), "its end is missing"),
                (json!("hunt er2"), "its character 5 cannot be there"),
                (json!("hunter2_"), "its character 8 cannot be there"),
                (json!(12345), "it is a number"),
            ] {
                let said = said(kind, field, json!({"password": value})).expect("it is refused");
                let wanted = format!(
                    "{field}[\"password\"] is not base64: {why}. Put a text in quotes under {instead}, where it stands as it is, \
                     or put here what `base64 -w0 FILE` prints"
                );
                assert_eq!(said, wanted);
                assert!(!said.contains("hun") && !said.contains("12345"), "{said}");
            }
            let wanted = format!("{field} is a text, and has to be a map of names and values");
            assert_eq!(said(kind, field, json!("hunter2")), Some(wanted));
        }
    }
}
