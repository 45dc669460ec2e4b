//! How to run, and what is refused.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use crate::plan::MOST_CLASSES;
use crate::report::Walked;

/// How to run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Worker threads. Counts, verdicts and traces do not depend on their number.
    pub threads: NonZeroUsize,
    /// What is kept of a state.
    pub storage: Storage,
    /// Explore one state of each set of symmetric ones. Refused with liveness.
    pub symmetry: bool,
    /// The properties to check, by name; `None` means all.
    pub properties: Option<&'a [String]>,
    /// End as incomplete when more states than this were found.
    pub max_states: Option<u64>,
    /// End as incomplete when more memory than this is held, or may be while liveness is judged. What
    /// threads need for a batch, a few megabytes each, is not counted: the end of a run does not depend on
    /// their number. Nor is what vectors and the allocator keep in reserve.
    pub max_bytes: Option<u64>,
    /// Becomes true when somebody wants the run to end.
    pub stop: Option<&'a AtomicBool>,
    /// Told now and then how far the run is.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            threads: NonZeroUsize::MIN,
            storage: Storage::Exact,
            symmetry: false,
            properties: None,
            max_states: None,
            max_bytes: None,
            stop: None,
            progress: None,
        }
    }
}

/// What is kept of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// The state itself.
    #[default]
    Exact,
    /// A fingerprint of 128 bits, made of what the state's `Hash` feeds to its hasher. Two states with
    /// one fingerprint would be taken for one; the report bounds the chance of that, if states that
    /// are not equal feed different bytes, as they do with a derived `Hash`.
    Fingerprint,
}

impl Storage {
    /// How large a fingerprint is. States that are no larger are cheaper to keep as they are.
    pub const FINGERPRINT_BYTES: usize = size_of::<u128>();
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is being done.
    pub phase: Phase<'a>,
    /// Distinct states found.
    pub distinct: u64,
    /// Successors computed.
    pub generated: u64,
    /// States found and not yet expanded.
    pub frontier: u64,
    /// Depth reached.
    pub depth: u32,
    /// Memory held.
    pub bytes: u64,
    /// An upper bound for the chance that two states were taken for one.
    pub collision_probability: f64,
}

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase<'a> {
    /// Finding states.
    Exploring,
    /// Walking at random.
    Walking(Walked),
    /// All states are found; finding the components of their graph, in which all liveness is judged.
    Components,
    /// Looking for fair cycles that violate this property.
    Liveness(&'a str),
}

/// Why a run was not begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// No property has this name.
    UnknownProperty {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Two properties have this name.
    PropertyTwice(String),
    /// A property has no formula, or formulas of several kinds, or is a `sometimes` with several.
    PropertyShape(String),
    /// Symmetry does not preserve this liveness property.
    SymmetryWithLiveness(String),
    /// The model has no symmetry.
    NoSymmetry,
    /// The model has no initial state.
    NoInitialState,
    /// A walk has no use for this option.
    NotForWalks(&'static str),
    /// The model has more fairness classes than can be told apart.
    TooManyClasses(usize),
    /// The operating system did not start so many threads.
    NoThreads(usize),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::UnknownProperty { name, known } => {
                write!(f, "no property is called `{name}`; there are: {}", known.join(", "))
            }
            Refused::PropertyTwice(name) => write!(f, "two properties are called `{name}`"),
            Refused::PropertyShape(name) => {
                write!(
                    f,
                    "property `{name}` must have one formula, or several of one kind that is not `sometimes`"
                )
            }
            Refused::SymmetryWithLiveness(name) => {
                write!(f, "symmetry does not preserve liveness: leave out symmetry, or the property `{name}`")
            }
            Refused::NoSymmetry => write!(f, "this model has no symmetry to use"),
            Refused::NoInitialState => write!(f, "this model has no initial state"),
            Refused::NotForWalks(option) => write!(f, "a random walk does not support {option}"),
            Refused::TooManyClasses(count) => {
                write!(f, "this model has {count} fairness classes; at most {MOST_CLASSES} are supported")
            }
            Refused::NoThreads(1) => write!(f, "cannot start a thread"),
            Refused::NoThreads(count) => write!(f, "cannot start {count} threads"),
        }
    }
}

impl std::error::Error for Refused {}
