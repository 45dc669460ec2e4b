//! Draws programs: small, odd, and interesting to both sides.

use anyhow::Result;
use bowline_explorer::{Kind, Verdict};

use super::dice::Dice;
use super::program::{
    Action, Claim, Command, Comparison, Effect, MAX_VARIABLES, Predicate, Program, State, Term,
};
use super::subject::{Ours, explore_simply};

/// All kinds of claims; the models of a run take them in turn.
pub(super) const KINDS: [Kind; 8] = [
    Kind::Always,
    Kind::AlwaysStep,
    Kind::Deadlock,
    Kind::Sometimes,
    Kind::Eventually,
    Kind::EventuallyAlways,
    Kind::AlwaysEventually,
    Kind::LeadsTo,
];

/// How many programs are drawn at most until one is as wished.
const TRIES: usize = 200;

/// The program with this number of a run.
///
/// Most random programs are dull: three states, or a claim that everything violates. So a wish is drawn
/// first, and then programs until our explorer says that one fulfils it. That decides which questions are
/// asked and not how they are answered: a wrong verdict of ours is drawn as readily as a right one.
pub(super) fn draw(seed: u64, index: u64) -> Program {
    let dice = &mut Dice::new(seed, index);
    let kind = KINDS[(index % KINDS.len() as u64) as usize];
    let wish = Wish { negative: dice.percent(50), intricate: dice.percent(75) };
    let mut program = random(dice, kind);
    for _ in 1..TRIES {
        // What our explorer fails at is not dull at all.
        let fulfilled = explore_simply(&program).and_then(|ours| wish.is_fulfilled_by(&program, &ours));
        if fulfilled.unwrap_or(true) {
            break;
        }
        program = random(dice, kind);
    }
    program
}

struct Wish {
    /// The claim is violated, or what was to be reached is not.
    negative: bool,
    /// A safety violation is some steps away; a liveness violation goes round a cycle that is more than
    /// standing still, and fairness is what makes a liveness claim hold.
    intricate: bool,
}

impl Wish {
    fn is_fulfilled_by(&self, program: &Program, ours: &Ours) -> Result<bool> {
        let negative = matches!(ours.judged.verdict, Verdict::Violated | Verdict::Unreached);
        if negative != self.negative || ours.report.distinct < 4 {
            return Ok(false);
        }
        if !self.intricate {
            return Ok(true);
        }
        Ok(match (&ours.judged.trace, program.claim.kind().is_liveness()) {
            (Some(trace), true) => {
                let cycle = trace.cycle.as_ref().map_or(0, |cycle| trace.steps.len() + 1 - cycle.loops_to);
                cycle >= 2
            }
            (Some(trace), false) => trace.steps.len() >= 3,
            (None, true) => {
                let unfair = Program { fairness: Vec::new(), ..program.clone() };
                explore_simply(&unfair)?.judged.verdict == Verdict::Violated
            }
            (None, false) => ours.report.distinct >= 8,
        })
    }
}

fn random(dice: &mut Dice, kind: Kind) -> Program {
    let sizes: Vec<u8> = (0..dice.between(2, MAX_VARIABLES)).map(|_| 3 + dice.value(2)).collect();
    let init = initial_states(dice, &sizes);
    // With more and longer actions something can be done nearly everywhere.
    let (most_actions, most_commands) = if kind == Kind::Deadlock { (4, 2) } else { (6, 3) };
    let count = dice.between(3, most_actions);
    let actions: Vec<_> = (0..count).map(|_| action(dice, &sizes, most_commands)).collect();
    let fairness = fairness(dice, actions.len(), kind.is_liveness());
    let claim = claim(dice, &sizes, kind);
    Program { sizes, init, actions, fairness, claim }
}

