//! Guarded writes replace what they say, and are refused only for a reason.

use super::{Broken, History, Promise, at};
use crate::log::{Asked, Deed, Life, Told};

pub(super) fn judge(life: &Life, history: &History, broken: &mut Vec<Broken>) {
    for deed in &life.deeds {
        let found = match (deed.asked, deed.told) {
            (Asked::Get, _) => None,
            (Asked::Delete(_), Told::Gone) => gone(deed, history),
            (_, Told::Is(_)) => done(deed, history),
            (Asked::Replace(_, guard) | Asked::Delete(guard), Told::Conflict) => {
                let reason = history.after(deed.key, guard).is_some() || history.is_open(deed.key);
                (!reason).then(|| {
                    let what = format!("object {} is said not to be at {}, and it was", deed.key, at(guard));
                    Broken::new(Promise::Refusals, what)
                })
            }
            _ => None,
        };
        broken.extend(found);
    }
}

fn done(deed: &Deed, history: &History) -> Option<Broken> {
    let Told::Is(seen) = deed.told else { return None };
    let wrong = |what: String| Some(Broken::new(Promise::Writes, what));
    if deed.asked.tag() != Some(seen.tag) {
        return wrong(format!("{:?} of object {} was answered with {seen:?}", deed.asked, deed.key));
    }
    // Beyond what is known in whole, something may have come between.
    if seen.version > history.whole() {
        return None;
    }
    let before = history.before(deed.key, seen.version);
    let fits = match deed.asked {
        Asked::Create(_) => before.is_none(),
        Asked::Replace(_, guard) => before.is_some_and(|before| before.version == guard),
        Asked::Patch(_) => before.is_some(),
        Asked::Delete(_) | Asked::Get => true,
    };
    if fits {
        return None;
    }
    wrong(format!(
        "{:?} of object {} at {} took the place of {before:?}",
        deed.asked,
        deed.key,
        at(seen.version)
    ))
}

fn gone(deed: &Deed, history: &History) -> Option<Broken> {
    let Asked::Delete(guard) = deed.asked else { return None };
    match history.after(deed.key, guard) {
        Some((version, Some(tag))) => {
            let what = format!(
                "object {} of {} is said to be gone, and it became {tag} at {}",
                deed.key,
                at(guard),
                at(version)
            );
            Some(Broken::new(Promise::Writes, what))
        }
        _ => None,
    }
}
