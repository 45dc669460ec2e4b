//! A system of the fleet, its types forgotten.

use bowline_explorer::{Field, Model};

use crate::budgets::Coverage;
use crate::catalogue::Catalogued;
use crate::harness::{Action, Flat, Harness, State, System};

/// A system as it is explored by itself.
pub(super) trait Part: Sync {
    fn begins(&self) -> Vec<State>;
    fn can(&self, s: &State, out: &mut Vec<Action>);
    fn does(&self, s: &State, action: &Action) -> State;
    /// Another system has changed an object that this one has, too.
    fn hears(&self, s: &mut State, slot: u8, flat: Flat);
    fn normal(&self, s: State) -> State;
    /// Who is sure to act, by number.
    fn class(&self, action: &Action) -> Option<u16>;
    fn classes(&self) -> Vec<String>;
    fn name(&self, action: &Action) -> String;
    /// What its effects are called.
    fn points(&self) -> &'static [&'static str];
    fn coverage(&self) -> Option<Coverage>;
    fn fields(&self, s: &State) -> Vec<Field>;
}

impl<S: System> Part for Harness<S> {
    fn begins(&self) -> Vec<State> {
        self.init()
    }

    fn can(&self, s: &State, out: &mut Vec<Action>) {
        self.actions(s, out);
    }

    fn does(&self, s: &State, action: &Action) -> State {
        self.next(s, action)
    }

    fn hears(&self, s: &mut State, slot: u8, flat: Flat) {
        self.hear(s, slot, flat);
    }

    fn normal(&self, s: State) -> State {
        self.canonical(s)
    }

    fn class(&self, action: &Action) -> Option<u16> {
        self.class_number(action)
    }

    fn classes(&self) -> Vec<String> {
        self.fairness()
    }

    fn name(&self, action: &Action) -> String {
        self.action_name(action)
    }

    fn points(&self) -> &'static [&'static str] {
        S::POINTS
    }

    fn coverage(&self) -> Option<Coverage> {
        Catalogued::coverage(self)
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        Model::fields(self, s)
    }
}
