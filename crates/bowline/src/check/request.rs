//! What a run is asked to do, read from the arguments and held against what the model has.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use bowline_explorer::{Storage, Walks};
use bowline_models::{BadSize, Claim, Entry, Faults, Size, Subject, catalogue};

use super::faults::Plan;
use crate::cli::CheckArgs;
use crate::exit::BadUsage;
use crate::nearest::there_are;

/// A run that makes sense.
pub(crate) struct Request {
    /// The model.
    pub(crate) entry: &'static Entry,
    /// Its size.
    pub(crate) size: Size,
    /// What goes wrong.
    pub(crate) plan: Plan,
    /// Its properties.
    pub(crate) claims: Vec<Claim>,
    /// The properties that were named; `None` means all, an empty list that states are only counted.
    pub(crate) asked: Option<Vec<String>>,
    /// How to run.
    pub(crate) how: How,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Worker threads.
    pub(crate) threads: NonZeroUsize,
    /// What is kept of a state.
    pub(crate) storage: Storage,
    /// Whether one of each set of symmetric states is explored.
    pub(crate) symmetry: bool,
    /// The budget of states.
    pub(crate) max_states: Option<u64>,
    /// The budget of memory.
    pub(crate) max_bytes: Option<u64>,
    /// Random walks instead of a search.
    pub(crate) walks: Option<Walks>,
}

impl Request {
    /// Holds the arguments against the model.
    pub(crate) fn read(args: &CheckArgs, model: &str) -> Result<Request, BadUsage> {
        let entry = entry(model)?;
        refuse_empty("--size", args.size.as_deref())?;
        refuse_empty("--faults", args.faults.as_deref())?;
        let size = size(entry, args.size.as_deref().unwrap_or_default())?;
        let plan = Plan::read(entry, args.faults.as_deref())?;
        let claims = entry.build(&size).map_err(|bad| bad_size(entry, &bad))?.claims();
        let asked = asked(entry.name, &args.property, &claims)?;
        if args.symmetry {
            refuse_symmetry_with_liveness(asked.as_deref(), &claims)?;
        }
        if args.walks.is_some() {
            refuse_walks_for_liveness(asked.as_deref(), &claims)?;
            refuse_walks_in_sweeps(entry, &plan)?;
        }
        Ok(Request { entry, size, plan, claims, asked, how: How::read(args) })
    }

    /// The model at its size, with these faults.
    pub(crate) fn subject(&self, faults: &Faults) -> Result<Box<dyn Subject>, BadUsage> {
        self.entry.build_with(&self.size, faults).map_err(|bad| bad_size(self.entry, &bad))
    }
}

impl How {
    /// As the arguments say.
    pub(crate) fn read(args: &CheckArgs) -> How {
        How {
            threads: threads(args),
            storage: if args.fingerprint { Storage::Fingerprint } else { Storage::Exact },
            symmetry: args.symmetry,
            max_states: args.max_states,
            max_bytes: Some(args.max_memory.0),
            walks: args.walks.map(|count| Walks {
                count,
                steps: args.walk_steps,
                seed: args.seed.unwrap_or_else(seed_from_clock),
            }),
        }
    }
}

/// As many as asked for, or as there are processors; walks are taken by one.
fn threads(args: &CheckArgs) -> NonZeroUsize {
    if args.walks.is_some() {
        return NonZeroUsize::MIN;
    }
    let asked = args.threads.and_then(|n| NonZeroUsize::new(n.into()));
    asked.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// The entry of the catalogue with this name.
pub(crate) fn entry(model: &str) -> Result<&'static Entry, BadUsage> {
    catalogue().iter().find(|entry| entry.name == model).ok_or_else(|| {
        let known: Vec<&str> = catalogue().iter().map(|entry| entry.name).collect();
        BadUsage(format!("no model is called `{model}`{}", there_are(model, &known)))
    })
}

/// The size that a text gives a model.
pub(crate) fn size(entry: &Entry, text: &str) -> Result<Size, BadUsage> {
    entry.size(text).map_err(|bad| bad_size(entry, &bad))
}

fn bad_size(entry: &Entry, bad: &BadSize) -> BadUsage {
    BadUsage(match bad {
        BadSize::UnknownKey { key, known } => {
            format!("--size: `{}` has no size key `{key}`{}", entry.name, there_are(key, known))
        }
        BadSize::Form(_) | BadSize::Comma(_) => {
            let keys: Vec<String> =
                entry.sizes.iter().map(|key| format!("{}={}", key.name, key.default)).collect();
            format!("--size: {bad}\n  for example: --size {}", keys.join(","))
        }
        _ => format!("--size: {bad}"),
    })
}

/// What is given is meant to say something: a script's empty variable must not pass for the defaults.
fn refuse_empty(option: &str, text: Option<&str>) -> Result<(), BadUsage> {
    match text {
        Some(text) if text.trim().is_empty() => {
            Err(BadUsage(format!("{option}: nothing is given; leave out {option} for the defaults")))
        }
        _ => Ok(()),
    }
}

/// The properties that were named, each once; `none` is the empty list.
fn asked(model: &str, names: &[String], claims: &[Claim]) -> Result<Option<Vec<String>>, BadUsage> {
    if names.is_empty() {
        return Ok(None);
    }
    if names.iter().any(|name| name == "none") {
        return match names.iter().find(|name| *name != "none") {
            None => Ok(Some(Vec::new())),
            Some(other) => Err(BadUsage(format!(
                "--property none only counts states: leave it out, or leave out --property {other}"
            ))),
        };
    }
    let mut asked: Vec<String> = Vec::new();
    for name in names {
        if !claims.iter().any(|claim| claim.name == *name) {
            let mut known: Vec<&str> = claims.iter().map(|claim| claim.name.as_str()).collect();
            known.push("none");
            let there_are = there_are(name, &known);
            return Err(BadUsage(format!("--property: `{model}` has no property `{name}`{there_are}")));
        }
        if !asked.contains(name) {
            asked.push(name.clone());
        }
    }
    Ok(Some(asked))
}

