//! What a counterexample must be, by the definition and without the explorer: TLC only vouches for verdicts.

use bowline_explorer::{Cycle, Judged, Model, Trace, Verdict};

use super::program::{Claim, Program, State};

/// Says what is wrong with the trace of a verdict.
pub(super) fn examine(program: &Program, judged: &Judged) -> Result<(), String> {
    let wanted = matches!(judged.verdict, Verdict::Violated | Verdict::Reached);
    match &judged.trace {
        None if wanted => Err(format!("`{}` without a trace", judged.verdict.as_str())),
        Some(_) if !wanted => Err(format!("`{}` with a trace", judged.verdict.as_str())),
        None => Ok(()),
        Some(trace) => Path::read(program, trace)?.shows(&program.claim),
    }
}

/// A trace whose steps are steps of the program.
struct Path<'a> {
    program: &'a Program,
    states: Vec<State>,
    /// The action of the step to each state; none leads to the first.
    actions: Vec<Option<usize>>,
    /// The index of the state to which it returns for ever, and the action that returns, if one does.
    loops_to: Option<(usize, Option<usize>)>,
}

impl Path<'_> {
    fn read<'a>(program: &'a Program, trace: &Trace) -> Result<Path<'a>, String> {
        let read = |step: &bowline_explorer::Step| {
            let mut state = State::default();
            for (value, field) in state.iter_mut().zip(&step.state) {
                *value = field.value.parse().map_err(|_| format!("`{}` is no value", field.value))?;
            }
            Ok(state)
        };
        let states = trace.steps.iter().map(read).collect::<Result<Vec<_>, String>>()?;
        let first = states.first().ok_or("the trace is empty")?;
        if !program.init.contains(first) || trace.steps[0].action.is_some() {
            return Err("the trace does not begin with an initial state".into());
        }
        let mut actions = vec![None];
        for (index, step) in trace.steps.iter().enumerate().skip(1) {
            let name = step.action.as_deref().ok_or("a step has no action")?;
            actions.push(Some(action_of(program, &states[index - 1], name, &states[index])?));
        }
        let loops_to = trace.cycle.as_ref().map(|cycle| returns(program, &states, cycle)).transpose()?;
        Ok(Path { program, states, actions, loops_to })
    }

    fn shows(&self, claim: &Claim) -> Result<(), String> {
        let last = &self.states[self.states.len() - 1];
        let before = self.states.len().checked_sub(2).map(|index| &self.states[index]);
        let shown = match claim {
            Claim::Always(p) => !p.holds_in(last),
            Claim::Sometimes(p) => p.holds_in(last),
            Claim::NoDeadlock => self.program.moves(last).next().is_none(),
            Claim::AlwaysStep(p) => before.is_some_and(|before| before != last && !p.holds(before, last)),
            Claim::Eventually(p) => self.states.iter().all(|state| !p.holds_in(state)),
            Claim::EventuallyAlways(p) => self.cycle().iter().any(|state| !p.holds_in(state)),
            Claim::AlwaysEventually(p) => self.cycle().iter().all(|state| !p.holds_in(state)),
            Claim::LeadsTo(p, q) => (0..self.states.len()).any(|index| {
                let rest = &self.states[index.min(self.loop_start())..];
                p.holds_in(&self.states[index]) && rest.iter().all(|state| !q.holds_in(state))
            }),
        };
        if !shown {
            return Err("the trace does not show what the verdict says".into());
        }
        match (claim.kind().is_liveness(), self.loops_to) {
            (true, None) => Err("the trace of a liveness violation does not go on for ever".into()),
            (true, Some(_)) => self.is_fair(),
            (false, None) => Ok(()),
            (false, Some(_)) => Err("the trace of a safety violation goes on for ever".into()),
        }
    }

    fn loop_start(&self) -> usize {
        self.loops_to.map_or(0, |(index, _)| index)
    }

    fn cycle(&self) -> &[State] {
        &self.states[self.loop_start()..]
    }

    /// Each fair group is taken on the cycle, by a step that is shown as one of it, or somewhere on it is not
    /// enabled.
    fn is_fair(&self) -> Result<(), String> {
        let cycle = self.cycle();
        let returning = self.loops_to.and_then(|(_, action)| action);
        let actions = self.actions[self.loop_start()..].iter().skip(1).chain([&returning]);
        let steps: Vec<_> = cycle.iter().zip(cycle.iter().cycle().skip(1)).zip(actions).collect();
        for (number, group) in self.program.fairness.iter().enumerate() {
            let is_in = |action: &Option<usize>| action.is_some_and(|action| group.contains(&action));
            let taken = steps.iter().any(|((before, after), action)| before != after && is_in(action));
            let enabled = |state: &State| {
                let mut moves = self.program.moves(state).filter(|made| group.contains(&made.action));
                moves.any(|made| self.program.after(state, made) != *state)
            };
            if !taken && cycle.iter().all(enabled) {
                return Err(format!("the cycle is not fair to group {}", number + 1));
            }
        }
        Ok(())
    }
}

/// The action with this name that leads from one state to the other.
fn action_of(program: &Program, before: &State, name: &str, after: &State) -> Result<usize, String> {
    let mut moves = program.moves(before).filter(|made| program.action_name(made) == name);
    let made = moves.find(|made| program.after(before, *made) == *after);
    made.map(|made| made.action).ok_or_else(|| format!("`{name}` does not lead from {before:?} to {after:?}"))
}

fn returns(program: &Program, states: &[State], cycle: &Cycle) -> Result<(usize, Option<usize>), String> {
    let last = &states[states.len() - 1];
    let index = cycle.loops_to.checked_sub(1).filter(|index| *index < states.len());
    let index = index.ok_or_else(|| format!("there is no state {} to return to", cycle.loops_to))?;
    match &cycle.action {
        Some(name) => Ok((index, Some(action_of(program, last, name, &states[index])?))),
        None if states[index] == *last => Ok((index, None)),
        None => Err("doing nothing leads to another state".into()),
    }
}
