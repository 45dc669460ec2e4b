//! Identities: who asks AWS for them, and publishes their accounts on other clusters.

mod abroad;
mod cloud;
#[cfg(test)]
mod fake;
#[cfg(test)]
pub(crate) mod fuzz;
mod gauges;
mod hands;
mod look;
mod said;
mod token;
mod wire;

use std::sync::Arc;

use bowline_api::identities::IamRoleServiceAccount;
use bowline_aws::{Client, Iam, Term};
use bowline_control::Event;
use bowline_identities::plain::children::Children;
use bowline_identities::plain::{Home, Named, Plain};
use bowline_identities::{Ask, Call, Identities, Object, Reply, Rhythm, Said};
use bowline_runtime::{Driver, Mandate, Metrics, NoOutside, Notice, Outside, REQUEST, now};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Resource;

use self::abroad::Abroad;
pub use self::cloud::{Cloud, Connected, NoCloud};
use self::gauges::Gauges;
use self::hands::Hands;
use self::said::{of_call, of_error};
use self::token::Tokens;
use self::wire::{ChildWire, IdentityWire};
use crate::clusters::Embed;

/// How many identities may be worked on at once: those whose cluster does not answer must not keep the others waiting. How many
/// calls of AWS are under way is the business of its client.
pub(crate) const WORKERS: usize = 256;

/// How many effects in a row lead somewhere: an identity names up to 100 clusters, where an account is looked at and published,
/// and as many may have to be left; what others have attached is detached one by one.
pub(crate) const EFFECTS: u32 = 512;

/// How the controller of identities is driven.
pub(crate) type IdentityDriver = Driver<Identities<Plain>, IdentityWire, Desk<Client>>;

/// The controller of identities, ready to be driven. One that knows nothing of AWS says which settings it waits for.
pub(crate) fn controller(cloud: Option<&Connected>) -> (Identities<Plain>, IdentityWire) {
    let home = cloud.map(|cloud| cloud.home.clone());
    let rhythm = cloud.map_or_else(Rhythm::default, |cloud| cloud.rhythm.clone());
    (Identities::new(home, rhythm), IdentityWire)
}

/// How the controller of the children of identities is driven.
pub(crate) type ChildDriver = Driver<Children, ChildWire, NoOutside>;

/// What the controller of children is called.
pub(crate) const CHILDREN: &str = "identity-children";

/// The controller of the children of identities, ready to be driven.
pub(crate) fn children(cloud: Option<&Connected>) -> (Children, ChildWire, NoOutside) {
    (Children::new(cloud.map(|cloud| cloud.home.clone())), ChildWire, NoOutside)
}

/// What asks for identities.
pub(crate) struct Desk<I> {
    office: Option<Office<I>>,
    gauges: Gauges,
}

/// What knows where AWS is, and the other clusters.
struct Office<I> {
    iam: I,
    home: Home,
    abroad: Abroad,
    tokens: Tokens,
    /// AWS is told that the server signs the tokens of its accounts: so they have to be believed.
    is_issuer: bool,
}

impl Desk<Client> {
    pub(crate) fn new(
        home: &kube::Client,
        embed: Option<Arc<dyn Embed>>,
        cloud: Option<&Connected>,
        metrics: &Metrics,
    ) -> Desk<Client> {
        let gauges = Gauges::new(metrics);
        let office = cloud.map(|cloud| {
            // It shares the gate with the one that is heard.
            let silent = cloud.iam.clone();
            Office {
                iam: cloud.iam.clone().heard_by(gauges.listener(move || silent.gate().rate())),
                home: cloud.home.clone(),
                abroad: Abroad::new(home.clone(), embed, cloud.hub.clone()),
                tokens: Tokens::new(home.clone()),
                is_issuer: cloud.is_issuer,
            }
        });
        Desk { office, gauges }
    }
}

