//! Random deep walks, for what is too large to explore.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use crate::model::Model;
use crate::numbers::MOST_NUMBERS;
use crate::options::{Options, Phase, Progress, Refused};
use crate::panics::{catch, fields, locate, name};
use crate::parallel::in_pool;
use crate::plan::{Plan, Watch};
use crate::property::Kind;
use crate::random::SplitMix;
use crate::report::{End, Judged, Report, Step, Trace, Verdict, Walked};
use crate::shelf::{Fingerprints, Shelf};

/// How many steps a walk takes between two reports of how far it is.
const TELL: u64 = 1 << 16;

/// How to walk at random.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    /// How many walks.
    pub count: u64,
    /// How many steps each may take.
    pub steps: u32,
    /// The same seed gives the same walks.
    pub seed: u64,
}

/// Walks at random through a model that is too large to explore. What is found is real; what is not
/// found is unknown, liveness always.
///
/// # Errors
/// Says what it does not support instead of passing over it.
pub fn walk<M: Model>(model: &M, walks: Walks, options: &Options<'_>) -> Result<Report, Refused> {
    walk_within(model, walks, options, MOST_NUMBERS)
}

/// Walks until so many states were seen.
fn walk_within<M: Model>(
    model: &M,
    walks: Walks,
    options: &Options<'_>,
    most_seen: u32,
) -> Result<Report, Refused> {
    refuse(options)?;
    in_pool(NonZeroUsize::MIN, || {
        let plan = Plan::new(model, options)?;
        let mut walker = Walker {
            plan: &plan,
            options,
            watch: plan.watch(|_| false),
            random: SplitMix::new(walks.seed),
            seen: Fingerprints::default(),
            most_seen,
            generated: 0,
            depth: 0,
            walked: Walked { walks: 0, steps: 0 },
            shortest: plan.properties.iter().map(|_| None).collect(),
            kept_bytes: 0,
            peak_bytes: 0,
        };
        let initial = || model.init().into_iter().map(|state| model.canonical(state)).collect::<Vec<_>>();
        let end = match catch(initial) {
            Ok(initial) if initial.is_empty() => return Err(Refused::NoInitialState),
            Ok(initial) => walker.all(walks, &initial),
            Err(message) => End::Panicked {
                message: format!("initial states: {message}"),
                trace: Trace { steps: Vec::new(), cycle: None },
            },
        };
        Ok(walker.report(end))
    })
}

/// What a walk would pass over.
fn refuse(options: &Options<'_>) -> Result<(), Refused> {
    let useless = [
        (options.threads.get() > 1, "several threads"),
        (options.symmetry, "symmetry"),
        (options.max_states.is_some(), "a budget of states"),
    ];
    useless.iter().find(|(asked, _)| *asked).map_or(Ok(()), |(_, option)| Err(Refused::NotForWalks(option)))
}

/// A walk: where it began, and the actions that it took.
struct Path<M: Model> {
    initial: M::State,
    actions: Vec<M::Action>,
}

impl<M: Model> Path<M> {
    fn bytes(&self) -> usize {
        self.actions.len() * size_of::<M::Action>()
    }
}

impl<M: Model> Clone for Path<M> {
    fn clone(&self) -> Self {
        Path { initial: self.initial.clone(), actions: self.actions.clone() }
    }
}

struct Walker<'a, M: Model> {
    plan: &'a Plan<'a, M>,
    options: &'a Options<'a>,
    watch: Watch<'a, M>,
    random: SplitMix,
    seen: Fingerprints<M::State>,
    /// How many states can be told apart.
    most_seen: u32,
    generated: u64,
    depth: u32,
    walked: Walked,
    /// The shortest walk that settles each property.
    shortest: Vec<Option<Path<M>>>,
    /// The memory that they hold.
    kept_bytes: usize,
    peak_bytes: u64,
}

