//! Systems that do one thing wrong to each other.

use super::{FLEET, Fleet, SHAPES, Shapes};
use crate::harness::{FAULTS, Fault};
use crate::identities::mutants as of_identities;
use crate::mutants::Mutant;
use crate::placements::mutants as of_placements;
use crate::updates::mutants as of_updates;
use crate::upgrades::mutants as of_upgrades;
use crate::{identities, placements, updates, upgrades};

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal $(with $fault:expr)?, $shapes:expr) => {
        Mutant {
            about: $about,
            model: FLEET.name,
            breaks: $breaks,
            build: || Box::new(at($size, &[$($fault)?], $shapes)),
        }
    };
}

/// The fleet with each of these faults once.
pub(super) fn at(size: &str, faults: &[Fault], shapes: Shapes) -> Fleet {
    let size = FLEET.size(size).expect("a size that works");
    let budgets: [u8; FAULTS] = Fault::ALL.map(|fault| faults.contains(&fault).into());
    Fleet::new(&size, budgets, shapes)
}

macro_rules! shapes {
    ($part:ident { $field:ident: $fault:expr }) => {
        Shapes { $part: $part::Shape { $field: $fault, ..SHAPES.$part }, ..SHAPES }
    };
}

pub(crate) static MUTANTS: &[Mutant] = &[
    mutant!("an update enters beside an upgrade" breaks "NoUpdateBesideAnUpgrade" at "lag=1,placements=0,identities=0",
        shapes!(updates { decide: of_updates::sees_no_upgrade })),
    mutant!("an update leaves before it has seen that nothing arrives" breaks "NoUpdateBesideAnUpgrade" at "lag=1" with Fault::LostReply,
        shapes!(updates { decide: of_updates::leaves_at_once })),
    mutant!("an upgrade that may begin after all leaves" breaks "NoUpdateBesideAnUpgrade" at "lag=1,edits=2,placements=0,identities=0" with Fault::LostReply,
        shapes!(upgrades { decide: of_upgrades::leaves_at_once })),
    mutant!("an upgrade begins where an update may be" breaks "NoUpgradeBesideAPartialUpdate" at "lag=1,placements=0,identities=0",
        shapes!(upgrades { snapshot: of_upgrades::takes_the_cluster_for_its_own })),
    mutant!("an update stays on the cluster" breaks "AllEnd" at "lag=1,placements=0,identities=0",
        shapes!(updates { decide: of_updates::stays })),
    mutant!("an upgrade stays on the cluster" breaks "AllEnd" at "lag=1,placements=0,identities=0",
        shapes!(upgrades { decide: of_upgrades::never_leaves })),
    mutant!("a placement does not see fences" breaks "NothingPlacedOnAFence" at "identities=0",
        shapes!(placements { snapshot: of_placements::takes_all_for_open })),
    mutant!("a stack takes what is placed for its own" breaks "NothingPlacedIsTouched" at "identities=0",
        shapes!(updates { snapshot: of_updates::sights::takes_all_for_its_own })),
    mutant!("an identity publishes a role without its policy" breaks "NoAccountBeforeItsRole" at "placements=0",
        shapes!(identities { snapshot: of_identities::takes_all_for_attached })),
    mutant!("a namespace is never granted" breaks "MoveCompletes" at "identities=0",
        shapes!(placements { decide: of_placements::never_grants })),
    mutant!("an identity does not look once more" breaks "Converges" at "placements=0" with Fault::Drift,
        shapes!(identities { decide: of_identities::looks_once })),
];
