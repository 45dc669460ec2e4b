//! Tokens of service accounts: made, and believed.

use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_kernel::{Object as _, View};
use ring::digest;

use super::pki::PkiError;
use super::words;
use crate::document::{Document, Json};
use crate::key::{Key, Resource};
use crate::status::Status;
use crate::store::Directory;
use crate::time::Moment;
use crate::user::{AUTHENTICATED, User};

mod claims;
mod request;
mod signing;

pub(crate) use request::default;

use claims::{Claims, Reference};
use signing::SigningKey;

/// Who issues the tokens, and whom they are for if nothing else is said.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";

/// How far clocks may be apart.
const LEEWAY_S: i64 = 60;

/// So many signatures are remembered: verifying one takes longer than everything else about a request.
const REMEMBERED: usize = 4096;

/// Tokens of service accounts.
pub(crate) struct Tokens {
    key: SigningKey,
    /// By the digest of the token: what its good signature vouches for.
    verified: Mutex<HashMap<[u8; 32], Arc<Claims>>>,
}

/// A token that is believed.
#[derive(Debug)]
pub(crate) struct Verified {
    /// Whose it is.
    pub user: User,
    /// Which of the audiences that were asked for it is for.
    pub audiences: Vec<String>,
}

impl Tokens {
    /// Tokens signed by the key in the directory, which is made if there is none.
    ///
    /// # Errors
    /// If it cannot be read or written, or is not a key.
    pub(crate) fn load(directory: &Directory) -> Result<Tokens, PkiError> {
        Ok(Tokens { key: SigningKey::load(directory)?, verified: Mutex::default() })
    }

    /// Answers a `TokenRequest` for a service account. The view is let go before the token is signed: others want to
    /// write.
    ///
    /// # Errors
    /// What the API says against it.
    pub(crate) fn request(
        &self,
        view: impl Deref<Target = View<Document>>,
        namespace: &str,
        name: &str,
        body: Json,
        now: Moment,
    ) -> Result<Json, Status> {
        request::answer(&self.key, view, namespace, name, body, now)
    }

    /// Where others learn by which keys tokens are signed: `/.well-known/openid-configuration`. `address` is host and
    /// port of this server.
    pub(crate) fn openid_configuration(&self, address: &str) -> Vec<u8> {
        signing::openid_configuration(address)
    }

    /// The keys by which tokens are signed: `/openid/v1/jwks`.
    pub(crate) fn jwks(&self) -> Vec<u8> {
        self.key.jwks()
    }

    /// What a good signature vouches for. This may take a while, and needs no view.
    ///
    /// # Errors
    /// Why it is not good; `None` if it is not one of ours at all.
    pub(crate) fn signed(&self, token: &str) -> Result<Signed, Option<String>> {
        let digest = digest::digest(&digest::SHA256, token.as_bytes());
        let digest: [u8; 32] = digest.as_ref().try_into().map_err(|_| None)?;
        let remembered = self.verified.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned();
        if let Some(claims) = remembered {
            return Ok(Signed(claims));
        }
        let claims = Arc::new(self.key.open(token)?);
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        if verified.len() >= REMEMBERED {
            verified.clear();
        }
        verified.insert(digest, Arc::clone(&claims));
        Ok(Signed(claims))
    }
}

/// What a good signature vouches for. Whether it is still so is another question.
pub(crate) struct Signed(Arc<Claims>);

impl Signed {
    /// Whose token this is, if it is for one of these audiences and everything that it names is there.
    ///
    /// # Errors
    /// Why it is not believed.
    pub(crate) fn believe(
        &self,
        view: &View<Document>,
        audiences: &[String],
        now: Moment,
    ) -> Result<Verified, String> {
        let claims = &*self.0;
        let wanted: BTreeSet<&String> = audiences.iter().collect();
        let common: Vec<String> =
            claims.audiences.iter().filter(|audience| wanted.contains(audience)).cloned().collect();
        if common.is_empty() {
            let [own, wanted] =
                [&claims.audiences, audiences].map(|list| words::quote_all(list.iter().map(String::as_str)));
            return Err(format!("token audiences {own} is invalid for the target audiences {wanted}"));
        }
        claims.check_time(now)?;
        check_objects(claims, view, now)?;
        Ok(Verified { user: user(claims), audiences: common })
    }
}

/// Whether the account is there, and what the token is bound to.
fn check_objects(claims: &Claims, view: &View<Document>, now: Moment) -> Result<(), String> {
    let bound = &claims.kubernetes;
    let get = |plural: &str, name: &str| {
        let namespace = if plural == "nodes" { "" } else { &bound.namespace };
        view.get(&Key::new(Resource::new("", plural), namespace, name))
    };
    let account = &bound.account;
    let found = get("serviceaccounts", &account.name)
        .ok_or_else(|| format!("serviceaccounts {} not found", words::quote(&account.name)))?;
    let uid = &*found.meta().uid;
    if uid != account.uid {
        return Err(format!("service account UID ({uid}) does not match claim ({})", account.uid));
    }
    if is_gone(found, now) {
        return Err(format!("service account {}/{} has been deleted", bound.namespace, account.name));
    }
    let node = bound.node.as_ref().filter(|_| bound.pod.is_none());
    let others = [
        ("secrets", "secret", bound.secret.as_ref()),
        ("pods", "pod", bound.pod.as_ref()),
        ("nodes", "node", node),
    ];
    for (plural, kind, reference) in others {
        let Some(Reference { name, uid }) = reference else { continue };
        let found = get(plural, name).filter(|found| &*found.meta().uid != uid || !is_gone(found, now));
        let found = found.ok_or("service account token has been invalidated")?;
        if &*found.meta().uid != uid {
            let found = &found.meta().uid;
            return Err(format!(
                "{kind} UID ({found}) does not match service account {kind} ref claim ({uid})"
            ));
        }
    }
    Ok(())
}

/// Whether it has been going for longer than clocks may be apart.
fn is_gone(object: &Document, now: Moment) -> bool {
    object.meta().deletion.as_ref().is_some_and(|deletion| now.since_s(deletion.at) > LEEWAY_S)
}

fn user(claims: &Claims) -> User {
    let bound = &claims.kubernetes;
    let mut user = User::service_account(&bound.namespace, &bound.account.name, &bound.account.uid);
    user.groups.push(AUTHENTICATED.into());
    let mut say = |what: &str, value: &str| {
        if !value.is_empty() {
            user.extra.insert(format!("authentication.kubernetes.io/{what}"), vec![value.into()]);
        }
    };
    if !claims.id.is_empty() {
        say("credential-id", &format!("JTI={}", claims.id));
    }
    if let Some(pod) = &bound.pod {
        say("pod-name", &pod.name);
        say("pod-uid", &pod.uid);
    }
    if let Some(node) = &bound.node {
        say("node-name", &node.name);
        say("node-uid", &node.uid);
    }
    user
}

#[cfg(test)]
pub(crate) mod fuzz;
#[cfg(test)]
mod tests;
