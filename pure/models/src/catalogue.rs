//! Every model that `bowline check` knows: by name, at any size, its types forgotten.

use std::fmt;

use bowline_explorer::{Kind, Model, Options, Refused, Report, Verdict, Walks, check, walk};

use crate::budgets::{Coverage, Faults};
use crate::{
    clusters, fleet, identities, kernel, leases, placements, sample, seeds, updates, upgrades, workqueue,
};

/// A model by its name.
pub struct Entry {
    /// The name, as in `bowline check NAME`.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What its size is made of.
    pub sizes: &'static [SizeKey],
    /// The kinds of faults that it can put in.
    pub faults: &'static [&'static str],
    pub(crate) build: Build,
}

/// Makes a model at a size, with faults.
type Build = fn(&Size, &Faults) -> Result<Box<dyn Subject>, BadSize>;

/// One number or switch of a model's size.
#[derive(Clone, Copy, Debug)]
pub struct SizeKey {
    /// As in `--size NAME=VALUE`.
    pub name: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
    /// What it is if nobody says.
    pub default: Value,
    /// The least and the greatest number that can work; not used for a switch.
    pub range: (u32, u32),
}

/// The value of a size key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A count.
    Number(u32),
    /// A switch.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(n) => n.fmt(f),
            Value::Flag(b) => b.fmt(f),
        }
    }
}

/// A value for every size key of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size(Vec<(&'static str, Value)>);

impl Size {
    /// The keys and values, in the order in which the model declares them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn number(&self, key: &str) -> u32 {
        match self.get(key) {
            Value::Number(n) => n,
            Value::Flag(_) => unreachable!("`{key}` is declared as a switch"),
        }
    }

    /// A number whose range fits into a byte.
    pub(crate) fn small(&self, key: &str) -> u8 {
        let n = self.number(key);
        u8::try_from(n)
            .unwrap_or_else(|_| unreachable!("`{key}` is declared with a greater range than a byte"))
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            Value::Flag(b) => b,
            Value::Number(_) => unreachable!("`{key}` is declared as a number"),
        }
    }

    fn get(&self, key: &str) -> Value {
        let found = self.0.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| *value).unwrap_or_else(|| unreachable!("`{key}` is not declared"))
    }
}

/// Why a size is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadSize {
    /// Not of the form `key=value`.
    Form(String),
    /// Nothing before, between or after commas.
    Comma(String),
    /// The model has no such key.
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that there are.
        known: Vec<&'static str>,
    },
    /// The key was given twice.
    Twice(&'static str),
    /// Not a value of this key.
    Value {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What it takes.
        takes: String,
    },
    /// The values do not fit together.
    Impossible(String),
}

impl fmt::Display for BadSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSize::Form(text) => write!(f, "`{text}` is not of the form key=value"),
            BadSize::Comma(text) => write!(f, "there is a comma too many in `{text}`"),
            BadSize::UnknownKey { key, known } => {
                write!(f, "no size key is called `{key}`; there are: {}", known.join(", "))
            }
            BadSize::Twice(key) => write!(f, "`{key}` is given twice"),
            BadSize::Value { key, value, takes } => write!(f, "`{key}` takes {takes}, not `{value}`"),
            BadSize::Impossible(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for BadSize {}

impl Entry {
    /// Reads `key=value,key=value`; what is left out has its default, and so has all if nothing is given.
    ///
    /// # Errors
    /// Says what is wrong and what there is.
    pub fn size(&self, text: &str) -> Result<Size, BadSize> {
        let mut given: Vec<(&'static str, Value)> = Vec::new();
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|_| !text.trim().is_empty()) {
            if part.is_empty() {
                return Err(BadSize::Comma(text.into()));
            }
            let (key, value) = part.split_once('=').ok_or_else(|| BadSize::Form(part.into()))?;
            let key = self.sizes.iter().find(|known| known.name == key.trim()).ok_or_else(|| {
                let known = self.sizes.iter().map(|key| key.name).collect();
                BadSize::UnknownKey { key: key.trim().into(), known }
            })?;
            if given.iter().any(|(name, _)| *name == key.name) {
                return Err(BadSize::Twice(key.name));
            }
            given.push((key.name, key.parse(value.trim())?));
        }
        let value = |key: &SizeKey| {
            given.iter().find(|(name, _)| *name == key.name).map_or(key.default, |(_, value)| *value)
        };
        Ok(Size(self.sizes.iter().map(|key| (key.name, value(key))).collect()))
    }

    /// The model at a size, without faults.
    ///
    /// # Errors
    /// Says why the values do not fit together.
    pub fn build(&self, size: &Size) -> Result<Box<dyn Subject>, BadSize> {
        (self.build)(size, &Faults::default())
    }

    /// The model at a size, with faults.
    ///
    /// # Errors
    /// Says why the values do not fit together.
    pub fn build_with(&self, size: &Size, faults: &Faults) -> Result<Box<dyn Subject>, BadSize> {
        (self.build)(size, faults)
    }
}

/// A count, which is this one if nobody says, and from the first to the second of these.
pub(crate) const fn number(
    name: &'static str,
    about: &'static str,
    default: u32,
    range: (u32, u32),
) -> SizeKey {
    SizeKey { name, about, default: Value::Number(default), range }
}

impl SizeKey {
    fn parse(&self, value: &str) -> Result<Value, BadSize> {
        let refused = |takes| BadSize::Value { key: self.name, value: value.into(), takes };
        match self.default {
            Value::Flag(_) => value.parse().map(Value::Flag).map_err(|_| refused("true or false".into())),
            Value::Number(_) => {
                let (least, most) = self.range;
                let takes = format!("a number from {least} to {most}");
                // A sign is no digit: `+2` would be read, and is more likely a slip.
                let digits = if value.starts_with('+') { "" } else { value };
                match digits.parse::<u32>() {
                    Ok(n) if n > most => Err(refused(format!("{takes} (the state has fixed capacity)"))),
                    Ok(n) if n >= least => Ok(Value::Number(n)),
                    _ => Err(refused(takes)),
                }
            }
        }
    }
}

/// A property as a listing shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// What it means, in a line.
    pub about: String,
}

