//! Sees to it that what controllers need on a server stays there: whoever deletes it, or changes it, finds it put back.
//!
//! It looks now and then; while all is well, nothing is written. What is found wrong is told by [`Metrics::ready`] until it is
//! seen to be right again: what is put back at once is told by the log only. Only who leads puts things right: of two processes of different versions, each would undo what the other did.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;

use crate::client::REQUEST;
use crate::clock::now;
use crate::lead::{Leader, Mandate};
use crate::metrics::Metrics;
use crate::piece::{Piece, Stand};
use crate::sentence::sentence;

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
    let mut round = Round::new(client, pieces, leader, metrics);
    let mut stop = std::pin::pin!(stop);
    // Whoever starts this has just put it there, unless it was being deleted.
    let mut nap = Duration::ZERO;
    loop {
        tokio::select! {
            () = tokio::time::sleep(nap) => {}
            () = &mut stop => return,
        }
        let found = tokio::select! {
            found = round.look() => found,
            () = &mut stop => return,
        };
        round.tell();
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
    /// How those stand that were last seen to be otherwise.
    wrong: BTreeMap<usize, Stand>,
    /// Of which somebody was told that we may not put them back.
    forbidden: BTreeSet<usize>,
}

/// A piece that is not as it is wanted.
#[derive(Clone, Copy)]
struct Wrong {
    piece: usize,
    stand: Stand,
}

impl Round {
    fn new(client: Client, pieces: Vec<Piece>, leader: Leader, metrics: Metrics) -> Round {
        let (right, wrong, forbidden) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Round { client, pieces, leader, metrics, right, wrong, forbidden }
    }

    /// What is wrong. What cannot be looked at now is looked at the next time.
    async fn look(&mut self) -> Vec<Wrong> {
        let mut found = Vec::new();
        for piece in 0..self.pieces.len() {
            match self.look_at(piece).await {
                Ok(stand) => found.extend(self.saw(piece, stand)),
                Err(error) => {
                    let (name, error) = (&self.pieces[piece].name, sentence(&error));
                    tracing::debug!(name, error, "it cannot be seen whether this is as it should be");
                }
            }
        }
        found
    }

    /// Remembers how a piece stands. Of one that cannot be seen, what was seen last is told.
    fn saw(&mut self, piece: usize, stand: Stand) -> Option<Wrong> {
        if stand == Stand::Same {
            self.wrong.remove(&piece);
            self.forbidden.remove(&piece);
            return None;
        }
        self.wrong.insert(piece, stand);
        Some(Wrong { piece, stand })
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
    fn tell(&self) {
        let told = self.wrong.iter().filter_map(|(piece, stand)| {
            let (kind, name) = (self.pieces[*piece].kind(), &self.pieces[*piece].name);
            match stand {
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
                if self.forbidden.insert(number) {
                    tracing::warn!(
                        kind,
                        name,
                        why,
                        "is not as it should be, and we may not put it back: have somebody do it who may (bowline crds | \
                         kubectl apply -f -)"
                    );
                }
            }
            Ok(Err(error)) => {
                if !matches!(error, kube::Error::Api(_)) {
                    mandate.leaves_open(began, limit);
                }
                let why = sentence(&error);
                tracing::warn!(kind, name, why, "cannot be put back; it is tried again");
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU16, Ordering};

    use http::{Request, Response};
    use kube::client::Body;
    use serde_json::json;

    use super::*;
    use crate::lead::leads;

    /// A server that answers everything with this code.
    fn server(code: &Arc<AtomicU16>) -> Client {
        let code = Arc::clone(code);
        let answer = move |_: Request<Body>| {
            let code = code.load(Ordering::Relaxed);
            let reason = if code == 404 { "NotFound" } else { "" };
            let status = json!({ "status": "Failure", "code": code, "reason": reason });
            let mut response = Response::new(Body::from(status.to_string().into_bytes()));
            *response.status_mut() = http::StatusCode::from_u16(code).expect("a code");
            std::future::ready(Ok::<_, Infallible>(response))
        };
        Client::new(tower::service_fn(answer), "default")
    }

    fn piece(name: &str) -> Piece {
        let mut role = ClusterRole::default();
        role.metadata.name = Some(name.to_owned());
        Piece::new(&role).expect("a piece")
    }

    #[tokio::test]
    async fn what_cannot_be_seen_is_not_taken_to_be_right() {
        let (code, metrics) = (Arc::new(AtomicU16::new(404)), Metrics::new());
        metrics.of("one", 1).has_seen_everything();
        let (_teller, leader) = leads();
        let mut round = Round::new(server(&code), vec![piece("a")], leader, metrics.clone());
        assert_eq!(round.look().await.len(), 1);
        round.tell();
        let gone = Err("the ClusterRole a is not there".to_owned());
        assert_eq!(metrics.ready(), gone);
        code.store(500, Ordering::Relaxed);
        assert_eq!(round.look().await.len(), 0, "nothing is done about what was not seen");
        round.tell();
        assert_eq!(metrics.ready(), gone);
        round.saw(0, Stand::Same);
        round.tell();
        assert_eq!(metrics.ready(), Ok(()));
    }

    #[tokio::test]
    async fn of_each_that_may_not_be_put_back_somebody_is_told_until_it_is_right() {
        let code = Arc::new(AtomicU16::new(403));
        let (_teller, leader) = leads();
        let mut round = Round::new(server(&code), vec![piece("a"), piece("b")], leader, Metrics::new());
        for piece in [0, 1, 1] {
            assert!(!round.mend(Wrong { piece, stand: Stand::Gone }).await);
        }
        assert_eq!(round.forbidden, BTreeSet::from([0, 1]));
        round.saw(1, Stand::Same);
        assert_eq!(round.forbidden, BTreeSet::from([0]), "the next time it is told again");
    }
}
