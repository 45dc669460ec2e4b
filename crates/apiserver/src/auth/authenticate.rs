//! Who asks.

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, StatusCode};

use super::pki::Peer;
use super::tokens::ISSUER;
use super::{Auth, impersonate};
use crate::hub::Hub;
use crate::status::Status;
use crate::time::Moment;
use crate::user::User;

impl Auth {
    /// Who asks. A [`User`] in the extensions of the request is believed: only clients in this process can put one
    /// there. Then the [`Peer`] in them counts, then a bearer token. Who shows nothing is anonymous.
    ///
    /// The caller must not hold the view of the hub.
    ///
    /// # Errors
    /// 401 for who shows something that is not good.
    pub(crate) fn authenticate(&self, head: &Parts, hub: &Hub, now: Moment) -> Result<User, Status> {
        if let Some(user) = head.extensions.get::<User>() {
            return Ok(user.clone());
        }
        let peer = head.extensions.get::<Peer>();
        if let Some(Peer::Known { user, until }) = peer
            && until.since_s(now) >= 0
        {
            return Ok(User::clone(user));
        }
        if let Some(token) = bearer(&head.headers) {
            // The view is not held while a signature is verified: others want to write.
            let believed = self
                .tokens()
                .signed(token)
                .and_then(|signed| signed.believe(&hub.view(), &[ISSUER.to_owned()], now).map_err(Some));
            return believed.map(|verified| verified.user).map_err(|why| {
                tracing::debug!(why, "a token is not believed");
                unauthorized()
            });
        }
        match peer {
            None | Some(Peer::Unnamed) => Ok(User::anonymous()),
            Some(Peer::Known { .. } | Peer::Refused) => Err(unauthorized()),
        }
    }

    /// As whom the user asks to be treated; `None` if as themselves.
    ///
    /// # Errors
    /// What the API says to who pretends to be another and may not.
    pub(crate) fn impersonate(&self, user: &User, head: &Parts, hub: &Hub) -> Result<Option<User>, Status> {
        if !impersonate::is_asked(&head.headers) {
            return Ok(None);
        }
        impersonate::become_another(user, head, &self.rules(hub)).map(Some)
    }
}

/// The token of a request, if it has one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    let mut parts = header.split(' ');
    let scheme = parts.next()?;
    let token = parts.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn unauthorized() -> Status {
    Status::failure(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized")
}

#[cfg(test)]
mod tests;
