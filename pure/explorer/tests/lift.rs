//! Properties of a model, claimed of one that has it inside.

mod common;

use bowline_explorer::{Class, Field, Lift, Model, Property, Verdict};
use common::{Claim, Table, run, set};

/// A table with a lamp beside it, which somebody may switch, and a saboteur who may put it into a state.
struct Beside {
    table: Table,
    sabotage: Option<u32>,
}

#[derive(Clone)]
enum Action {
    Inside((u32, u16)),
    Switch,
    Sabotage(u32),
}

impl Model for Beside {
    type State = (u32, bool);
    type Action = Action;

    fn init(&self) -> Vec<(u32, bool)> {
        self.table.init().into_iter().map(|state| (state, false)).collect()
    }

    fn actions(&self, (state, _): &(u32, bool), out: &mut Vec<Action>) {
        let mut inside = Vec::new();
        self.table.actions(state, &mut inside);
        out.extend(inside.into_iter().map(Action::Inside));
        out.push(Action::Switch);
        out.extend(self.sabotage.map(Action::Sabotage));
    }

    fn next(&self, (state, lamp): &(u32, bool), action: &Action) -> (u32, bool) {
        match action {
            Action::Inside(action) => (self.table.next(state, action), *lamp),
            Action::Switch => (*state, !lamp),
            Action::Sabotage(to) => (*to, *lamp),
        }
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let lift = Lift {
            model: |outer: &Beside| &outer.table,
            state: |(state, _): &(u32, bool)| state,
            action: |action: &Action| match action {
                Action::Inside(action) => Some(action),
                Action::Switch | Action::Sabotage(_) => None,
            },
        };
        self.table.properties().into_iter().map(|property| property.about("it").lift(lift)).collect()
    }

    fn class(&self, action: &Action) -> Class {
        match action {
            Action::Inside(action) => self.table.class(action),
            Action::Switch | Action::Sabotage(_) => Class::UNFAIR,
        }
    }

    fn fairness(&self) -> Vec<String> {
        self.table.fairness()
    }

    fn action_name(&self, action: &Action) -> String {
        match action {
            Action::Inside(action) => self.table.action_name(action),
            Action::Switch => "Switch".into(),
            Action::Sabotage(to) => format!("Sabotage({to})"),
        }
    }

    fn fields(&self, (state, lamp): &(u32, bool)) -> Vec<Field> {
        vec![Field::new("s", state.to_string()), Field::new("lamp", lamp.to_string())]
    }
}

/// A way from 0 to 2, and claims of every kind; of each the first holds and the second does not.
fn table() -> Table {
    let claims = vec![
        ("A", Claim::Always(set([0, 1, 2]))),
        ("B", Claim::Always(set([0, 1]))),
        ("C", Claim::NoStep(set([0]), set([2]))),
        ("D", Claim::NoStep(set([1]), set([2]))),
        ("E", Claim::Sometimes(set([2]))),
        ("F", Claim::Sometimes(set([3]))),
        ("G", Claim::Eventually(set([1]))),
        ("H", Claim::Eventually(set([3]))),
        ("I", Claim::EventuallyAlways(set([2]))),
        ("J", Claim::EventuallyAlways(set([1]))),
        ("K", Claim::AlwaysEventually(set([2]))),
        ("L", Claim::AlwaysEventually(set([1]))),
        ("M", Claim::LeadsTo(set([0]), set([2]))),
        ("N", Claim::LeadsTo(set([2]), set([0]))),
    ];
    Table { init: vec![0], edges: vec![(0, 1, 0), (1, 2, 0)], fair: 1, claims }
}

#[test]
fn a_lifted_property_says_of_the_inner_model_what_it_said() {
    let inner = run(&table());
    let outer = run(&Beside { table: table(), sabotage: None });
    assert_eq!((inner.distinct, outer.distinct), (3, 6));
    assert_eq!(inner.verdicts.len(), 14);
    for (index, (inner, outer)) in inner.verdicts.iter().zip(&outer.verdicts).enumerate() {
        assert_eq!((&inner.name, inner.kind, inner.verdict), (&outer.name, outer.kind, outer.verdict));
        let well = matches!(inner.verdict, Verdict::Holds | Verdict::Reached);
        assert_eq!(well, index % 2 == 0, "{inner:?}");
    }
    let beside = Beside { table: table(), sabotage: None };
    assert!(beside.properties().iter().all(|property| property.meaning() == "it"));
}

#[test]
fn a_change_by_no_action_of_the_inner_model_violates_what_is_said_of_its_steps() {
    let claims = vec![("P", Claim::NoStep(0, 0))];
    let harmless = Beside { table: Table { claims: claims.clone(), ..table() }, sabotage: None };
    assert_eq!(run(&harmless).verdicts[0].verdict, Verdict::Holds);
    let sabotaged = Beside { sabotage: Some(1), ..harmless };
    assert_eq!(run(&sabotaged).verdicts[0].verdict, Verdict::Violated);
}

#[test]
fn a_lifted_deadlock_is_one_of_the_outer_model() {
    let claims = vec![("P", Claim::Deadlock)];
    let table = Table { claims, ..table() };
    assert_eq!(run(&table).verdicts[0].verdict, Verdict::Violated);
    assert_eq!(run(&Beside { table, sabotage: None }).verdicts[0].verdict, Verdict::Holds);
}
