//! One thread's share of a batch: from states to their successors, sorted by shard.

use std::cell::Cell;

use crate::model::{Class, Model};
use crate::panics::{Panicked, catch};
use crate::plan::{Plan, Watch};
use crate::property::StateFn;
use crate::shard::{SHARDS, Shard, StateId, shard_of};
use crate::shelf::Shelf;

/// A successor on its way to its shard.
pub(crate) struct Successor<S, K> {
    pub(crate) mark: K,
    pub(crate) parent: StateId,
    pub(crate) state: S,
}

/// Where a property was settled: in a state, or by a step from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sighting {
    State(StateId),
    StepFrom(StateId),
}

/// What one thread made of consecutive states of the frontier.
pub(crate) struct Piece<S, K> {
    /// Successors by shard, in the order in which they were found.
    pub(crate) found: Vec<Vec<Successor<S, K>>>,
    /// The shards of all of them, in the order in which they were found.
    pub(crate) order: Vec<u8>,
    pub(crate) generated: u64,
    /// The first sighting of each property.
    pub(crate) sightings: Vec<Option<Sighting>>,
    pub(crate) panicked: Option<Panicked>,
    pub(crate) edges: Edges,
    /// Where in `found` a successor was put lately, and half of its hash, by the other half.
    lately: Vec<(u32, Place)>,
}

/// The place of a successor: its shard, and its position among those found for it.
pub(crate) type Place = StateId;

/// How many hashes are remembered. Most steps commute, so most successors were found a moment ago: what
/// a small table knows need not be looked up in a large one.
const LATELY: usize = 8192;

/// The graph's part of a piece.
#[derive(Default)]
pub(crate) struct Edges {
    /// Edges of each state.
    pub(crate) degrees: Vec<u32>,
    /// The place of each edge's target.
    pub(crate) targets: Vec<Place>,
    /// The class of each edge's action.
    pub(crate) classes: Vec<u16>,
    /// The truth of each label in each state, a row of whole bytes a state.
    pub(crate) labels: Vec<u8>,
}

impl<S: Eq, K> Piece<S, K> {
    pub(crate) fn new(properties: usize) -> Self {
        Piece {
            found: (0..SHARDS).map(|_| Vec::new()).collect(),
            order: Vec::new(),
            generated: 0,
            sightings: vec![None; properties],
            panicked: None,
            edges: Edges::default(),
            lately: vec![(0, Place::NONE); LATELY],
        }
    }

    fn clear(&mut self) {
        self.found.iter_mut().for_each(Vec::clear);
        self.order.clear();
        self.generated = 0;
        self.sightings.fill(None);
        self.panicked = None;
        self.edges.degrees.clear();
        self.edges.targets.clear();
        self.edges.classes.clear();
        self.edges.labels.clear();
    }

    #[inline]
    fn sight(&mut self, property: usize, sighting: Sighting) {
        self.sightings[property].get_or_insert(sighting);
    }

    /// Puts a successor where it belongs, unless it was put there a moment ago.
    #[inline]
    fn put(&mut self, hash: u64, successor: Successor<S, K>) -> Place {
        let shard = shard_of(hash);
        let (high, low) = ((hash >> 32) as u32, hash as usize);
        let lately = &mut self.lately[low % LATELY];
        // What is remembered may be of an earlier batch; then another state is there now, or none.
        if lately.0 == high
            && let Some(other) = self.found[shard].get(lately.1.local() as usize)
            && other.state == successor.state
        {
            return lately.1;
        }
        let place = Place::new(shard, self.found[shard].len() as u32);
        *lately = (high, place);
        self.found[shard].push(successor);
        self.order.push(shard as u8);
        place
    }
}

/// Expands states; shared by all threads of a batch.
pub(crate) struct Expander<'a, M: Model, H> {
    pub(crate) plan: &'a Plan<'a, M>,
    pub(crate) watch: Watch<'a, M>,
    pub(crate) labels: Vec<&'a StateFn<M>>,
    pub(crate) shards: &'a [Shard<H>],
}

