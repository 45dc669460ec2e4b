//! `${name}` in a script, and what stands for it.

use std::collections::BTreeMap;

use serde_json::Value;

/// What earlier answers have given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vars(BTreeMap<String, String>);

impl Vars {
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.0.insert(name.to_owned(), value);
    }

    /// The text with all names replaced; the first that is not known is the error.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        let mut parts = text.split("${");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').ok_or_else(|| format!("${{{part} is not closed"))?;
            filled += self.0.get(name).ok_or_else(|| format!("${{{name}}} is not known"))?;
            filled += rest;
        }
        Ok(filled)
    }

    /// The same in all strings of a body.
    pub(crate) fn fill_body(&self, body: &Value) -> Result<Value, String> {
        Ok(match body {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill_body(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| Ok((self.fill(key)?, self.fill_body(value)?)));
                Value::Object(entries.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_replaced_everywhere_and_unknown_ones_are_errors() {
        let mut vars = Vars::default();
        vars.set("a", "1".to_owned());
        vars.set("b", "2".to_owned());
        assert_eq!(vars.fill("/${a}/x${b}$").as_deref(), Ok("/1/x2$"));
        assert_eq!(vars.fill_body(&json!({"k${a}": ["${b}", 3]})), Ok(json!({"k1": ["2", 3]})));
        assert!(vars.fill("${c}").is_err() && vars.fill("${a").is_err());
    }
}
