//! An explicit-state model checker for the shipped decision functions.
//!
//! [`check`] explores a [`Model`] breadth-first and judges its properties: of states and steps as it
//! goes, liveness under weak fairness on the graph that it leaves. [`walk`] takes random walks through
//! what is too large. Counts, verdicts and traces are the same for any number of threads.
//!
//! ```
//! use bowline_explorer::{Class, Field, Model, Options, Property, Verdict, check};
//!
//! /// A lamp that somebody may switch, and that a timer switches off.
//! struct Lamp;
//!
//! #[derive(Clone, Copy, Debug)]
//! enum Action {
//!     SwitchOn,
//!     TimeOut,
//! }
//!
//! impl Model for Lamp {
//!     type State = bool;
//!     type Action = Action;
//!
//!     fn init(&self) -> Vec<bool> {
//!         vec![false]
//!     }
//!     fn actions(&self, on: &bool, out: &mut Vec<Action>) {
//!         out.push(if *on { Action::TimeOut } else { Action::SwitchOn });
//!     }
//!     fn next(&self, _: &bool, action: &Action) -> bool {
//!         matches!(action, Action::SwitchOn)
//!     }
//!     fn properties(&self) -> Vec<Property<Self>> {
//!         vec![
//!             Property::always_eventually("GoesOut", |_, on| !on),
//!             Property::eventually("IsUsed", |_, on| *on),
//!         ]
//!     }
//!     // The timer is sure to come, a person is not.
//!     fn fairness(&self) -> Vec<String> {
//!         vec!["TimeOut".into()]
//!     }
//!     fn class(&self, action: &Action) -> Class {
//!         match action {
//!             Action::TimeOut => Class::new(0),
//!             Action::SwitchOn => Class::UNFAIR,
//!         }
//!     }
//!     fn action_name(&self, action: &Action) -> String {
//!         format!("{action:?}")
//!     }
//!     fn fields(&self, on: &bool) -> Vec<Field> {
//!         vec![Field::new("on", on.to_string())]
//!     }
//! }
//!
//! let report = check(&Lamp, &Options::default())?;
//! assert_eq!(report.distinct, 2);
//! assert_eq!(report.verdicts[0].verdict, Verdict::Holds);
//! assert_eq!(report.verdicts[1].verdict, Verdict::Violated);
//! # Ok::<(), bowline_explorer::Refused>(())
//! ```

mod check;
mod components;
mod expand;
mod fairness;
mod figures;
mod graph;
mod lasso;
mod lift;
mod liveness;
mod model;
mod numbers;
mod options;
mod panics;
mod parallel;
mod plan;
mod property;
mod random;
mod replay;
mod report;
mod search;
mod shard;
mod shelf;
mod walk;

pub use check::check;
pub use figures::grouped;
pub use lift::Lift;
pub use model::{Class, Field, Model};
pub use options::{Options, Phase, Progress, Refused, Storage};
pub use property::{Formula, Kind, Property};
pub use random::SplitMix;
pub use report::{Cycle, End, Judged, Report, Step, Trace, Verdict, Walked};
pub use walk::{Walks, walk};