impl<I: Iam> Office<I> {
    async fn answer(&self, call: &Call<Plain>, mandate: &Mandate) -> Said<Plain> {
        match &call.what {
            Ask::LookAtAccount(cluster, account) => {
                self.abroad.look((&call.name, cluster, account), mandate).await
            }
            Ask::Publish { cluster, account, role, adopts } => {
                self.abroad.publish((&call.name, cluster, account), role, *adopts, mandate).await
            }
            Ask::Withdraw(cluster, account) => {
                self.abroad.withdraw((&call.name, cluster, account), mandate).await
            }
            Ask::Assume => self.assume(call, mandate).await,
            what => self.ask(call, what, mandate).await,
        }
    }

    /// Tries whether the role can be had by its account's own token.
    async fn assume(&self, call: &Call<Plain>, mandate: &Mandate) -> Said<Plain> {
        let identity = match self.tokens.of(&call.name, &self.abroad, mandate).await {
            Ok(identity) => identity,
            Err(said) => return said,
        };
        match self.within(mandate).assume_role_with_web_identity(&identity).await {
            Ok(()) => Said::Done,
            // It was worth a try, and says nothing of the role.
            Err(_) if !self.is_issuer => Said::Untried,
            Err(error) => of_error(&call.what, "", error),
        }
    }

    /// Asks AWS.
    async fn ask(&self, call: &Call<Plain>, what: &Ask<Plain>, mandate: &Mandate) -> Said<Plain> {
        let iam = self.within(mandate);
        let hands = Hands { iam: &iam, home: &self.home, name: &call.name, uid: &call.uid };
        hands.ask(what).await.unwrap_or_else(|error| {
            if error.may_have_arrived() && !error.action.only_reads() {
                mandate.leaves_open(now().clock, REQUEST);
            }
            of_error(what, &self.home.policy_arn(&call.name), error)
        })
    }

    /// The client, for as long as the mandate lasts: a call may wait for its turn longer than that.
    fn within(&self, mandate: &Mandate) -> I {
        let mandate = mandate.clone();
        let term: Term = Arc::new(move |most| mandate.left(most));
        self.iam.within(term)
    }
}

impl<I: Iam> Outside<Identities<Plain>> for Desk<I> {
    async fn call(&self, call: Call<Plain>, mandate: &Mandate) -> Reply<Plain> {
        let said = match &self.office {
            // Not in line: what asks AWS is large, and would be part of every future that carries a call.
            Some(office) => Box::pin(office.answer(&call, mandate)).await,
            // Nothing is decided that would ask for it.
            None => Said::Failed("nothing is known of AWS here".to_owned()),
        };
        Reply { to: call, said }
    }

    fn only_reads(&self, call: &Call<Plain>) -> bool {
        matches!(call.what, Ask::Look { .. } | Ask::Check(_) | Ask::LookAtAccount(..) | Ask::Assume)
    }

    fn asked(&self, call: &Call<Plain>) -> String {
        let round = if call.round == 0 { String::new() } else { format!(", sweep {}", call.round) };
        format!("{}, uid {}{round}", of_call(&call.what), call.uid)
    }

    fn heard(&self, reply: &Reply<Plain>) -> String {
        said::words(&reply.said)
    }

    fn notice(&self, reply: &Reply<Plain>) -> Option<(ObjectReference, Notice)> {
        let repair = said::is_done(&reply.said).then(|| reply.to.repair())??;
        self.gauges.repaired(repair.what);
        let Named { namespace, name } = reply.to.name.clone();
        let about = ObjectReference {
            api_version: Some(IamRoleServiceAccount::api_version(&()).into_owned()),
            kind: Some(IamRoleServiceAccount::kind(&()).into_owned()),
            namespace: Some(namespace),
            name: Some(name),
            uid: Some(reply.to.uid.clone()),
            ..ObjectReference::default()
        };
        Some((about, wire::told(repair.notice)))
    }

    fn sees(&self, event: &Event<Object<Plain>>) {
        self.gauges.see(event);
        if let (Some(office), Event::Gone(Object::Cluster(cluster))) = (&self.office, event) {
            office.abroad.forget(&cluster.name);
        }
    }
}

#[cfg(test)]
mod tests;
