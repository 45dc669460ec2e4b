//! Budgets of faults: how often each kind may happen in a run.

use std::fmt;

use crate::catalogue::Entry;

/// How often each kind of fault may happen; kinds that may not are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults(Vec<(&'static str, u8)>);

/// The most that a budget can be.
const MOST: u8 = 3;

impl Faults {
    /// The kinds and their budgets, in the order in which the model declares them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u8)> + '_ {
        self.0.iter().copied()
    }

    /// How often a kind may happen.
    pub(crate) fn of(&self, kind: &str) -> u8 {
        self.0.iter().find(|(name, _)| *name == kind).map_or(0, |(_, budget)| *budget)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.iter().map(|(kind, budget)| format!("{kind}={budget}")).collect();
        f.write_str(&parts.join(","))
    }
}

/// Why budgets are refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadFaults {
    /// Not of the form `kind=number`.
    Form(String),
    /// Nothing before, between or after commas.
    Comma(String),
    /// The model has no such kind.
    UnknownKind {
        /// The kind.
        kind: String,
        /// The kinds that there are.
        known: &'static [&'static str],
    },
    /// The kind was given twice.
    Twice(&'static str),
    /// Not a budget.
    Budget {
        /// The kind.
        kind: &'static str,
        /// What was given.
        value: String,
    },
}

impl fmt::Display for BadFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadFaults::Form(text) => write!(f, "`{text}` is not of the form kind=number"),
            BadFaults::Comma(text) => write!(f, "there is a comma too many in `{text}`"),
            BadFaults::UnknownKind { kind, known: [] } => {
                write!(f, "the model has no fault kind `{kind}`; it has none: leave out --faults")
            }
            BadFaults::UnknownKind { kind, known } => {
                write!(f, "the model has no fault kind `{kind}`; there are: {}", known.join(", "))
            }
            BadFaults::Twice(kind) => write!(f, "`{kind}` is given twice"),
            BadFaults::Budget { kind, value } => {
                write!(f, "`{kind}` takes a number from 0 to {MOST}, not `{value}`")
            }
        }
    }
}

impl std::error::Error for BadFaults {}

impl Entry {
    /// Reads `kind=number,kind=number`; what is left out does not happen.
    ///
    /// # Errors
    /// Says what is wrong and what there is.
    pub fn budgets(&self, text: &str) -> Result<Faults, BadFaults> {
        let mut given: Vec<(&'static str, u8)> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
            if part.is_empty() {
                return Err(BadFaults::Comma(text.into()));
            }
            let (kind, value) = part.split_once('=').ok_or_else(|| BadFaults::Form(part.into()))?;
            let (kind, value) = (kind.trim(), value.trim());
            let known = self.faults;
            let kind = known
                .iter()
                .find(|known| **known == kind)
                .ok_or_else(|| BadFaults::UnknownKind { kind: kind.into(), known })?;
            if given.iter().any(|(other, _)| other == kind) {
                return Err(BadFaults::Twice(kind));
            }
            let digits = if value.starts_with('+') { "" } else { value };
            match digits.parse() {
                Ok(budget) if budget <= MOST => given.push((kind, budget)),
                _ => return Err(BadFaults::Budget { kind, value: value.into() }),
            }
        }
        let budget = |kind: &&'static str| given.iter().find(|(name, _)| name == kind).copied();
        Ok(Faults(self.faults.iter().filter_map(budget).filter(|(_, budget)| *budget > 0).collect()))
    }

    /// Every kind of fault alone, once.
    pub fn singles(&self) -> Vec<Faults> {
        self.faults.iter().map(|kind| Faults(vec![(*kind, 1)])).collect()
    }

    /// Every two kinds of faults, once each; and every kind twice.
    pub fn pairs(&self) -> Vec<Faults> {
        let mut pairs = Vec::new();
        for (place, one) in self.faults.iter().enumerate() {
            pairs.push(Faults(vec![(*one, 2)]));
            pairs.extend(self.faults[place + 1..].iter().map(|other| Faults(vec![(*one, 1), (*other, 1)])));
        }
        pairs
    }
}

/// Which faults have hit which effects, in all runs of a model so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The effects, by name.
    pub effects: &'static [&'static str],
    /// For every kind of fault, in the order in which the model declares them, whether it has hit each effect.
    pub hits: Vec<(&'static str, Vec<Hit>)>,
}

/// Whether a fault has hit an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// It has.
    Yes,
    /// It has not.
    Not,
    /// It cannot, by what they are: the model says so.
    Never,
}

impl Coverage {
    /// What has not been hit by what.
    pub fn gaps(&self) -> Vec<(&'static str, &'static str)> {
        let gaps = |(kind, hits): &(&'static str, Vec<Hit>)| {
            let missed = self.effects.iter().zip(hits.clone()).filter(|(_, hit)| *hit == Hit::Not);
            let kind = *kind;
            missed.map(move |(effect, _)| (kind, *effect)).collect::<Vec<_>>()
        };
        self.hits.iter().flat_map(gaps).collect()
    }

    /// Together with what other runs of the model have hit.
    #[must_use]
    pub fn and(mut self, other: &Coverage) -> Coverage {
        for ((_, mine), (_, theirs)) in self.hits.iter_mut().zip(&other.hits) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                if *mine == Hit::Not {
                    *mine = *theirs;
                }
            }
        }
        self
    }
}
