//! Values seen through a schema, as server-side apply sees them: scalars, lists and maps, each owned whole
//! (atomic) or part by part.

mod check;
mod collect;
mod compare;
mod merge;
mod reconcile;
mod remove;

use std::sync::LazyLock;

use serde_json::Value;

pub(crate) use check::{Faults, check};
pub(crate) use collect::{collect, ensure_named};
pub(crate) use compare::{Comparison, compare};
pub(crate) use merge::merge;
pub(crate) use reconcile::reconcile;
pub(crate) use remove::remove;

use crate::fields::Item;
use crate::schema::node::{Additional, ListType, MapType, Node, Type};
use crate::schema::{Definitions, Schema};

const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ty<'a> {
    /// A schema describes it.
    Known(Known<'a>),
    /// Any scalar.
    Scalar,
    /// Anything, owned whole.
    Untyped,
    /// Anything: maps are owned entry by entry, lists whole.
    Deduced,
}

/// A schema, with what holds for it from above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    node: &'a Node,
    definitions: &'a Definitions,
    /// A schema above lets unknown fields be.
    preserve: bool,
    /// The place that refers to the definition says how its maps are owned.
    map: Option<MapType>,
}

/// What a value is taken for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'a> {
    Scalar(Scalar),
    List(List<'a>),
    Map(MapTy<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Numeric,
    String,
    Boolean,
    Untyped,
}

/// The type of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<'a> {
    pub(crate) relation: Relation<'a>,
    pub(crate) element: Ty<'a>,
}

/// How items of a list are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Relation<'a> {
    Atomic,
    Set,
    Keyed(&'a [String]),
}

/// The type of a map or struct.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MapTy<'a> {
    Known(Known<'a>),
    Untyped,
    Deduced,
}

/// The possible forms of a type; an untyped value may have any of them.
struct Atom<'a> {
    scalar: Option<Scalar>,
    list: Option<List<'a>>,
    map: Option<MapTy<'a>>,
}

impl Schema {
    pub(crate) fn ty(&self) -> Ty<'_> {
        Ty::of(&self.root, &self.definitions, false)
    }
}

impl<'a> Ty<'a> {
    fn of(node: &'a Node, definitions: &'a Definitions, preserve: bool) -> Ty<'a> {
        let Some(name) = node.reference.as_deref() else {
            return Ty::Known(Known { node, definitions, preserve: preserve || node.preserve, map: None });
        };
        match name {
            QUANTITY => Ty::Scalar,
            RAW_EXTENSION => Ty::Untyped,
            // What holds above a definition does not hold in it.
            _ => match definitions.get(name) {
                Some(target) => {
                    Ty::Known(Known { node: target, definitions, preserve: target.preserve, map: node.map })
                }
                None => Ty::Deduced,
            },
        }
    }

    fn atom(self) -> Atom<'a> {
        let atomic = |element| List { relation: Relation::Atomic, element };
        match self {
            Ty::Scalar => Atom { scalar: Some(Scalar::Untyped), list: None, map: None },
            Ty::Untyped => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(atomic(Ty::Untyped)),
                map: Some(MapTy::Untyped),
            },
            Ty::Deduced => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(atomic(Ty::Untyped)),
                map: Some(MapTy::Deduced),
            },
            Ty::Known(known) => match known.node.kind {
                None => Atom {
                    scalar: Some(Scalar::Untyped),
                    list: Some(known.list()),
                    map: Some(MapTy::Known(known)),
                },
                Some(Type::Object) => Atom { scalar: None, list: None, map: Some(MapTy::Known(known)) },
                Some(Type::Array) => Atom { scalar: None, list: Some(known.list()), map: None },
                Some(kind) => Atom { scalar: Some(known.scalar(kind)), list: None, map: None },
            },
        }
    }

    /// What a value of this type is taken for: what it looks like, if the type allows that; else what the
    /// type says first.
    pub(crate) fn shape(self, value: Option<&Value>) -> Shape<'a> {
        let atom = self.atom();
        let looks = match value {
            Some(Value::Number(_) | Value::String(_) | Value::Bool(_)) => atom.scalar.map(Shape::Scalar),
            Some(Value::Array(_)) => atom.list.map(Shape::List),
            Some(Value::Object(_)) => atom.map.map(Shape::Map),
            _ => None,
        };
        let first = || atom.map.map(Shape::Map).or_else(|| atom.scalar.map(Shape::Scalar));
        looks.or_else(first).or_else(|| atom.list.map(Shape::List)).unwrap_or(Shape::Scalar(Scalar::Untyped))
    }

    /// The form that it has as a map, if it may be one.
    pub(crate) fn as_map(self) -> Option<MapTy<'a>> {
        self.atom().map
    }

    /// The form that it has as a list, if it may be one.
    pub(crate) fn as_list(self) -> Option<List<'a>> {
        self.atom().list
    }
}

