//! Walks through the model of the small controller, for a replay on real servers: what happens, and what the controller
//! must then do.
//!
//! A real process takes its turn as soon as it can, and nobody tells its clock: so in these walks turns come first, timers
//! second, and nothing happens that cannot be made to happen there.

use bowline_explorer::{Model, SplitMix};

use super::{CONTROL, SHAPE, Sample, bounds};
use crate::budgets::Faults;
use crate::harness::{Action, Deed, Fault, Harness, SHIPPED, State, System, Who};

/// One thing that happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// Somebody does this to an object: `Create`, `Edit`, `Delete`, `MakeReady`, `Spoil`, `Steal`, `Squat` or `Touch`.
    Deed(&'static str, String),
    /// The oldest change of a kind that is not shown yet is shown to the controller.
    Show(Part),
    /// The controller decides, and must do this.
    Does(&'static str),
    /// What it does is done, and answered.
    Carry,
    /// What it does never arrives.
    LoseRequest,
    /// What it does is done, and not answered.
    LoseReply,
    /// What it does is not answered, and may arrive later.
    Delay,
    /// What was delayed arrives.
    Arrive,
    /// The controller is killed, and starts again; what it was doing is done, or not.
    Crash(bool),
    /// The controller is killed while what it does is on its way, and another one starts.
    Depose,
    /// The watch of a kind has a gap, and everything is listed.
    Relist(Part),
}

/// One of the two kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Pairs.
    Pair,
    /// Halves.
    Half,
}

/// A walk of so many steps at most, with these faults. The same seed gives the same walk.
///
/// # Panics
/// If the faults are not those of the model `control`.
pub fn rehearsal(seed: u64, faults: &Faults, steps: usize) -> Vec<Move> {
    let size = CONTROL.size("lag=3,edits=2,deletes=1").expect("a size that works");
    let budgets = Fault::NAMES.map(|kind| faults.of(kind));
    let model = Harness::new(Sample(SHAPE), bounds(&size, budgets), SHIPPED);
    let mut random = SplitMix::new(seed);
    let mut state = model.init().remove(0);
    let mut moves = Vec::new();
    while moves.len() < steps {
        let mut actions = Vec::new();
        model.actions(&state, &mut actions);
        let Some(action) = choose(&actions, &state, &mut random) else { break };
        state = model.next(&state, &action);
        let does = state.keys[0].doing.map(|doing| Sample::POINTS[usize::from(doing.point)]);
        moves.extend(told(action, does));
        state = model.canonical(state);
    }
    moves
}

/// What happens next: what cannot wait, or any of the others.
fn choose(actions: &[Action], state: &State, random: &mut SplitMix) -> Option<Action> {
    let now = actions.iter().find(|action| matches!(action, Action::Turn(_)));
    let soon = actions.iter().find(|action| matches!(action, Action::Wake(_)));
    // A cache that lags too far would be shown the oldest without anybody saying so.
    let full = actions.iter().find(|action| matches!(action, Action::Show(kind) if state.behind(*kind) == 3));
    // Real collectors wait for nobody.
    let collect = actions.iter().find(|action| matches!(action, Action::Collect(_)));
    if let Some(action) = now.or(soon).or(collect).or(full) {
        return Some(*action);
    }
    // Of two requests that were left behind nobody could tell which one is to arrive.
    let is_one_late = state.late.iter().any(Option::is_some);
    let can_be_made = |action: &&Action| match action {
        Action::Jump(_) | Action::Relist(_, false) => false,
        Action::Delay(_) | Action::Depose => !is_one_late,
        _ => true,
    };
    let free: Vec<_> = actions.iter().filter(can_be_made).copied().collect();
    let goes_on: Vec<_> = free.iter().filter(|action| goes_on(action)).copied().collect();
    // If everything that can go wrong did so at once, nobody would get far.
    let of = if goes_on.is_empty() || random.below(4) == 0 { free } else { goes_on };
    of.get(random.below(of.len().max(1))).copied()
}

/// Whether it is neither a fault nor a wish of somebody's.
fn goes_on(action: &Action) -> bool {
    let is_wish = matches!(action, Action::Deed(Deed { who: Who::Person(_), .. }));
    action.fault().is_none() && !is_wish
}

fn told(action: Action, does: Option<&'static str>) -> Option<Move> {
    let part = |kind: u8| if kind == 0 { Part::Pair } else { Part::Half };
    Some(match action {
        Action::Turn(_) | Action::Wake(_) => return does.map(Move::Does),
        Action::Collect(_) => return None,
        Action::Carry(_) => Move::Carry,
        Action::Show(kind) => Move::Show(part(kind)),
        Action::Arrive(_) => Move::Arrive,
        Action::Deed(deed) => Move::Deed(deed.about, Sample::place_name(deed.slot)),
        Action::Touch(slot) => Move::Deed("Touch", Sample::place_name(slot)),
        Action::Crash(sent) => Move::Crash(sent),
        Action::LoseRequest(_) => Move::LoseRequest,
        Action::LoseReply(_) => Move::LoseReply,
        Action::Delay(_) => Move::Delay,
        Action::Relist(kind, _) => Move::Relist(part(kind)),
        Action::Depose => Move::Depose,
        Action::Apply(_) => unreachable!("answers come with what they answer"),
        Action::Jump(_) => unreachable!("nobody tells a real clock"),
        Action::Fail(..) => unreachable!("nobody is outside"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_repeated_by_its_seed_and_contains_every_kind_of_move() {
        let faults = CONTROL
            .budgets("crash=1,conflict=1,lost-request=1,lost-reply=2,relist=1,two-leaders=1,drift=2")
            .expect("faults of the model");
        let mut all = Vec::new();
        for seed in 0..40 {
            let walk = rehearsal(seed, &faults, 60);
            assert_eq!(walk, rehearsal(seed, &faults, 60));
            assert!(walk.len() > 10, "{walk:?}");
            all.extend(walk);
        }
        let has = |is: fn(&Move) -> bool| all.iter().any(is);
        assert!(has(|m| matches!(m, Move::Carry)) && has(|m| matches!(m, Move::LoseRequest)));
        assert!(has(|m| matches!(m, Move::LoseReply)) && has(|m| matches!(m, Move::Delay)));
        assert!(has(|m| matches!(m, Move::Arrive)) && has(|m| matches!(m, Move::Depose)));
        assert!(has(|m| matches!(m, Move::Crash(true))) && has(|m| matches!(m, Move::Crash(false))));
        assert!(
            has(|m| matches!(m, Move::Relist(Part::Pair))) && has(|m| matches!(m, Move::Show(Part::Half)))
        );
        for point in Sample::POINTS {
            assert!(all.contains(&Move::Does(point)), "nobody does `{point}`");
        }
        for deed in ["Create", "Edit", "Delete", "MakeReady", "Spoil", "Steal", "Squat", "Touch"] {
            assert!(
                all.iter().any(|m| matches!(m, Move::Deed(about, _) if *about == deed)),
                "nobody does {deed}"
            );
        }
    }
}
