//! What all requests share.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use bowline_kernel::{Change, Expect, Object, Request, View};
use tokio::sync::{Semaphore, watch};

use crate::audit::Audit;
use crate::auth::Auth;
use crate::auth::bootstrap::own::{self, Itself};
use crate::auth::bootstrap::{self, Action, Due};
use crate::auth::pki::PkiError;
use crate::auth::tokens::Tokens;
use crate::builtin::Addresses;
use crate::builtin_table;
use crate::crd::{self, Compiled};
use crate::discovery::Catalogue;
use crate::document::{Document, Json};
use crate::flow::{self, Gate};
use crate::guest::Guest;
use crate::hub::Hub;
use crate::key::{Key, Resource};
use crate::kinds::{Kind, Kinds};
use crate::metrics::Metrics;
use crate::policy::{self, Policies};
use crate::status::Status;
use crate::store::{Directory, Keyring, Restores};
use crate::time::Moment;
use crate::verbs::Write;

/// What all requests share.
pub(crate) struct Api {
    /// The objects.
    pub hub: Arc<Hub>,
    /// What definitions have added to the kinds.
    compiled: Mutex<Compiled>,
    /// The kinds that are served, and what clients find out about them.
    pub catalogue: ArcSwap<Catalogue>,
    /// Who asks, and whether they may.
    pub auth: Auth,
    /// Who did what.
    pub audit: Option<Arc<Audit>>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Who goes on, when there are too many.
    pub gate: Gate,
    /// Turns true when the server stops.
    pub stopping: watch::Sender<bool>,
    /// Where clients reach the server.
    pub address: String,
    /// What else runs in this process.
    pub guest: Option<Arc<dyn Guest>>,
    /// The addresses and ports of services.
    pub addresses: Arc<Addresses>,
    /// What writes are judged by.
    pub policies: ArcSwap<Policies>,
    /// What is not in the objects, and belongs to a copy of them.
    pub copied: Copied,
    /// Who may copy them: one at a time.
    pub copying: Arc<Semaphore>,
}

/// What is not in the objects, and belongs to a copy of them.
#[derive(Clone)]
pub(crate) struct Copied {
    /// What encrypts what holds credentials.
    pub keyring: Keyring,
    /// How often the objects came from a copy.
    pub restores: Restores,
}

/// Addresses of services lead nowhere: nothing runs here. They are of this machine, so that nothing leaves it.
const SERVICES: &str = "127.200.0.0/16";

/// Whether a resource is that of services.
pub(crate) fn is_services(resource: &Resource) -> bool {
    resource.as_str() == "/services"
}

impl Api {
    /// The API on these objects.
    ///
    /// # Errors
    /// If the key that signs tokens cannot be used.
    pub(crate) fn new(
        directory: &Directory,
        hub: Arc<Hub>,
        metrics: Arc<Metrics>,
        address: String,
        guest: Option<Arc<dyn Guest>>,
        copied: Copied,
        mut compiled: Compiled,
    ) -> Result<Api, PkiError> {
        let (catalogue, auth, policies, gate) = {
            let view = hub.view();
            let definitions = view.collection(&crd::definitions());
            let definitions = definitions.into_iter().flat_map(|all| all.objects().values());
            let kinds = kinds_of(&mut compiled, definitions);
            let catalogue = Catalogue::new(Arc::new(kinds), &address);
            let gate = Gate::new(&view, Arc::clone(&metrics));
            (catalogue, Auth::new(Tokens::load(directory)?, &view), Policies::of(&view), gate)
        };
        let addresses = Addresses::new(SERVICES).expect("it is a range of addresses");
        for service in services(&hub) {
            addresses.keep(None, &service);
        }
        Ok(Api {
            audit: hub.audit().cloned(),
            hub,
            compiled: Mutex::new(compiled),
            catalogue: ArcSwap::from_pointee(catalogue),
            auth,
            metrics,
            gate,
            stopping: watch::Sender::new(false),
            address,
            guest,
            addresses: Arc::new(addresses),
            copied,
            copying: Arc::new(Semaphore::new(1)),
            policies: ArcSwap::from_pointee(policies),
        })
    }

    /// The kinds that are served.
    pub(crate) fn kinds(&self) -> Arc<Kinds> {
        Arc::clone(self.catalogue.load().kinds())
    }

