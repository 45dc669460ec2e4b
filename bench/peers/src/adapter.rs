//! Any model of ours as one of stateright's; included once for each version of it.

use std::process::ExitCode;

use bowline_models::{Visitor, visit_seed};

use crate::stateright::{Checker, Model, Property};

/// Runs `PROGRAM MODEL SIZE THREADS`, and prints the number of distinct states.
pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(distinct) => {
            println!("{distinct}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<usize, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [model, size, threads] = &words[..] else { return Err("it takes MODEL SIZE THREADS".into()) };
    let threads = threads.parse().map_err(|_| format!("`{threads}` is no number of threads"))?;
    let distinct = visit_seed(model, size, Run { threads }).map_err(|error| error.to_string())?;
    distinct.ok_or_else(|| format!("there is no seed `{model}`"))
}

struct Run {
    threads: usize,
}

impl Visitor for Run {
    type Out = usize;

    fn visit<M: bowline_explorer::Model + Send + 'static>(self, model: M) -> usize {
        Adapter(model).checker().threads(self.threads).spawn_bfs().join().unique_state_count()
    }
}

struct Adapter<M>(M);

/// Version 0.31 wants to compare the actions of a path with those expected; there is never such a path here.
#[derive(Clone)]
struct Action<A>(A);

impl<A> PartialEq for Action<A> {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl<M: bowline_explorer::Model> Model for Adapter<M> {
    type State = M::State;
    type Action = Action<M::Action>;

    fn init_states(&self) -> Vec<M::State> {
        self.0.init().into_iter().map(|state| self.0.canonical(state)).collect()
    }

    #[inline]
    fn actions(&self, state: &M::State, actions: &mut Vec<Action<M::Action>>) {
        // Both conversions are done in place: stateright's buffer is filled, and nothing is allocated.
        let mut listed = std::mem::take(actions).into_iter().map(|action| action.0).collect();
        self.0.actions(state, &mut listed);
        *actions = listed.into_iter().map(Action).collect();
    }

    #[inline]
    fn next_state(&self, state: &M::State, action: Action<M::Action>) -> Option<M::State> {
        Some(self.0.canonical(self.0.next(state, &action.0)))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Without any it would stop at once.
        vec![Property::always("Counted", |_, _| true)]
    }
}
