//! How a step is done.

use std::convert::Infallible;

use bowline_control::{Effect, Version, Write};

use crate::Step;
use crate::snapshot::Snapshot;
use crate::state::{Half, Id, Names, Object, Owner, Pair, Side};

/// How a step is done, which was decided on this snapshot.
pub(crate) fn effect<N: Names>(snapshot: &Snapshot<N>, step: Step) -> Effect<Object<N>, Infallible> {
    let Some(pair) = &snapshot.pair else { unreachable!("every step is about a pair that is there") };
    match step {
        Step::Hold => Effect::Write(held(pair, true)),
        Step::LetGo => Effect::Write(held(pair, false)),
        Step::Make(side) => Effect::Write(Write::Create(Object::Half(half(pair, side)))),
        Step::Mend(side) => with(snapshot, side, pair, |before| {
            let after = Half { value: pair.value, ..before.clone() };
            Write::Change { before: Object::Half(before), after: Object::Half(after) }
        }),
        Step::Remove(side) => with(snapshot, side, pair, |before| Write::Delete(Object::Half(before))),
    }
}

fn held<N: Names>(pair: &Pair<N>, held: bool) -> Write<Object<N>> {
    let after = Pair { held, ..pair.clone() };
    Write::Change { before: Object::Pair(pair.clone()), after: Object::Pair(after) }
}

/// A half as it shall be made. Its name follows from the pair's, so that it cannot be made twice.
fn half<N: Names>(pair: &Pair<N>, side: Side) -> Half<N> {
    Half {
        pair: pair.name.clone(),
        side,
        uid: N::Uid::default(),
        version: Version(0),
        deleting: false,
        owner: Some(Owner { name: pair.name.clone(), uid: pair.uid.clone() }),
        value: pair.value,
        ready: false,
    }
}

fn with<N: Names>(
    snapshot: &Snapshot<N>,
    side: Side,
    pair: &Pair<N>,
    write: impl Fn(Half<N>) -> Write<Object<N>>,
) -> Effect<Object<N>, Infallible> {
    match snapshot.half(side) {
        Some(half) => Effect::Write(write(half.clone())),
        None => Effect::Look(Id::Half(pair.name.clone(), side)),
    }
}
