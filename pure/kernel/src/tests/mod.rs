//! The rules, one by one, and as properties of random histories; on a tiny object.

mod agenda;
mod collector;
mod histories;
mod load;
mod namespaces;
mod properties;
mod verbs;
mod view;

use std::sync::Arc;

use crate::{
    Answer, Change, Deletion, Expect, Finalizer, Head, Key, Meta, MetaOf, Object, Outcome, Owner, OwnerOf,
    Propagation, Refusal, Request, Version,
};

/// `name`, or `home/name`. What begins with `ns` and has no home is a namespace, the rest are things; somebody runs
/// those that begin with `run`, and has to let go of those that begin with `kept`;
/// those that begin with `slow` take 30 seconds to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Path {
    resource: Kind,
    home: Option<&'static str>,
    name: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Namespace,
    Thing,
}

fn key(path: &'static str) -> Path {
    match path.split_once('/') {
        Some((home, name)) => Path { resource: Kind::Thing, home: Some(home), name },
        None if path.starts_with("ns") => Path { resource: Kind::Namespace, home: None, name: path },
        None => Path { resource: Kind::Thing, home: None, name: path },
    }
}

impl Key for Path {
    type Resource = Kind;

    fn resource(&self) -> &Kind {
        &self.resource
    }

    fn home(&self) -> Option<Path> {
        self.home.map(key)
    }
}

type Mark = &'static str;

/// An object that says no more than two numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Toy {
    key: Path,
    meta: Meta<Path, u32, Mark, u64>,
    spec: u8,
    status: u8,
}

impl Object for Toy {
    type Key = Path;
    type Uid = u32;
    type Mark = Mark;
    type Time = u64;
    /// What is added to the spec.
    type Change = u8;
    type Refusal = &'static str;

    fn key(&self) -> &Path {
        &self.key
    }

    fn meta(&self) -> &MetaOf<Toy> {
        &self.meta
    }

    fn stamp(&mut self, meta: MetaOf<Toy>) {
        self.meta = meta;
    }

    fn holder(&self) -> Option<Finalizer<Mark>> {
        self.key.name.starts_with("kept").then_some(MARK)
    }

    fn end(&self, now: &u64) -> Deletion<u64> {
        let grace_s = if self.key.name.starts_with("slow") { 30 } else { 0 };
        Deletion { at: now + grace_s, grace_s }
    }

    fn is_run(&self) -> bool {
        self.key.name.starts_with("run")
    }

    fn same(&self, other: &Toy) -> bool {
        let unversioned = |toy: &Toy| MetaOf::<Toy> { version: Version(0), ..toy.meta.clone() };
        (self.spec, self.status) == (other.spec, other.status) && unversioned(self) == unversioned(other)
    }

    fn spec_differs(&self, other: &Toy) -> bool {
        self.spec != other.spec
    }

    fn apply(current: Option<&Toy>, change: &u8) -> Result<Toy, &'static str> {
        let mut toy = current.cloned().unwrap_or_else(|| toy("applied", 99));
        toy.spec = toy.spec.checked_add(*change).ok_or("too much")?;
        Ok(toy)
    }
}

fn toy(path: &'static str, uid: u32) -> Toy {
    let meta = Meta {
        uid,
        version: Version(0),
        generation: Some(1),
        deletion: None,
        finalizers: Vec::new(),
        owners: Vec::new(),
    };
    Toy { key: key(path), meta, spec: 0, status: 0 }
}

impl Toy {
    fn held(mut self, finalizers: &[Finalizer<Mark>]) -> Toy {
        self.meta.finalizers.extend_from_slice(finalizers);
        self
    }

    fn owned(mut self, owner: OwnerOf<Toy>) -> Toy {
        self.meta.owners.push(owner);
        self
    }

    fn spec(self, spec: u8) -> Toy {
        Toy { spec, ..self }
    }
}

const MARK: Finalizer<Mark> = Finalizer::Named("mark");

/// An owner that waits for what it owns.
fn owner(of: &Toy) -> OwnerOf<Toy> {
    Owner { key: Some(of.key), uid: of.meta.uid, blocks: true }
}

/// An owner that does not.
fn lax_owner(of: &Toy) -> OwnerOf<Toy> {
    Owner { blocks: false, ..owner(of) }
}

fn delete(path: &'static str, propagation: Option<Propagation>) -> Request<Toy> {
    Request::Delete { key: key(path), expect: Expect::anything(), propagation, grace_s: 0, at: 7 }
}

fn replace(toy: Toy) -> Request<Toy> {
    Request::Replace(toy, Expect::anything())
}

/// A store with these objects, made one after the other.
fn head(toys: impl IntoIterator<Item = Toy>) -> Head<Toy> {
    let mut head = Head::empty();
    for toy in toys {
        head.perform(Request::Create(toy)).0.expect("it can be made");
    }
    head
}

/// The change that a request makes.
fn change(head: &mut Head<Toy>, request: Request<Toy>) -> Change<Toy> {
    let (outcome, change) = head.perform(request);
    outcome.expect("it is allowed");
    change.expect("it changes something")
}

/// Why a request is refused; it then changes nothing.
fn refused(head: &mut Head<Toy>, request: Request<Toy>) -> Refusal<u32, &'static str> {
    let before = head.clone();
    let (outcome, change) = head.perform(request);
    assert!(change.is_none() && *head == before, "a refused request changes nothing");
    outcome.expect_err("it is refused")
}

/// Performs a request that changes nothing.
fn unchanged(head: &mut Head<Toy>, request: Request<Toy>) {
    let before = head.clone();
    let (outcome, change) = head.perform(request);
    assert!(matches!(outcome, Ok(Answer::Unchanged(_))) && change.is_none(), "{outcome:?}");
    assert!(*head == before, "it changes nothing");
}

fn get<'a>(head: &'a Head<Toy>, path: &'static str) -> Option<&'a Toy> {
    head.get(&key(path)).map(|toy| &**toy)
}

/// What `path` is now; it is there.
fn read(head: &Head<Toy>, path: &'static str) -> Toy {
    get(head, path).expect("it is there").clone()
}

fn finalizers(head: &Head<Toy>, path: &'static str) -> Vec<Finalizer<Mark>> {
    read(head, path).meta.finalizers
}

/// What is to be done about `path`, by whomever.
fn look(head: &Head<Toy>, path: Path) -> Option<Request<Toy>> {
    let object = head.get(&path)?;
    crate::collector::look(head, object, &9).or_else(|| crate::namespaces::look(head, object, &9))
}

/// Does all chores, as a server does: it takes what is on the agenda until nothing is.
fn settle(head: &mut Head<Toy>) -> Vec<Change<Toy>> {
    let mut changes = Vec::new();
    while let Some(key) = head.agenda().first().copied() {
        match look(head, key) {
            Some(request) => changes.push(change(head, request)),
            None => head.settled(&key),
        }
        assert!(changes.len() < 1_000, "the chores come to an end");
    }
    changes
}

fn names(head: &Head<Toy>) -> Vec<&'static str> {
    head.objects().map(|toy| toy.key.name).collect()
}

fn deletion(grace_s: u64) -> Option<Deletion<u64>> {
    Some(Deletion { at: 7, grace_s })
}

fn after(outcome: Outcome<Toy>) -> Arc<Toy> {
    Arc::clone(outcome.expect("it is allowed").object())
}
