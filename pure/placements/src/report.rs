//! What people are told of how a placement stands.

use bowline_control::{Standing, Write};

use crate::decide::{Case, Wait};
use crate::object::Object;
use crate::state::{Mood, Names, Phase, Placement, Told};
use crate::words;

/// The most characters that are told.
const LONGEST: usize = 8_192;

/// The write that makes the placement show how it stands; `None` if it does.
pub(crate) fn report<N: Names>(
    case: &Case<'_, N>,
    standing: Standing<'_, Wait<N>>,
) -> Option<Write<Object<N>>> {
    let before = case.placement;
    let told = told(case, standing);
    // Without our finalizer it is going, and nobody reads it any more.
    if before.told.as_ref() == Some(&told) || before.deleting && !before.held {
        return None;
    }
    let after = Placement { told: Some(told), ..before.clone() };
    Some(Write::Status { before: Object::Placement(before.clone()), after: Object::Placement(after) })
}

fn told<N: Names>(case: &Case<'_, N>, standing: Standing<'_, Wait<N>>) -> Told<N> {
    let waits = match standing {
        Standing::Waiting(wait) => Some(wait),
        _ => None,
    };
    let (mood, words) = mood(standing, || words::well(case));
    Told { phase: phase(case, waits), mood, words: short::<N>(&words), observed: case.placement.generation }
}

/// How it stands, in a word and in words.
pub(crate) fn mood<W: words::Told>(
    standing: Standing<'_, W>,
    well: impl FnOnce() -> String,
) -> (Mood, String) {
    match standing {
        Standing::Converged => (Mood::Well, well()),
        Standing::Waiting(wait) if wait.is_rest() => (Mood::Well, well()),
        Standing::Waiting(wait) if wait.is_for_a_person() => (Mood::Stalled, format!("waits for {wait}")),
        Standing::Waiting(wait) => (Mood::Waiting, format!("waits for {wait}")),
        Standing::Failing(why) => (Mood::Failing, why.to_owned()),
        Standing::Stalled(why) => (Mood::Stalled, why.to_owned()),
    }
}

/// Words that are not longer than anybody reads.
pub(crate) fn short<N: Names>(words: &str) -> N::Text {
    let short: String = words.chars().take(LONGEST).collect();
    N::Text::from(&short)
}

/// How far it has come, by what is recorded and what is waited for.
fn phase<N: Names>(case: &Case<'_, N>, waits: Option<&Wait<N>>) -> Phase {
    let placement = case.placement;
    let is_there = placement.desired.as_ref().is_some_and(|target| placement.grant.is_granted_to(target));
    match waits {
        _ if placement.deleting => Phase::Deleting,
        Some(Wait::Fence(_) | Wait::Contact(..)) => Phase::Fencing,
        Some(Wait::Released(..)) => Phase::Releasing,
        _ if is_there => Phase::Granted,
        _ if placement.desired.is_some() => Phase::Moving,
        _ => Phase::Pending,
    }
}
