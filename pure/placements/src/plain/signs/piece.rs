//! The objects that signs are put on, and those that they are read from.

use std::collections::BTreeSet;
use std::fmt;

use bowline_control::Version;

use crate::plain::Plain;
use crate::state::{Placement, Volume};

/// A namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// Its name.
    pub name: String,
    /// Which of those that had that name.
    pub uid: String,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// The targets that its labels name.
    pub signs: BTreeSet<String>,
}

/// A claim of a volume.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Which of those that had that name.
    pub uid: String,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// It is kept from going until no pod uses it, by whoever looks after that.
    pub protected: bool,
    /// The targets that its labels name.
    pub signs: BTreeSet<String>,
}

impl Sheet {
    /// The volume that it asks for.
    pub fn volume(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }
}

/// That the syncer of a target may read a namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// The namespace.
    pub namespace: String,
    /// The target.
    pub target: String,
    /// Which of those that had that name.
    pub uid: String,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// It has our finalizer: a namespace that is deleted takes it away with all else, and who has something there needs it.
    pub held: bool,
    /// It says what it should.
    pub right: bool,
}

/// What becomes of the volumes of a placement that is deleted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// They stay.
    Keep,
    /// Their data is deleted: the namespace is.
    Delete,
}

/// A placement, and what is noted of its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The placement.
    pub placement: Placement<Plain>,
    /// It is being deleted, whether the placement shows it or not.
    pub dying: bool,
    /// What is noted.
    pub end: Option<End>,
}

/// An object that the controller knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A placement.
    Placed(Box<Placed>),
    /// Who may use a volume.
    Volume(Box<Volume<Plain>>),
    /// A namespace.
    Space(Space),
    /// A claim.
    Claim(Sheet),
    /// That a syncer may read a namespace.
    Pass(Pass),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceId {
    /// The placement of a namespace.
    Placed(String),
    /// The grant of a volume.
    Volume(String),
    /// A namespace.
    Space(String),
    /// A claim, by its namespace and its name there.
    Claim(String, String),
    /// What a target may do in a namespace.
    Pass(String, String),
}

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKind {
    /// Placements.
    Placed,
    /// Grants of volumes.
    Volume,
    /// Namespaces.
    Space,
    /// Claims.
    Claim,
    /// Bindings of the role of syncers.
    Pass,
}

impl PieceKind {
    /// All of them.
    pub const ALL: [PieceKind; 5] =
        [PieceKind::Placed, PieceKind::Volume, PieceKind::Space, PieceKind::Claim, PieceKind::Pass];
}

impl bowline_control::Id for PieceId {
    type Kind = PieceKind;

    fn kind(&self) -> PieceKind {
        match self {
            PieceId::Placed(_) => PieceKind::Placed,
            PieceId::Volume(_) => PieceKind::Volume,
            PieceId::Space(_) => PieceKind::Space,
            PieceId::Claim(..) => PieceKind::Claim,
            PieceId::Pass(..) => PieceKind::Pass,
        }
    }
}

impl fmt::Display for PieceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PieceId::Placed(namespace) => write!(f, "the placement of {namespace}"),
            PieceId::Volume(volume) => write!(f, "the grant of the volume {volume}"),
            PieceId::Space(namespace) => write!(f, "the namespace {namespace}"),
            PieceId::Claim(namespace, claim) => write!(f, "the claim {claim} in {namespace}"),
            PieceId::Pass(namespace, target) => write!(f, "the rights of {target} in {namespace}"),
        }
    }
}

impl bowline_control::Object for Piece {
    type Id = PieceId;
    type Uid = String;

    fn id(&self) -> PieceId {
        match self {
            Piece::Placed(placed) => PieceId::Placed(placed.placement.name.clone()),
            Piece::Volume(volume) => PieceId::Volume(volume.name.clone()),
            Piece::Space(space) => PieceId::Space(space.name.clone()),
            Piece::Claim(claim) => PieceId::Claim(claim.namespace.clone(), claim.name.clone()),
            Piece::Pass(pass) => PieceId::Pass(pass.namespace.clone(), pass.target.clone()),
        }
    }

    fn uid(&self) -> String {
        match self {
            Piece::Placed(placed) => placed.placement.uid.clone(),
            Piece::Volume(volume) => volume.uid.clone(),
            Piece::Space(space) => space.uid.clone(),
            Piece::Claim(claim) => claim.uid.clone(),
            Piece::Pass(pass) => pass.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Piece::Placed(placed) => placed.placement.version,
            Piece::Volume(volume) => volume.version,
            Piece::Space(space) => space.version,
            Piece::Claim(claim) => claim.version,
            Piece::Pass(pass) => pass.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        None
    }
}

impl Piece {
    /// The namespace that it is, or that it is in.
    pub(super) fn namespace(&self) -> &str {
        match self {
            Piece::Placed(placed) => &placed.placement.name,
            Piece::Volume(volume) => &volume.namespace,
            Piece::Space(space) => &space.name,
            Piece::Claim(claim) => &claim.namespace,
            Piece::Pass(pass) => &pass.namespace,
        }
    }
}
