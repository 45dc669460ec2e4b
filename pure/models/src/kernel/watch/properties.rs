//! What is claimed of what watchers see.

use bowline_explorer::Property;

use super::state::{State, WATCHED, Watcher};
use super::{Action, Watch};

fn truth(s: &State, version: u8) -> [u8; WATCHED] {
    let [a, b, _] = s.objects_at(version);
    [a, b]
}

fn is_current(s: &State, watcher: &Watcher) -> bool {
    !watcher.lists && watcher.cache == truth(s, s.durable)
}

pub(super) fn all() -> Vec<Property<Watch>> {
    let mut all = safety();
    all.extend([
        Property::eventually_always("Converges", |_, s: &State| {
            s.made == s.durable && s.watchers.iter().all(|watcher| is_current(s, watcher))
        })
        .about("when writes stop, every watcher comes to keep what is there"),
        Property::sometimes("Expires", |_, s: &State| s.watchers.iter().any(|watcher| watcher.lists))
            .about("a watcher asks for history that is no longer there"),
        Property::sometimes("Follows", |_, s: &State| {
            let [one, other] = s.watchers;
            s.start > 0 && one.cursor == s.durable && other.cursor < s.start
        })
        .about("one watcher has followed, and another has to list"),
        Property::sometimes("PendingWhileWatched", |_, s: &State| {
            s.made > s.durable + 1 && s.durable > 0 && s.watchers.iter().all(|w| w.cursor == s.durable)
        })
        .about("watchers have seen all that is durable while more is written"),
        Property::sometimes("WrittenAgain", |_, s: &State| {
            s.loaded > 0 && s.durable > s.loaded && s.watchers.iter().all(|w| w.cursor == s.durable)
        })
        .about("watchers go on after a restart"),
    ]);
    all
}

fn safety() -> Vec<Property<Watch>> {
    vec![
        Property::always("CacheIsTruth", |_, s: &State| {
            s.watchers.iter().all(|watcher| watcher.cache == truth(s, watcher.cursor.min(s.made)))
        })
        .about("what a watcher keeps is what was there at the version that it has reached"),
        Property::always_step("NextInOrder", |_, s: &State, action: &Action, next: &State| {
            let Action::Event(w) = action else { return true };
            let (before, after) = (s.watchers[usize::from(*w)], next.watchers[usize::from(*w)]);
            let due = s.changes(before.cursor, s.made).find(|(_, slot, _)| usize::from(*slot) < WATCHED);
            after.lists || due.is_some_and(|(version, _, _)| version == after.cursor)
        })
        .about("an event is the first that the watcher has not seen: no gap, no reordering"),
        Property::always("NoDuplicate", |_, s: &State| !s.watchers.iter().any(|watcher| watcher.twice))
            .about("a watcher is told everything once"),
        Property::always("OnlyDurable", |_, s: &State| s.watchers.iter().all(|w| w.cursor <= s.durable))
            .about("a watcher sees only what is durable, and what it saw is there after a restart"),
        Property::always_step("NeverBack", |_, s: &State, _: &Action, next: &State| {
            s.watchers.iter().zip(&next.watchers).all(|(before, after)| before.cursor <= after.cursor)
        })
        .about("a watcher does not go back to an older version, also after a restart"),
        Property::always("WatchersAgree", |_, s: &State| {
            let [one, other] = s.watchers;
            one.cursor != other.cursor || one.cache == other.cache
        })
        .about("who listed and who followed keep the same at the same version"),
    ]
}