impl<M: Model> Walker<'_, M> {
    fn all(&mut self, walks: Walks, initial: &[M::State]) -> End {
        for _ in 0..walks.count {
            let initial = initial[self.random.below(initial.len())].clone();
            let mut path = Path { initial, actions: Vec::new() };
            if let Err(message) = catch(|| self.one(&mut path, walks.steps)) {
                let (trace, state) = self.trace(&path);
                return End::Panicked { message: locate(self.plan, &state, &message), trace };
            }
            if let Some(end) = self.must_end(&path) {
                return end;
            }
            self.walked.walks += 1;
            self.tell(&path);
        }
        End::Walked
    }

    /// Why no further step may be taken, if that is so.
    fn must_end(&mut self, path: &Path<M>) -> Option<End> {
        let bytes = self.bytes(path);
        self.peak_bytes = self.peak_bytes.max(bytes);
        if self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            Some(End::Stopped)
        } else if self.options.max_bytes.is_some_and(|max| bytes > max) {
            Some(End::MaxBytes)
        } else if self.seen.len() >= self.most_seen {
            Some(End::OutOfNumbers)
        } else {
            None
        }
    }

    /// Memory held: what was seen, the walks that are kept, and the one that is under way.
    fn bytes(&self, path: &Path<M>) -> u64 {
        (self.seen.bytes() + self.kept_bytes + path.bytes()) as u64
    }

    fn tell(&self, path: &Path<M>) {
        if let Some(progress) = self.options.progress {
            let distinct = self.seen.len().into();
            progress(&Progress {
                phase: Phase::Walking(self.walked),
                distinct,
                generated: self.generated,
                frontier: 0,
                depth: self.depth,
                bytes: self.bytes(path),
                collision_probability: Fingerprints::<M::State>::collision_probability(distinct),
            });
        }
    }

    /// One walk, as long as it may be.
    fn one(&mut self, path: &mut Path<M>, steps: u32) {
        let model = self.plan.model;
        let mut state = path.initial.clone();
        let mut actions = Vec::new();
        self.generated += 1;
        loop {
            self.visit(&state, path);
            actions.clear();
            model.actions(&state, &mut actions);
            if actions.is_empty() {
                let deadlock = self.watch.deadlock.clone();
                deadlock.into_iter().for_each(|property| self.settle(property, path));
                return;
            }
            if path.actions.len() as u32 >= steps || self.must_end(path).is_some() {
                return;
            }
            if self.walked.steps % TELL == TELL - 1 {
                self.tell(path);
            }
            let action = actions.swap_remove(self.random.below(actions.len()));
            let next = model.next(&state, &action);
            let normal = model.canonical(next.clone());
            self.generated += 1;
            self.walked.steps += 1;
            // What panics is not part of the path, so that the path can be walked again.
            path.actions.push(action.clone());
            if next != state {
                let violated =
                    self.watch.steps.iter().filter(|(_, holds)| !holds(model, &state, &action, &next));
                let violated: Vec<usize> = violated.map(|(property, _)| *property).collect();
                violated.into_iter().for_each(|property| self.settle(property, path));
            }
            state = normal;
        }
    }

    fn visit(&mut self, state: &M::State, path: &Path<M>) {
        self.depth = self.depth.max(path.actions.len() as u32 + 1);
        self.seen.insert(Fingerprints::mark(state), state.clone());
        self.seen.retire(self.seen.len());
        let model = self.plan.model;
        let settled = self.watch.states.iter().filter(|(_, p, settles)| p(model, state) == *settles);
        let settled: Vec<usize> = settled.map(|(property, _, _)| *property).collect();
        settled.into_iter().for_each(|property| self.settle(property, path));
    }

    fn settle(&mut self, property: usize, path: &Path<M>) {
        let shortest = &mut self.shortest[property];
        if shortest.as_ref().is_none_or(|known| path.actions.len() < known.actions.len()) {
            *shortest = Some(path.clone());
            self.kept_bytes = self.shortest.iter().flatten().map(Path::bytes).sum();
        }
    }

    /// The walk as people read it, and its last state.
    fn trace(&self, path: &Path<M>) -> (Trace, M::State) {
        let model = self.plan.model;
        let mut state = path.initial.clone();
        let mut steps = vec![Step { action: None, state: fields(model, &state) }];
        for action in &path.actions {
            let next = model.next(&state, action);
            // Stuttering is no part of a counterexample; a step that the normal form hides is.
            let changed = next != state;
            state = model.canonical(next);
            if changed {
                steps.push(Step { action: Some(name(model, action)), state: fields(model, &state) });
            }
        }
        (Trace { steps, cycle: None }, state)
    }

    fn report(&self, end: End) -> Report {
        let distinct = self.seen.len().into();
        let verdicts = self.plan.properties.iter().zip(&self.shortest).map(|(property, path)| Judged {
            name: property.name.clone(),
            kind: property.kind(),
            verdict: match path {
                None => Verdict::Unknown,
                Some(_) if property.kind() == Kind::Sometimes => Verdict::Reached,
                Some(_) => Verdict::Violated,
            },
            trace: path.as_ref().map(|path| self.trace(path).0),
        });
        Report {
            distinct,
            generated: self.generated,
            depth: self.depth,
            end,
            peak_bytes: self.peak_bytes,
            collision_probability: Fingerprints::<M::State>::collision_probability(distinct),
            verdicts: verdicts.collect(),
            walked: Some(self.walked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Field;
    use crate::property::Property;

    /// Always another number.
    struct Counter;

    impl Model for Counter {
        type State = u32;
        type Action = u32;

        fn init(&self) -> Vec<u32> {
            vec![1]
        }

        fn actions(&self, state: &u32, out: &mut Vec<u32>) {
            out.push(state + 1);
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

    #[test]
    fn walks_without_numbers_for_what_they_see_end_and_keep_what_they_found() {
        let walks = Walks { count: 3, steps: 1000, seed: 1 };
        let report = walk_within(&Counter, walks, &Options::default(), 50).expect("supported");
        assert_eq!((report.end, report.distinct), (End::OutOfNumbers, 50));
        assert_eq!(report.walked, Some(Walked { walks: 0, steps: 49 }));
        assert_eq!(report.verdicts[0].verdict, Verdict::Violated);
    }
}
