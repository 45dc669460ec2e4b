//! What is claimed, judged by the state alone: nothing here asks the kernel what is right.

use bowline_explorer::{Formula, Property};

use super::state::{BLOCKING, Cell, Decision, How, State};
use super::{Action, Chores};

pub(super) fn all(model: &Chores) -> Vec<Property<Chores>> {
    let mut all = vec![
        Property::always("AgendaComplete", |m: &Chores, s| {
            let head = m.head(s);
            m.slots().all(|slot| s.is_on_agenda(slot) || m.look(&head, slot).is_none())
        })
        .about("whatever is due for a chore is on the agenda"),
        Property::always_step("OnlyUnownedCollected", only_unowned)
            .about("what the collector removes has owners, and none of them lives"),
        Property::always_step("StaleDecisionsRefused", stale_refused)
            .about("what has changed since the collector looked at it is left alone"),
        Property::always_step("OrphansSurvive", orphans_survive)
            .about("an owner that is to orphan goes when nothing that it owned names it any more"),
        Property::always_step("ForegroundLast", foreground_last)
            .about("an owner in the foreground goes after what blocks it, circles excepted"),
        Property::for_each("DeletionEnds", model.slots(), |slot| {
            let going = move |s: &State| s.cell(slot).is(Cell::GOING);
            Formula::leads_to(move |_, s: &State| going(s), move |_, s| !going(s))
        })
        .about("what is being deleted goes, if clients let go of it"),
        Property::for_each("UnownedGo", model.slots(), |slot| {
            let doomed = move |s: &State| s.is_doomed(slot);
            Formula::leads_to(move |_, s: &State| doomed(s), move |_, s| !doomed(s))
        })
        .about("what has lost its owners is deleted, or adopted"),
        Property::sometimes("CollectorRemoves", |_, s: &State| s.collected().is_some())
            .about("the collector removes something"),
        Property::sometimes("DecisionGoesStale", |_, s: &State| is_stale(s))
            .about("what the collector decided about changes before it is done"),
        Property::sometimes("OrphanFreed", |_, s: &State| {
            let freed = |slot: u8| s.there().any(|o| s.cell(o).is(Cell::ORPHAN) && s.cell(slot).link(o) != 0);
            matches!(s.decision, Decision::Replace { slot, .. } if freed(slot))
        })
        .about("what is orphaned forgets its owner"),
        Property::sometimes("OwnerWaits", |_, s: &State| {
            s.there().any(|a| s.cell(a).waits() && s.is_blocked(a))
        })
        .about("an owner in the foreground waits for what it owns"),
    ];
    if model.objects > 1 + u8::from(model.namespaced) {
        all.push(
            Property::sometimes("WaitsInCircle", |_, s: &State| {
                s.there().any(|a| s.blockers(a).any(|b| s.waits_for(b, a)))
            })
            .about("two objects wait for each other"),
        );
    }
    if model.namespaced {
        all.extend(of_namespaces());
    }
    all
}

fn of_namespaces() -> [Property<Chores>; 4] {
    let contents = |s: &State| s.there().any(|slot| slot > 0);
    [
        Property::always_step("NothingEnters", |m: &Chores, s, action, next| {
            let home = s.cell(0);
            let stays = home.is(Cell::THERE) && !home.is(Cell::GOING);
            let is_new = |slot: u8| next.cell(slot).is(Cell::THERE) && !s.cell(slot).is(Cell::THERE);
            // What is brought back by taking its removal back has been there.
            stays || *action == Action::Refuse || !m.slots().skip(1).any(is_new)
        })
        .about("nothing is made in a namespace that goes, or that is not there"),
        Property::always("NoStrays", move |_, s: &State| s.cell(0).is(Cell::THERE) || !contents(s))
            .about("a namespace goes after everything that is in it"),
        Property::sometimes("NamespaceWaits", move |_, s: &State| s.cell(0).is(Cell::GOING) && contents(s))
            .about("a namespace waits for what is in it"),
        Property::sometimes("NamespaceGone", |_, s: &State| !s.cell(0).is(Cell::THERE))
            .about("a namespace goes"),
    ]
}

