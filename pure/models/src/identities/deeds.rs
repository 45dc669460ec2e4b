//! What people do, what others do in AWS, and where all may begin.

use super::Team;
use super::names::{self, ACCOUNTS, ADOPTING, BAD, ROLE, THEIRS, TO_BE_BOUNDED, TO_BE_LEFT, TRUST, WANTED};
use super::shape::{ATTACHMENTS, VERSIONS};
use super::world::{EDITED, World};
use crate::harness::{Deed, Edit, Flat, KEYS, Note, Objects, State, Who, padded};

impl Team {
    pub(super) fn to_identity(&self, objects: &Objects, key: u8, out: &mut Vec<Deed>) {
        let mut may = |who, what, about| out.push(Deed { who, what, slot: key, about });
        let Some(flat) = objects[usize::from(key)] else {
            may(Who::Person(0), Edit::Create(WANTED), "Create");
            if self.orphans {
                may(Who::Person(0), Edit::Create(TO_BE_LEFT), "CreateToBeLeft");
            }
            if self.bounded {
                may(Who::Person(0), Edit::Create(TO_BE_BOUNDED), "CreateBounded");
            }
            if self.adopts {
                may(Who::Person(0), Edit::Create(ADOPTING), "CreateAdopting");
            }
            return;
        };
        let grant = names::grant(&flat);
        if !flat.deleting {
            may(
                Who::Person(1),
                Edit::Replace(names::with_grant(flat, if grant == 1 { 2 } else { 1 })),
                "Edit",
            );
            if self.bounded {
                may(Who::Person(1), Edit::Replace(names::bounded_otherwise(flat)), "BoundOtherwise");
            }
            if self.bad && grant != BAD {
                may(Who::Person(1), Edit::Replace(names::with_grant(flat, BAD)), "Spoil");
            }
            may(Who::Person(2), Edit::Delete, "Delete");
        }
        if self.orphans {
            may(Who::Person(1), Edit::Replace(names::left_at_the_end(flat)), "ChangeEnd");
        }
        may(Who::Drift, Edit::Replace(names::spoiled(flat)), "Misreport");
    }

    pub(super) fn to_account(&self, objects: &Objects, key: u8, out: &mut Vec<Deed>) {
        let slot = ACCOUNTS + key;
        let mut may = |who, what, about| out.push(Deed { who, what, slot, about });
        let Some(flat) = objects[usize::from(slot)] else {
            return may(Who::Person(3), Edit::Create(THEIRS), "MakeAccount");
        };
        if names::account_of(key, flat).of.is_none() {
            return may(Who::Person(3), Edit::Delete, "RemoveAccount");
        }
        may(Who::Drift, Edit::Delete, "DeleteAccount");
        may(Who::Drift, Edit::Replace(names::without_role(flat)), "EditAccount");
    }

    pub(super) fn to_world(&self, s: &State, key: u8, out: &mut Vec<Deed>) {
        let world = World::of(&s.outside[usize::from(key)]);
        let mut may = |who, after: World, about| {
            if after != world {
                out.push(Deed { who, what: Edit::Outside(key, after.note()), slot: key, about });
            }
        };
        if world.policy == 0 {
            may(Who::Person(3), World { policy: EDITED, ..world }, "MakePolicy");
        } else if world.is_their_policy() {
            may(Who::Person(3), world.without_policy(), "RemovePolicy");
        } else {
            let others = (world.others + 1).min(VERSIONS - 1);
            may(Who::Drift, World { policy: EDITED, others, ..world }, "EditPolicy");
            may(Who::Drift, world.without_policy(), "DeletePolicy");
        }
        if world.role == 0 {
            may(Who::Person(3), World { role: EDITED, ..world }, "MakeRole");
            if self.adopts {
                let full = World { role: EDITED, extras: ATTACHMENTS, inline: true, ..world };
                may(Who::Person(3), full, "MakeFullRole");
            }
        } else if world.is_their_role() {
            may(Who::Person(3), world.without_role(), "RemoveRole");
        } else {
            may(Who::Drift, World { role: EDITED, ..world }, "EditRole");
            may(Who::Drift, world.without_role(), "DeleteRole");
            may(Who::Drift, World { attached: false, ..world }, "Detach");
            may(Who::Drift, World { inline: true, ..world }, "WriteInto");
            if world.has_room() {
                may(Who::Drift, World { extras: world.extras + 1, ..world }, "Attach");
            }
            if self.bounded {
                may(Who::Drift, World { bounded: !world.bounded, ..world }, "BoundRole");
            }
        }
        // AWS lets nobody delete what is a role's boundary.
        if self.bounded && !world.bounded {
            may(Who::Person(3), World { unbound: !world.unbound, ..world }, "ChangeBoundary");
        }
    }
}

