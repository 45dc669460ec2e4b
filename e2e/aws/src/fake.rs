//! A strict IAM: as much of it as Bowline calls, with AWS's rules about names, documents, sizes, limits and the order in
//! which things are removed.
//!
//! It speaks AWS's own protocol, so it is AWS's own client that is tested against it. What moto lets pass, this refuses:
//! what is attached or has versions is not deleted, an eleventh policy is not attached, and so on. Reads may lag behind
//! ([`Lag`]), calls may be too many ([`Fake::bear`]) or not allowed ([`Fake::deny`]), answers may take their time
//! ([`Fake::answer_after`]). Tokens are checked as AWS checks them ([`Fake::provide`]). Every call is written down. It is also the metadata of a machine whose role we have.

mod account;
mod documents;
mod lists;
mod metadata;
mod names;
mod policies;
mod query;
mod refusal;
mod roles;
mod signed;
mod slot;
mod tokens;
mod wire;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use account::{Account, Rate};
pub(crate) use query::Form;
use query::Xml;
pub(crate) use refusal::Refusal;
use serde_json::Value;
use signed::Provider;
use slot::Slot;
use world::World;

use crate::serve::{Answer, Answered, Asked, Server, reply};

pub use account::{ACCESS_KEY, Call};
pub use signed::Issuer;
pub use slot::Lag;
pub use tokens::{SESSION_SECRET, SESSION_TOKEN};

/// Things in a page of a list, unless it is told otherwise.
const PAGE: usize = 100;

/// An IAM that runs until it is dropped.
pub struct Fake {
    server: Server,
    state: Arc<Shared>,
}

#[derive(Default)]
struct State {
    world: World,
    account: Account,
    latency: Duration,
    requests: u64,
    under_way: usize,
    most_under_way: usize,
}

struct Shared(Mutex<State>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panics while it holds it has failed already.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fake {
    /// Starts an empty one on a free port.
    ///
    /// # Errors
    /// If there is none.
    pub async fn start() -> io::Result<Fake> {
        let world = World::in_pages_of(PAGE);
        let state = Arc::new(Shared(Mutex::new(State { world, ..State::default() })));
        Ok(Fake { server: Server::start(Arc::clone(&state)).await?, state })
    }

    /// What clients are told for AWS's address.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// From now on reads show for a while what was.
    pub fn lag(&self, lag: Lag) {
        self.state.lock().world.lag = lag;
    }

    /// From now on an answer takes that long.
    pub fn answer_after(&self, latency: Duration) {
        self.state.lock().latency = latency;
    }

    /// From now on more calls a second than that are too many.
    pub fn bear(&self, per_second: Option<u32>) {
        self.state.lock().account.rate = per_second.map(Rate::new);
    }

    /// From now on a permission like `iam:CreateRole` is missing.
    pub fn deny(&self, permission: &str) {
        self.state.lock().account.denied.insert(permission.to_owned());
    }

    /// This one is not missing any more.
    pub fn allow(&self, permission: &str) {
        self.state.lock().account.denied.remove(permission);
    }

    /// No permission is missing any more.
    pub fn allow_all(&self) {
        self.state.lock().account.denied.clear();
    }

    /// From now on the account has an OIDC provider for an issuer, which is written without `https://`: for tokens that are made
    /// out for one of these, and signed by one of these keys (a JWK set).
    pub fn provide(&self, issuer: &str, audiences: &[&str], keys: Value) {
        let audiences = audiences.iter().map(|&audience| audience.to_owned()).collect();
        let provider = Provider { audiences, keys };
        self.state.lock().world.providers.insert(issuer.to_owned(), provider);
    }

    /// From now on lists come in pages of so many.
    pub fn list_by(&self, page: usize) {
        self.state.lock().world.page = page.max(1);
    }

    /// All calls in the order of their arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.state.lock().account.calls.clone()
    }

    /// The names of the calls that change something and were not refused, in the order of their arrival.
    pub fn writes(&self) -> Vec<String> {
        let is_write = |call: &&Call| {
            let name = &call.action;
            call.refused.is_none() && !["Get", "List", "Assume"].iter().any(|read| name.starts_with(read))
        };
        self.state.lock().account.calls.iter().filter(is_write).map(|call| call.action.clone()).collect()
    }

    /// How many calls there were of each name.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.state.lock().account.counts.clone()
    }

    /// The permissions that all calls so far have taken, and no others.
    pub fn permissions(&self) -> BTreeSet<String> {
        let state = self.state.lock();
        state.account.calls.iter().flat_map(|call| call.permissions.iter().cloned()).collect()
    }

    /// How many calls there were at once, at most: called, and not yet answered.
    pub fn most_at_once(&self) -> usize {
        self.state.lock().most_under_way
    }

    /// Forgets the calls; what they have made stays.
    pub fn forget_calls(&self) {
        let account = &mut self.state.lock().account;
        account.calls.clear();
        account.counts.clear();
    }

    /// The ARNs of all that is there, whatever reads show.
    pub fn all(&self) -> Vec<String> {
        let state = self.state.lock();
        let roles = state.world.roles.values().filter_map(Slot::truth).map(|role| role.arn.clone());
        let policies = state.world.policies.values().filter_map(Slot::truth).map(|policy| policy.arn.clone());
        roles.chain(policies).collect()
    }
}

