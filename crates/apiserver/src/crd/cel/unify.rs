//! Whether a type can stand for another, and what that says of types not known yet.

use super::types::Type;

/// What is known of types that were not known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Vec<Option<Type>>);

impl Known {
    /// A type that is not known yet.
    pub(super) fn fresh(&mut self) -> Type {
        self.0.push(None);
        Type::Var(self.0.len() - 1)
    }

    fn get(&self, var: usize) -> Option<&Type> {
        self.0.get(var).and_then(Option::as_ref)
    }

    /// The type with all that is known; what is not known stays, or is `dyn`.
    pub(super) fn resolve(&self, kind: &Type, unknown_is_dyn: bool) -> Type {
        kind.mapped(&mut |inner| match inner {
            Type::Var(var) => match self.get(*var) {
                Some(known) => Some(self.resolve(known, unknown_is_dyn)),
                None if unknown_is_dyn => Some(Type::Dyn),
                None => None,
            },
            _ => None,
        })
    }

    /// Whether each of the first types can stand for the one beside it; if not, nothing is learnt.
    pub(super) fn assignable(&mut self, from: &[Type], to: &[Type]) -> bool {
        let mut trial = self.clone();
        let fits = from.len() == to.len() && from.iter().zip(to).all(|(from, to)| trial.assign(from, to));
        if fits {
            *self = trial;
        }
        fits
    }

    fn assign(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Var(var) = to {
            let (valid, bound) = self.bind(from, *var);
            if valid || bound {
                return valid;
            }
        }
        if let Type::Var(var) = from {
            return self.bind(to, *var).0;
        }
        if from.is_dyn() || to.is_dyn() {
            return true;
        }
        match (from, to) {
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::Kind(_), Type::Kind(_)) => true,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.assign(a, b),
            (Type::Map(a, b), Type::Map(c, d)) => self.assign(a, c) && self.assign(b, d),
            (from, to) => from.is_exactly(to),
        }
    }

    /// Whether a type not known yet can be `kind`, and whether it was known.
    fn bind(&mut self, kind: &Type, var: usize) -> (bool, bool) {
        if kind.is_exactly(&Type::Var(var)) {
            return (true, true);
        }
        if let Some(known) = self.get(var).cloned() {
            if kind.is_exactly(&known) {
                return (true, true);
            }
            if !self.assign(kind, &known) {
                return (false, true);
            }
            let general = most_general(kind, &known);
            if !self.occurs(var, &general) {
                self.0[var] = Some(general);
            }
            return (true, true);
        }
        if self.occurs(var, kind) {
            return (false, false);
        }
        self.0[var] = Some(kind.clone());
        (true, false)
    }

    fn occurs(&self, var: usize, within: &Type) -> bool {
        match within {
            Type::Var(other) => {
                *other == var || self.get(*other).is_some_and(|known| self.occurs(var, known))
            }
            Type::List(inner) | Type::Optional(inner) | Type::Kind(inner) => self.occurs(var, inner),
            Type::Map(key, value) => self.occurs(var, key) || self.occurs(var, value),
            _ => false,
        }
    }
}

fn is_nullable(kind: &Type) -> bool {
    matches!(
        kind,
        Type::Null | Type::Object(_) | Type::Opaque(_) | Type::Optional(_) | Type::Duration | Type::Timestamp
    )
}

/// The more general of two types that agree.
pub(super) fn most_general(first: &Type, second: &Type) -> Type {
    if is_less_specific(first, second) { first.clone() } else { second.clone() }
}

fn is_less_specific(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Dyn | Type::Error | Type::Var(_), _) => true,
        (_, Type::Dyn | Type::Error | Type::Var(_)) => false,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => is_less_specific(a, b),
        (Type::Map(a, b), Type::Map(c, d)) => is_less_specific(a, c) && is_less_specific(b, d),
        (Type::Kind(_), Type::Kind(_)) => true,
        (first, second) => first.is_exactly(second),
    }
}
