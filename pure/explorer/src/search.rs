//! Breadth-first search, level by level, in batches. A batch has three rounds: successors of
//! consecutive states are computed; they are inserted, shard by shard, in the order of the states they
//! came from; what is new is put in that order too, and so are the edges. The threads of a round share
//! nothing that is written. So nothing depends on how many there are: not counts, not numbering, not
//! which parent is first.

use std::sync::atomic::Ordering;

use crate::expand::{Expander, Piece, Sighting, Successor};
use crate::graph::{Graph, MOST_STEPS};
use crate::model::Model;
use crate::numbers::BLOCK;
use crate::options::{Options, Phase, Progress, Refused};
use crate::panics::{Panicked, catch};
use crate::parallel::in_parallel;
use crate::plan::Plan;
use crate::shard::{MOST_STATES, SHARDS, Shard, StateId, shard_of};
use crate::shelf::Shelf;

/// States expanded at a time; bounds the memory for successors on their way.
const BATCH: usize = 16 * 1024;
/// Below this many states a batch is not worth waking threads for.
const PARALLEL: usize = 512;
/// With several threads, pieces for each: who is done early takes another.
const PIECES: usize = 4;

/// Why a search ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    Complete,
    MaxStates,
    MaxBytes,
    OutOfNumbers,
    Stopped,
    Panicked(Panicked),
}

/// How many states and steps can be numbered.
#[derive(Clone, Copy)]
struct Numbering {
    /// In each shard.
    states: u32,
    steps: usize,
}

/// A search, and afterwards what it found.
pub(crate) struct Search<'a, M: Model, H: Shelf<M::State>> {
    pub(crate) plan: &'a Plan<'a, M>,
    options: &'a Options<'a>,
    pub(crate) shards: Vec<Shard<H>>,
    pieces: Vec<Piece<M::State, H::Mark>>,
    columns: Vec<Column<M::State, H::Mark>>,
    rows: Vec<Row>,
    /// The level that is being expanded, in the order in which its states were found.
    frontier: Vec<StateId>,
    /// The level that is being found.
    next: Vec<StateId>,
    pub(crate) graph: Option<Graph>,
    /// How many initial states there are.
    pub(crate) initial: u32,
    pub(crate) generated: u64,
    pub(crate) depth: u32,
    pub(crate) sightings: Vec<Option<Sighting>>,
    pub(crate) peak_bytes: u64,
    numbering: Numbering,
}

/// What pieces found for one shard, and the ids that it got.
struct Column<S, K> {
    found: Vec<Vec<Successor<S, K>>>,
    ids: Vec<Vec<StateId>>,
    /// For each piece the number of the first state that it brought, if it brought any.
    firsts: Vec<u32>,
}

/// What one piece found, after insertion.
#[derive(Default)]
struct Row {
    /// New states, in the order in which they were found.
    new: Vec<StateId>,
    /// The target of each edge.
    targets: Vec<StateId>,
}

impl<'a, M: Model, H: Shelf<M::State>> Search<'a, M, H> {
    pub(crate) fn new(plan: &'a Plan<'a, M>, options: &'a Options<'a>) -> Self {
        let pieces = match options.threads.get() {
            1 => 1,
            threads => threads * PIECES,
        };
        let column = || Column {
            found: (0..pieces).map(|_| Vec::new()).collect(),
            ids: vec![Vec::new(); pieces],
            firsts: vec![0; pieces],
        };
        Search {
            plan,
            options,
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            pieces: (0..pieces).map(|_| Piece::new(plan.properties.len())).collect(),
            columns: (0..SHARDS).map(|_| column()).collect(),
            rows: (0..pieces).map(|_| Row::default()).collect(),
            frontier: Vec::new(),
            next: Vec::new(),
            graph: plan.needs_graph().then(|| Graph::new(plan.labels)),
            initial: 0,
            generated: 0,
            depth: 0,
            sightings: vec![None; plan.properties.len()],
            peak_bytes: 0,
            numbering: Numbering { states: MOST_STATES, steps: MOST_STEPS },
        }
    }

