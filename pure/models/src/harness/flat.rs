//! Objects and requests as the harness keeps them: a few bytes, whatever the protocol's own look like.

use bowline_kernel::{Deletion, Finalizer, Key, Meta, MetaOf, Object, Owner, Version};

/// Places for objects.
pub(crate) const SLOTS: usize = 8;
/// Kinds of objects.
pub(crate) const KINDS: usize = 3;
/// What a protocol keeps in an object beside its metadata.
pub(crate) const BODY: usize = 13;

/// A few bytes, and zeros after them.
pub(crate) const fn padded<const FEW: usize, const ALL: usize>(few: [u8; FEW]) -> [u8; ALL] {
    let mut all = [0; ALL];
    let mut place = 0;
    while place < FEW {
        all[place] = few[place];
        place += 1;
    }
    all
}

/// An object of a protocol. Its place is where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Flat {
    pub(crate) uid: u8,
    pub(crate) version: u8,
    /// 0 where nobody counts.
    pub(crate) generation: u8,
    pub(crate) deleting: bool,
    /// A bit for each.
    pub(crate) finalizers: u8,
    /// Place and uid.
    pub(crate) owner: Option<(u8, u8)>,
    pub(crate) body: [u8; BODY],
}

/// A write that is on its way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Post {
    pub(crate) verb: Verb,
    pub(crate) slot: u8,
    /// The uid and version that it rests on; a new object rests on none.
    pub(crate) read: Option<(u8, u8)>,
    /// The object as it shall be.
    pub(crate) object: Flat,
}

/// What a write does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Verb {
    Create,
    /// All but the status.
    Change,
    /// The status alone.
    Status,
    Delete,
}

/// A place, for the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) kind: u8,
    pub(crate) slot: u8,
}

impl Key for Place {
    type Resource = u8;

    fn resource(&self) -> &u8 {
        &self.kind
    }

    fn home(&self) -> Option<Place> {
        None
    }
}

/// An object, for the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    place: Place,
    flat: Flat,
    /// How many bytes of the body are what is wanted; the others are its status.
    wanted: usize,
    meta: MetaOf<Stored>,
}

impl Stored {
    /// `kind` tells the kind of a place, `wanted` how much of the body is no status.
    pub(crate) fn new(flat: Flat, slot: u8, kind: impl Fn(u8) -> u8, wanted: usize) -> Stored {
        let owner = |(slot, uid): (u8, u8)| Owner {
            key: Some(Place { kind: kind(slot), slot }),
            uid: (slot, uid),
            blocks: false,
        };
        let meta = Meta {
            uid: (slot, flat.uid),
            version: Version(flat.version.into()),
            generation: (flat.generation > 0).then_some(flat.generation.into()),
            deletion: flat.deleting.then_some(GOING),
            finalizers: (0..8).filter(|bit| flat.finalizers >> bit & 1 == 1).map(Finalizer::Named).collect(),
            owners: flat.owner.map(owner).into_iter().collect(),
        };
        Stored { place: Place { kind: kind(slot), slot }, flat, wanted, meta }
    }

    /// The object as the kernel has left it.
    pub(crate) fn flat(&self) -> Flat {
        let bits = self.meta.finalizers.iter().map(|finalizer| match finalizer {
            Finalizer::Named(bit) => 1 << bit,
            other => unreachable!("nobody asks for {other:?}"),
        });
        Flat {
            uid: self.meta.uid.1,
            version: u8::try_from(self.meta.version.0)
                .unwrap_or_else(|_| unreachable!("versions are small in normal form")),
            generation: u8::try_from(self.meta.generation.unwrap_or(0))
                .unwrap_or_else(|_| unreachable!("people wish for a few things only")),
            deleting: self.meta.deletion.is_some(),
            finalizers: bits.sum(),
            owner: self.meta.owners.first().map(|owner| owner.uid),
            body: self.flat.body,
        }
    }
}

/// The deletion of an object that nobody has time to end.
pub(crate) const GOING: Deletion<()> = Deletion { at: (), grace_s: 0 };

impl Object for Stored {
    type Key = Place;
    type Uid = (u8, u8);
    type Mark = u8;
    type Time = ();
    type Change = std::convert::Infallible;
    type Refusal = std::convert::Infallible;

    fn key(&self) -> &Place {
        &self.place
    }

    fn meta(&self) -> &MetaOf<Stored> {
        &self.meta
    }

    fn stamp(&mut self, meta: MetaOf<Stored>) {
        self.meta = meta;
    }

    fn same(&self, other: &Stored) -> bool {
        let said = |stored: &Stored| Flat { version: 0, ..stored.flat() };
        said(self) == said(other)
    }

    fn spec_differs(&self, other: &Stored) -> bool {
        self.flat.body[..self.wanted] != other.flat.body[..self.wanted]
    }

    fn apply(
        _: Option<&Stored>,
        change: &std::convert::Infallible,
    ) -> Result<Stored, std::convert::Infallible> {
        match *change {}
    }
}
