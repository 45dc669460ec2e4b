//! Identities, accounts and tombstones in a few bytes.
//!
//! An instance has three places: its identity, its account and its tombstone. Its number is the name of all of them.

use bowline_control::{Millis, Version};
use bowline_identities::{Account, Id, Identity, Mood, Names, Object, Status, Told, Tombstone, Wanted, Wish};

use crate::harness::{BODY, Flat, padded};
use crate::tiny::{Tiny, Words};

/// What AWS calls the policy and the role of an instance, and somebody else's policies: this one and the next.
pub(crate) const POLICY: u8 = 1;
pub(crate) const ROLE: u8 = 2;
pub(crate) const EXTRA: u8 = 3;
/// And the one that a role may be wanted to be bounded by.
pub(crate) const BOUNDARY: u8 = 9;
/// The trust policy that is wanted.
pub(crate) const TRUST: u8 = 1;
/// What cannot be.
pub(crate) const BAD: u8 = 3;

impl Names for Tiny {
    type Name = u8;
    type Account = u8;
    type Cluster = u8;
    type Uid = u8;
    type Arn = u8;
    type Document = u8;
    type Grant = u8;
    type Issuer = ();
    type Text = Words;
    type Home = ();

    fn wanted((): &(), identity: &Identity<Tiny>, _: &[()]) -> Result<Wanted<Tiny>, Words> {
        let boundary = is_bounded(identity).then_some(BOUNDARY);
        match document(identity) {
            BAD => Err(Words),
            document => Ok(Wanted { policy: Some(document), trust: TRUST, boundary, managed: Vec::new() }),
        }
    }

    fn issuer((): &()) {}

    /// A hub is not called otherwise in the model.
    fn is_called((): &(), _: &u8, _: &u8) -> bool {
        true
    }

    fn policy_arn((): &(), _: &u8) -> u8 {
        POLICY
    }

    fn name(_: &u8) -> String {
        String::new()
    }

    fn arn(_: &u8) -> String {
        String::new()
    }

    fn cluster(_: &u8) -> String {
        String::new()
    }

    fn account(_: &u8) -> String {
        String::new()
    }
}

/// The places of the first account and of the first tombstone.
pub(crate) const ACCOUNTS: u8 = 2;
pub(crate) const TOMBSTONES: u8 = 4;
const END: u8 = 6;

/// The finalizer.
const HELD: u8 = 1;
/// Of the wish: the grant, and what is done at the end.
const GRANT: u8 = 3;
const ORPHANS: u8 = 4;
const ADOPTS: u8 = 8;
const BOUNDED: u8 = 16;
/// Of the status.
const INTENT: u8 = 1;
const COMPLETE: u8 = 2;
const READY: u8 = 4;
const HAS_POLICY: u8 = 8;
const HAS_ROLE: u8 = 16;
const PUBLISHED: u8 = 32;
/// Of an account: it says that it is the identity's.
const MARKED: u8 = 1;

const BLANK: Flat =
    Flat { uid: 0, version: 0, generation: 0, deleting: false, finalizers: 0, owner: None, body: [0; BODY] };
/// An identity with the first grant.
pub(crate) const WANTED: Flat = Flat { generation: 1, body: padded([1]), ..BLANK };
pub(crate) const TO_BE_LEFT: Flat = Flat { body: padded([1 | ORPHANS]), ..WANTED };
pub(crate) const ADOPTING: Flat = Flat { body: padded([1 | ADOPTS]), ..WANTED };
pub(crate) const TO_BE_BOUNDED: Flat = Flat { body: padded([1 | BOUNDED]), ..WANTED };
/// Somebody else's account.
pub(crate) const THEIRS: Flat = BLANK;

/// The instance of a place.
pub(crate) fn instance(slot: u8) -> u8 {
    slot % 2
}

pub(crate) fn kind(slot: u8) -> u8 {
    slot / 2
}

pub(crate) fn is_used(slot: u8) -> bool {
    slot < END
}

