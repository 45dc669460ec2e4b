//! What is seen of a placement in its namespace, and what only its namespace can say.
//!
//! Namespaces and claims carry labels that say which targets have them, and syncers may read a namespace while their target has
//! something of it, and not longer: that is a binding of a role. Both follow from the grants, and nothing is decided by them.
//! So they have a controller of their own, beside that of placements. It also notes of a placement that is deleted
//! whether its namespace is: the data of its volumes goes then, and only then, and the placement is not seen to be deleted before.
//!
//! # Invariants
//! - Data is noted to be deleted only when the namespace itself was seen to be deleted.
//! - Who has something of a namespace can say so there until it has given it up, also while the namespace is deleted.
//! - A label goes when its target has given up what it is about, and not before.

mod piece;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;

use bowline_control::{Controller, Decision, Effect, Moment, Standing, Version, Write};

pub use self::piece::{End, Pass, Piece, PieceId, PieceKind, Placed, Sheet, Space};
use super::Plain;
use crate::grant::Grant;
use crate::state::Volume;

/// The controller of what is seen of placements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signs;

/// A step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Ask whether the namespace of a placement that is deleted is deleted too; of the placement with this uid.
    Ask(String),
    /// Note what becomes of the volumes of a placement that is deleted.
    Note(End),
    /// Put the right labels on the namespace.
    Sign,
    /// Put the right labels on a claim.
    SignClaim(String),
    /// Let a claim go that is deleted.
    FreeClaim(String),
    /// Let the syncer of a target read the namespace.
    Admit(String),
    /// Let it do so no more.
    Dismiss(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Ask(_) => f.write_str("ask whether the namespace is deleted"),
            Step::Note(End::Keep) => f.write_str("note that the volumes stay"),
            Step::Note(End::Delete) => {
                f.write_str("note that the namespace is deleted, and its volumes with it")
            }
            Step::Sign => f.write_str("say on the namespace who has it"),
            Step::SignClaim(claim) => write!(f, "say on the claim {claim} who has its volume"),
            Step::FreeClaim(claim) => write!(f, "let the claim {claim} go"),
            Step::Admit(target) => write!(f, "let the syncer of {target} read the namespace"),
            Step::Dismiss(target) => write!(f, "let the syncer of {target} read the namespace no more"),
        }
    }
}

/// Whether a namespace is being deleted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ask(pub String);

/// A namespace, and all in it that has to do with placements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Board {
    space: Option<Space>,
    placed: Option<Box<Placed>>,
    volumes: BTreeMap<String, Volume<Plain>>,
    claims: BTreeMap<String, Sheet>,
    passes: BTreeMap<String, Pass>,
    /// What was learned: of which placement, and whether its namespace is deleted.
    asked: Option<(String, bool)>,
}

fn users(grant: &Grant<Plain>) -> BTreeSet<String> {
    grant.users.keys().cloned().collect()
}

impl Board {
    /// Who has the namespace.
    fn holders(&self) -> BTreeSet<String> {
        self.placed.as_ref().map(|placed| users(&placed.placement.grant)).unwrap_or_default()
    }

    /// Who has the volume of a claim.
    fn holders_of(&self, claim: &Sheet) -> BTreeSet<String> {
        self.volumes.get(&claim.volume()).map(|volume| users(&volume.grant)).unwrap_or_default()
    }

    /// Who has anything.
    fn guests(&self) -> BTreeSet<String> {
        let volumes = self.volumes.values().flat_map(|volume| users(&volume.grant));
        self.holders().into_iter().chain(volumes).collect()
    }

    /// What is to be noted of a placement that is deleted, and what has to be asked for that.
    fn end(&self) -> Option<Step> {
        let placed = self.placed.as_ref().filter(|placed| placed.dying && placed.placement.held)?;
        // Who is cached may be a namespace that had this name before: what is written rests on what was asked.
        let seems_deleted = self.space.as_ref().is_some_and(|space| space.deleting);
        let uid = &placed.placement.uid;
        let said = self.asked.as_ref().filter(|(of, _)| of == uid).map(|(_, is_deleted)| *is_deleted);
        match (placed.end, said) {
            (Some(End::Delete), _) => None,
            (Some(End::Keep), _) if !seems_deleted => None,
            (_, Some(true)) => Some(Step::Note(End::Delete)),
            (None, Some(false)) => Some(Step::Note(End::Keep)),
            (None, None) | (Some(End::Keep), _) => Some(Step::Ask(uid.clone())),
        }
    }

    fn signs(&self) -> Option<Step> {
        let space = self.space.as_ref().filter(|space| !space.deleting)?;
        if space.signs != self.holders() {
            return Some(Step::Sign);
        }
        let is_wrong = |claim: &&Sheet| !claim.deleting && claim.signs != self.holders_of(claim);
        self.claims.values().find(is_wrong).map(|claim| Step::SignClaim(claim.name.clone()))
    }

    fn passes(&self) -> Option<Step> {
        let guests = self.guests();
        let is_deleted = self.space.as_ref().is_none_or(|space| space.deleting);
        // What is made in a namespace that is deleted is refused.
        let mut missing = guests.iter().filter(|target| !is_deleted && !self.passes.contains_key(*target));
        if let Some(target) = missing.next() {
            return Some(Step::Admit(target.clone()));
        }
        let is_over = |pass: &&Pass| {
            let is_guest = guests.contains(&pass.target);
            // One that says something else is made again; one that is deleted is held for who needs it.
            if is_guest && pass.right { false } else { !pass.deleting || pass.held }
        };
        self.passes.values().find(is_over).map(|pass| Step::Dismiss(pass.target.clone()))
    }

