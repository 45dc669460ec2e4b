//! A random model as a value: guarded commands over a few small numbers.
//!
//! One abstract syntax has two readings: [`super::subject`] runs it in our explorer, [`super::tla`] prints it
//! for TLC. What both agree on is then not an accident of one reading.

use bowline_explorer::Kind;

/// The most variables that a program has.
pub(super) const MAX_VARIABLES: usize = 4;

/// A value of every variable; those that a program does not have stay 0.
pub(super) type State = [u8; MAX_VARIABLES];

/// A model and one claim about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Program {
    /// For each variable the number of its values: `0..size`.
    pub(super) sizes: Vec<u8>,
    /// The initial states.
    pub(super) init: Vec<State>,
    /// What can happen.
    pub(super) actions: Vec<Action>,
    /// Weak fairness of the disjunction of each group of actions; no action is in two groups.
    pub(super) fairness: Vec<Vec<usize>>,
    /// What is claimed.
    pub(super) claim: Claim,
}

/// A disjunction of commands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Action {
    /// Each may happen when its guard holds.
    pub(super) commands: Vec<Command>,
}

/// A guard and what is then done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Command {
    /// When it can happen; speaks of the state before only.
    pub(super) guard: Predicate,
    /// The values of which one is chosen; empty if there is nothing to choose.
    pub(super) choice: Vec<u8>,
    /// For each variable of the program its value afterwards.
    pub(super) effects: Vec<Effect>,
}

/// The value of a variable after a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// What it was.
    Keep,
    /// This.
    Set(u8),
    /// One more than what it was, or 0 after the last of its values.
    Increment,
    /// What the other variable was, modulo the number of this one's values.
    Copy(usize),
    /// The chosen value.
    Chosen,
}

/// A formula over two states, before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Predicate {
    /// Always.
    True,
    /// A comparison of two terms.
    Compare(Term, Comparison, Term),
    /// All of them; at least one.
    All(Vec<Predicate>),
    /// One of them; at least one.
    Any(Vec<Predicate>),
    /// Not so.
    Not(Box<Predicate>),
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// A number.
    Number(u8),
    /// A variable before.
    Before(usize),
    /// A variable after.
    After(usize),
}

/// How it is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    /// `=`
    Equal,
    /// `#`
    Differs,
    /// `<`
    Less,
    /// `>=`
    AtLeast,
}

/// What is claimed of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// `[]P`
    Always(Predicate),
    /// `[][P]_vars`
    AlwaysStep(Predicate),
    /// Every state has a successor.
    NoDeadlock,
    /// P can be reached.
    Sometimes(Predicate),
    /// `<>P`
    Eventually(Predicate),
    /// `<>[]P`
    EventuallyAlways(Predicate),
    /// `[]<>P`
    AlwaysEventually(Predicate),
    /// `P ~> Q`
    LeadsTo(Predicate, Predicate),
}

/// One thing that can happen in a state: a command of an action, with its choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    /// The index of the action.
    pub(super) action: usize,
    /// The index of its command.
    pub(super) command: usize,
    /// What was chosen; 0 if there was nothing to choose.
    pub(super) chosen: u8,
}

impl Program {
    /// All that can happen in a state.
    pub(super) fn moves<'a>(&'a self, state: &'a State) -> impl Iterator<Item = Move> + 'a {
        self.actions.iter().enumerate().flat_map(move |(action, Action { commands })| {
            let enabled =
                commands.iter().enumerate().filter(|(_, command)| command.guard.holds(state, state));
            enabled.flat_map(move |(index, command)| {
                let choices = if command.choice.is_empty() { &[0] } else { command.choice.as_slice() };
                choices.iter().map(move |chosen| Move { action, command: index, chosen: *chosen })
            })
        })
    }

    /// The state after a move.
    pub(super) fn after(&self, state: &State, made: Move) -> State {
        let command = &self.actions[made.action].commands[made.command];
        let mut after = *state;
        for (variable, effect) in command.effects.iter().enumerate() {
            let size = self.sizes[variable];
            after[variable] = match effect {
                Effect::Keep => state[variable],
                Effect::Set(value) => *value,
                Effect::Increment => (state[variable] + 1) % size,
                Effect::Copy(from) => state[*from] % size,
                Effect::Chosen => made.chosen,
            };
        }
        after
    }

    /// The fairness group of an action, if it has one.
    pub(super) fn group_of(&self, action: usize) -> Option<usize> {
        self.fairness.iter().position(|group| group.contains(&action))
    }
}

impl Predicate {
    /// Whether it holds of a step; of a state if both are the same.
    pub(super) fn holds(&self, before: &State, after: &State) -> bool {
        let value = |term: &Term| match *term {
            Term::Number(number) => number,
            Term::Before(variable) => before[variable],
            Term::After(variable) => after[variable],
        };
        match self {
            Predicate::True => true,
            Predicate::Compare(left, comparison, right) => {
                let (left, right) = (value(left), value(right));
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Differs => left != right,
                    Comparison::Less => left < right,
                    Comparison::AtLeast => left >= right,
                }
            }
            Predicate::All(parts) => parts.iter().all(|part| part.holds(before, after)),
            Predicate::Any(parts) => parts.iter().any(|part| part.holds(before, after)),
            Predicate::Not(part) => !part.holds(before, after),
        }
    }

    /// Whether it holds of a state.
    pub(super) fn holds_in(&self, state: &State) -> bool {
        self.holds(state, state)
    }
}

impl Claim {
    /// Its kind.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Claim::Always(_) => Kind::Always,
            Claim::AlwaysStep(_) => Kind::AlwaysStep,
            Claim::NoDeadlock => Kind::Deadlock,
            Claim::Sometimes(_) => Kind::Sometimes,
            Claim::Eventually(_) => Kind::Eventually,
            Claim::EventuallyAlways(_) => Kind::EventuallyAlways,
            Claim::AlwaysEventually(_) => Kind::AlwaysEventually,
            Claim::LeadsTo(_, _) => Kind::LeadsTo,
        }
    }
}
