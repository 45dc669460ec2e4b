//! Breadth-first search, level by level, in batches. A batch has three parts: threads compute the
//! successors of consecutive states; threads insert them, each into its own shards, in the order of
//! the states they came from; the edges are put in order. So nothing depends on how many threads
//! there are: not counts, not numbering, not which parent is first.

use std::sync::atomic::Ordering;

use crate::expand::{Expander, Piece, Sighting, Successor};
use crate::graph::Graph;
use crate::model::Model;
use crate::numbers::BLOCK;
use crate::options::{Options, Phase, Progress, Refused};
use crate::panics::{Panicked, catch};
use crate::parallel::in_parallel;
use crate::plan::Plan;
use crate::shard::{SHARDS, Shard, StateId, shard_of};
use crate::shelf::Shelf;

/// States expanded at a time; bounds the memory for successors on their way.
const BATCH: u64 = 16 * 1024;
/// Below this many states a batch is not worth waking threads for.
const PARALLEL: u64 = 512;

/// Why a search ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    Complete,
    MaxStates,
    MaxBytes,
    Stopped,
    Panicked(Panicked),
}

/// Successors for one shard: those of each piece, and the ids that they got.
struct Column<S, K> {
    found: Vec<Vec<Successor<S, K>>>,
    ids: Vec<Vec<StateId>>,
}

/// A search, and afterwards what it found.
pub(crate) struct Search<'a, M: Model, H: Shelf<M::State>> {
    pub(crate) plan: &'a Plan<'a, M>,
    options: &'a Options<'a>,
    pub(crate) shards: Vec<Shard<H>>,
    pieces: Vec<Piece<M::State, H::Mark>>,
    columns: Vec<Column<M::State, H::Mark>>,
    pub(crate) graph: Option<Graph>,
    pub(crate) generated: u64,
    pub(crate) depth: u32,
    pub(crate) sightings: Vec<Option<Sighting>>,
    pub(crate) peak_bytes: u64,
}

impl<'a, M: Model, H: Shelf<M::State>> Search<'a, M, H> {
    pub(crate) fn new(plan: &'a Plan<'a, M>, options: &'a Options<'a>) -> Self {
        let threads = options.threads.get();
        let column =
            || Column { found: (0..threads).map(|_| Vec::new()).collect(), ids: vec![Vec::new(); threads] };
        Search {
            plan,
            options,
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            pieces: (0..threads).map(|_| Piece::new(plan.properties.len())).collect(),
            columns: (0..SHARDS).map(|_| column()).collect(),
            graph: plan.needs_graph().then(|| Graph::new(plan.labels)),
            generated: 0,
            depth: 0,
            sightings: vec![None; plan.properties.len()],
            peak_bytes: 0,
        }
    }

    /// Explores until nothing is left, or a budget, or somebody, ends it.
    pub(crate) fn run(&mut self) -> Result<Ended, Refused> {
        match self.begin() {
            Ok(0) => return Err(Refused::NoInitialState),
            Ok(_) => {}
            Err(panicked) => return Ok(Ended::Panicked(panicked)),
        }
        loop {
            self.shards.iter_mut().for_each(Shard::next_level);
            let frontier: u64 = self.shards.iter().map(|shard| shard.frontier().len() as u64).sum();
            if frontier == 0 {
                break;
            }
            self.depth += 1;
            if let Some(ended) = self.expand_level(frontier) {
                return Ok(self.end_early(ended));
            }
        }
        if let Some(graph) = &mut self.graph {
            graph.finish(&self.shards, self.options.threads.get());
        }
        Ok(Ended::Complete)
    }

    /// Inserts the initial states, and counts them.
    fn begin(&mut self) -> Result<u64, Panicked> {
        let plan = self.plan;
        let initial = || plan.model.init().into_iter().map(|state| plan.normal(state)).collect::<Vec<_>>();
        let initial = catch(initial).map_err(|message| Panicked { state: StateId::NONE, message })?;
        for state in initial {
            let mark = H::mark(&state);
            self.shards[shard_of(H::hash(mark))].insert(mark, state, StateId::NONE);
            self.generated += 1;
        }
        Ok(self.generated)
    }

    fn expand_level(&mut self, frontier: u64) -> Option<Ended> {
        let mut done = 0;
        while done < frontier {
            let batch = self.batch_size().min(frontier - done);
            let pieces = if batch < PARALLEL { 1 } else { self.pieces.len() };
            self.compute(done, batch, pieces);
            // The batch of a panic counts for nothing: its pieces end where the threads' shares do.
            if let Some(panicked) = self.pieces[..pieces].iter().find_map(|piece| piece.panicked.clone()) {
                return Some(Ended::Panicked(panicked));
            }
            self.insert(pieces);
            self.connect(pieces);
            self.collect(pieces);
            done += batch;
            if let Some(ended) = self.account(frontier - done) {
                return Some(ended);
            }
        }
        None
    }

    /// A small budget of states is met with small batches.
    fn batch_size(&self) -> u64 {
        let left = self.options.max_states.map_or(BATCH, |max| max.saturating_sub(self.distinct()) + 1);
        left.clamp(1, BATCH)
    }

    /// Computes the successors of `batch` states of the frontier, from the one at `start` on.
    fn compute(&mut self, start: u64, batch: u64, pieces: usize) {
        let expander = Expander {
            plan: self.plan,
            watch: self.plan.watch(|property| self.sightings[property].is_some()),
            labels: self.plan.label_predicates(),
            shards: &self.shards,
        };
        let share = |piece: u64| start + batch * piece / pieces as u64;
        let mut work: Vec<_> = self.pieces[..pieces].iter_mut().enumerate().collect();
        in_parallel(&mut work, |(index, piece)| {
            let positions = share(*index as u64)..share(*index as u64 + 1);
            expander.expand(frontier_ids(expander.shards, positions), piece);
        });
    }