    /// A claim that is deleted is used by no pod here: what runs is on targets, and they have claims of their own. A hub has
    /// nobody else who would see to that.
    fn freed(&self) -> Option<Step> {
        let is_placed = |claim: &Sheet| {
            self.placed.is_some() || !claim.signs.is_empty() || self.volumes.contains_key(&claim.volume())
        };
        let mut goes = self.claims.values().filter(|claim| claim.deleting && claim.protected);
        goes.find(|claim| is_placed(claim)).map(|claim| Step::FreeClaim(claim.name.clone()))
    }

    fn free_claim(&self, name: &str) -> Write<Piece> {
        let Some(before) = self.claims.get(name) else { unreachable!("a claim that goes is there") };
        let after = Sheet { protected: false, ..before.clone() };
        Write::Change { before: Piece::Claim(before.clone()), after: Piece::Claim(after) }
    }

    fn dismissal(&self, target: &str) -> Write<Piece> {
        let Some(pass) = self.passes.get(target) else { unreachable!("who is dismissed was admitted") };
        if pass.deleting {
            let after = Pass { held: false, ..pass.clone() };
            return Write::Change { before: Piece::Pass(pass.clone()), after: Piece::Pass(after) };
        }
        Write::Delete(Piece::Pass(pass.clone()))
    }

    fn note(&self, end: End) -> Write<Piece> {
        let Some(before) = &self.placed else { unreachable!("what is noted is of a placement") };
        let after = Placed { end: Some(end), ..(**before).clone() };
        Write::Status { before: Piece::Placed(before.clone()), after: Piece::Placed(Box::new(after)) }
    }

    fn sign(&self) -> Write<Piece> {
        let Some(before) = &self.space else { unreachable!("a sign is put on a namespace") };
        let after = Space { signs: self.holders(), ..before.clone() };
        Write::Change { before: Piece::Space(before.clone()), after: Piece::Space(after) }
    }

    fn sign_claim(&self, name: &str) -> Write<Piece> {
        let Some(before) = self.claims.get(name) else { unreachable!("a sign is put on a claim") };
        let after = Sheet { signs: self.holders_of(before), ..before.clone() };
        Write::Change { before: Piece::Claim(before.clone()), after: Piece::Claim(after) }
    }
}

impl Controller for Signs {
    type Key = String;
    type Object = Piece;
    type Snapshot = Board;
    type Step = Step;
    type Wait = Infallible;
    type Call = Ask;
    type Reply = Result<bool, String>;
    type Memory = Option<(String, bool)>;

    fn kinds(&self) -> &[PieceKind] {
        &PieceKind::ALL
    }

    fn keys(&self, object: &Piece) -> Vec<String> {
        vec![object.namespace().to_owned()]
    }

    fn snapshot(&self, _: &String, objects: &[&Piece], memory: &Option<(String, bool)>) -> Board {
        let mut board = Board { asked: memory.clone(), ..Board::default() };
        for object in objects.iter().copied().cloned() {
            match object {
                Piece::Placed(placed) => board.placed = Some(placed),
                Piece::Volume(volume) => drop(board.volumes.insert(volume.name.clone(), *volume)),
                Piece::Space(space) => board.space = Some(space),
                Piece::Claim(claim) => drop(board.claims.insert(claim.name.clone(), claim)),
                Piece::Pass(pass) => drop(board.passes.insert(pass.target.clone(), pass)),
            }
        }
        board
    }

    fn decide(&self, board: &Board, _now: Moment) -> Decision<Step, Infallible> {
        let next = board.end().or_else(|| board.passes()).or_else(|| board.signs()).or_else(|| board.freed());
        next.map_or(Decision::Converged, Decision::Do)
    }

    fn effect(&self, board: &Board, step: &Step, _now: Moment) -> Effect<Piece, Ask> {
        let namespace = || match (&board.placed, &board.space) {
            (Some(placed), _) => placed.placement.name.clone(),
            (None, Some(space)) => space.name.clone(),
            (None, None) => unreachable!("{step} is about a namespace"),
        };
        Effect::Write(match step {
            Step::Ask(_) => return Effect::Call(Ask(namespace())),
            Step::Note(end) => board.note(*end),
            Step::Sign => board.sign(),
            Step::SignClaim(claim) => board.sign_claim(claim),
            Step::FreeClaim(claim) => board.free_claim(claim),
            Step::Admit(target) => Write::Create(Piece::Pass(Pass {
                namespace: namespace(),
                target: target.clone(),
                uid: String::new(),
                version: Version(0),
                deleting: false,
                held: true,
                right: true,
            })),
            Step::Dismiss(target) => board.dismissal(target),
        })
    }

    /// The placement says how it stands.
    fn report(&self, _: &Board, _: Standing<'_, Infallible>, _: Moment) -> Option<Write<Piece>> {
        None
    }

    fn learn(
        &self,
        memory: &mut Option<(String, bool)>,
        step: &Step,
        reply: Result<bool, String>,
        _: Moment,
    ) -> Result<(), String> {
        let is_deleted =
            reply.map_err(|why| format!("could not see whether the namespace is deleted: {why}"))?;
        if let Step::Ask(uid) = step {
            *memory = Some((uid.clone(), is_deleted));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
