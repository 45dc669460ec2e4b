//! Parsers on input that is nearly good: they say what is wrong, and neither panic nor take long.
//!
//! Each crate that reads something from outside has a test that calls [`run`] with its [`Target`]s; `cargo xtask fuzz` runs
//! all of these tests for longer. There is no sanitizer and no coverage, which need another compiler; seeds say where to begin.

mod mutate;
mod plan;
mod run;
mod watch;

pub use run::run;

/// What is tried with an input; it says what went wrong.
type Check = Box<dyn Fn(&[u8]) -> Result<(), String> + Send + Sync>;

/// A parser.
pub struct Target {
    name: &'static str,
    seeds: Vec<Vec<u8>>,
    check: Check,
}

impl Target {
    /// A parser with good input to begin with. `check` gives an input to it, and says what must not be; to panic is wrong too.
    pub fn new<S: AsRef<[u8]>>(
        name: &'static str,
        seeds: impl IntoIterator<Item = S>,
        check: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Target {
        let seeds: Vec<_> = seeds.into_iter().map(|seed| seed.as_ref().to_vec()).collect();
        assert!(!seeds.is_empty(), "{name} begins nowhere");
        Target { name, seeds, check: Box::new(check) }
    }
}

/// Sees that what was parsed and printed is parsed to the same again.
///
/// # Errors
/// If it is not.
pub fn same<T: PartialEq + std::fmt::Debug>(
    parsed: T,
    printed: &str,
    again: Option<T>,
) -> Result<(), String> {
    match again {
        Some(again) if again == parsed => Ok(()),
        other => Err(format!("{parsed:?} is printed as {printed:?}, which is read as {other:?}")),
    }
}

#[cfg(test)]
mod tests;
