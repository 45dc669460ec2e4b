//! Random histories: what clients, chores, the disk and a restart do to a store, and what must be true then.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::View;

/// One thing that happens. Objects and uids are numbers, taken modulo what there is.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Create {
        path: &'static str,
        finalizers: Vec<Finalizer<Mark>>,
        owners: Vec<(usize, bool)>,
    },
    Replace {
        path: &'static str,
        spec: u8,
        owners: Option<Vec<(usize, bool)>>,
        guard: Guard,
    },
    Hold {
        path: &'static str,
        finalizers: Vec<Finalizer<Mark>>,
    },
    Delete {
        path: &'static str,
        propagation: Option<Propagation>,
        grace_s: u64,
    },
    Apply {
        path: &'static str,
        more: u8,
    },
    Chore(usize),
    /// What is pending becomes durable.
    Commit,
    /// What is pending cannot be made durable.
    Refuse,
    Forget {
        kind: Kind,
        age: u64,
    },
    Restart,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Guard {
    Nothing,
    Current,
    Stale,
}

const PATHS: &[&str] = &["ns1", "ns2", "ns1/a", "ns1/b", "ns2/a", "w", "x", "y", "z"];

/// An event, the likelier the more it stirs.
pub(super) fn event() -> impl Strategy<Value = Event> {
    use Finalizer::{Contents, Foreground, Orphan};
    let path = || select(PATHS);
    let finalizers = || vec(select(&[MARK, Foreground, Orphan, Contents][..]), 0..3);
    let owners = || vec((0..12usize, any::<bool>()), 0..3);
    let propagations = [
        None,
        Some(Propagation::Background),
        Some(Propagation::Foreground),
        Some(Propagation::Foreground),
        Some(Propagation::Orphan),
    ];
    let guards = [Guard::Nothing, Guard::Current, Guard::Stale];
    let kind = select(&[Kind::Namespace, Kind::Thing][..]);
    prop_oneof![
        6 => (path(), finalizers(), owners())
            .prop_map(|(path, finalizers, owners)| Event::Create { path, finalizers, owners }),
        4 => (path(), 0..3u8, proptest::option::of(owners()), select(guards.to_vec()))
            .prop_map(|(path, spec, owners, guard)| Event::Replace { path, spec, owners, guard }),
        3 => (path(), finalizers()).prop_map(|(path, finalizers)| Event::Hold { path, finalizers }),
        4 => (path(), select(propagations.to_vec()), select(&[0, 0, 0, 5][..]))
            .prop_map(|(path, propagation, grace_s)| Event::Delete { path, propagation, grace_s }),
        1 => (path(), 0..2u8).prop_map(|(path, more)| Event::Apply { path, more }),
        6 => (0..9usize).prop_map(Event::Chore),
        3 => Just(Event::Commit),
        2 => Just(Event::Refuse),
        1 => (kind, 0..5u64).prop_map(|(kind, age)| Event::Forget { kind, age }),
        1 => Just(Event::Restart),
    ]
}

/// A store, and what was true of it.
pub(super) struct Store {
    pub(super) head: Head<Toy>,
    pub(super) view: View<Toy>,
    pub(super) pending: Vec<Change<Toy>>,
    /// Every object at every durable version.
    pub(super) snapshots: BTreeMap<u64, Vec<Arc<Toy>>>,
    /// Every durable change.
    pub(super) durable: Vec<Change<Toy>>,
    /// Up to which version the history of a kind is lost.
    pub(super) lost: BTreeMap<Kind, u64>,
    /// Every object that ever was, for owners to be chosen from.
    uids: Vec<(Path, u32)>,
}

impl Store {
    pub(super) fn new() -> Store {
        Store {
            head: Head::empty(),
            view: View::load(Version(0), []),
            pending: Vec::new(),
            snapshots: BTreeMap::from([(0, Vec::new())]),
            durable: Vec::new(),
            lost: BTreeMap::from([(Kind::Namespace, 0), (Kind::Thing, 0)]),
            uids: vec![(key("never"), 0)],
        }
    }

    pub(super) fn objects(&self) -> Vec<Arc<Toy>> {
        self.head.objects().cloned().collect()
    }

