//! What a watch has to say follows from the history, word for word.

use super::{Broken, History, Promise, at};
use crate::log::{Key, Kind, Life, Objects, Said, Seen, Selects, Version, Watch};

type Event = (Kind, Key, Seen);

/// How many events and bookmarks were looked at.
pub(super) fn judge(life: &Life, history: &History, broken: &mut Vec<Broken>) -> (usize, usize) {
    let (mut events, mut bookmarks) = (0, 0);
    for watch in &life.watches {
        let said = watch.said.iter().map(|(_, said)| said);
        events += said.clone().filter(|said| matches!(said, Said::Event(..))).count();
        bookmarks += said.filter(|said| !matches!(said, Said::Event(..))).count();
        broken.extend(judge_one(watch, history));
    }
    (events, bookmarks)
}

fn judge_one(watch: &Watch, history: &History) -> Option<Broken> {
    let said: Vec<Said> = watch.said.iter().map(|(_, said)| *said).collect();
    let (from, said) = match watch.from {
        Some(from) => (from, said.as_slice()),
        None => {
            let end = said.iter().position(|said| matches!(said, Said::InitialEnd(_)))?;
            let Said::InitialEnd(version) = said[end] else { return None };
            if let Some(wrong) = initial(watch.selects, &said[..end], version, history) {
                return Some(wrong);
            }
            (version, &said[end + 1..])
        }
    };
    // Beyond this, nobody knows what there was to say.
    let whole = history.whole();
    let expected: Vec<Event> = history
        .between(from, whole)
        .filter_map(|(version, _)| event(watch.selects, version, history))
        .collect();
    let resumed = from > history.first();
    let mut seen: Vec<Event> = Vec::new();
    let mut marked = None;
    for said in said {
        match said {
            Said::Event(kind, key, object) => {
                let event = (*kind, *key, *object);
                if let Some(marked) = marked.filter(|marked| object.version <= *marked)
                    && !was_seen(&seen, object.version)
                {
                    return Some(wrong(
                        Promise::Bookmarks,
                        watch,
                        &event,
                        &format!("{} was marked", at(marked)),
                    ));
                }
                if object.version > whole {
                    return ordered(watch, seen.last(), &event);
                }
                let due = expected.get(seen.len());
                if due != Some(&event) {
                    let promise = blame(watch.selects, due, &event, &seen, resumed, history);
                    return Some(wrong(promise, watch, &event, &format!("due was {due:?}")));
                }
                seen.push(event);
            }
            Said::Bookmark(version) | Said::InitialEnd(version) => {
                let due = expected.get(seen.len()).filter(|(_, _, due)| due.version <= *version);
                let reached = marked.max(seen.last().map(|(_, _, last)| last.version));
                if reached.is_some_and(|reached| *version < reached) || due.is_some() {
                    let what =
                        format!("a watch of {:?} marks {}, and due was {due:?}", watch.selects, at(*version));
                    return Some(Broken::new(Promise::Bookmarks, what));
                }
                marked = Some(*version);
            }
        }
    }
    None
}

fn was_seen(seen: &[Event], version: Version) -> bool {
    seen.iter().any(|(_, _, before)| before.version == version)
}

fn wrong(promise: Promise, watch: &Watch, event: &Event, why: &str) -> Broken {
    let what = format!("a watch of {:?} from {:?} says {event:?}; {why}", watch.selects, watch.from);
    Broken::new(promise, what)
}

fn ordered(watch: &Watch, last: Option<&Event>, event: &Event) -> Option<Broken> {
    let last = last.filter(|(_, _, last)| last.version >= event.2.version)?;
    Some(wrong(Promise::Ordered, watch, event, &format!("before it came {last:?}")))
}

/// What a watch says when this version comes about.
fn event(selects: Selects, version: Version, history: &History) -> Option<Event> {
    let (_, (key, tag)) = history.between(version - 1, version).next()?;
    let before = history.before(key, version).filter(|before| selects.takes(key, before.tag));
    let after = tag.filter(|tag| selects.takes(key, *tag));
    match (before, after) {
        (None, None) => None,
        (None, Some(tag)) => Some((Kind::Added, key, Seen { version, tag })),
        (Some(_), Some(tag)) => Some((Kind::Modified, key, Seen { version, tag })),
        // What goes is shown as it was, at the version at which it went.
        (Some(before), None) => Some((Kind::Deleted, key, Seen { version, tag: before.tag })),
    }
}

/// The objects that there were come first, all of one version.
fn initial(selects: Selects, said: &[Said], version: Version, history: &History) -> Option<Broken> {
    let mut shown = Objects::new();
    for said in said {
        let Said::Event(kind, key, seen) = said else { continue };
        if *kind != Kind::Added || shown.insert(*key, *seen).is_some() {
            let what = format!("a watch begins with {kind:?} of object {key} at {}", at(seen.version));
            return Some(Broken::new(Promise::IsCreate, what));
        }
    }
    if version > history.whole() {
        return None;
    }
    let mut expected = history.objects(version);
    expected.retain(|key, seen| selects.takes(*key, seen.tag));
    (shown != expected).then(|| {
        let what = format!(
            "a watch of {selects:?} begins at {} with {shown:?}, and there was {expected:?}",
            at(version)
        );
        Broken::new(Promise::Atomic, what)
    })
}

/// Which promise is broken by an event that was not due.
fn blame(
    selects: Selects,
    due: Option<&Event>,
    event: &Event,
    seen: &[Event],
    resumed: bool,
    history: &History,
) -> Promise {
    let (kind, key, object) = event;
    if was_seen(seen, object.version) {
        return Promise::Unique;
    }
    if seen.last().is_some_and(|(_, _, last)| object.version < last.version) {
        return Promise::Ordered;
    }
    match due {
        Some((due_kind, due_key, due)) if due.version == object.version => match (due_kind, kind) {
            _ if due_key != key => Promise::Atomic,
            (Kind::Deleted, Kind::Deleted) => Promise::PreviousValue,
            _ if due_kind == kind => Promise::Atomic,
            (Kind::Added | Kind::Modified, Kind::Added | Kind::Modified) => Promise::IsCreate,
            _ => Promise::Filter,
        },
        _ if self::event(selects, object.version, history).is_none() => Promise::Filter,
        _ if resumed && seen.is_empty() => Promise::Resumable,
        _ => Promise::NoGap,
    }
}
