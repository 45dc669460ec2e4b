//! What a run must judge: the chosen properties, taken apart for the search.

use crate::model::Model;
use crate::options::{Options, Refused};
use crate::panics::catch;
use crate::property::{Formula, Kind, Property, StateFn, StepFn};

/// How many fairness classes can be told apart: the last number is that of what is unfair.
pub(crate) const MOST_CLASSES: usize = u16::MAX as usize - 1;

/// The chosen properties of a model, and what the search needs of them.
pub(crate) struct Plan<'m, M: Model> {
    pub(crate) model: &'m M,
    pub(crate) properties: Vec<Property<M>>,
    pub(crate) symmetry: bool,
    /// How many classes are weakly fair.
    pub(crate) fair_classes: usize,
    /// How many state predicates the liveness properties need; they are numbered in order.
    pub(crate) labels: usize,
}

impl<'m, M: Model> Plan<'m, M> {
    pub(crate) fn new(model: &'m M, options: &Options<'_>) -> Result<Self, Refused> {
        let properties = choose(model.properties(), options.properties)?;
        if options.symmetry {
            refuse_symmetry(model, &properties)?;
        }
        let fair_classes = model.fairness().len();
        if fair_classes > MOST_CLASSES {
            return Err(Refused::TooManyClasses(fair_classes));
        }
        let labels = properties.iter().flat_map(|p| &p.formulas).map(|f| predicates(f).len()).sum();
        Ok(Plan { model, properties, symmetry: options.symmetry, fair_classes, labels })
    }

    /// Whether the search must record the graph.
    pub(crate) fn needs_graph(&self) -> bool {
        self.labels > 0
    }

    /// The predicates whose truth in every state the liveness check needs.
    pub(crate) fn label_predicates(&self) -> Vec<&StateFn<M>> {
        self.properties.iter().flat_map(|p| &p.formulas).flat_map(predicates).collect()
    }

    /// What the search looks for; `found` tells which properties are settled already.
    pub(crate) fn watch(&self, found: impl Fn(usize) -> bool) -> Watch<'_, M> {
        let mut watch = Watch { states: Vec::new(), steps: Vec::new(), deadlock: Vec::new() };
        for (index, property) in self.properties.iter().enumerate().filter(|(index, _)| !found(*index)) {
            for formula in &property.formulas {
                match formula {
                    Formula::Always(p) => watch.states.push((index, p, false)),
                    Formula::Sometimes(p) => watch.states.push((index, p, true)),
                    Formula::AlwaysStep(p) => watch.steps.push((index, p)),
                    Formula::NoDeadlock => watch.deadlock.push(index),
                    _ => {}
                }
            }
        }
        watch
    }

    /// A successor as it is kept.
    pub(crate) fn normal(&self, state: M::State) -> M::State {
        let state = self.model.canonical(state);
        if self.symmetry { self.represent(state) } else { state }
    }

    fn represent(&self, state: M::State) -> M::State {
        self.model.representative(&state).unwrap_or(state)
    }
}

/// What settles a property of states and steps when it is seen.
pub(crate) struct Watch<'p, M: Model> {
    /// Property, predicate, and the value that settles the property.
    pub(crate) states: Vec<(usize, &'p StateFn<M>, bool)>,
    /// Property and predicate; a step that does not satisfy it settles the property.
    pub(crate) steps: Vec<(usize, &'p StepFn<M>)>,
    /// The properties that a state without actions settles.
    pub(crate) deadlock: Vec<usize>,
}

/// The state predicates of a liveness formula, in the order of its labels.
pub(crate) fn predicates<M: Model>(formula: &Formula<M>) -> Vec<&StateFn<M>> {
    match formula {
        Formula::Eventually(p) | Formula::EventuallyAlways(p) | Formula::AlwaysEventually(p) => vec![p],
        Formula::LeadsTo(p, q) => vec![p, q],
        Formula::Always(_) | Formula::AlwaysStep(_) | Formula::NoDeadlock | Formula::Sometimes(_) => vec![],
    }
}

fn choose<M: Model>(all: Vec<Property<M>>, names: Option<&[String]>) -> Result<Vec<Property<M>>, Refused> {
    for (index, property) in all.iter().enumerate() {
        if all[..index].iter().any(|other| other.name == property.name) {
            return Err(Refused::PropertyTwice(property.name.clone()));
        }
        // One state settles a `sometimes`; that several were is more than a search remembers.
        let too_many = property.kind() == Kind::Sometimes && property.formulas.len() > 1;
        let mixed = property.formulas.iter().any(|f| f.kind() != property.kind());
        if property.formulas.is_empty() || mixed || too_many {
            return Err(Refused::PropertyShape(property.name.clone()));
        }
    }
    let Some(names) = names else { return Ok(all) };
    if let Some(name) = names.iter().find(|name| all.iter().all(|p| p.name != **name)) {
        let known = all.iter().map(|p| p.name.clone()).collect();
        return Err(Refused::UnknownProperty { name: name.clone(), known });
    }
    Ok(all.into_iter().filter(|p| names.contains(&p.name)).collect())
}

fn refuse_symmetry<M: Model>(model: &M, properties: &[Property<M>]) -> Result<(), Refused> {
    if let Some(property) = properties.iter().find(|p| p.kind().is_liveness()) {
        return Err(Refused::SymmetryWithLiveness(property.name.clone()));
    }
    let is_symmetric = || {
        let initial = model.init().into_iter().next().ok_or(Refused::NoInitialState)?;
        model.representative(&model.canonical(initial)).map(|_| ()).ok_or(Refused::NoSymmetry)
    };
    // A model that panics at this does so again when the search begins, and is reported there.
    catch(is_symmetric).unwrap_or(Ok(()))
}
