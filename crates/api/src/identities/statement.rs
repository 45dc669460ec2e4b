//! Policies as people write them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is allowed, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct PolicyDocument {
    /// The statements.
    #[schemars(length(min = 1, max = 100), extend("x-kubernetes-list-type" = "atomic"))]
    pub statement: Vec<Statement>,
}

/// One statement of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Statement {
    /// Its name in the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100), extend("pattern" = "^[A-Za-z0-9]+$"))]
    pub sid: Option<String>,
    /// Whether it allows or denies.
    #[serde(default)]
    pub effect: Effect,
    /// What may be done, such as `s3:GetObject` or `s3:*`.
    #[schemars(
        length(min = 1, max = 200),
        inner(length(min = 1, max = 128), regex(pattern = r"^(\*|[A-Za-z0-9-]+:[A-Za-z0-9*?]+)$")),
        extend("x-kubernetes-list-type" = "atomic")
    )]
    pub action: Vec<String>,
    /// With what: a list of ARNs, in which `*` stands for anything. A single string is accepted, as the old operator did.
    pub resource: Resources,
    /// Under which conditions: by operator, by key, a string or a list of strings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(length(max = 32))]
    pub condition: BTreeMap<String, Map<String, Value>>,
}

/// Whether a statement allows or denies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Effect {
    /// It allows.
    #[default]
    Allow,
    /// It denies.
    Deny,
}

/// What a statement is about. A structural schema cannot say "a string or a list of strings", so that the server lets
/// anything in; and one object that cannot be read must not keep a controller from all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Resources {
    /// One.
    One(String),
    /// A list.
    Many(Vec<String>),
    /// Something that makes no sense.
    Other(Value),
}

impl Default for Resources {
    fn default() -> Resources {
        Resources::Many(Vec::new())
    }
}

impl Resources {
    /// All of them; nothing if they make no sense.
    pub fn all(&self) -> Option<&[String]> {
        match self {
            Resources::One(one) => Some(std::slice::from_ref(one)),
            Resources::Many(many) => Some(many),
            Resources::Other(_) => None,
        }
    }
}

impl JsonSchema for Resources {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Resources".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"x-kubernetes-preserve-unknown-fields": true})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_resource_is_a_string_or_a_list_and_the_rest_is_told_apart() {
        let read = |value: Value| {
            serde_json::from_value::<Resources>(value).map(|read| read.all().map(<[_]>::to_vec))
        };
        let some = |texts: &[&str]| Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read(json!("a")).ok(), Some(some(&["a"])));
        assert_eq!(read(json!(["a", "b"])).ok(), Some(some(&["a", "b"])));
        for nonsense in [json!(3), json!({"a": "b"}), json!([1]), json!(true)] {
            assert_eq!(read(nonsense.clone()).ok(), Some(None), "{nonsense}");
        }
    }
}
