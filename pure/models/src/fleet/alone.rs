//! What a system does by itself: nobody else sees what is in between, so it goes at once.
//!
//! What is left are the steps by which systems meet ([`MEETS`]), each of which can go wrong; what people do, and what a timer
//! brings; and that a cache shows the Cluster.

use super::{Fleet, PARTS, PLACEMENTS, UPDATES, UPGRADES, Whole, shared};
use crate::harness::{Action, Deed, Edit, State, What, Who};

/// By system: the effects by which it meets others, or by which it does what others rely on.
pub(super) const MEETS: [&[&str]; PARTS] = [
    &["enter", "leave", "begin", "write"],
    &["initialize", "commit", "enter", "give up", "leave"],
    &["desire", "release", "grant"],
    &["record", "lapse", "publish"],
];

/// The same, with their systems.
pub(super) const EFFECTS: &[&str] = &[
    "updates: enter",
    "updates: leave",
    "updates: begin",
    "updates: write",
    "upgrades: initialize",
    "upgrades: commit",
    "upgrades: enter",
    "upgrades: give up",
    "upgrades: leave",
    "placements: desire",
    "placements: release",
    "placements: grant",
    "identities: record",
    "identities: lapse",
    "identities: publish",
];

/// More steps than any system takes by itself before it waits.
const MANY: usize = 10_000;

impl Fleet {
    /// Every system has done what it does by itself, unless steps are apart. Who is as it was `before` had done so.
    pub(super) fn settle(&self, s: &mut Whole, before: Option<&Whole>) {
        if self.stepwise {
            return;
        }
        for _ in 0..MANY {
            let is_as_it_was = |part: &usize| before.is_some_and(|before| before.0[*part] == s.0[*part]);
            let mut parts = self.parts().filter(|part| !is_as_it_was(part));
            let Some((part, action)) = parts.find_map(|part| Some((part, self.by_itself(s, part)?))) else {
                return;
            };
            self.act(s, part, &action);
            s.0[part] = self.normal(part, s.0[part]);
        }
        unreachable!("a system goes on for ever, and waits for nothing")
    }

    /// What a system does next, if nobody else sees it: a cache shows what there is, what was sent is answered, a key has its
    /// turn, and then whoever else is sure to do something does it.
    fn by_itself(&self, s: &Whole, part: usize) -> Option<Action> {
        let of = &s.0[part];
        let place = |action: &Action| match *action {
            Action::Show(kind) => (!is_of_cluster(part, kind)).then_some(0),
            Action::Carry(key) => (!self.meets(of, part, key)).then_some(1),
            Action::Turn(_) => Some(2),
            Action::Collect(_) => Some(3),
            // What a syncer does in its cluster is there for others.
            Action::Deed(Deed { who: Who::Runner, what: Edit::Node(..), .. }) if part == PLACEMENTS => None,
            Action::Deed(Deed { who: Who::Runner, .. }) => Some(4),
            _ => None,
        };
        let actions = self.in_part(s, part).into_iter();
        actions
            .filter_map(|action| Some((place(&action)?, action)))
            .min_by_key(|(place, _)| *place)
            .map(|(_, action)| action)
    }

    /// Whether what a key has sent is an effect by which systems meet.
    fn meets(&self, of: &State, part: usize, key: u8) -> bool {
        let Some(doing) = of.keys[usize::from(key)].doing else { return false };
        !matches!(doing.what, What::Look(_))
            && MEETS[part].contains(&self.part(part).points()[usize::from(doing.point)])
    }
}

/// Whether a kind is that of the Cluster.
fn is_of_cluster(part: usize, kind: u8) -> bool {
    matches!(part, UPDATES | UPGRADES) && kind == shared::CLUSTER_KIND
}
