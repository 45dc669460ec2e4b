//! The types of expressions.

use std::fmt;
use std::sync::Arc;

use super::declared::Declared;

/// The type of an expression.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    List(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    /// An object of a schema.
    Object(Arc<Declared>),
    Optional(Arc<Type>),
    /// A type of a library: `kubernetes.Quantity`.
    Opaque(&'static str),
    /// The type of a type: `int` itself has it.
    Kind(Arc<Type>),
    /// A parameter of a function's signature.
    Param(char),
    /// A type that is not known yet.
    Var(usize),
    /// Something is wrong there already: no more is said about it.
    Error,
}

impl Type {
    pub(super) fn list(item: Type) -> Type {
        Type::List(Arc::new(item))
    }

    pub(super) fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new(key), Arc::new(value))
    }

    pub(super) fn optional(inner: Type) -> Type {
        Type::Optional(Arc::new(inner))
    }

    pub(super) fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn | Type::Error)
    }

    /// The same type, to the letter.
    pub(super) fn is_exactly(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => a.is_exactly(b),
            (Type::Map(a, b), Type::Map(c, d)) => a.is_exactly(c) && b.is_exactly(d),
            (Type::Kind(a), Type::Kind(b)) => a.is_exactly(b),
            (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b),
            (Type::Opaque(a), Type::Opaque(b)) => a == b,
            (Type::Param(a), Type::Param(b)) => a == b,
            (Type::Var(a), Type::Var(b)) => a == b,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// The type with those inside it replaced.
    pub(super) fn mapped(&self, replace: &mut dyn FnMut(&Type) -> Option<Type>) -> Type {
        if let Some(replaced) = replace(self) {
            return replaced;
        }
        match self {
            Type::List(item) => Type::list(item.mapped(replace)),
            Type::Map(key, value) => Type::map(key.mapped(replace), value.mapped(replace)),
            Type::Optional(inner) => Type::optional(inner.mapped(replace)),
            Type::Kind(inner) => Type::Kind(Arc::new(inner.mapped(replace))),
            other => other.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dyn => f.write_str("dyn"),
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Duration => f.write_str("duration"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::List(item) => write!(f, "list({item})"),
            Type::Map(key, value) => write!(f, "map({key}, {value})"),
            Type::Object(declared) => f.write_str(&declared.name),
            Type::Optional(inner) => write!(f, "optional_type({inner})"),
            Type::Opaque(name) => f.write_str(name),
            Type::Kind(inner) => write!(f, "type({inner})"),
            Type::Param(name) => write!(f, "{name}"),
            Type::Var(number) => write!(f, "_var{number}"),
            Type::Error => f.write_str("!error!"),
        }
    }
}
