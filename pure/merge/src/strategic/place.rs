//! Where in a kind a patch is: what its fields are, and how they merge.

use super::StrategicError;
use crate::go;
use crate::schema::node::{Node, Type};
use crate::schema::{Definitions, Schema};

/// The type of the map that is being merged.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    node: &'a Node,
    definitions: &'a Definitions,
    /// The name of the definition; types without a name are those of Go's maps and lists.
    name: Option<&'a str>,
}

/// A field of it.
pub(super) struct Field<'a> {
    /// Its type; that of the items, if it is a list.
    pub(super) place: Place<'a>,
    strategy: &'a str,
    pub(super) merge_key: &'a str,
}

impl Field<'_> {
    /// Lists are merged item by item.
    pub(super) fn merges(&self) -> bool {
        self.strategies().any(|strategy| strategy == "merge")
    }

    /// Maps are taken over whole.
    pub(super) fn replaces(&self) -> bool {
        self.strategies().any(|strategy| strategy == "replace")
    }

    fn strategies(&self) -> impl Iterator<Item = &str> {
        self.strategy.split(',').filter(|strategy| *strategy != "retainKeys")
    }
}

impl<'a> Place<'a> {
    pub(super) fn root(schema: &'a Schema) -> Place<'a> {
        Place { node: &schema.root, definitions: &schema.definitions, name: Some(&schema.name) }
    }

    fn below(self, node: &'a Node) -> Place<'a> {
        let name = node.reference.as_deref();
        Place { node: self.definitions.resolve(node), definitions: self.definitions, name }
    }

    /// What Go calls a type of this kind.
    pub(super) fn kind(self) -> &'static str {
        match (self.name, self.node.kind) {
            (_, Some(Type::Array)) => "slice",
            (_, Some(Type::String)) => "string",
            (_, Some(Type::Integer)) => "int64",
            (_, Some(Type::Number)) => "float64",
            (_, Some(Type::Boolean)) => "bool",
            (Some(_), _) => "struct",
            (None, _) => "map",
        }
    }

    /// A field by name. Letters in another case will do, if nothing else does.
    pub(super) fn field(self, name: &str) -> Result<Field<'a>, StrategicError> {
        if self.kind() != "struct" {
            let what = "merging an object in json but data type is not struct, instead is";
            return Err(StrategicError::internal(format!("{what}: {}", self.kind())));
        }
        let properties = &self.node.properties;
        let folded =
            || properties.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, node)| node);
        let Some(node) = properties.get(name).or_else(folded) else {
            let kind = self.name.unwrap_or_default().rsplit('.').next().unwrap_or_default();
            let name = go::quote(name);
            return Err(StrategicError::internal(format!(
                "unable to find api field in struct {kind} for the json field {name}"
            )));
        };
        Ok(Field {
            place: self.below(node),
            strategy: node.patch_strategy.as_deref().unwrap_or_default(),
            merge_key: node.patch_merge_key.as_deref().unwrap_or_default(),
        })
    }

    /// A field that is a list, with the type of its items.
    pub(super) fn list(self, name: &str) -> Result<Field<'a>, StrategicError> {
        let field = self.field(name)?;
        match field.place.node.items.as_deref() {
            Some(items) if field.place.kind() == "slice" => Ok(Field { place: self.below(items), ..field }),
            _ => Err(StrategicError::internal(format!(
                "expected slice or array type, but got: {}",
                self.kind()
            ))),
        }
    }
}
