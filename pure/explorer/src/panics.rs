//! A model that panics is reported, with what it was doing.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::model::{Field, Model};
use crate::plan::Plan;
use crate::shard::StateId;

/// What the model said when it panicked, and in which state; in none if it has no initial ones.
#[derive(Clone, Debug)]
pub(crate) struct Panicked {
    pub(crate) state: StateId,
    pub(crate) message: String,
}

/// What the work gives, or what it said when it panicked.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Whoever catches a panic drops what the work was filling.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| panic_message(&*payload))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into())
}

/// Puts what the model was doing in this state before its message.
pub(crate) fn locate<M: Model>(plan: &Plan<'_, M>, state: &M::State, message: &str) -> String {
    match panics_at(plan, state) {
        Some(place) => format!("{place}: {message}"),
        None => message.into(),
    }
}

/// What the model panics at in this state, found by trying everything again one by one.
fn panics_at<M: Model>(plan: &Plan<'_, M>, state: &M::State) -> Option<String> {
    let model = plan.model;
    let judging = plan.properties.iter().find(|property| catch(|| property.try_state(model, state)).is_err());
    if let Some(property) = judging {
        return Some(format!("judging {}", property.name));
    }
    let mut actions = Vec::new();
    if catch(|| model.actions(state, &mut actions)).is_err() {
        return Some("listing the actions".into());
    }
    for action in &actions {
        let Ok(next) = catch(|| model.next(state, action)) else { return Some(name(model, action)) };
        let judging =
            plan.properties.iter().find(|p| catch(|| p.allows(model, state, action, &next)).is_err());
        if let Some(property) = judging {
            return Some(format!("judging {}", property.name));
        }
        if catch(|| plan.normal(next)).is_err() {
            return Some(name(model, action));
        }
    }
    None
}

/// A state as people read it; a model that cannot show one is no reason to show nothing.
pub(crate) fn fields<M: Model>(model: &M, state: &M::State) -> Vec<Field> {
    let cannot = |message| vec![Field::new("this state", format!("cannot be shown: {message}"))];
    catch(|| model.fields(state)).unwrap_or_else(cannot)
}

/// How people call an action, likewise.
pub(crate) fn name<M: Model>(model: &M, action: &M::Action) -> String {
    catch(|| model.action_name(action))
        .unwrap_or_else(|message| format!("an action without a name: {message}"))
}
