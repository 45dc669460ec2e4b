//! Sees to it that what controllers need on a server stays there: whoever deletes it, or changes it, finds it put back.
//!
//! It looks now and then; while all is well, nothing is written. What is wrong is told by [`Metrics::ready`] until it is right
//! again. Only who leads puts things right: of two processes of different versions, each would undo what the other did.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;

use crate::client::REQUEST;
use crate::clock::now;
use crate::lead::{Leader, Mandate};
use crate::metrics::Metrics;
use crate::piece::{Piece, Stand};

/// What [`Metrics::ready`] files it under.
const TOPIC: &str = "definitions";

/// How soon it looks again when something is about to change.
const SOON: Duration = Duration::from_secs(1);

/// What is to stay on a server, and who sees to it.
pub struct Keeper {
    /// The way to the server.
    pub client: Client,
    /// The kinds.
    pub crds: Vec<CustomResourceDefinition>,
    /// The roles, if they are ours to keep.
    pub roles: Vec<ClusterRole>,
    /// Whether this process may write.
    pub leader: Leader,
    /// Where it is told what is wrong.
    pub metrics: Metrics,
    /// How often it looks.
    pub every: Duration,
}

/// Looks until `stop`. What it writes then is not cut off.
pub async fn keep(keeper: Keeper, stop: impl Future<Output = ()> + Send) {
    let Keeper { client, crds, roles, leader, metrics, every } = keeper;
    let pieces = crds.iter().map(Piece::new).chain(roles.iter().map(Piece::new));
    // What is compiled in is JSON.
    let pieces = pieces.filter_map(Result::ok).collect();
    let mut round = Round { client, pieces, leader, metrics, right: BTreeMap::new(), forbidden: false };
    let mut stop = std::pin::pin!(stop);
    // Whoever starts this has just put it there.
    let mut nap = every;
    loop {
        tokio::select! {
            () = tokio::time::sleep(nap) => {}
            () = &mut stop => return,
        }
        let found = tokio::select! {
            found = round.look() => found,
            () = &mut stop => return,
        };
        round.tell(&found);
        nap = every;
        for wrong in found {
            if round.mend(wrong).await {
                nap = every.min(SOON);
            }
        }
    }
}

struct Round {
    client: Client,
    pieces: Vec<Piece>,
    leader: Leader,
    metrics: Metrics,
    /// At which version each was last seen to be as it is wanted.
    right: BTreeMap<usize, String>,
    /// Somebody was told that we may not write.
    forbidden: bool,
}

/// A piece that is not as it is wanted.
#[derive(Clone, Copy)]
struct Wrong {
    piece: usize,
    stand: Stand,
}

impl Round {
    /// What is wrong. What cannot be looked at now is looked at the next time.
    async fn look(&mut self) -> Vec<Wrong> {
        let mut found = Vec::new();
        for piece in 0..self.pieces.len() {
            match self.look_at(piece).await {
                Ok(Stand::Same) => {}
                Ok(stand) => found.push(Wrong { piece, stand }),
                Err(error) => {
                    let name = &self.pieces[piece].name;
                    tracing::debug!(name, %error, "it cannot be seen whether this is as it should be");
                }
            }
        }
        found
    }

    async fn look_at(&mut self, number: usize) -> Result<Stand, kube::Error> {
        let piece = &self.pieces[number];
        let version = piece.version(&self.client).await?;
        if version.is_some() && version.as_ref() == self.right.get(&number) {
            return Ok(Stand::Same);
        }
        let (version, stand) = piece.stand(&self.client).await?;
        match version.filter(|_| stand == Stand::Same) {
            Some(version) => self.right.insert(number, version),
            None => self.right.remove(&number),
        };
        Ok(stand)
    }

    /// What is changed is served all the same: somebody may have brought a newer version, and not let us write.
    fn tell(&self, found: &[Wrong]) {
        let told = found.iter().filter_map(|wrong| {
            let (kind, name) = (self.pieces[wrong.piece].kind(), &self.pieces[wrong.piece].name);
            match wrong.stand {
                Stand::Gone => Some(format!("the {kind} {name} is not there")),
                Stand::Leaving => Some(format!("the {kind} {name} is being deleted")),
                Stand::Unserved => Some(format!("the {kind} {name} is not served yet")),
                Stand::Changed | Stand::Same => None,
            }
        });
        let told: Vec<_> = told.collect();
        self.metrics.trouble(TOPIC, (!told.is_empty()).then(|| told.join("; ")));
    }

    /// Puts it right, if that can be done; tells whether there may be more to see soon.
    async fn mend(&mut self, Wrong { piece: number, stand }: Wrong) -> bool {
        // What is being deleted cannot be kept, and what is not served yet will be.
        if !matches!(stand, Stand::Gone | Stand::Changed) {
            return true;
        }
        let tenure = self.leader.may_act(now().clock);
        let mandate = tenure.and_then(|tenure| Mandate::of(&self.leader, tenure.epoch));
        let Some(mandate) = mandate else { return false };
        let Some(limit) = mandate.left(REQUEST) else { return false };
        let piece = &self.pieces[number];
        let (kind, name, began) = (piece.kind(), &piece.name, now().clock);
        match tokio::time::timeout(limit, piece.apply(&self.client)).await {
            Ok(Ok(version)) => {
                // What a server makes of it is right, also if it writes it in another way.
                self.right
                    .extend(version.filter(|_| stand == Stand::Changed).map(|version| (number, version)));
                told(piece, stand);
                return true;
            }
            Ok(Err(kube::Error::Api(status))) if status.code == 403 => {
                let why = &status.message;
                if !std::mem::replace(&mut self.forbidden, true) {
                    tracing::warn!(kind, name, why, "is not as it should be, and we may not put it back");
                }
            }
            Ok(Err(error)) => {
                if !matches!(error, kube::Error::Api(_)) {
                    mandate.leaves_open(began, limit);
                }
                tracing::warn!(kind, name, %error, "cannot be put back; it is tried again");
            }
            Err(_) => mandate.leaves_open(began, limit),
        }
        false
    }
}

/// Says what was put right.
fn told(piece: &Piece, stand: Stand) {
    let (kind, name) = (piece.kind(), &piece.name);
    if stand == Stand::Gone && piece.is_definition() {
        tracing::warn!(
            name,
            "a definition was deleted, and all objects of its kind with it; it is put back. Whoever made these objects has to \
             make them again"
        );
    } else {
        tracing::warn!(kind, name, "was deleted or changed; it is put back as it should be");
    }
}
