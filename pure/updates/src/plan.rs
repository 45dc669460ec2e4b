//! What is to be done on a cluster, so that it is as a content wants it: for a new version, for the last good one, and for
//! none at all.

use std::collections::BTreeMap;

use crate::inventory::{Content, Inventory, Origin};
use crate::state::Names;

/// What was seen of a place on a cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sight<N: Names> {
    /// The object that is there.
    pub live: Option<Live<N>>,
    /// How what is wanted there suits its server; nothing is asked where nothing is wanted.
    pub fit: Fit<N>,
}

/// An object on a cluster.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Live<N: Names> {
    /// Whose it is.
    pub whose: Whose<N>,
    /// What it says.
    pub body: N::Body,
    /// What a write to it is guarded by.
    pub read: N::Read,
    /// Why it must not be deleted, if it must not: somebody else has something in it.
    pub spared: Option<N::Text>,
    /// Whether it works.
    pub health: Health<N>,
}

/// Whose an object is, as it says itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Whose<N: Names> {
    /// The stack's.
    Ours,
    /// Nobody's that Bowline knows.
    Nobodys,
    /// Of this one, which Bowline knows: another stack, or a placement.
    Anothers(N::Text),
}

/// How what is wanted suits a server that was asked to try.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fit<N: Names> {
    /// It would change nothing.
    Same,
    /// It would make, or change, the object; these fields of it, for people.
    Differs(N::Text),
    /// It is refused.
    Refused(N::Text),
    /// Its kind, or its namespace, is not there yet.
    Later,
    /// The server could not try it, in words for people: somebody it asks did not answer.
    Untried(N::Text),
    /// Nothing is asked: it is the object that is wanted at that place, which only says otherwise where it is.
    Elsewhere(N::Place),
}

/// Whether an object works.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Health<N: Names> {
    /// It does.
    Well,
    /// It does not yet.
    Progressing(N::Text),
    /// It does not, and will not.
    Ill(N::Text),
}

/// What was seen of a cluster: everything that is wanted, was touched, or says that it is the stack's.
pub type Sights<N> = BTreeMap<<N as Names>::Place, Sight<N>>;

/// What is to be done to one object. It can be done twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Deed<N: Names> {
    /// Where.
    pub place: N::Place,
    /// What.
    pub act: Act<N>,
}

/// What is to be done to an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Act<N: Names> {
    /// It is made; refused if there is one.
    Create(N::Body),
    /// What is wanted is applied to it; refused if it is not as it was read.
    Apply(N::Body, N::Read),
    /// It says again what it said before; refused if it is not as it was read.
    Restore(N::Body, N::Read),
    /// It goes; refused if it is not as it was read.
    Delete(N::Read),
}

/// What is to be done on a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan<N: Names> {
    /// What is touched by it, and has to be recorded before.
    pub inventory: Inventory<N>,
    /// By wave, what is to be done.
    pub deeds: Vec<(u8, Deed<N>)>,
    /// What cannot be done, and why.
    pub refused: Vec<(N::Place, N::Text)>,
    /// By wave, what is to be made, and cannot be tried before its kind, or its namespace, is there.
    pub later: Vec<(u8, Deed<N>)>,
    /// What could not be tried this time, and why.
    pub untried: Vec<(N::Place, N::Text)>,
    /// What should go, and is left, because somebody else has something in it.
    pub spared: Vec<(N::Place, N::Text)>,
}

/// Objects that are not wanted any more go last; and after them those that others may have something in.
const LAST: u8 = u8::MAX - 1;
const SHARED: u8 = u8::MAX;

impl<N: Names> Plan<N> {
    /// What is to be done so that the cluster is as `wanted`.
    pub fn new(wanted: &Content<N>, inventory: &Inventory<N>, sights: &Sights<N>) -> Plan<N> {
        let mut plan = Plan {
            inventory: inventory.clone(),
            deeds: Vec::new(),
            refused: Vec::new(),
            later: Vec::new(),
            untried: Vec::new(),
            spared: Vec::new(),
        };
        // What goes by another name now is still what it was.
        for (place, sight) in sights {
            if let Fit::Elsewhere(now) = &sight.fit
                && let Some(origin) = plan.inventory.0.remove(place)
            {
                plan.inventory.0.entry(now.clone()).or_insert(origin);
            }
        }
        for (place, sight) in sights {
            match wanted.0.get(place) {
                Some(it) => plan.put(place, it.wave, &it.body, sight),
                None => plan.take_away(place, sight),
            }
        }
        plan.deeds.sort_by_key(|(wave, _)| *wave);
        plan
    }