/// The engine refuses it too, but does not know how to name the properties that are left.
fn refuse_symmetry_with_liveness(asked: Option<&[String]>, claims: &[Claim]) -> Result<(), BadUsage> {
    let is_asked = |claim: &&Claim| asked.is_none_or(|asked| asked.contains(&claim.name));
    let Some(liveness) = claims.iter().filter(is_asked).find(|claim| claim.kind.is_liveness()) else {
        return Ok(());
    };
    Err(BadUsage(format!(
        "--symmetry does not preserve liveness, and `{}` is a liveness property\n  \
         leave out --symmetry, or name safety properties with --property: {}",
        liveness.name,
        safety(claims)
    )))
}

/// Walks know nothing of liveness: a run that is asked for nothing else could only say so at its end.
fn refuse_walks_for_liveness(asked: Option<&[String]>, claims: &[Claim]) -> Result<(), BadUsage> {
    let is_asked = |claim: &&Claim| asked.is_none_or(|asked| asked.contains(&claim.name));
    let mut asked = claims.iter().filter(is_asked).peekable();
    if asked.peek().is_none() || asked.any(|claim| !claim.kind.is_liveness()) {
        return Ok(());
    }
    Err(BadUsage(format!(
        "--walks judge properties of states and steps only, and what is named is all liveness\n  \
         leave out --walks, or name one of these with --property: {}",
        safety(claims)
    )))
}

/// What is hit by which fault is known of all runs together only if each of them sees everything.
fn refuse_walks_in_sweeps(entry: &Entry, plan: &Plan) -> Result<(), BadUsage> {
    let Plan::Sweep(sweep) = plan else { return Ok(()) };
    let kind = entry.faults.first().copied().unwrap_or_default();
    Err(BadUsage(format!(
        "--faults {} explores, run after run, and --walks explore nothing\n  \
         leave out --walks, or give budgets, such as --faults {kind}=1",
        sweep.word()
    )))
}

/// The names of the properties that are none of liveness.
fn safety(claims: &[Claim]) -> String {
    let safety = claims.iter().filter(|claim| !claim.kind.is_liveness());
    safety.map(|claim| claim.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A seed that differs from run to run and is short enough to be typed again.
fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_secs() ^ u64::from(now.subsec_nanos())) % 1_000_000
}

#[cfg(test)]
mod tests {
    use bowline_explorer::Kind;

    use super::super::faults::Sweep;
    use super::*;

    fn claims() -> Vec<Claim> {
        [("TypeInvariants", Kind::Always), ("Deadlock", Kind::Deadlock), ("Ends", Kind::Eventually)]
            .map(|(name, kind)| Claim { name: name.into(), kind, about: String::new() })
            .into()
    }

    #[test]
    fn symmetry_with_liveness_is_refused_and_says_what_is_left() {
        let refused = |asked: Option<&[String]>| refuse_symmetry_with_liveness(asked, &claims());
        assert!(refused(Some(&["Deadlock".to_string()])).is_ok());
        assert!(refused(Some(&[])).is_ok());
        assert_eq!(
            refused(None).unwrap_err().0,
            "--symmetry does not preserve liveness, and `Ends` is a liveness property\n  \
             leave out --symmetry, or name safety properties with --property: TypeInvariants, Deadlock"
        );
    }

    #[test]
    fn walks_are_refused_where_they_could_judge_nothing() {
        let refused = |asked: Option<&[String]>| refuse_walks_for_liveness(asked, &claims());
        assert!(refused(None).is_ok());
        assert!(refused(Some(&[])).is_ok());
        assert!(refused(Some(&["Ends".into(), "Deadlock".into()])).is_ok());
        assert_eq!(
            refused(Some(&["Ends".into()])).unwrap_err().0,
            "--walks judge properties of states and steps only, and what is named is all liveness\n  \
             leave out --walks, or name one of these with --property: TypeInvariants, Deadlock"
        );
    }

    fn ask(names: &[&str]) -> Result<Option<Vec<String>>, String> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        asked("m", &names, &claims()).map_err(|BadUsage(message)| message)
    }

    #[test]
    fn walks_are_refused_where_every_run_has_to_see_everything() {
        let control = entry("control").unwrap();
        assert!(refuse_walks_in_sweeps(control, &Plan::One(Faults::default())).is_ok());
        assert_eq!(
            refuse_walks_in_sweeps(control, &Plan::Sweep(Sweep::Pairs)).unwrap_err().0,
            "--faults pairs explores, run after run, and --walks explore nothing\n  \
             leave out --walks, or give budgets, such as --faults crash=1"
        );
    }

    #[test]
    fn properties_are_all_some_or_none() {
        assert_eq!(ask(&[]), Ok(None));
        assert_eq!(ask(&["none"]), Ok(Some(vec![])));
        assert_eq!(ask(&["Deadlock", "Deadlock"]), Ok(Some(vec!["Deadlock".into()])));
    }

    #[test]
    fn properties_that_make_no_sense_are_refused() {
        assert_eq!(
            ask(&["none", "Deadlock"]),
            Err("--property none only counts states: leave it out, or leave out --property Deadlock".into())
        );
        assert_eq!(
            ask(&["deadlok"]),
            Err("--property: `m` has no property `deadlok`; did you mean `Deadlock`?\n  \
                 there are: TypeInvariants, Deadlock, Ends, none"
                .into())
        );
    }
}
