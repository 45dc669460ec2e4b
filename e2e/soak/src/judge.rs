//! Whether what everybody was told can be true: one history of versions explains all of it.
//!
//! There is one counter of versions, so there is nothing to search for: every change has a number, and what a client was
//! told either fits that order and the clock, or does not.

mod history;
mod lives;
mod reads;
#[cfg(test)]
mod tests;
mod watches;
mod writes;

use std::fmt;

use crate::log::{Life, Version};
pub use history::History;
pub use lives::{Rest, rest, resumes};

/// A promise that the hub makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// A version belongs to one change, and a write happens once.
    OneHistory,
    /// Versions grow with time, and a guarded write replaces what it says.
    Writes,
    /// A read shows everything that anybody was told before it began, and nothing that was not.
    LinearizableReads,
    /// A list is of one version, also in pieces.
    AtomicLists,
    /// A refusal has a reason.
    Refusals,
    /// What was acknowledged or seen is there after a kill.
    Durable,
    /// Events come in the order of versions.
    Ordered,
    /// No event comes twice.
    Unique,
    /// An event shows an object as one write left it.
    Atomic,
    /// No event is left out.
    NoGap,
    /// A watch goes on where another ended.
    Resumable,
    /// A bookmark says that all before it was said.
    Bookmarks,
    /// A watch shows what it selects, and only that.
    Filter,
    /// What goes is shown as it was.
    PreviousValue,
    /// `ADDED` is what was not there, `MODIFIED` what was.
    IsCreate,
}

impl Promise {
    /// All of them.
    pub const ALL: [Promise; 15] = [
        Promise::OneHistory,
        Promise::Writes,
        Promise::LinearizableReads,
        Promise::AtomicLists,
        Promise::Refusals,
        Promise::Durable,
        Promise::Ordered,
        Promise::Unique,
        Promise::Atomic,
        Promise::NoGap,
        Promise::Resumable,
        Promise::Bookmarks,
        Promise::Filter,
        Promise::PreviousValue,
        Promise::IsCreate,
    ];
}

/// A promise that was not kept, and where that is seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The promise.
    pub promise: Promise,
    /// What was seen.
    pub what: String,
}

impl Broken {
    pub(crate) fn new(promise: Promise, what: impl Into<String>) -> Broken {
        Broken { promise, what: what.into() }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.promise, self.what)
    }
}

/// How much was held against the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Changes that are known.
    pub changes: usize,
    /// Of these, those that came after the last that was told to who watches everything: what lies between them is not known.
    pub late: usize,
    /// Answers about objects.
    pub answers: usize,
    /// Lists.
    pub listings: usize,
    /// Events of watches.
    pub events: usize,
    /// Bookmarks.
    pub bookmarks: usize,
    /// Watches that went on where another one had ended.
    pub resumed: usize,
}

impl Checked {
    /// Both together.
    pub fn add(&mut self, other: Checked) {
        self.changes += other.changes;
        self.late += other.late;
        self.answers += other.answers;
        self.listings += other.listings;
        self.events += other.events;
        self.bookmarks += other.bookmarks;
        self.resumed += other.resumed;
    }
}

/// Holds all of a life against one history.
pub fn judge(life: &Life) -> (Checked, Vec<Broken>) {
    let (history, mut broken) = History::of(life);
    broken.extend(life.odd.iter().cloned());
    let clock = reads::Clock::of(life, &history);
    writes::judge(life, &history, &mut broken);
    reads::judge(life, &history, &clock, &mut broken);
    let (events, bookmarks) = watches::judge(life, &history, &mut broken);
    let checked = Checked {
        changes: history.len(),
        late: history.between(history.whole(), history.last()).count(),
        answers: life.deeds.len(),
        listings: life.listings.len(),
        events,
        bookmarks,
        resumed: life
            .watches
            .iter()
            .filter(|watch| watch.from.is_some_and(|from| from > life.version))
            .count(),
    };
    (checked, broken)
}

/// A version for people.
fn at(version: Version) -> String {
    format!("version {version}")
}
