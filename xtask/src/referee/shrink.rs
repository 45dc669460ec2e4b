//! Makes a program smaller as long as it still shows the same trouble: nobody wants to read a random one.

use super::program::{Claim, Effect, Predicate, Program};

/// The smallest program that can be reached by leaving out one thing at a time, each time with `trouble`;
/// asks at most `questions` times.
pub(super) fn shrink(
    program: &Program,
    mut questions: usize,
    mut trouble: impl FnMut(&Program) -> bool,
) -> Program {
    let mut smallest = program.clone();
    'smaller: loop {
        for candidate in smaller(&smallest) {
            if questions == 0 {
                return smallest;
            }
            questions -= 1;
            if trouble(&candidate) {
                smallest = candidate;
                continue 'smaller;
            }
        }
        return smallest;
    }
}

/// Programs with one thing less, the largest things first.
fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        change(&mut candidate);
        if candidate != *program {
            all.push(candidate);
        }
    };
    for action in 0..program.actions.len() {
        if program.actions.len() > 1 {
            with(&|p| drop_action(p, action));
        }
    }
    for (action, commands) in program.actions.iter().map(|action| &action.commands).enumerate() {
        for command in 0..commands.len() {
            if commands.len() > 1 {
                with(&|p| drop(p.actions[action].commands.remove(command)));
            }
        }
    }
    for state in 0..program.init.len() {
        if program.init.len() > 1 {
            with(&|p| p.init.retain(|kept| *kept != program.init[state]));
        }
    }
    for group in 0..program.fairness.len() {
        with(&|p| drop(p.fairness.remove(group)));
    }
    for (action, commands) in program.actions.iter().map(|action| &action.commands).enumerate() {
        for (index, command) in commands.iter().enumerate() {
            for guard in weaker(&command.guard) {
                with(&|p| p.actions[action].commands[index].guard = guard.clone());
            }
            for variable in 0..command.effects.len() {
                with(&|p| p.actions[action].commands[index].effects[variable] = Effect::Keep);
            }
            if !command.effects.contains(&Effect::Chosen) {
                with(&|p| p.actions[action].commands[index].choice.clear());
            }
        }
    }
    for claim in simpler(&program.claim) {
        with(&|p| p.claim = claim.clone());
    }
    all
}

fn drop_action(program: &mut Program, action: usize) {
    program.actions.remove(action);
    for group in &mut program.fairness {
        group.retain(|member| *member != action);
        for member in group {
            *member -= usize::from(*member > action);
        }
    }
    program.fairness.retain(|group| !group.is_empty());
}

fn weaker(guard: &Predicate) -> Vec<Predicate> {
    let mut all = vec![Predicate::True];
    all.extend(parts(guard));
    all
}

/// TLC calls `<>TRUE` violated, so a claim always keeps a comparison.
fn simpler(claim: &Claim) -> Vec<Claim> {
    let each = |p: &Predicate, make: fn(Predicate) -> Claim| parts(p).into_iter().map(make).collect();
    match claim {
        Claim::NoDeadlock => Vec::new(),
        Claim::Always(p) => each(p, Claim::Always),
        Claim::AlwaysStep(p) => each(p, Claim::AlwaysStep),
        Claim::Sometimes(p) => each(p, Claim::Sometimes),
        Claim::Eventually(p) => each(p, Claim::Eventually),
        Claim::EventuallyAlways(p) => each(p, Claim::EventuallyAlways),
        Claim::AlwaysEventually(p) => each(p, Claim::AlwaysEventually),
        Claim::LeadsTo(p, q) => {
            let first = parts(p).into_iter().map(|p| Claim::LeadsTo(p, q.clone()));
            first.chain(parts(q).into_iter().map(|q| Claim::LeadsTo(p.clone(), q))).collect()
        }
    }
}

fn parts(predicate: &Predicate) -> Vec<Predicate> {
    match predicate {
        Predicate::True | Predicate::Compare(..) => Vec::new(),
        Predicate::All(parts) | Predicate::Any(parts) => parts.clone(),
        Predicate::Not(part) => vec![(**part).clone()],
    }
}