    /// What is wanted is to be there.
    fn put(&mut self, place: &N::Place, wave: u8, body: &N::Body, sight: &Sight<N>) {
        let live = match &sight.live {
            Some(Live { whose: Whose::Anothers(who), .. }) => {
                let (it, who) = (N::place(place), who.as_ref());
                let why =
                    format!("{it} belongs to {who}; take it out here, or let that one give it up first");
                return self.refused.push((place.clone(), why.as_str().into()));
            }
            live => live.as_ref(),
        };
        let act = match (&sight.fit, live) {
            (Fit::Refused(why), _) => return self.refused.push((place.clone(), why.clone())),
            (Fit::Untried(why), _) => return self.untried.push((place.clone(), why.clone())),
            (Fit::Later, _) => {
                // What is there now cannot be seen: what is known of it stays.
                self.inventory.0.entry(place.clone()).or_insert(Origin::Created);
                let act = Act::Create(body.clone());
                return self.later.push((wave, Deed { place: place.clone(), act }));
            }
            (Fit::Same | Fit::Elsewhere(_), Some(_)) => return,
            (_, None) => Act::Create(body.clone()),
            (Fit::Differs(_), Some(live)) => Act::Apply(body.clone(), live.read.clone()),
        };
        self.touch(place, live);
        self.deeds.push((wave, Deed { place: place.clone(), act }));
    }

    /// An object is going to be touched: what is not ours is somebody's, and what it says now is what it said before.
    fn touch(&mut self, place: &N::Place, live: Option<&Live<N>>) {
        let Inventory(touched) = &mut self.inventory;
        match live {
            Some(live) if live.whose != Whose::Ours => {
                touched.insert(place.clone(), Origin::Adopted(live.body.clone()));
            }
            // What we have adopted, and somebody has deleted since, is not given back.
            None => drop(touched.insert(place.clone(), Origin::Created)),
            Some(_) => drop(touched.entry(place.clone()).or_insert(Origin::Created)),
        }
    }

    /// What is not wanted goes, or is again what it was. What is not ours, or not any more, is left alone.
    fn take_away(&mut self, place: &N::Place, sight: &Sight<N>) {
        let Some(live) = sight.live.as_ref().filter(|live| live.whose == Whose::Ours) else { return };
        let act = match (self.inventory.0.get(place), &live.spared) {
            (Some(Origin::Adopted(before)), _) => Act::Restore(before.clone(), live.read.clone()),
            (_, Some(why)) => return self.spared.push((place.clone(), why.clone())),
            (_, None) => Act::Delete(live.read.clone()),
        };
        let wave = if N::is_shared(place) { SHARED } else { LAST };
        self.deeds.push((wave, Deed { place: place.clone(), act }));
    }

    /// Whether all is as it should be, or nothing can be done about it.
    pub fn is_done(&self) -> bool {
        let Plan { deeds, refused, later, untried, .. } = self;
        deeds.is_empty() && refused.is_empty() && later.is_empty() && untried.is_empty()
    }

    /// What is to be done next, at most so much of it: nothing of a wave before all of those before it, and nothing goes before
    /// everything is there that takes its place. What was refused before is tried again when nothing else is left; but what
    /// others may have something in does not go before that is done: it may be in there.
    pub fn next(&self, most: usize, refused: &BTreeMap<N::Place, N::Text>) -> Vec<Deed<N>> {
        let last = self.later.iter().map(|(wave, _)| *wave).min().unwrap_or(SHARED);
        let is_open = self.deeds.iter().any(|(wave, _)| *wave < SHARED);
        let last = if is_open { last.min(LAST) } else { last };
        let due = || self.deeds.iter().filter(|(wave, _)| *wave <= last);
        let is_new = |(_, deed): &&(u8, Deed<N>)| !refused.contains_key(&deed.place);
        let first = due().find(is_new).or_else(|| due().next()).map(|(wave, _)| *wave);
        let of_first = || due().filter(|(wave, _)| Some(*wave) == first);
        let mut next: Vec<_> = of_first().filter(is_new).take(most).map(|(_, deed)| deed.clone()).collect();
        if next.is_empty() {
            next.extend(of_first().take(most).map(|(_, deed)| deed.clone()));
        }
        next
    }

    /// What was touched, without what nobody wants any more; what is left because of others is still to go.
    pub(crate) fn trimmed(&self, wanted: &Content<N>) -> Inventory<N> {
        let is_left = |place: &N::Place| self.spared.iter().any(|(spared, _)| spared == place);
        let touched = self.inventory.0.iter();
        let kept = touched.filter(|(place, _)| wanted.0.contains_key(*place) || is_left(place));
        Inventory(kept.map(|(place, origin)| (place.clone(), origin.clone())).collect())
    }

    /// What the plan is known by.
    pub fn digest(&self) -> N::Digest {
        let deeds = self.deeds.iter().chain(&self.later).map(|(_, deed)| deed.clone());
        N::digest_of_plan(&deeds.collect::<Vec<_>>())
    }

    /// How many objects it deletes.
    pub fn deletions(&self) -> usize {
        self.deeds.iter().filter(|(_, deed)| matches!(deed.act, Act::Delete(_))).count()
    }

    /// The first of what cannot be done, for people.
    pub fn refusal(&self) -> Option<&N::Text> {
        self.refused.first().map(|(_, why)| why)
    }
}