/// A call that is not yet answered. A client that goes away takes it along.
struct UnderWay<'a>(&'a Shared);

impl<'a> UnderWay<'a> {
    fn begin(shared: &'a Shared) -> UnderWay<'a> {
        let mut state = shared.lock();
        state.under_way += 1;
        state.most_under_way = state.most_under_way.max(state.under_way);
        UnderWay(shared)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.lock().under_way -= 1;
    }
}

impl Answer for Shared {
    async fn answer(&self, asked: Asked) -> Option<Answered> {
        if asked.uri().path() != "/" {
            return Some(metadata::answer(asked.uri().path()));
        }
        let signature =
            asked.headers().get(http::header::AUTHORIZATION).and_then(|header| header.to_str().ok());
        let form = Form::parse(asked.body());
        let under_way = UnderWay::begin(self);
        let (reply, latency) = {
            let mut state = self.lock();
            (state.take(&form, signature), state.latency)
        };
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        drop(under_way);
        Some(reply)
    }
}

impl State {
    fn take(&mut self, form: &Form, signature: Option<&str>) -> Answered {
        let mut call = Call::of(form);
        let outcome = self.account.admit(&call, signature).and_then(|()| act(&mut self.world, form));
        self.requests += 1;
        let request = format!("00000000-0000-4000-8000-{:012}", self.requests);
        let (status, text) = match &outcome {
            Ok(result) => (200, Xml::answer(form.action(), &request, result)),
            Err(refusal) => (refusal.status, Xml::refusal(form.action(), &request, refusal)),
        };
        call.refused = outcome.err().map(|refusal| refusal.code);
        self.account.note(call);
        let mut reply = reply(status, "text/xml", text);
        if let Ok(request) = request.parse() {
            reply.headers_mut().insert("x-amzn-requestid", request);
        }
        reply
    }
}

fn act(world: &mut World, form: &Form) -> Result<Xml, Refusal> {
    match form.action() {
        "CreatePolicy" => policies::create(world, form),
        "CreatePolicyVersion" => policies::create_version(world, form),
        "DeletePolicyVersion" => policies::delete_version(world, form),
        "DeletePolicy" => policies::delete(world, form),
        "TagPolicy" => policies::tag(world, form),
        "GetPolicy" => policies::get(world, form),
        "GetPolicyVersion" => policies::get_version(world, form),
        "ListPolicyVersions" => policies::list_versions(world, form),
        "ListEntitiesForPolicy" => policies::list_holders(world, form),
        "ListPolicies" => policies::list(world, form),
        "CreateRole" => roles::create(world, form),
        "UpdateAssumeRolePolicy" => roles::update_trust(world, form),
        "PutRolePermissionsBoundary" => roles::put_boundary(world, form),
        "DeleteRolePermissionsBoundary" => roles::delete_boundary(world, form),
        "TagRole" => roles::tag(world, form),
        "AttachRolePolicy" => roles::attach(world, form),
        "DetachRolePolicy" => roles::detach(world, form),
        "PutRolePolicy" => roles::write_into(world, form),
        "DeleteRolePolicy" => roles::delete_inline(world, form),
        "DeleteRole" => roles::delete(world, form),
        "GetRole" => roles::get(world, form),
        "ListAttachedRolePolicies" => roles::list_attached(world, form),
        "ListInstanceProfilesForRole" => roles::list_none(world, form, "InstanceProfiles"),
        "ListRolePolicies" => roles::list_inline(world, form),
        "ListRoles" => roles::list(world, form),
        "GetCallerIdentity" => Ok(tokens::caller(account::USER)),
        "AssumeRoleWithWebIdentity" => tokens::assume(world, form),
        other => Err(Refusal::unknown_action(other)),
    }
}

/// What AWS says in place of an answer, for the proxy.
pub(crate) fn refusal_text(action: &str, refusal: &Refusal) -> String {
    Xml::refusal(action, "00000000-0000-4000-8000-proxy0000000", refusal)
}