/// Every state that can be written down: an identity with any status, or what is left of one; any account; and anything in AWS.
pub(super) fn anywhere() -> Vec<(Objects, [Note; KEYS])> {
    let mut all = Vec::new();
    for identity in identities() {
        for (account, tombstone) in beside(identity) {
            for world in worlds() {
                let mut objects = Objects::default();
                objects[0] = identity;
                objects[usize::from(ACCOUNTS)] = account;
                objects[usize::from(names::TOMBSTONES)] = tombstone;
                let mut outside = [Note::default(); KEYS];
                outside[0] = world.note();
                all.push((objects, outside));
            }
        }
    }
    all
}

const THERE: Flat = Flat { uid: 2, version: 2, ..WANTED };

/// Of the second uid; the first had its name before. With every status while it is kept, and with some before and at the end.
fn identities() -> Vec<Option<Flat>> {
    const NOTHING: u8 = 0;
    const INTENDED: u8 = 1;
    const EVERYTHING: u8 = 63;
    let with = |wish: Flat, status: u8, held: u8, deleting: bool| {
        Some(Flat { finalizers: held, deleting, body: padded([wish.body[0], status]), ..THERE })
    };
    let mut all = vec![None, with(WANTED, NOTHING, 0, false), with(WANTED, EVERYTHING, 0, false)];
    all.extend((NOTHING..=EVERYTHING).map(|status| with(WANTED, status, 1, false)));
    for wish in [WANTED, TO_BE_LEFT] {
        all.extend([NOTHING, INTENDED, EVERYTHING].map(|status| with(wish, status, 1, true)));
    }
    all
}

/// Accounts and tombstones that may be beside an identity.
fn beside(identity: Option<Flat>) -> Vec<(Option<Flat>, Option<Flat>)> {
    let theirs = Flat { uid: 1, version: 2, ..THEIRS };
    let ours = |role: u8, owner: u8| Flat { owner: Some((0, owner)), body: padded([1, role]), ..theirs };
    let tombstone = |sweeps: u8| Flat { body: padded([1, 0, sweeps]), ..theirs };
    let accounts = [None, Some(theirs), Some(ours(0, 2)), Some(ours(ROLE, 2)), Some(ours(ROLE, 1))];
    // Without an identity only what is left of one is of interest.
    let tombstones = match identity {
        Some(_) => vec![None, Some(tombstone(0))],
        None => vec![Some(tombstone(0)), Some(tombstone(1))],
    };
    let pairs =
        |account: Option<Flat>| tombstones.clone().into_iter().map(move |tombstone| (account, tombstone));
    accounts.into_iter().flat_map(pairs).collect()
}

/// Whether a role has its policy, how many of others, and whether something is written into it.
const ROLES: [(bool, u8, bool); 5] =
    [(false, 0, false), (true, 0, false), (true, 1, false), (false, ATTACHMENTS, false), (true, 0, true)];

fn worlds() -> Vec<World> {
    let mut all = Vec::new();
    for (policy, policy_of, others) in [(0, 0, 0), (1, 0, 0), (1, 1, 1), (1, 2, 0), (EDITED, 2, 1)] {
        for (role, role_of) in [(0, 0), (TRUST, 0), (TRUST, 1), (TRUST, 2), (EDITED, 2)] {
            for (attached, extras, inline) in ROLES {
                let possible = (!attached || policy > 0 && role > 0) && (extras == 0 && !inline || role > 0);
                let uids = [policy_of, role_of];
                let none = World::default();
                let world = World { policy, role, uids, others, attached, extras, inline, ..none };
                all.extend(possible.then_some(world));
            }
        }
    }
    all
}