impl<'a> Known<'a> {
    fn below(self, node: &'a Node) -> Ty<'a> {
        Ty::of(node, self.definitions, self.preserve)
    }

    fn scalar(self, kind: Type) -> Scalar {
        match kind {
            Type::Integer | Type::Number => Scalar::Numeric,
            Type::Boolean => Scalar::Boolean,
            Type::String if matches!(self.node.format.as_str(), "" | "byte") => Scalar::String,
            _ => Scalar::Untyped,
        }
    }

    fn list(self) -> List<'a> {
        let node = self.node;
        let element = node.items.as_deref().map_or(Ty::Untyped, |items| self.below(items));
        let relation = match (node.list, node.patch_strategy.as_deref()) {
            (Some(ListType::Atomic), _) => Relation::Atomic,
            (Some(ListType::Set), _) => Relation::Set,
            (Some(ListType::Map), _) => Relation::Keyed(&node.map_keys),
            (None, Some("merge" | "merge,retainKeys" | "retainKeys,merge")) => match &node.patch_merge_key {
                Some(key) => Relation::Keyed(std::slice::from_ref(key)),
                None => Relation::Set,
            },
            (None, _) => Relation::Atomic,
        };
        List { relation, element }
    }
}

impl<'a> MapTy<'a> {
    /// It is owned whole.
    pub(crate) fn is_atomic(self) -> bool {
        match self {
            MapTy::Known(known) => known.map.or(known.node.map) == Some(MapType::Atomic),
            MapTy::Untyped => true,
            MapTy::Deduced => false,
        }
    }

    /// The type of a field that the schema names.
    pub(crate) fn named(self, name: &str) -> Option<Ty<'a>> {
        let MapTy::Known(known) = self else { return None };
        let meta = if known.node.embedded { resource_field(name) } else { None };
        meta.or_else(|| known.node.properties.get(name)).map(|node| known.below(node))
    }

    /// The type of entries that are not named.
    pub(crate) fn entries(self) -> Option<Ty<'a>> {
        match self {
            MapTy::Untyped => Some(Ty::Untyped),
            MapTy::Deduced => Some(Ty::Deduced),
            MapTy::Known(known) => match &known.node.additional {
                Additional::Of(node) => Some(known.below(node)),
                Additional::Any => Some(Ty::Deduced),
                Additional::Denied => None,
                Additional::Unsaid => {
                    let free = known.node.properties.is_empty() && !known.node.embedded;
                    (known.preserve || free).then_some(Ty::Deduced)
                }
            },
        }
    }

    /// The type of a field. What the schema does not know, or no longer, is taken for what it looks like.
    pub(crate) fn field(self, name: &str) -> Ty<'a> {
        self.named(name).or_else(|| self.entries()).unwrap_or(Ty::Deduced)
    }

    /// Nothing is known of its fields.
    fn is_free_form(self) -> bool {
        let MapTy::Known(known) = self else { return true };
        let free = known.node.properties.is_empty() && !known.node.embedded;
        free && matches!(self.entries(), Some(Ty::Deduced | Ty::Scalar))
    }

    fn default_of(self, name: &str) -> Option<&'a Value> {
        let MapTy::Known(known) = self else { return None };
        known.node.properties.get(name)?.default.as_ref()
    }
}

/// What every resource has. A custom resource may restrict it, but does not describe it.
fn resource_field(name: &str) -> Option<&'static Node> {
    static STRING: LazyLock<Node> = LazyLock::new(|| Node { kind: Some(Type::String), ..Node::default() });
    static METADATA: LazyLock<Node> =
        LazyLock::new(|| Node { reference: Some(OBJECT_META.to_owned()), ..Node::default() });
    match name {
        "apiVersion" | "kind" => Some(&STRING),
        "metadata" => Some(&METADATA),
        _ => None,
    }
}

impl List<'_> {
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self.relation, Relation::Atomic)
    }

    /// How an item is found again.
    pub(crate) fn item(self, value: &Value) -> Result<Item, String> {
        match self.relation {
            Relation::Atomic => Err("invalid indexing of non-associative list".to_owned()),
            Relation::Set => match value {
                Value::Object(_) => {
                    Err("associative list without keys has an element that's a map type".to_owned())
                }
                Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
                Value::Null => {
                    Err("associative list without keys has an element that's an explicit null".to_owned())
                }
                scalar => Ok(Item::Value(scalar.clone())),
            },
            Relation::Keyed(keys) => self.keyed(keys, value),
        }
    }

    fn keyed(self, keys: &[String], value: &Value) -> Result<Item, String> {
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
            _ => return Err("associative list with keys may not have non-map elements".to_owned()),
        };
        let default = |name: &str| self.element.as_map().and_then(|map| map.default_of(name));
        let found = keys.iter().filter_map(|name| {
            let value = fields.get(name).or_else(|| default(name))?;
            Some((name.clone(), value.clone()))
        });
        let mut key: Vec<_> = found.collect();
        if key.is_empty() && !keys.is_empty() {
            let keys: Vec<_> = keys.iter().map(|key| crate::go::quote(key)).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have \
                 default values for any key fields)",
                keys.join(" ")
            ));
        }
        key.sort_by(|(left, _), (right, _)| left.cmp(right));
        Ok(Item::Key(key))
    }
}

/// The fields of a map; a null is an empty one.
fn fields(value: Option<&Value>) -> Option<&serde_json::Map<String, Value>> {
    value.and_then(Value::as_object)
}

fn items(value: Option<&Value>) -> Option<&Vec<Value>> {
    value.and_then(Value::as_array)
}
