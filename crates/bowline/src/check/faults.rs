//! `--faults SPEC`: what goes wrong in a run, or in which runs.

use bowline_models::{BadFaults, Entry, Faults};

use crate::exit::BadUsage;
use crate::nearest::{nearest, there_are};

/// What goes wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    /// In one run, each kind so often.
    One(Faults),
    /// In several runs, one after the other.
    Sweep(Sweep),
}

/// Several runs that differ in what goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sweep {
    /// Every kind alone.
    Singles,
    /// Every two kinds, and each twice.
    Pairs,
}

impl Sweep {
    const ALL: [Sweep; 2] = [Sweep::Singles, Sweep::Pairs];

    /// As it is typed.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Sweep::Singles => "singles",
            Sweep::Pairs => "pairs",
        }
    }

    /// What it does, in a few words.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Sweep::Singles => "every kind of fault alone",
            Sweep::Pairs => "every two kinds of faults, and each kind twice",
        }
    }

    /// What goes wrong in each run.
    pub(crate) fn runs(self, entry: &Entry) -> Vec<Faults> {
        match self {
            Sweep::Singles => entry.singles(),
            Sweep::Pairs => entry.pairs(),
        }
    }
}

impl Plan {
    /// Holds what was given against the kinds that the model has.
    pub(crate) fn read(entry: &Entry, spec: Option<&str>) -> Result<Plan, BadUsage> {
        let Some(spec) = spec else { return Ok(Plan::One(Faults::default())) };
        if entry.faults.is_empty() {
            return Err(has_none(entry, spec));
        }
        match Sweep::ALL.into_iter().find(|sweep| sweep.word() == spec.trim()) {
            Some(sweep) => Ok(Plan::Sweep(sweep)),
            None => entry.budgets(spec).map(Plan::One).map_err(|bad| bad_faults(entry, &bad)),
        }
    }
}

fn has_none(entry: &Entry, spec: &str) -> BadUsage {
    let kind = spec.split([',', '=']).map(str::trim).find(|part| !part.is_empty()).unwrap_or(spec);
    BadUsage(format!(
        "--faults: `{}` has no fault kind `{kind}`; it has none: leave out --faults",
        entry.name
    ))
}

fn bad_faults(entry: &Entry, bad: &BadFaults) -> BadUsage {
    let kinds: Vec<String> = entry.faults.iter().take(2).map(|kind| format!("{kind}=1")).collect();
    let example =
        format!("\n  for example: --faults {}; or --faults singles, or --faults pairs", kinds.join(","));
    BadUsage(match bad {
        BadFaults::UnknownKind { kind, known } => {
            format!("--faults: `{}` has no fault kind `{kind}`{}", entry.name, there_are(kind, known))
        }
        BadFaults::Form(text) => format!("--faults: {bad}{}{example}", meant(entry, text)),
        BadFaults::Comma(_) => format!("--faults: {bad}{example}"),
        BadFaults::Twice(_) | BadFaults::Budget { .. } => format!("--faults: {bad}"),
    })
}

/// What was probably meant by a word that has no number.
fn meant(entry: &Entry, text: &str) -> String {
    let words = Sweep::ALL.map(Sweep::word);
    let meant = match nearest(text, entry.faults.iter().copied().chain(words)) {
        None => String::new(),
        Some(word) if words.contains(&word) => format!("; did you mean `{word}`?"),
        Some(kind) => format!("; did you mean `{kind}=1`?"),
    };
    format!("{meant}\n  there are: {}", entry.faults.join(", "))
}

#[cfg(test)]
mod tests {
    use bowline_models::catalogue;

    use super::*;

    fn entry(name: &str) -> &'static Entry {
        catalogue().iter().find(|entry| entry.name == name).expect("a model in the catalogue")
    }

    fn refusal(model: &str, spec: &str) -> String {
        Plan::read(entry(model), Some(spec)).expect_err("it makes no sense").0
    }

    #[test]
    fn a_model_without_kinds_takes_no_faults() {
        assert_eq!(Plan::read(entry("seed/irsa"), None), Ok(Plan::One(Faults::default())));
        let refused = |kind| {
            format!("--faults: `seed/irsa` has no fault kind `{kind}`; it has none: leave out --faults")
        };
        assert_eq!(refusal("seed/irsa", "crash=1,lost-reply=1"), refused("crash"));
        assert_eq!(refusal("seed/irsa", "singles"), refused("singles"));
        assert_eq!(refusal("seed/irsa", ","), refused(","));
    }

    #[test]
    fn budgets_are_one_run_and_words_are_several() {
        let one = Plan::read(entry("control"), Some("lost-reply=1, crash=2"));
        let Ok(Plan::One(faults)) = one else { panic!("{one:?}") };
        assert_eq!(faults.to_string(), "crash=2,lost-reply=1");
        assert_eq!(Plan::read(entry("control"), Some("singles")), Ok(Plan::Sweep(Sweep::Singles)));
        assert_eq!(Plan::read(entry("control"), Some(" pairs")), Ok(Plan::Sweep(Sweep::Pairs)));
        assert_eq!(Sweep::Singles.runs(entry("control")).len(), 8);
        assert_eq!(Sweep::Pairs.runs(entry("control")).len(), 36);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_there_is() {
        let kinds = "crash, conflict, lost-request, lost-reply, relist, two-leaders, drift, clock";
        let example = "\n  for example: --faults crash=1,conflict=1; or --faults singles, or --faults pairs";
        assert_eq!(
            refusal("control", "crsh=1"),
            format!(
                "--faults: `control` has no fault kind `crsh`; did you mean `crash`?\n  there are: {kinds}"
            )
        );
        assert_eq!(
            refusal("control", "single"),
            format!(
                "--faults: `single` is not of the form kind=number; did you mean `singles`?\n  \
                 there are: {kinds}{example}"
            )
        );
        assert_eq!(
            refusal("control", "drift"),
            format!(
                "--faults: `drift` is not of the form kind=number; did you mean `drift=1`?\n  \
                 there are: {kinds}{example}"
            )
        );
        assert_eq!(
            refusal("control", "drift=1,"),
            format!("--faults: there is a comma too many in `drift=1,`{example}")
        );
        assert_eq!(refusal("control", "drift=1,drift=2"), "--faults: `drift` is given twice");
        assert_eq!(refusal("control", "drift=9"), "--faults: `drift` takes a number from 0 to 3, not `9`");
    }
}
