//! JSON that is the same for the same value.

use serde_json::Value;

/// Writes a value without blanks, keys in the order of their bytes.
pub(crate) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            // Whether a map is sorted by itself depends on what some other crate asks of serde_json.
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// The same as a text.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_in_order_and_there_are_no_blanks() {
        let value = json!({"b": [1, {"d": null, "c": "x \"y\" ü\n"}], "a": {}, "B": true});
        assert_eq!(text(&value), r#"{"B":true,"a":{},"b":[1,{"c":"x \"y\" ü\n","d":null}]}"#);
    }
}