impl<M: Model, H: Shelf<M::State>> Expander<'_, M, H> {
    /// Expands `sources` into `piece`, up to the first panic of the model.
    pub(crate) fn expand(
        &self,
        sources: impl Iterator<Item = StateId>,
        piece: &mut Piece<M::State, H::Mark>,
    ) {
        let mut actions = Vec::new();
        Self::for_each(sources, piece, |source, piece| self.expand_state(source, &mut actions, piece));
    }

    /// Judges `sources` without expanding them, up to the first panic of the model.
    pub(crate) fn judge_all(
        &self,
        sources: impl Iterator<Item = StateId>,
        piece: &mut Piece<M::State, H::Mark>,
    ) {
        Self::for_each(sources, piece, |source, piece| {
            self.judge(source, self.shards[source.shard()].shelf.get(source.local()), piece);
        });
    }

    fn for_each(
        sources: impl Iterator<Item = StateId>,
        piece: &mut Piece<M::State, H::Mark>,
        mut work: impl FnMut(StateId, &mut Piece<M::State, H::Mark>),
    ) {
        piece.clear();
        let at = Cell::new(StateId::NONE);
        // A panic leaves the piece half-filled, and then nobody reads more of it than the panic and what was
        // sighted before.
        let outcome = catch(|| {
            for source in sources {
                at.set(source);
                work(source, piece);
            }
        });
        if let Err(message) = outcome {
            piece.panicked = Some(Panicked { state: at.get(), message });
        }
    }

    #[inline]
    fn expand_state(
        &self,
        source: StateId,
        actions: &mut Vec<M::Action>,
        piece: &mut Piece<M::State, H::Mark>,
    ) {
        let model = self.plan.model;
        let state = self.shards[source.shard()].shelf.get(source.local());
        self.judge(source, state, piece);
        actions.clear();
        model.actions(state, actions);
        piece.generated += actions.len() as u64;
        if actions.is_empty() {
            self.watch.deadlock.iter().for_each(|property| piece.sight(*property, Sighting::State(source)));
        }
        let edges_before = piece.edges.classes.len();
        for action in &*actions {
            let next = model.next(state, action);
            // A step that changes nothing is stuttering: it neither takes nor enables an action. The
            // comparison comes before the normal form, in which a real step may look like none.
            if next == *state {
                continue;
            }
            for (property, holds) in &self.watch.steps {
                if !holds(model, state, action, &next) {
                    piece.sight(*property, Sighting::StepFrom(source));
                }
            }
            let next = self.plan.normal(next);
            let mark = H::mark(&next);
            let place = piece.put(H::hash(mark), Successor { mark, parent: source, state: next });
            if !self.labels.is_empty() {
                piece.edges.targets.push(place);
                piece.edges.classes.push(self.class(action));
            }
        }
        if !self.labels.is_empty() {
            piece.edges.degrees.push((piece.edges.classes.len() - edges_before) as u32);
            self.label(state, &mut piece.edges.labels);
        }
    }

    /// Looks for states that settle a property.
    #[inline]
    fn judge(&self, id: StateId, state: &M::State, piece: &mut Piece<M::State, H::Mark>) {
        for (property, predicate, settles) in &self.watch.states {
            if predicate(self.plan.model, state) == *settles {
                piece.sight(*property, Sighting::State(id));
            }
        }
    }

    fn class(&self, action: &M::Action) -> u16 {
        let class = self.plan.model.class(action);
        assert!(
            class == Class::UNFAIR || usize::from(class.0) < self.plan.fair_classes,
            "the class {} of action {} is none of the {} that the model's fairness names",
            class.0,
            self.plan.model.action_name(action),
            self.plan.fair_classes,
        );
        class.0
    }

    fn label(&self, state: &M::State, labels: &mut Vec<u8>) {
        for predicates in self.labels.chunks(8) {
            let mut byte = 0;
            for (bit, predicate) in predicates.iter().enumerate() {
                byte |= u8::from(predicate(self.plan.model, state)) << bit;
            }
            labels.push(byte);
        }
    }
}