    /// Explores until nothing is left, or a budget, or somebody, ends it.
    pub(crate) fn run(&mut self) -> Result<Ended, Refused> {
        match self.begin() {
            Ok(()) if self.next.is_empty() => return Err(Refused::NoInitialState),
            Ok(()) => self.initial = self.next.len() as u32,
            Err(panicked) => return Ok(Ended::Panicked(panicked)),
        }
        while !self.next.is_empty() {
            self.depth += 1;
            self.shards.iter_mut().for_each(Shard::next_level);
            std::mem::swap(&mut self.frontier, &mut self.next);
            self.next.clear();
            if let Some(graph) = &mut self.graph {
                graph.extend(&self.frontier);
            }
            if let Some(ended) = self.expand_level() {
                return Ok(ended);
            }
        }
        if self.graph.is_some() {
            self.tell(Phase::Components, 0, self.bytes());
        }
        if let Some(graph) = &mut self.graph {
            graph.finish(self.options.threads.get());
        }
        Ok(Ended::Complete)
    }

    /// Inserts the initial states.
    fn begin(&mut self) -> Result<(), Panicked> {
        let plan = self.plan;
        let initial = || plan.model.init().into_iter().map(|state| plan.normal(state)).collect::<Vec<_>>();
        let initial = catch(initial).map_err(|message| Panicked { state: StateId::NONE, message })?;
        for state in initial {
            let mark = H::mark(&state);
            let index = shard_of(H::hash(mark));
            let before = self.shards[index].shelf.len();
            let local = self.shards[index].insert(mark, state, StateId::NONE);
            if local == before {
                self.next.push(StateId::new(index, local));
            }
            self.generated += 1;
        }
        Ok(())
    }

    fn expand_level(&mut self) -> Option<Ended> {
        let mut done = 0;
        while done < self.frontier.len() {
            let batch = self.batch_size().min(self.frontier.len() - done);
            let pieces = if batch < PARALLEL { 1 } else { self.pieces.len() };
            self.compute(done, batch, pieces);
            if let Some(panicked) = self.first_panic(pieces) {
                return Some(Ended::Panicked(panicked));
            }
            if !self.can_number(pieces) {
                return Some(self.end_early(done, Ended::OutOfNumbers));
            }
            self.insert(pieces);
            self.order(pieces);
            self.collect(pieces);
            done += batch;
            if let Some(ended) = self.account(done) {
                return Some(self.end_early(done, ended));
            }
        }
        None
    }

    /// The first panic of the batch, in the order of states. What was seen before it stays seen; the rest of
    /// the batch counts for nothing, because how much of it there is depends on the threads' shares.
    fn first_panic(&mut self, pieces: usize) -> Option<Panicked> {
        let pieces = &self.pieces[..pieces];
        let first = pieces.iter().position(|piece| piece.panicked.is_some())?;
        let panicked = pieces[first].panicked.clone()?;
        for piece in &pieces[..=first] {
            for (seen, sighting) in self.sightings.iter_mut().zip(&piece.sightings) {
                // A step from the state of the panic cannot be taken again: it may be the one that panics.
                let sighting = sighting.filter(|it| *it != Sighting::StepFrom(panicked.state));
                *seen = seen.or(sighting);
            }
        }
        Some(panicked)
    }

    /// Whether there are numbers for all that the batch found, should all of it be new.
    fn can_number(&self, pieces: usize) -> bool {
        let pieces = &self.pieces[..pieces];
        let found = |shard: usize| pieces.iter().map(|piece| piece.found[shard].len()).sum::<usize>();
        let states = |(index, shard): (usize, &Shard<H>)| shard.shelf.len() as usize + found(index);
        let steps = self.graph.as_ref().map_or(0, Graph::steps)
            + pieces.iter().map(|piece| piece.edges.targets.len()).sum::<usize>();
        steps <= self.numbering.steps
            && self.shards.iter().enumerate().map(states).all(|most| most <= self.numbering.states as usize)
    }

    /// A small budget of states is met with small batches.
    fn batch_size(&self) -> usize {
        let left = |max: u64| max.saturating_sub(self.distinct()) as usize;
        self.options.max_states.map_or(BATCH, |max| left(max).saturating_add(1).min(BATCH))
    }

