//! What objects may look like: schemas of custom resources and of built-in kinds, in one form.

mod admit;
mod decode;
mod default;
mod embedded;
mod formats;
mod lists;
mod meta;
pub(crate) mod node;
pub(crate) mod prune;
pub(crate) mod rules;
mod validate;
mod zero;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::error::FieldError;
use crate::path::FieldPath;
use node::Node;

/// Named schemas that refer to each other: those of the built-in kinds.
#[derive(Debug, Default)]
pub struct Definitions(BTreeMap<String, Node>);

impl Definitions {
    /// Reads definitions: a map from names (`io.k8s.api.core.v1.Pod`) to OpenAPI schemas, such as
    /// `components.schemas` of an OpenAPI v3 document. They are read once; those who use them share them.
    pub fn parse(definitions: &Value) -> Definitions {
        let named = definitions.as_object().into_iter().flatten();
        Definitions(named.map(|(name, schema)| (name.clone(), Node::parse(schema))).collect())
    }

    /// Adds definitions of another document. The same name means the same schema.
    pub fn extend(&mut self, other: Definitions) {
        self.0.extend(other.0);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.0.get(name)
    }

    /// The schema that stands for one with a reference. A reference to nothing is a schema that says nothing.
    pub(crate) fn resolve<'a>(&'a self, node: &'a Node) -> &'a Node {
        let mut node = node;
        // A chain of references is short; a cycle of nothing else would never end.
        for _ in 0..16 {
            match node.reference.as_deref().and_then(|name| self.get(name)) {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }
}

/// Whose rules hold: Kubernetes treats the two differently where a schema does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A custom resource: what is not named is dropped.
    Structural,
    /// A built-in kind: a type without properties holds anything.
    Builtin,
}

/// What a value may look like, and how lists and maps of it are merged. Cheap to clone.
#[derive(Clone)]
pub struct Schema {
    pub(crate) root: Arc<Node>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) dialect: Dialect,
    /// Resource metadata stands at the root of it.
    pub(crate) resource: bool,
    /// The name of the definition, for complaints.
    pub(crate) name: String,
    /// The empty object of the kind, once it was needed.
    pub(crate) zero: Arc<OnceLock<Value>>,
}

/// Short: the whole of a schema is pages long.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({:?} {:?})", self.dialect, self.name)
    }
}

impl Schema {
    /// From `openAPIV3Schema` of a version of a CRD, which stands at `at`: the errors are those of the
    /// admission of a CRD. Rules (`x-kubernetes-validations`) are checked for form; whoever has CEL compiles
    /// them.
    pub fn structural(root: &Value, at: &FieldPath<'_>) -> Result<Schema, Vec<FieldError>> {
        let errors = admit::check(root, at);
        if errors.is_empty() { Ok(Self::stored(root)) } else { Err(errors) }
    }

    /// From the schema of a CRD that was admitted before, perhaps by an older version: it is not checked.
    pub fn stored(root: &Value) -> Schema {
        let mut node = Node::parse(root);
        // At the root there is a resource, whether the schema says so or not.
        node.embedded = true;
        Schema {
            root: Arc::new(node),
            definitions: meta::definitions(),
            dialect: Dialect::Structural,
            resource: true,
            name: String::new(),
            zero: Arc::default(),
        }
    }

    /// A schema that says nothing: a custom resource whose CRD has no schema keeps all that it is given.
    pub fn anything() -> Schema {
        Self::stored(&serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
    }

    /// A built-in kind by the name of its definition: `io.k8s.api.core.v1.Pod`.
    pub fn builtin(definitions: &Arc<Definitions>, name: &str) -> Option<Schema> {
        let root = Arc::new(definitions.get(name)?.clone());
        Some(Schema {
            root,
            definitions: Arc::clone(definitions),
            dialect: Dialect::Builtin,
            resource: true,
            name: name.to_owned(),
            zero: Arc::default(),
        })
    }

    /// The schema of one property: that of `status`, which a subresource validates alone.
    pub fn property(&self, name: &str) -> Option<Schema> {
        let node = self.definitions.resolve(&self.root).properties.get(name)?;
        Some(Schema {
            root: Arc::new(self.definitions.resolve(node).clone()),
            definitions: Arc::clone(&self.definitions),
            dialect: self.dialect,
            resource: false,
            name: format!("{}.{name}", self.name),
            zero: Arc::default(),
        })
    }
}