/// A model of any type.
pub trait Subject {
    /// Its properties.
    fn claims(&self) -> Vec<Claim>;
    /// How large a state is, without what it may have on the heap.
    fn state_bytes(&self) -> usize;
    /// Explores it; see [`bowline_explorer::check`].
    ///
    /// # Errors
    /// As [`bowline_explorer::check`].
    fn check(&self, options: &Options<'_>) -> Result<Report, Refused>;
    /// Walks through it; see [`bowline_explorer::walk`].
    ///
    /// # Errors
    /// As [`bowline_explorer::walk`].
    fn walk(&self, walks: Walks, options: &Options<'_>) -> Result<Report, Refused>;
    /// Which faults have hit which effects in what was explored so far; `None` if it has no faults.
    fn coverage(&self) -> Option<Coverage>;
}

/// A model of the catalogue.
pub(crate) trait Catalogued: Model {
    /// See [`Subject::coverage`].
    fn coverage(&self) -> Option<Coverage> {
        None
    }
}

impl<M: Catalogued> Subject for M {
    fn claims(&self) -> Vec<Claim> {
        let claim = |p: bowline_explorer::Property<M>| Claim {
            name: p.name().into(),
            kind: p.kind(),
            about: p.meaning().into(),
        };
        self.properties().into_iter().map(claim).collect()
    }

    fn state_bytes(&self) -> usize {
        size_of::<M::State>()
    }

    fn check(&self, options: &Options<'_>) -> Result<Report, Refused> {
        check(self, options)
    }

    fn walk(&self, walks: Walks, options: &Options<'_>) -> Result<Report, Refused> {
        walk(self, walks, options)
    }

    fn coverage(&self) -> Option<Coverage> {
        Catalogued::coverage(self)
    }
}

/// What a run of a model at a size must give.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The model's name.
    pub model: &'static str,
    /// Its size, as `--size` takes it.
    pub size: &'static str,
    /// Distinct states.
    pub distinct: u64,
    /// Generated states.
    pub generated: u64,
    /// Depth.
    pub depth: u32,
    /// Every property of the model: its verdict, and the states in its trace if it has one.
    pub verdicts: &'static [(&'static str, Verdict, Option<usize>)],
}

/// Every model, in the order of listings.
pub fn catalogue() -> &'static [Entry] {
    static CATALOGUE: &[Entry] = &[
        seeds::update_cluster::ENTRY,
        seeds::complete_issu::ENTRY,
        seeds::irsa::ENTRY,
        seeds::kcp_storage::ENTRY,
        kernel::OBJECTS,
        kernel::WATCH,
        kernel::COLLECTOR,
        kernel::NAMESPACES,
        workqueue::WORKQUEUE,
        sample::CONTROL,
        clusters::CLUSTERS,
        updates::UPDATES_MODEL,
        identities::IDENTITIES,
        upgrades::UPGRADES,
        placements::PLACEMENTS,
        fleet::FLEET,
        leases::LEASES,
        leases::judge::JUDGE,
    ];
    CATALOGUE
}

/// What is pinned of the models, seeds' known violations included.
pub fn expected() -> impl Iterator<Item = &'static Expected> {
    let leases = leases::EXPECTED.iter().chain(leases::judge::EXPECTED);
    let systems = sample::EXPECTED.iter().chain(clusters::EXPECTED).chain(updates::EXPECTED);
    let systems = systems
        .chain(identities::EXPECTED)
        .chain(upgrades::EXPECTED)
        .chain(placements::EXPECTED)
        .chain(fleet::EXPECTED);
    let control = workqueue::EXPECTED.iter().chain(systems).chain(leases);
    seeds::expected::all().chain(kernel::expected()).chain(control)
}