pub(crate) fn with_grant(flat: Flat, grant: u8) -> Flat {
    let mut body = flat.body;
    body[0] = body[0] & !GRANT | grant;
    Flat { body, ..flat }
}

pub(crate) fn grant(flat: &Flat) -> u8 {
    flat.body[0] & GRANT
}

/// What the policy of an identity is to say.
pub(crate) fn document(identity: &Identity<Tiny>) -> u8 {
    identity.wish.grant & GRANT
}

/// Whether its role is to have the boundary.
pub(crate) fn is_bounded(identity: &Identity<Tiny>) -> bool {
    identity.wish.grant & BOUNDED != 0
}

/// With the boundary, or without.
pub(crate) fn bounded_otherwise(flat: Flat) -> Flat {
    let mut body = flat.body;
    body[0] ^= BOUNDED;
    Flat { body, ..flat }
}

pub(crate) fn left_at_the_end(flat: Flat) -> Flat {
    let mut body = flat.body;
    body[0] ^= ORPHANS;
    Flat { body, ..flat }
}

pub(crate) fn orphans(flat: &Flat) -> bool {
    flat.body[0] & ORPHANS != 0
}

/// With what people are told by nobody.
pub(crate) fn spoiled(flat: Flat) -> Flat {
    let mut body = flat.body;
    body[2] = 1 + (Mood::Failing as u8);
    Flat { body, ..flat }
}

/// An account that says nothing of its role any more.
pub(crate) fn without_role(flat: Flat) -> Flat {
    Flat { body: padded([flat.body[0], 0]), ..flat }
}

pub(crate) fn identity_of(key: u8, flat: Flat) -> Identity<Tiny> {
    let [wish, status, told, observed, ..] = flat.body;
    let has = |bit: u8| status & bit != 0;
    let mood = |told: u8| Mood::ALL[usize::from(told) - 1];
    Identity {
        name: key,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: flat.finalizers & HELD != 0,
        wish: Wish {
            grant: wish & (GRANT | BOUNDED),
            account: key,
            clusters: Vec::new(),
            adopts: wish & ADOPTS != 0,
            orphans: wish & ORPHANS != 0,
        },
        status: Status {
            intent: has(INTENT).then_some(Millis(0)),
            policy: has(HAS_POLICY).then_some(POLICY),
            role: has(HAS_ROLE).then_some(ROLE),
            complete: has(COMPLETE).then_some(Millis(0)),
            ready: has(READY),
            published: if has(PUBLISHED) { vec![(None, key)] } else { Vec::new() },
        },
        told: (told > 0).then(|| Told { mood: mood(told), words: Words, observed: observed.into() }),
    }
}

pub(crate) fn account_of(key: u8, flat: Flat) -> Account<Tiny> {
    let [marked, role, ..] = flat.body;
    let owner = flat.owner.map_or(0, |(_, uid)| uid);
    Account {
        name: key,
        uid: flat.uid,
        version: Version(flat.version.into()),
        deleting: flat.deleting,
        of: (marked & MARKED != 0).then_some((key, owner)),
        role: (role > 0).then_some(role),
    }
}

pub(crate) fn tombstone_of(key: u8, flat: Flat) -> Tombstone<Tiny> {
    let [first, second, sweeps, ..] = flat.body;
    Tombstone {
        name: key,
        uid: flat.uid,
        version: Version(flat.version.into()),
        of: [first, second].into_iter().filter(|uid| *uid > 0).collect(),
        at: Millis(0),
        sweeps,
    }
}

pub(crate) fn object(slot: u8, flat: Flat) -> Object<Tiny> {
    let key = instance(slot);
    match kind(slot) {
        0 => Object::Identity(identity_of(key, flat)),
        1 => Object::Account(account_of(key, flat)),
        _ => Object::Tombstone(tombstone_of(key, flat)),
    }
}

