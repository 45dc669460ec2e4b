//! What happens in the harness.

use super::faults::Fault;
use super::outside::Outside;
use super::system::{Deed, System, Who};
use super::{Harness, KEYS, SLOTS};

/// What happens. Keys, kinds and places are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// A key has its turn.
    Turn(u8),
    /// A key has its turn by a timer.
    Wake(u8),
    /// A key's effect is carried, and answered; or the answer to what was applied before comes.
    Carry(u8),
    /// The oldest of what is pending of a kind is shown.
    Show(u8),
    /// A request arrives that somebody left behind.
    Arrive(u8),
    /// Somebody does something.
    Deed(Deed),
    /// The collector does what is due about an object.
    Collect(u8),
    /// The process ends, and starts again; what it had sent is applied or not.
    Crash(bool),
    /// Somebody else writes to an object.
    Touch(u8),
    /// A key's request does not arrive.
    LoseRequest(u8),
    /// A key's request is applied, and the answer does not arrive.
    LoseReply(u8),
    /// A key's request is not answered, and may arrive later.
    Delay(u8),
    /// A kind is listed; the list has begun after all answers so far, or not.
    Relist(u8, bool),
    /// The leader is paused, and another one starts.
    Depose,
    /// A key's timer goes off too early; or its turn comes so late that what it remembers is old.
    Jump(u8),
    /// A key's call arrives, and fails in this way.
    Fail(u8, u8),
    /// A key's request arrives and is applied; its answer sets out, and comes later. Only where that is apart
    /// ([`super::Rules::apart`]).
    Apply(u8),
}

impl Action {
    /// The fault that it is.
    pub(crate) fn fault(&self) -> Option<Fault> {
        match self {
            Action::Deed(Deed { who: Who::Drift, .. }) => Some(Fault::Drift),
            Action::Crash(_) => Some(Fault::Crash),
            Action::Touch(_) => Some(Fault::Conflict),
            Action::LoseRequest(_) => Some(Fault::LostRequest),
            Action::LoseReply(_) | Action::Delay(_) => Some(Fault::LostReply),
            Action::Relist(..) => Some(Fault::Relist),
            Action::Depose => Some(Fault::TwoLeaders),
            Action::Jump(_) => Some(Fault::Clock),
            Action::Fail(..) => Some(Fault::Provider),
            _ => None,
        }
    }

    /// How people call it.
    pub(crate) fn name<S: System>(&self, system: &S) -> String {
        let kind = |kind: u8| system.kind_name(kind);
        match *self {
            Action::Turn(key) => format!("Turn({})", key + 1),
            Action::Wake(key) => format!("Wake({})", key + 1),
            Action::Carry(key) => format!("Carry({})", key + 1),
            Action::Show(of) => format!("Show({})", kind(of)),
            Action::Arrive(late) => format!("Arrive({})", late + 1),
            Action::Deed(deed) => format!("{}({})", deed.about, S::place_name(deed.slot)),
            Action::Collect(slot) => format!("Collect({})", S::place_name(slot)),
            Action::Crash(applied) => format!("Crash({})", if applied { "sent" } else { "unsent" }),
            Action::Touch(slot) => format!("Touch({})", S::place_name(slot)),
            Action::LoseRequest(key) => format!("LoseRequest({})", key + 1),
            Action::LoseReply(key) => format!("LoseReply({})", key + 1),
            Action::Delay(key) => format!("Delay({})", key + 1),
            Action::Relist(of, covers) => {
                format!("Relist({}{})", kind(of), if covers { "" } else { ", begun before" })
            }
            Action::Depose => "Depose".into(),
            Action::Jump(key) => format!("Jump({})", key + 1),
            Action::Fail(key, way) => {
                format!("Fail({}, {})", key + 1, <S::Outside as Outside<S>>::WAYS[usize::from(way)])
            }
            Action::Apply(key) => format!("Apply({})", key + 1),
        }
    }
}

impl<S: System> Harness<S> {
    /// The number of the class of an action in [`bowline_explorer::Model::fairness`], if it is sure to happen.
    pub(crate) fn class_number(&self, action: &Action) -> Option<u16> {
        let keys = KEYS as u8;
        let number = match *action {
            Action::Turn(key) => key,
            Action::Wake(key) => keys + key,
            Action::Carry(key) => 2 * keys + key,
            Action::Show(kind) => 3 * keys + kind,
            Action::Collect(slot) => 3 * keys + self.kinds() + slot,
            Action::Deed(Deed { who: Who::Runner, slot, .. }) => 3 * keys + self.kinds() + SLOTS as u8 + slot,
            Action::Apply(key) => 3 * keys + self.kinds() + 2 * SLOTS as u8 + key,
            _ => return None,
        };
        Some(number.into())
    }
}
