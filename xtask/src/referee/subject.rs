//! A program as our explorer runs it.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result, anyhow, ensure};
use bowline_explorer::{Class, Field, Judged, Model, Options, Property, Report, Storage, check};

use super::program::{Claim, Move, Program, State};

/// The names of variables, here and in TLA+.
pub(super) const VARIABLES: [&str; super::program::MAX_VARIABLES] = ["a", "b", "c", "d"];

/// What the one property of a program is called.
const CLAIM: &str = "Claim";

impl Model for Program {
    type State = State;
    type Action = Move;

    fn init(&self) -> Vec<State> {
        self.init.clone()
    }

    fn actions(&self, state: &State, out: &mut Vec<Move>) {
        out.extend(self.moves(state));
    }

    fn next(&self, state: &State, action: &Move) -> State {
        self.after(state, *action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let property = match self.claim.clone() {
            Claim::Always(p) => Property::always(CLAIM, move |_, state| p.holds_in(state)),
            Claim::AlwaysStep(p) => {
                Property::always_step(CLAIM, move |_, before, _, after| p.holds(before, after))
            }
            Claim::NoDeadlock => Property::no_deadlock(CLAIM),
            Claim::Sometimes(p) => Property::sometimes(CLAIM, move |_, state| p.holds_in(state)),
            Claim::Eventually(p) => Property::eventually(CLAIM, move |_, state| p.holds_in(state)),
            Claim::EventuallyAlways(p) => {
                Property::eventually_always(CLAIM, move |_, state| p.holds_in(state))
            }
            Claim::AlwaysEventually(p) => {
                Property::always_eventually(CLAIM, move |_, state| p.holds_in(state))
            }
            Claim::LeadsTo(p, q) => Property::leads_to(
                CLAIM,
                move |_, state| p.holds_in(state),
                move |_, state| q.holds_in(state),
            ),
        };
        vec![property]
    }

    fn class(&self, action: &Move) -> Class {
        let index = self.group_of(action.action).and_then(|group| u16::try_from(group).ok());
        index.map_or(Class::UNFAIR, Class::new)
    }

    fn fairness(&self) -> Vec<String> {
        self.fairness.iter().map(|group| format!("{group:?}")).collect()
    }

    fn action_name(&self, action: &Move) -> String {
        let Move { action, command, chosen } = action;
        format!("A{} command {} chosen {chosen}", action + 1, command + 1)
    }

    fn fields(&self, state: &State) -> Vec<Field> {
        let variables = VARIABLES.iter().zip(state).take(self.sizes.len());
        variables.map(|(name, value)| Field::new(*name, value.to_string())).collect()
    }
}

/// What our explorer says of a program: counts, and the verdict on its claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ours {
    /// Everything that the explorer reported.
    pub(super) report: Report,
    /// The verdict on the claim, with its trace.
    pub(super) judged: Judged,
}

/// Explores a program with exact states, and with fingerprints; with one thread and with two. The programs are
/// too small for the search to be divided, but not the graph.
pub(super) fn explore(program: &Program) -> Result<[Ours; 2]> {
    let both = |storage| {
        let one = explore_once(program, NonZeroUsize::MIN, storage)?;
        let two = explore_once(program, NonZeroUsize::MIN.saturating_add(1), storage)?;
        ensure!(
            one.report == two.report,
            "our explorer ({storage:?}) says with one thread: {:#?}\nwith two: {:#?}",
            one.report,
            two.report
        );
        Ok(one)
    };
    Ok([both(Storage::Exact)?, both(Storage::Fingerprint)?])
}

/// Explores a program in the simplest way.
pub(super) fn explore_simply(program: &Program) -> Result<Ours> {
    explore_once(program, NonZeroUsize::MIN, Storage::Exact)
}

fn explore_once(program: &Program, threads: NonZeroUsize, storage: Storage) -> Result<Ours> {
    let options = Options { threads, storage, ..Options::default() };
    // A panic of the explorer is a finding about this program, and is to be kept and made small like others.
    let report = catch_unwind(AssertUnwindSafe(|| check(program, &options)));
    let report = report.map_err(|_| anyhow!("our explorer panics ({storage:?}, {threads} threads)"))?;
    let report = report.map_err(anyhow::Error::new).context("our explorer refuses it")?;
    let judged = report.verdicts.first().context("our explorer gives no verdict")?.clone();
    Ok(Ours { report, judged })
}