pub(crate) fn flat(object: &Object<Tiny>) -> Flat {
    match object {
        Object::Identity(identity) => flat_identity(identity),
        Object::Account(account) => Flat {
            uid: account.uid,
            version: account.version.0 as u8,
            deleting: account.deleting,
            owner: account.of,
            body: padded([account.of.map_or(0, |_| MARKED), account.role.unwrap_or(0)]),
            ..BLANK
        },
        Object::Tombstone(tombstone) => {
            let of = |place: usize| tombstone.of.get(place).copied().unwrap_or(0);
            Flat {
                uid: tombstone.uid,
                version: tombstone.version.0 as u8,
                body: padded([of(0), of(1), tombstone.sweeps]),
                ..BLANK
            }
        }
        Object::Cluster(_) => unreachable!("there are no clusters here"),
    }
}

fn flat_identity(identity: &Identity<Tiny>) -> Flat {
    let Identity { wish, status, told, .. } = identity;
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    let says = bit(status.intent.is_some(), INTENT)
        | bit(status.complete.is_some(), COMPLETE)
        | bit(status.ready, READY)
        | bit(status.policy.is_some(), HAS_POLICY)
        | bit(status.role.is_some(), HAS_ROLE)
        | bit(!status.published.is_empty(), PUBLISHED);
    let (mood, observed) = told.as_ref().map_or((0, 0), |told| (1 + told.mood as u8, told.observed as u8));
    Flat {
        uid: identity.uid,
        version: identity.version.0 as u8,
        generation: identity.generation as u8,
        deleting: identity.deleting,
        finalizers: bit(identity.held, HELD),
        owner: None,
        body: padded([
            wish.grant | bit(wish.orphans, ORPHANS) | bit(wish.adopts, ADOPTS),
            says,
            mood,
            observed,
        ]),
    }
}

/// Visits the uids of identities in a tombstone.
pub(crate) fn each_uid_in(slot: u8, flat: &mut Flat, visit: &mut dyn FnMut(u8, &mut u8)) {
    if kind(slot) == 2 {
        flat.body[..2].iter_mut().for_each(|uid| visit(instance(slot), uid));
    }
}

pub(crate) fn id(slot: u8) -> Id<u8, u8, u8> {
    match kind(slot) {
        0 => Id::Identity(instance(slot)),
        1 => Id::Account(instance(slot)),
        _ => Id::Tombstone(instance(slot)),
    }
}

pub(crate) fn slot(id: &Id<u8, u8, u8>) -> u8 {
    match id {
        Id::Identity(key) => *key,
        Id::Account(key) => ACCOUNTS + key,
        Id::Tombstone(key) => TOMBSTONES + key,
        Id::Cluster(_) => unreachable!("there are no clusters here"),
    }
}

pub(crate) fn place_name(slot: u8) -> String {
    let place = ["identity", "account", "tombstone", "none"][usize::from(kind(slot))];
    format!("{place} {}", ["a", "b"][usize::from(instance(slot))])
}

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    match object(slot, *flat) {
        Object::Identity(Identity { wish, status, told, .. }) => {
            let mut said = vec![format!("grant {}", wish.grant & GRANT)];
            said.extend(wish.orphans.then(|| "to be left".to_owned()));
            said.extend((wish.grant & BOUNDED != 0).then(|| "bounded".to_owned()));
            said.extend(wish.adopts.then(|| "adopts".to_owned()));
            said.extend(status.intent.map(|_| "intends".to_owned()));
            said.extend(status.policy.map(|_| "has its policy".to_owned()));
            said.extend(status.role.map(|_| "has its role".to_owned()));
            said.extend(status.complete.map(|_| "complete".to_owned()));
            said.extend(status.ready.then(|| "ready".to_owned()));
            said.extend((!status.published.is_empty()).then(|| "published".to_owned()));
            said.extend(told.map(|told| format!("says {:?} at {}", told.mood, told.observed)));
            said.join(", ")
        }
        Object::Account(account) => {
            let of = account.of.map_or("somebody's".to_owned(), |(_, uid)| format!("of uid {uid}"));
            format!("{of}, role {:?}", account.role)
        }
        Object::Tombstone(tombstone) => {
            format!("of uids {:?}, swept {} times", tombstone.of, tombstone.sweeps)
        }
        Object::Cluster(_) => String::new(),
    }
}