    /// Performs what the event asks for, and says what it asked for.
    pub(super) fn happen(&mut self, event: &Event) {
        match event {
            Event::Chore(index) => self.chore(*index),
            Event::Commit => self.commit(),
            Event::Refuse => {
                while let Some(change) = self.pending.pop() {
                    self.head.revert(&change);
                }
            }
            Event::Forget { kind, age } => {
                let version = Version(self.view.version().0.saturating_sub(*age));
                self.view.forget(kind, version);
                let lost = self.lost.get_mut(kind).expect("every kind has an entry");
                *lost = version.0.max(*lost);
            }
            Event::Restart => {
                let objects: Vec<_> = self.snapshots[&self.view.version().0].clone();
                self.pending.clear();
                self.head = Head::load(self.view.version(), objects.iter().cloned());
                self.view = View::load(self.view.version(), objects);
                self.lost.values_mut().for_each(|lost| *lost = self.view.version().0);
            }
            _ => {
                if let Some(request) = self.request(event) {
                    self.perform(request);
                }
            }
        }
    }

    fn chore(&mut self, index: usize) {
        let Some(key) = self.head.agenda().iter().cycle().nth(index).copied() else { return };
        match look(&self.head, key) {
            Some(request) => self.perform(request),
            None => self.head.settled(&key),
        }
    }

    fn commit(&mut self) {
        for change in self.pending.drain(..) {
            let mut objects = self.snapshots[&(change.version.0 - 1)].clone();
            objects.retain(|object| object.key != change.key);
            if !change.removed {
                objects.push(Arc::clone(&change.after));
            }
            objects.sort_by_key(|object| object.key);
            self.snapshots.insert(change.version.0, objects);
            self.durable.push(change.clone());
            self.view.publish(change);
        }
    }

    /// Performs a request, and checks how it counts.
    fn perform(&mut self, request: Request<Toy>) {
        let before = self.head.version();
        let objects = self.objects();
        let (outcome, change) = self.head.perform(request);
        let Some(change) = change else {
            assert!(matches!(outcome, Err(_) | Ok(Answer::Unchanged(_))));
            assert_eq!((self.head.version(), self.objects()), (before, objects), "nothing takes no version");
            return;
        };
        assert_eq!((change.version, self.head.version()), (before.next(), before.next()));
        assert_eq!(change.after.meta.version, change.version);
        let found = self.head.get(&change.key);
        assert_eq!(found, (!change.removed).then_some(&change.after));
        self.pending.push(change);
    }

    fn request(&mut self, event: &Event) -> Option<Request<Toy>> {
        let found = |path| self.head.get(&key(path)).map(|toy| Toy::clone(toy));
        Some(match event {
            Event::Create { path, finalizers, owners } => {
                let uid = u32::try_from(self.uids.len()).expect("few");
                let mut new = toy(path, uid).held(finalizers);
                new.meta.owners = self.owners(owners);
                self.uids.push((new.key, uid));
                Request::Create(new)
            }
            Event::Replace { path, spec, owners, guard } => {
                let mut new = found(path)?.spec(*spec);
                if let Some(owners) = owners {
                    new.meta.owners = self.owners(owners);
                }
                let version = match guard {
                    Guard::Nothing => None,
                    Guard::Current => Some(new.meta.version),
                    Guard::Stale => Some(Version(new.meta.version.0 - 1)),
                };
                Request::Replace(new, Expect { version, uid: None })
            }
            Event::Hold { path, finalizers } => {
                let mut new = found(path)?;
                new.meta.finalizers.clone_from(finalizers);
                replace(new)
            }
            Event::Delete { path, propagation, grace_s } => Request::Delete {
                key: key(path),
                expect: Expect::anything(),
                propagation: *propagation,
                grace_s: *grace_s,
                at: 7,
            },
            Event::Apply { path, more } => {
                found(path)?;
                Request::Apply(key(path), *more)
            }
            Event::Chore(_) | Event::Commit | Event::Refuse | Event::Forget { .. } | Event::Restart => {
                return None;
            }
        })
    }

    fn owners(&self, chosen: &[(usize, bool)]) -> Vec<OwnerOf<Toy>> {
        // The youngest first: they are likelier to be there.
        let uid = |index: usize| self.uids[self.uids.len() - 1 - index % self.uids.len()];
        let owner = |&(index, blocks): &(usize, bool)| {
            let (key, uid) = uid(index);
            Owner { key: (index != 11).then_some(key), uid, blocks }
        };
        chosen.iter().map(owner).collect()
    }
}
