//! A program as TLC reads it.

use std::fmt::{self, Display, Write};

use super::program::{Action, Claim, Command, Comparison, Effect, Predicate, Program, State, Term};
use super::subject::VARIABLES;

/// The name of the module, which must be the name of its file.
pub(super) const MODULE: &str = "Referee";

/// A module and the configuration to check it with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tla {
    /// The text of `Referee.tla`.
    pub(super) module: String,
    /// The text of `Referee.cfg`.
    pub(super) cfg: String,
    /// Whether TLC is to look for deadlocks.
    pub(super) deadlock: bool,
}

/// Prints a program.
pub(super) fn print(program: &Program) -> Tla {
    let cfg = match program.claim {
        Claim::Always(_) | Claim::Sometimes(_) => "SPECIFICATION Spec\nINVARIANT Claim\n",
        Claim::NoDeadlock => "SPECIFICATION Spec\n",
        _ => "SPECIFICATION Spec\nPROPERTY Claim\n",
    };
    let deadlock = program.claim == Claim::NoDeadlock;
    Tla { module: Module(program).to_string(), cfg: cfg.into(), deadlock }
}

struct Module<'a>(&'a Program);

impl Display for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.0;
        let names = VARIABLES[..program.sizes.len()].join(", ");
        writeln!(f, "---- MODULE {MODULE} ----\nEXTENDS Integers")?;
        writeln!(f, "VARIABLES {names}\nvars == <<{names}>>\n\nInit ==")?;
        for state in &program.init {
            writeln!(f, "    \\/ {}", equals(state, program.sizes.len()))?;
        }
        for (index, action) in program.actions.iter().enumerate() {
            writeln!(f, "\nA{} ==", index + 1)?;
            write_action(f, action, &program.sizes)?;
        }
        let all: Vec<_> = (0..program.actions.len()).collect();
        writeln!(f, "\nNext == {}", either(&all))?;
        write!(f, "Spec == Init /\\ [][Next]_vars")?;
        for group in &program.fairness {
            write!(f, " /\\ WF_vars({})", either(group))?;
        }
        writeln!(f, "\n")?;
        write_claim(f, &program.claim)?;
        writeln!(f, "====")
    }
}

fn equals(state: &State, variables: usize) -> String {
    let parts = VARIABLES.iter().zip(state).take(variables).map(|(name, value)| format!("{name} = {value}"));
    parts.collect::<Vec<_>>().join(" /\\ ")
}

fn either(actions: &[usize]) -> String {
    actions.iter().map(|action| format!("A{}", action + 1)).collect::<Vec<_>>().join(" \\/ ")
}

fn write_action(f: &mut fmt::Formatter<'_>, action: &Action, sizes: &[u8]) -> fmt::Result {
    for command in &action.commands {
        let Command { guard, choice, effects } = command;
        let mut indent = "    \\/";
        if !choice.is_empty() {
            let values: Vec<_> = choice.iter().map(u8::to_string).collect();
            writeln!(f, "{indent} \\E v \\in {{{}}} :", values.join(", "))?;
            indent = "      ";
        }
        // TLC takes a disjunction in an action for one successor each, and would count a state twice that
        // two disjuncts of a guard allow. Of an equation it only asks whether it is true.
        let guard = if guard.branches() { format!("({guard}) = TRUE") } else { guard.to_string() };
        writeln!(f, "{indent} /\\ {guard}")?;
        for (variable, effect) in effects.iter().enumerate() {
            writeln!(f, "       /\\ {}", Assignment { variable, effect, sizes })?;
        }
    }
    Ok(())
}

struct Assignment<'a> {
    variable: usize,
    effect: &'a Effect,
    sizes: &'a [u8],
}

impl Display for Assignment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.sizes[self.variable];
        let name = VARIABLES[self.variable];
        match *self.effect {
            Effect::Keep => write!(f, "UNCHANGED {name}"),
            Effect::Set(value) => write!(f, "{name}' = {value}"),
            Effect::Increment => write!(f, "{name}' = ({name} + 1) % {size}"),
            Effect::Copy(from) => write!(f, "{name}' = {} % {size}", VARIABLES[from]),
            Effect::Chosen => write!(f, "{name}' = v"),
        }
    }
}

fn write_claim(f: &mut fmt::Formatter<'_>, claim: &Claim) -> fmt::Result {
    match claim {
        Claim::NoDeadlock => Ok(()),
        Claim::Always(p) => writeln!(f, "P == {p}\nClaim == P"),
        // TLC has no "reachable": it is what the violation of the opposite shows.
        Claim::Sometimes(p) => writeln!(f, "P == {p}\nClaim == ~P"),
        Claim::AlwaysStep(p) => writeln!(f, "P == {p}\nClaim == [][P]_vars"),
        Claim::Eventually(p) => writeln!(f, "P == {p}\nClaim == <>P"),
        Claim::EventuallyAlways(p) => writeln!(f, "P == {p}\nClaim == <>[]P"),
        Claim::AlwaysEventually(p) => writeln!(f, "P == {p}\nClaim == []<>P"),
        Claim::LeadsTo(p, q) => writeln!(f, "P == {p}\nQ == {q}\nClaim == P ~> Q"),
    }
}

impl Predicate {
    fn branches(&self) -> bool {
        match self {
            Predicate::Any(_) => true,
            Predicate::All(parts) => parts.iter().any(Predicate::branches),
            Predicate::Not(part) => part.branches(),
            Predicate::True | Predicate::Compare(..) => false,
        }
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Predicate], with: &str| {
            for (index, part) in parts.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { with })?;
                match part {
                    Predicate::Compare(..) | Predicate::True | Predicate::Not(_) => part.fmt(f)?,
                    Predicate::All(_) | Predicate::Any(_) => write!(f, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Predicate::True => f.write_str("TRUE"),
            Predicate::Compare(left, comparison, right) => {
                left.fmt(f)?;
                f.write_char(' ')?;
                f.write_str(match comparison {
                    Comparison::Equal => "=",
                    Comparison::Differs => "#",
                    Comparison::Less => "<",
                    Comparison::AtLeast => ">=",
                })?;
                f.write_char(' ')?;
                right.fmt(f)
            }
            Predicate::All(parts) => join(f, parts, " /\\ "),
            Predicate::Any(parts) => join(f, parts, " \\/ "),
            Predicate::Not(part) => write!(f, "~({part})"),
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Term::Number(number) => number.fmt(f),
            Term::Before(variable) => f.write_str(VARIABLES[variable]),
            Term::After(variable) => write!(f, "{}'", VARIABLES[variable]),
        }
    }
}