    /// What is derived from objects follows them, before anybody is told that they have changed.
    pub(crate) fn follow(&self, view: &View<Document>, changes: &[Change<Document>]) {
        self.auth.note(changes);
        for change in changes.iter().filter(|change| is_services(&change.key.resource)) {
            let after = change.after.json();
            if change.removed {
                self.addresses.forget(&after);
            } else {
                let before = change.before.as_ref().map(|before| before.json());
                self.addresses.keep(before.as_ref(), &after);
            }
        }
        if changes.iter().any(|change| flow::concerns(&change.key.resource)) {
            self.gate.follow(view);
        }
        if changes.iter().any(|change| policy::concerns(&change.key.resource)) {
            self.policies.store(Arc::new(Policies::of(view)));
        }
        if changes.iter().any(|change| change.key.resource == crd::definitions()) {
            let definitions = view.collection(&crd::definitions());
            let definitions = definitions.into_iter().flat_map(|all| all.objects().values());
            let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            let kinds = kinds_of(&mut compiled, definitions);
            self.catalogue.store(Arc::new(Catalogue::new(Arc::new(kinds), &self.address)));
        }
    }

    /// Makes what every hub has.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) async fn bootstrap(self: &Arc<Api>, authority: &str) -> Result<(), Status> {
        // The second needs the namespaces of the first.
        let due = bootstrap::due(&self.hub.view());
        self.write(due).await?;
        let due = flow::defaults::due(&self.hub.view());
        self.write(due).await?;
        let address = self.addresses.first().to_string();
        let restores = self.copied.restores;
        let due = own::due(&self.hub.view(), &Itself { authority, address, now: Moment::now(), restores });
        self.write(due).await
    }

    /// Does what is due.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) async fn write(self: &Arc<Api>, due: Vec<Due>) -> Result<(), Status> {
        let mut requests = Vec::with_capacity(due.len());
        for due in due {
            match due.action {
                Action::Create(object) => requests.push(Request::Create(self.made(&due.key, object)?)),
                Action::Replace(object) => {
                    let found = self.hub.ahead(&due.key).ok_or_else(|| Status::internal("it was there"))?;
                    let write = Write::by_server(self, self.kind_of(&due.key)?, &due.key);
                    let document = write.updated(object, &found, false)?;
                    requests.push(Request::Replace(document, Expect::version(found.meta().version)));
                }
                Action::Recreate(object) => {
                    let found = self.hub.ahead(&due.key).ok_or_else(|| Status::internal("it was there"))?;
                    requests.push(Request::Delete {
                        key: due.key.clone(),
                        expect: Expect::version(found.meta().version),
                        propagation: None,
                        grace_s: 0,
                        at: Moment::now(),
                    });
                    requests.push(Request::Create(self.made(&due.key, object)?));
                }
            }
        }
        // On a full disk who has nothing to write is not refused.
        if requests.is_empty() {
            return Ok(());
        }
        for outcome in self.hub.perform_all(requests).await.map_err(Status::from)? {
            outcome.map_err(|refusal| Status::internal(format!("{refusal:?}")))?;
        }
        Ok(())
    }

    fn made(self: &Arc<Api>, key: &Key, object: Json) -> Result<Document, Status> {
        let write = Write::by_server(self, self.kind_of(key)?, key);
        write.created(object, false)
    }

    /// The kind of an object of the hub's own.
    ///
    /// # Errors
    /// If it is not served.
    pub(crate) fn kind_of(&self, key: &Key) -> Result<Arc<Kind>, Status> {
        let kinds = self.kinds();
        let found = kinds.all().iter().find(|kind| kind.resource == key.resource);
        found.cloned().ok_or_else(|| Status::internal(format!("there is no {}", key.resource.as_str())))
    }
}

fn services(hub: &Hub) -> Vec<Json> {
    let view = hub.view();
    let services = view.collection(&Resource::new("", "services"));
    services.into_iter().flat_map(|all| all.objects().values()).map(|service| service.json()).collect()
}

/// All kinds: those that are built in, and those that definitions add.
pub(crate) fn kinds_of<'a>(
    compiled: &mut Compiled,
    definitions: impl Iterator<Item = &'a Arc<Document>>,
) -> Kinds {
    Kinds::new(builtin_table::kinds().into_iter().chain(compiled.kinds(definitions)))
}
