//! What a hub has to come back with after it was killed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Broken, History, Promise, at};
use crate::log::{Asked, Key, Life, Objects, Said, Seen, Tag, Told, Version};

/// What everybody was told when the hub was killed.
#[derive(Debug, Default)]
pub struct Rest {
    /// The greatest version.
    version: Version,
    objects: BTreeMap<Key, Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The last that is known of it, and since when.
    last: Option<Seen>,
    since: Version,
    /// Writes that may have happened after it.
    open: BTreeSet<Tag>,
    /// It may have gone after it.
    maybe_gone: bool,
}

/// What was told in a life.
pub fn rest(life: &Life) -> Rest {
    let (history, _) = History::of(life);
    let mut rest = Rest { version: greatest(life, &history), objects: BTreeMap::new() };
    for key in history.keys() {
        let last = history.state(key, Version::MAX);
        let mut since = life.version;
        while let Some((later, _)) = history.after(key, since) {
            since = later;
        }
        rest.objects.insert(key, Known { last, since, ..Known::default() });
    }
    for deed in &life.deeds {
        let Some(known) = rest.objects.get_mut(&deed.key) else { continue };
        match (deed.asked, deed.told) {
            // Nobody saw at which version, but it went after this one.
            (Asked::Delete(guard), Told::Gone)
                if history.after(deed.key, guard).is_none()
                    && known.last.is_some_and(|last| last.version == guard) =>
            {
                known.last = None;
                known.since = guard;
            }
            (Asked::Delete(_), Told::Nothing) => known.maybe_gone = true,
            (asked, Told::Nothing) => known.open.extend(asked.tag()),
            _ => {}
        }
    }
    rest
}

fn greatest(life: &Life, history: &History) -> Version {
    let lists = life.listings.iter().map(|listing| listing.version);
    let marks = life.watches.iter().flat_map(|watch| &watch.said).map(|(_, said)| match said {
        Said::Event(_, _, seen) => seen.version,
        Said::Bookmark(version) | Said::InitialEnd(version) => *version,
    });
    lists.chain(marks).max().unwrap_or(0).max(history.last())
}

/// Whether a hub that was started again agrees with what was told before.
pub fn resumes(rest: &Rest, version: Version, objects: &Objects) -> Vec<Broken> {
    let mut broken = Vec::new();
    if version < rest.version {
        let what =
            format!("after a kill the hub is at {}, and {} had been told", at(version), at(rest.version));
        broken.push(Broken::new(Promise::Durable, what));
    }
    for key in objects.keys().filter(|key| !rest.objects.contains_key(key)) {
        broken.push(Broken::new(
            Promise::Durable,
            format!("after a kill there is object {key}, which nobody made"),
        ));
    }
    for (key, known) in &rest.objects {
        let there = objects.get(key);
        let fits = match there {
            None => known.last.is_none() || known.maybe_gone,
            Some(there) if Some(there) == known.last.as_ref() => true,
            Some(there) => there.version > known.since && known.open.contains(&there.tag),
        };
        if !fits {
            let what = format!("after a kill object {key} is {there:?}, and everybody was told {known:?}");
            broken.push(Broken::new(Promise::Durable, what));
        }
    }
    broken
}