fn initial_states(dice: &mut Dice, sizes: &[u8]) -> Vec<State> {
    let count = if dice.percent(60) { 1 } else { dice.between(2, 3) };
    let mut states: Vec<State> = Vec::new();
    for _ in 0..count {
        let mut state = State::default();
        for (value, size) in state.iter_mut().zip(sizes) {
            *value = dice.value(*size);
        }
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

fn action(dice: &mut Dice, sizes: &[u8], most_commands: usize) -> Action {
    Action { commands: (0..dice.between(1, most_commands)).map(|_| command(dice, sizes)).collect() }
}

fn command(dice: &mut Dice, sizes: &[u8]) -> Command {
    let guard = if dice.percent(6) { Predicate::True } else { predicate(dice, sizes, Steps::No, 2) };
    let choice = if dice.percent(20) { choices(dice) } else { Vec::new() };
    if dice.percent(6) {
        // A step that changes nothing is no deadlock, and neither takes nor enables a fair action.
        return Command { guard, choice: Vec::new(), effects: vec![Effect::Keep; sizes.len()] };
    }
    let mut effects: Vec<_> = sizes.iter().map(|_| Effect::Keep).collect();
    if !choice.is_empty() {
        effects[dice.below(sizes.len())] = Effect::Chosen;
    }
    for _ in 0..dice.between(1, 2) {
        let variable = dice.below(sizes.len());
        if effects[variable] == Effect::Keep {
            effects[variable] = match dice.below(10) {
                0..4 => Effect::Increment,
                4..8 => Effect::Set(dice.value(sizes[variable])),
                _ => Effect::Copy(dice.below(sizes.len())),
            };
        }
    }
    Command { guard, choice, effects }
}

/// Two or three different values that every variable can take.
fn choices(dice: &mut Dice) -> Vec<u8> {
    let left_out = dice.value(4);
    (0..3).filter(|value| *value != left_out).collect()
}

fn fairness(dice: &mut Dice, actions: usize, matters: bool) -> Vec<Vec<usize>> {
    let chance = if matters { 75 } else { 30 };
    if dice.percent(8) {
        return vec![(0..actions).collect()];
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for action in 0..actions {
        if !dice.percent(chance) {
            continue;
        }
        match groups.last_mut() {
            Some(group) if dice.percent(15) => group.push(action),
            _ => groups.push(vec![action]),
        }
    }
    groups
}

fn claim(dice: &mut Dice, sizes: &[u8], kind: Kind) -> Claim {
    let mut state = || predicate(dice, sizes, Steps::No, 2);
    match kind {
        Kind::Always => Claim::Always(state()),
        Kind::AlwaysStep => Claim::AlwaysStep(predicate(dice, sizes, Steps::Yes, 2)),
        Kind::Deadlock => Claim::NoDeadlock,
        Kind::Sometimes => Claim::Sometimes(state()),
        Kind::Eventually => Claim::Eventually(state()),
        Kind::EventuallyAlways => Claim::EventuallyAlways(state()),
        Kind::AlwaysEventually => Claim::AlwaysEventually(state()),
        Kind::LeadsTo => {
            let p = state();
            Claim::LeadsTo(p, state())
        }
    }
}

/// Whether a predicate speaks of the state after, too.
#[derive(Clone, Copy, PartialEq)]
enum Steps {
    No,
    Yes,
}

fn predicate(dice: &mut Dice, sizes: &[u8], steps: Steps, depth: usize) -> Predicate {
    if depth == 0 || dice.percent(40) {
        return comparison(dice, sizes, steps);
    }
    let mut parts = || (0..2).map(|_| predicate(dice, sizes, steps, depth - 1)).collect();
    let parts: Vec<_> = parts();
    match dice.below(10) {
        0..4 => Predicate::All(parts),
        4..9 => Predicate::Any(parts),
        _ => Predicate::Not(Box::new(Predicate::All(parts))),
    }
}

fn comparison(dice: &mut Dice, sizes: &[u8], steps: Steps) -> Predicate {
    let variable = |dice: &mut Dice| {
        let variable = dice.below(sizes.len());
        let after = steps == Steps::Yes && dice.percent(50);
        (variable, if after { Term::After(variable) } else { Term::Before(variable) })
    };
    let (index, left) = variable(dice);
    let right = if dice.percent(25) { variable(dice).1 } else { Term::Number(dice.value(sizes[index])) };
    let how = match dice.below(10) {
        0..4 => Comparison::Equal,
        4..6 => Comparison::Differs,
        6..8 => Comparison::Less,
        _ => Comparison::AtLeast,
    };
    Predicate::Compare(left, how, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::tally::Tally;

    #[test]
    fn a_seed_and_a_number_give_one_program() {
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(8, 3));
        assert_ne!(draw(7, 3), draw(7, 3 + KINDS.len() as u64));
    }

    #[test]
    fn a_run_sees_both_sides_of_every_kind() -> Result<()> {
        let mut tally = Tally::default();
        for number in 0..160 {
            let ours = explore_simply(&draw(1, number))?;
            tally.count(ours.judged.kind, ours.judged.verdict, ours.report.distinct);
        }
        tally.is_healthy()
    }
}