    fn expander(&self) -> Expander<'_, M, H> {
        Expander {
            plan: self.plan,
            watch: self.plan.watch(|property| self.sightings[property].is_some()),
            labels: self.plan.label_predicates(),
            shards: &self.shards,
        }
    }

    /// Computes the successors of `batch` states of the frontier, from the one at `start` on.
    fn compute(&mut self, start: usize, batch: usize, pieces: usize) {
        let mut own = std::mem::take(&mut self.pieces);
        let expander = self.expander();
        let share = |piece: usize| start + batch * piece / pieces;
        let mut work: Vec<_> = own[..pieces].iter_mut().enumerate().collect();
        in_parallel(&mut work, |(index, piece)| {
            let sources = &self.frontier[share(*index)..share(*index + 1)];
            expander.expand(sources.iter().copied(), piece);
        });
        drop(expander);
        self.pieces = own;
    }

    /// Inserts what the pieces found, shard by shard.
    fn insert(&mut self, pieces: usize) {
        self.exchange(pieces);
        let mut work: Vec<_> = self.shards.iter_mut().zip(&mut self.columns).enumerate().collect();
        let insert = |(index, (shard, column)): &mut (usize, (&mut Shard<H>, &mut Column<_, _>))| {
            column.insert(*index, shard, pieces);
        };
        match pieces {
            1 => work.iter_mut().for_each(insert),
            _ => in_parallel(&mut work, insert),
        }
        self.exchange(pieces);
    }

    /// Gives the columns what the pieces found, or the emptied buffers back to the pieces.
    fn exchange(&mut self, pieces: usize) {
        for (piece, found) in self.pieces[..pieces].iter_mut().map(|piece| &mut piece.found).enumerate() {
            for (column, found) in self.columns.iter_mut().zip(found) {
                std::mem::swap(&mut column.found[piece], found);
            }
        }
    }

    /// Puts what is new in the order in which it was found, and the edges in that of the states they leave.
    fn order(&mut self, pieces: usize) {
        let columns = &self.columns;
        let mut work: Vec<_> = self.rows.iter_mut().zip(&self.pieces).take(pieces).enumerate().collect();
        in_parallel(&mut work, |(index, (row, piece))| row.fill(*index, piece, columns));
        for (row, piece) in self.rows.iter().zip(&self.pieces).take(pieces) {
            self.next.extend_from_slice(&row.new);
            if let Some(graph) = &mut self.graph {
                graph.append(&piece.edges, &row.targets);
            }
        }
    }

    fn collect(&mut self, pieces: usize) {
        for piece in &self.pieces[..pieces] {
            self.generated += piece.generated;
            for (first, sighting) in self.sightings.iter_mut().zip(&piece.sightings) {
                *first = first.or(*sighting);
            }
        }
    }

    /// Keeps count after a batch, and ends the run where a bound is reached.
    fn account(&mut self, done: usize) -> Option<Ended> {
        let distinct = self.distinct();
        let bytes = self.bytes();
        self.peak_bytes = self.peak_bytes.max(bytes);
        let frontier = (self.frontier.len() - done + self.next.len()) as u64;
        self.tell(Phase::Exploring, frontier, bytes);
        if frontier == 0 {
            return None;
        }
        if self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            Some(Ended::Stopped)
        } else if self.options.max_states.is_some_and(|max| distinct > max) {
            Some(Ended::MaxStates)
        } else if self.options.max_bytes.is_some_and(|max| bytes > max) {
            Some(Ended::MaxBytes)
        } else {
            None
        }
    }

    /// Tells how far the run is, if somebody wants to know.
    pub(crate) fn tell(&self, phase: Phase<'_>, frontier: u64, bytes: u64) {
        if let Some(progress) = self.options.progress {
            let (distinct, generated, depth) = (self.distinct(), self.generated, self.depth);
            let collision_probability = H::collision_probability(distinct);
            progress(&Progress { phase, distinct, generated, frontier, depth, bytes, collision_probability });
        }
    }

    /// A search that ends early still judges the states that it found and did not expand, and counts
    /// the level that it began.
    fn end_early(&mut self, done: usize, ended: Ended) -> Ended {
        let mut pieces = std::mem::take(&mut self.pieces);
        let left = self.frontier[done..].iter().chain(&self.next);
        self.expander().judge_all(left.copied(), &mut pieces[0]);
        self.pieces = pieces;
        self.collect(1);
        if let Some(panicked) = self.pieces[0].panicked.take() {
            return Ended::Panicked(panicked);
        }
        self.depth += u32::from(!self.next.is_empty());
        ended
    }

    /// Successors on their way are no more.
    pub(crate) fn free_buffers(&mut self) {
        self.pieces.clear();
        self.columns.clear();
        self.rows.clear();
        self.frontier = Vec::new();
        self.next = Vec::new();
    }

    pub(crate) fn distinct(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.shelf.len())).sum()
    }

    /// Memory held for what was found. The buffers of a batch are bounded, and depend on the number of
    /// threads, which the end of a run must not.
    pub(crate) fn bytes(&self) -> u64 {
        let shards: usize = self.shards.iter().map(Shard::bytes).sum();
        let ids = (self.frontier.len() + self.next.len()) * size_of::<StateId>();
        (shards + ids + self.graph.as_ref().map_or(0, Graph::bytes)) as u64
    }
}