    /// Inserts what the pieces found: each thread into its own shards.
    fn insert(&mut self, pieces: usize) {
        self.exchange(pieces);
        let with_ids = self.graph.is_some();
        let share = SHARDS.div_ceil(pieces);
        let shards = self.shards.chunks_mut(share);
        let mut work: Vec<_> = shards.zip(self.columns.chunks_mut(share)).enumerate().collect();
        in_parallel(&mut work, |(group, (shards, columns))| {
            for (index, (shard, column)) in shards.iter_mut().zip(columns.iter_mut()).enumerate() {
                column.insert(*group * share + index, shard, with_ids);
            }
        });
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

    /// Adds the edges of the batch to the graph, in the order of the states they leave.
    fn connect(&mut self, pieces: usize) {
        let Some(graph) = &mut self.graph else { return };
        for (index, piece) in self.pieces[..pieces].iter().enumerate() {
            let mut ids: Vec<_> = self.columns.iter().map(|column| column.ids[index].iter()).collect();
            let targets = piece.edges.shards.iter().filter_map(|shard| ids[usize::from(*shard)].next());
            graph.append(&piece.edges, targets);
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
    fn account(&mut self, left_in_level: u64) -> Option<Ended> {
        let distinct = self.distinct();
        let bytes = self.bytes();
        self.peak_bytes = self.peak_bytes.max(bytes);
        let frontier = left_in_level + self.next_level_len();
        if let Some(progress) = self.options.progress {
            let (generated, depth) = (self.generated, self.depth);
            progress(&Progress { phase: Phase::Exploring, distinct, generated, frontier, depth, bytes });
        }
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

    /// A search that ends early still judges the states that it found and did not expand, and counts
    /// the level that it began.
    fn end_early(&mut self, ended: Ended) -> Ended {
        if matches!(ended, Ended::Panicked(_)) {
            return ended;
        }
        let left: Vec<StateId> = self.unexpanded().collect();
        let expander = Expander {
            plan: self.plan,
            watch: self.plan.watch(|property| self.sightings[property].is_some()),
            labels: Vec::new(),
            shards: &self.shards,
        };
        expander.judge_all(left.into_iter(), &mut self.pieces[0]);
        if let Some(panicked) = self.pieces[0].panicked.take() {
            return Ended::Panicked(panicked);
        }
        self.collect(1);
        self.depth += u32::from(self.next_level_len() > 0);
        ended
    }

    /// States found in the level that is being filled.
    fn next_level_len(&self) -> u64 {
        let filled = |shard: &Shard<H>| shard.levels.last().map_or(0, |start| shard.shelf.len() - start);
        self.shards.iter().map(|shard| u64::from(filled(shard))).sum()
    }

    /// Level by level, so that what is sighted first is nearest.
    fn unexpanded(&self) -> impl Iterator<Item = StateId> + '_ {
        let ids =
            |index: usize, locals: std::ops::Range<u32>| locals.map(move |local| StateId::new(index, local));
        let shards = || self.shards.iter().enumerate();
        let this_level = shards().flat_map(move |(index, shard)| ids(index, shard.frontier()));
        let next_level =
            shards().flat_map(move |(index, shard)| ids(index, shard.frontier().end..shard.shelf.len()));
        this_level.chain(next_level)
    }

    /// Successors on their way are no more.
    pub(crate) fn free_buffers(&mut self) {
        self.pieces.clear();
        self.columns.clear();
    }

    pub(crate) fn distinct(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.shelf.len())).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let shards: usize = self.shards.iter().map(Shard::bytes).sum();
        let pieces: usize = self.pieces.iter().map(Piece::bytes).sum();
        let columns: usize = self.columns.iter().map(Column::bytes).sum();
        (shards + pieces + columns + self.graph.as_ref().map_or(0, Graph::bytes)) as u64
    }
}

impl<S, K: Copy> Column<S, K> {
    fn insert<H: Shelf<S, Mark = K>>(&mut self, index: usize, shard: &mut Shard<H>, with_ids: bool) {
        for (found, ids) in self.found.iter_mut().zip(&mut self.ids) {
            ids.clear();
            let mut found = found.drain(..);
            loop {
                let block = found.as_slice().iter().take(BLOCK);
                let known = shard.shelf.glance(block.map(|next| (next.mark, &next.state)));
                for (known, Successor { mark, parent, state }) in known.into_iter().zip(&mut found) {
                    let local = known.unwrap_or_else(|| shard.insert(mark, state, parent));
                    if with_ids {
                        ids.push(StateId::new(index, local));
                    }
                }
                if found.as_slice().is_empty() {
                    break;
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        let found: usize = self.found.iter().map(Vec::capacity).sum();
        let ids: usize = self.ids.iter().map(Vec::capacity).sum();
        found * size_of::<Successor<S, K>>() + ids * size_of::<StateId>()
    }
}

/// The states of the frontier at these positions: shard by shard, in the order of insertion.
fn frontier_ids<H>(
    shards: &[Shard<H>],
    positions: std::ops::Range<u64>,
) -> impl Iterator<Item = StateId> + '_ {
    let mut skip = positions.start;
    let mut take = positions.end - positions.start;
    shards.iter().enumerate().flat_map(move |(index, shard)| {
        let frontier = shard.frontier();
        let skipped = skip.min(frontier.len() as u64);
        let taken = take.min(frontier.len() as u64 - skipped);
        skip -= skipped;
        take -= taken;
        let first = frontier.start + skipped as u32;
        (first..first + taken as u32).map(move |local| StateId::new(index, local))
    })
}
