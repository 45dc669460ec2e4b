//! Reads show all that was told before they began.

use super::{Broken, History, Promise, at};
use crate::log::{Asked, Deed, Key, Life, Listing, Moment, Said, Told, Version};

/// The greatest version that anybody had been told at each moment.
#[derive(Debug)]
pub(super) struct Clock(Vec<(Moment, Version)>);

impl Clock {
    pub(super) fn of(life: &Life, history: &History) -> Clock {
        let mut told: Vec<(Moment, Version)> = Vec::new();
        for deed in &life.deeds {
            match (deed.told, deed.asked) {
                (Told::Is(seen), _) => told.push((deed.done, seen.version)),
                (Told::Gone, Asked::Delete(guard)) => {
                    let version = history.after(deed.key, guard).map(|(version, _)| version);
                    told.extend(version.map(|version| (deed.done, version)));
                }
                _ => {}
            }
        }
        told.extend(life.listings.iter().map(|listing| (listing.done, listing.version)));
        for (moment, said) in life.watches.iter().flat_map(|watch| &watch.said) {
            told.push((
                *moment,
                match said {
                    Said::Event(_, _, seen) => seen.version,
                    Said::Bookmark(version) | Said::InitialEnd(version) => *version,
                },
            ));
        }
        told.sort_unstable();
        let mut greatest = life.version;
        for (_, version) in &mut told {
            greatest = greatest.max(*version);
            *version = greatest;
        }
        told.insert(0, (0, life.version));
        Clock(told)
    }

    /// What somebody had been told before this moment.
    pub(super) fn floor(&self, moment: Moment) -> Version {
        let later = self.0.partition_point(|(told, _)| *told < moment);
        self.0[later.saturating_sub(1)].1
    }
}

pub(super) fn judge(life: &Life, history: &History, clock: &Clock, broken: &mut Vec<Broken>) {
    for deed in &life.deeds {
        let floor = clock.floor(deed.sent);
        match deed.told {
            Told::Is(seen) if deed.asked == Asked::Get => {
                if let Some((newer, _)) =
                    history.after(deed.key, seen.version).filter(|(newer, _)| *newer <= floor)
                {
                    let what = format!(
                        "object {} was read at {}, and {} had been told before",
                        deed.key,
                        at(seen.version),
                        at(newer)
                    );
                    broken.push(Broken::new(Promise::LinearizableReads, what));
                }
            }
            Told::Is(seen) if seen.version <= floor => {
                let what = format!(
                    "{:?} of object {} came to {}, and {} had been told before it was sent",
                    deed.asked,
                    deed.key,
                    at(seen.version),
                    at(floor)
                );
                broken.push(Broken::new(Promise::Writes, what));
            }
            Told::Missing if !may_be_missing(history, deed.key, floor) => {
                broken.push(Broken::new(Promise::LinearizableReads, is_there(deed, floor)));
            }
            Told::Exists if !may_be_there(history, deed.key, floor) => {
                let what = format!("object {} is said to exist, and it was gone at {}", deed.key, at(floor));
                broken.push(Broken::new(Promise::Refusals, what));
            }
            _ => {}
        }
    }
    for watch in &life.watches {
        let end = watch.said.iter().find_map(|(_, said)| match said {
            Said::InitialEnd(version) => Some(*version),
            Said::Event(..) | Said::Bookmark(_) => None,
        });
        let floor = clock.floor(watch.sent);
        if let Some(version) = end.filter(|version| *version < floor) {
            let what = format!("a watch begins at {}, and {} had been told before", at(version), at(floor));
            broken.push(Broken::new(Promise::LinearizableReads, what));
        }
    }
    for listing in &life.listings {
        judge_listing(listing, history, clock, broken);
    }
}

fn is_there(deed: &Deed, floor: Version) -> String {
    format!("object {} is said to be missing, and it was there at {} and never went", deed.key, at(floor))
}

/// Whether the object was not there at some time from `floor` on.
fn may_be_missing(history: &History, key: Key, floor: Version) -> bool {
    history.state(key, floor).is_none()
        || history.may_be_gone(key)
        || history.later(key, floor).any(|tag| tag.is_none())
}

/// Whether the object was there at some time from `floor` on.
fn may_be_there(history: &History, key: Key, floor: Version) -> bool {
    history.state(key, floor).is_some()
        || history.is_open(key)
        || history.later(key, floor).any(|tag| tag.is_some())
}

fn judge_listing(listing: &Listing, history: &History, clock: &Clock, broken: &mut Vec<Broken>) {
    let floor = clock.floor(listing.sent);
    if listing.version < floor {
        let what = format!("a list is of {}, and {} had been told before", at(listing.version), at(floor));
        broken.push(Broken::new(Promise::LinearizableReads, what));
    }
    let expected = history.objects(listing.version);
    let is_whole = listing.version <= history.whole();
    for key in history.keys().into_iter().chain(listing.objects.keys().copied()) {
        let (listed, was) = (listing.objects.get(&key), expected.get(&key));
        let fits = match (listed, was) {
            _ if listed == was => true,
            _ if is_whole => false,
            // Beyond what is known in whole something may have happened that nobody else was told.
            (Some(listed), _) if listed.version > listing.version => false,
            (Some(listed), Some(was)) => listed.version > was.version,
            (Some(_), None) => history.is_open(key),
            (None, _) => history.may_be_gone(key),
        };
        if !fits {
            let what = format!(
                "a list of {} has object {key} as {listed:?}, and it was {was:?}",
                at(listing.version)
            );
            broken.push(Broken::new(Promise::AtomicLists, what));
            return;
        }
    }
}