impl<S, K: Copy> Column<S, K> {
    fn insert<H: Shelf<S, Mark = K>>(&mut self, index: usize, shard: &mut Shard<H>, pieces: usize) {
        let columns = self.found.iter_mut().zip(&mut self.ids).zip(&mut self.firsts);
        for ((found, ids), first) in columns.take(pieces) {
            ids.clear();
            *first = shard.shelf.len();
            let mut found = found.drain(..);
            while !found.as_slice().is_empty() {
                let block = found.as_slice().iter().take(BLOCK);
                let known = shard.shelf.glance(block.map(|next| (next.mark, &next.state)));
                for (known, Successor { mark, parent, state }) in known.into_iter().zip(&mut found) {
                    let local = known.unwrap_or_else(|| shard.insert(mark, state, parent));
                    ids.push(StateId::new(index, local));
                }
            }
        }
    }
}

impl Row {
    fn fill<S, K>(&mut self, piece: usize, found: &Piece<S, K>, columns: &[Column<S, K>]) {
        let mut ids: Vec<_> = columns.iter().map(|column| column.ids[piece].iter()).collect();
        let mut next: Vec<u32> = columns.iter().map(|column| column.firsts[piece]).collect();
        self.new.clear();
        for shard in &found.order {
            let shard = usize::from(*shard);
            // A shard numbers what is new in the order in which it comes.
            if let Some(id) = ids[shard].next()
                && id.local() == next[shard]
            {
                next[shard] += 1;
                self.new.push(*id);
            }
        }
        let id = |place: &StateId| columns[place.shard()].ids[piece][place.local() as usize];
        self.targets.clear();
        self.targets.extend(found.edges.targets.iter().map(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Field;
    use crate::property::Property;
    use crate::shelf::Exact;

    /// A tree in which each number up to a thousand has two children.
    struct Tree;

    impl Model for Tree {
        type State = u32;
        type Action = u32;

        fn init(&self) -> Vec<u32> {
            vec![1]
        }

        fn actions(&self, state: &u32, out: &mut Vec<u32>) {
            if *state <= 1000 {
                out.extend([2 * state, 2 * state + 1]);
            }
        }

        fn next(&self, _: &u32, action: &u32) -> u32 {
            *action
        }

        fn properties(&self) -> Vec<Property<Self>> {
            vec![Property::always("Small", |_, s| *s < 40), Property::eventually("Large", |_, s| *s > 40)]
        }

        fn action_name(&self, action: &u32) -> String {
            action.to_string()
        }

        fn fields(&self, state: &u32) -> Vec<Field> {
            vec![Field::new("s", state.to_string())]
        }
    }

    fn ends(numbering: Numbering) -> (Ended, u64, Vec<bool>) {
        let options = Options::default();
        let plan = Plan::new(&Tree, &options).expect("supported");
        let mut search: Search<'_, Tree, Exact<u32>> = Search::new(&plan, &options);
        search.numbering = numbering;
        let ended = search.run().expect("it begins");
        (ended, search.distinct(), search.sightings.iter().map(Option::is_some).collect())
    }

    #[test]
    fn a_search_without_numbers_for_steps_ends_and_judges_what_it_found() {
        // Five levels have thirty steps between them; the sixth would add another thirty-two.
        let (ended, distinct, seen) = ends(Numbering { states: MOST_STATES, steps: 61 });
        assert!(matches!(ended, Ended::OutOfNumbers), "{ended:?}");
        assert_eq!(distinct, 31);
        assert_eq!(seen, [false, false]);
        let (ended, distinct, seen) = ends(Numbering { states: MOST_STATES, steps: 62 });
        assert!(matches!(ended, Ended::OutOfNumbers), "{ended:?}");
        assert_eq!(distinct, 63);
        assert_eq!(seen, [true, false], "the last level is judged although it is not expanded");
    }

    #[test]
    fn a_search_without_numbers_for_states_ends() {
        let (ended, distinct, _) = ends(Numbering { states: 10, steps: MOST_STEPS });
        assert!(matches!(ended, Ended::OutOfNumbers), "{ended:?}");
        assert!((31..=10 * SHARDS as u64).contains(&distinct), "{distinct}");
    }
}