fn only_unowned(_: &Chores, s: &State, action: &Action, next: &State) -> bool {
    let cell = |slot| s.cell(slot);
    match action {
        Action::Decide(_) => next.collected().is_none_or(|slot| s.is_doomed(slot)),
        Action::Perform if took_effect(s, next) => s.collected().is_none_or(|slot| {
            // An owner that went before may have been told since to go in another way.
            let gives_up = |o: u8| cell(o).waits() || cell(o).is(Cell::GOING) && cell(o).is(Cell::LATE);
            s.is_owned(slot) && s.owners(slot).all(gives_up)
        }),
        _ => true,
    }
}

fn is_stale(s: &State) -> bool {
    let is_about_contents = matches!(s.decision, Decision::Delete { how: How::Background, .. });
    !is_about_contents && s.decision.slot().is_some_and(|slot| s.cell(slot).is(Cell::LATE))
}

fn stale_refused(_: &Chores, s: &State, action: &Action, next: &State) -> bool {
    *action != Action::Perform || !is_stale(s) || !took_effect(s, next)
}

/// Whether an object changed; that nothing is pending any more is none.
fn took_effect(s: &State, next: &State) -> bool {
    let unmarked = |s: &State| s.cells.map(Cell::unmarked);
    unmarked(s) != unmarked(next)
}

/// The object that a decision takes this finalizer from.
fn released(s: &State, flag: super::state::Flag) -> Option<u8> {
    match s.decision {
        Decision::Replace { slot, cell, .. } if s.cell(slot).is(flag) && !cell.is(flag) => Some(slot),
        _ => None,
    }
}

fn orphans_survive(_: &Chores, s: &State, action: &Action, next: &State) -> bool {
    let owned = |s: &State, owner: u8| -> Vec<u8> {
        s.there().filter(|slot| s.cell(*slot).link(owner) != 0).collect()
    };
    match action {
        Action::Decide(_) => released(next, Cell::ORPHAN).is_none_or(|owner| owned(next, owner).is_empty()),
        // Who comes late belongs to an owner that goes.
        Action::Perform if took_effect(s, next) => released(s, Cell::ORPHAN)
            .is_none_or(|owner| owned(s, owner).into_iter().all(|slot| s.cell(slot).is(Cell::LATE))),
        _ => true,
    }
}

fn foreground_last(_: &Chores, s: &State, action: &Action, next: &State) -> bool {
    match action {
        Action::Decide(_) => released(next, Cell::FOREGROUND).is_none_or(|owner| !next.is_blocked(owner)),
        Action::Perform if took_effect(s, next) => released(s, Cell::FOREGROUND).is_none_or(|owner| {
            s.blockers(owner).all(|slot| s.cell(slot).is(Cell::LATE) || s.cell(slot).waits())
        }),
        _ => true,
    }
}

impl State {
    /// What the collector has decided to remove. (A namespace says that it removes in the background.)
    fn collected(&self) -> Option<u8> {
        match self.decision {
            Decision::Delete { slot, how: How::AsItSays | How::Foreground, .. } => Some(slot),
            _ => None,
        }
    }

    fn owners(&self, slot: u8) -> impl Iterator<Item = u8> + '_ {
        self.there().filter(move |owner| self.cell(slot).link(*owner) != 0)
    }

    fn is_owned(&self, slot: u8) -> bool {
        self.cell(slot).is(Cell::DEAD) || self.owners(slot).next().is_some()
    }

    /// Whether it has owners and none that lives.
    fn is_doomed(&self, slot: u8) -> bool {
        let there = self.cell(slot).is(Cell::THERE) && !self.cell(slot).is(Cell::GOING);
        there && self.is_owned(slot) && self.owners(slot).all(|owner| self.cell(owner).waits())
    }

    fn blockers(&self, owner: u8) -> impl Iterator<Item = u8> + '_ {
        self.there().filter(move |slot| self.cell(*slot).link(owner) == BLOCKING)
    }

    /// Whether `slot` cannot go before `owner` does: it waits, and what it waits for, and so on.
    fn waits_for(&self, slot: u8, owner: u8) -> bool {
        let mut reached = 1_u8 << slot;
        loop {
            let waiting = self.there().filter(|s| reached & 1 << s != 0 && self.cell(*s).waits());
            let further = waiting.flat_map(|s| self.blockers(s)).fold(reached, |all, s| all | 1 << s);
            if further == reached {
                return reached & 1 << owner != 0;
            }
            reached = further;
        }
    }

    fn is_blocked(&self, owner: u8) -> bool {
        self.blockers(owner).any(|slot| !self.waits_for(slot, owner))
    }
}
