//! What is known of all leases of members, by the clock of the hub; and when it is believed that somebody is lost.
//!
//! # Invariants
//! - Nobody is said to have lapsed before the holder has stopped, whatever became of the Lease.
//! - Nobody is said to have lapsed by what a watch does not show: the server was asked, and says the same.

use std::collections::BTreeMap;

use bowline_control::lease::{Judge, Lapse, Settings};
use bowline_control::{Millis, Version};

use crate::effect::Pulse;

/// The longest lease of a member. An agent says how long its own lasts; one that says more must not keep others waiting, for nobody
/// is judged before all that were cut off together have lapsed.
pub const LONGEST: Millis = Millis(60_000);
/// The shortest.
pub const SHORTEST: Millis = Millis(1_000);
/// A lease is renewed after this part of it, as agents do.
const RENEWED_AFTER: u64 = 3;

/// A lease, as far as it is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paper {
    version: Version,
    term: Millis,
    tenancy: Tenancy,
}

/// Who has a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tenancy {
    /// Nobody ever had it.
    Fresh,
    /// Somebody has it.
    Held,
    /// Who had it has given it back.
    Returned,
}

impl Paper {
    /// What an object says: its version, how long it lasts if it says so, and who has it.
    pub fn new(version: Version, term: Option<Millis>, tenancy: Tenancy) -> Paper {
        let term = term.unwrap_or(Settings::default().term()).clamp(SHORTEST, LONGEST);
        Paper { version, term, tenancy }
    }
}

/// All leases of members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Docket<K> {
    started: Millis,
    judge: Judge<K>,
    /// Those that nobody holds.
    idle: BTreeMap<K, Tenancy>,
    /// Those that are not there, and since when.
    missing: BTreeMap<K, Millis>,
    /// The longest that was seen.
    longest: Millis,
    /// It was looked whether a person has said that the hub may trust itself.
    listens: bool,
    /// What was said last.
    word: Option<String>,
}

impl<K: Clone + Ord> Docket<K> {
    /// Nothing is known, and somebody begins to look.
    pub fn new(now: Millis) -> Docket<K> {
        let judge = Judge::new(&Settings::default(), now);
        let judge = Judge { begins: now, window: Millis(0), ..judge };
        let (idle, missing) = (BTreeMap::new(), BTreeMap::new());
        Docket { started: now, judge, idle, missing, longest: Millis(0), listens: false, word: None }
    }

    /// A lease is so.
    pub fn see(&mut self, name: K, paper: Paper, now: Millis) {
        self.missing.remove(&name);
        if paper.tenancy != Tenancy::Held {
            // Giving back is no lapse: who does it has stopped.
            self.judge.forget(&name);
            self.idle.insert(name, paper.tenancy);
            return;
        }
        self.idle.remove(&name);
        // One full lease after the start, and all that was cut off together lapses within the time after which it is renewed.
        self.longest = self.longest.max(paper.term);
        self.judge.begins = self.started.plus(self.longest);
        self.judge.window = Millis(self.longest.0 / RENEWED_AFTER);
        self.judge.see(name, paper.version, paper.term, now);
    }

    /// A lease is not there. It may have been deleted under its holder, who acts until it would have lapsed.
    pub fn gone(&mut self, name: &K, now: Millis) {
        self.judge.forget(name);
        self.idle.remove(name);
        self.missing.entry(name.clone()).or_insert(now);
    }

    /// Judges what was seen. To be called when the server was asked for all that are [doubtful](Docket::is_doubtful).
    pub fn judge(&mut self, now: Millis) {
        self.judge.judge(now);
        // What has been missing for longer than any lease lasts needs no place here: it is asked for again.
        let forgets = Millis(LONGEST.0 * 10);
        self.missing.retain(|_, since| now.since(*since) < forgets);
    }

    /// A person's word that the hub may trust itself, as it stands. Another one than before ends the present suspicion: who is silent by
    /// now has lapsed, if the server says so too. It says nothing of a suspicion that comes later, and one that is found in the
    /// beginning was about an earlier one.
    pub fn hear(&mut self, word: Option<&str>, now: Millis) {
        let listened = std::mem::replace(&mut self.listens, true);
        // That it is not to be seen for a moment takes nothing back.
        let Some(word) = word.filter(|word| self.word.as_deref() != Some(*word)) else { return };
        self.word = Some(word.to_owned());
        if listened {
            self.judge.trust(now);
        }
    }

    /// Whether it suspects itself: too many are silent together.
    pub fn is_suspect(&self) -> bool {
        self.judge.suspicion.is_some()
    }

    /// Whether the server has to be asked for a lease before anything is said of it.
    pub fn is_doubtful(&self, name: &K, now: Millis) -> bool {
        self.seems(name, now) != Pulse::Live
    }

    /// How a lease stands, if the server was asked for it since it became doubtful, or was not.
    pub fn pulse(&self, name: &K, was_asked: bool, now: Millis) -> Pulse {
        match self.seems(name, now) {
            // It has become silent while others were asked for.
            Pulse::Lapsed if !was_asked => Pulse::Silent,
            pulse => pulse,
        }
    }

    /// How a lease stands, by what was seen of it.
    fn seems(&self, name: &K, now: Millis) -> Pulse {
        if let Some(since) = self.missing.get(name) {
            return if now.since(*since) >= LONGEST { Pulse::Lapsed } else { Pulse::Silent };
        }
        match self.idle.get(name) {
            Some(Tenancy::Returned) => return Pulse::Lapsed,
            Some(Tenancy::Fresh | Tenancy::Held) => return Pulse::Silent,
            None => {}
        }
        if !self.judge.leases.contains_key(name) {
            return Pulse::Silent;
        }
        match self.judge.lapse(name, now) {
            Lapse::None => Pulse::Live,
            Lapse::Open => Pulse::Silent,
            Lapse::Judged => Pulse::Lapsed,
        }
    }
}
