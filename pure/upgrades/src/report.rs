//! What people are told of how a group stands.

use bowline_control::{Standing, Write};

use crate::decide::{Case, Wait};
use crate::object::Object;
use crate::state::{Group, Mood, Names, Told};
use crate::words;

/// The most characters that are told.
const LONGEST: usize = 8_192;

/// The write that makes the group show how it stands; `None` if it does.
pub(crate) fn report<N: Names>(
    case: &Case<'_, N>,
    standing: Standing<'_, Wait<N>>,
) -> Option<Write<Object<N>>> {
    let before = case.group;
    let told = told(case, standing);
    // Without our finalizer it is going, and nobody reads it any more.
    if before.told.as_ref() == Some(&told) || before.deleting && !before.held {
        return None;
    }
    let after = Group { told: Some(told), ..before.clone() };
    Some(Write::Status { before: Object::Group(before.clone()), after: Object::Group(after) })
}

/// What is told in the write of a step: what is waited for next. If something else is to be done first, that goes without saying:
/// the phase says enough, and more is told when it is done.
pub(crate) fn foretold<N: Names>(case: &Case<'_, N>) -> Told<N> {
    match case.steps() {
        Err(wait) => told(case, Standing::Waiting(&wait)),
        Ok(_) => Told { mood: Mood::Waiting, words: N::Text::from(""), observed: case.group.generation },
    }
}

fn told<N: Names>(case: &Case<'_, N>, standing: Standing<'_, Wait<N>>) -> Told<N> {
    let (mood, words) = match standing {
        Standing::Converged | Standing::Waiting(Wait::NextLook) => (Mood::Well, words::well(case)),
        Standing::Waiting(wait) if wait.is_for_a_person() => (Mood::Stalled, words::waits(wait)),
        Standing::Waiting(wait) => (Mood::Waiting, words::waits(wait)),
        Standing::Failing(why) => (Mood::Failing, why.to_owned()),
        Standing::Stalled(why) => (Mood::Stalled, why.to_owned()),
    };
    let short: String = words.chars().take(LONGEST).collect();
    Told { mood, words: N::Text::from(&short), observed: case.group.generation }
}
