//! What goes wrong.

use super::flat::SLOTS;
use super::room::{self, Reply};
use super::state::{Doing, KEYS, LATE, Late, State, What};
use super::system::{Objects, System};
use super::{Action, Fault, Harness, Outside};

impl<S: System> Harness<S> {
    pub(super) fn faults_of_all(&self, s: &State, truth: &Objects, out: &mut Vec<Action>) {
        let is_sent = |what: What| matches!(what, What::Write(_) | What::Call(_));
        let has_sent = s.keys.iter().filter_map(|known| known.doing).any(|doing| is_sent(doing.what));
        if s.budgets.has(Fault::Crash) {
            out.push(Action::Crash(false));
            out.extend(has_sent.then_some(Action::Crash(true)));
        }
        if s.budgets.has(Fault::TwoLeaders) && s.late.contains(&None) {
            out.push(Action::Depose);
        }
        if s.budgets.has(Fault::Conflict) {
            let there = (0..SLOTS as u8).filter(|slot| truth[usize::from(*slot)].is_some());
            out.extend(there.map(Action::Touch));
        }
        if s.budgets.has(Fault::Relist) {
            for kind in 0..self.kinds() {
                out.extend([Action::Relist(kind, true), Action::Relist(kind, false)]);
            }
        }
    }

    pub(super) fn suffer(&self, s: &mut State, action: Action) {
        match action {
            Action::Crash(applied) => self.crash(s, applied),
            Action::Depose => {
                for known in s.keys {
                    self.leave(s, known.doing);
                }
                self.restart(s);
            }
            Action::Touch(slot) => {
                if let Some(flat) = s.truth()[usize::from(slot)] {
                    self.hear(s, slot, flat);
                }
            }
            Action::LoseRequest(key) => self.carry(s, key, false, false),
            Action::LoseReply(key) => self.carry(s, key, true, false),
            Action::Delay(key) => {
                self.leave(s, s.keys[usize::from(key)].doing);
                self.carry(s, key, false, false);
            }
            Action::Relist(kind, covers) => {
                room::list(&self.system, self.settings, s, kind, covers);
            }
            Action::Jump(key) => room::turn(&self.system, self.settings, s, key, true),
            Action::Fail(key, way) => {
                if let Some(Doing { what: What::Call(ask), .. }) = s.keys[usize::from(key)].doing {
                    let said = self.call(s, ask, Some(way));
                    room::answer(&self.system, self.settings, s, key, Reply::Said(said));
                }
            }
            _ => unreachable!("{action:?} is no fault"),
        }
    }

    fn crash(&self, s: &mut State, applied: bool) {
        for key in (0..KEYS).filter(|_| applied) {
            match s.keys[key].doing.map(|doing| doing.what) {
                Some(What::Write(post)) => drop(self.write(s, post)),
                Some(What::Call(ask)) => drop(self.call(s, ask, None)),
                Some(What::Look(_) | What::Answer(_)) | None => {}
            }
        }
        self.restart(s);
    }

    /// What is left of a request when nobody waits for it any more: a look, a call that dies with its process, and what was
    /// applied already, leave nothing.
    pub(super) fn left_behind(what: What) -> Option<Late> {
        match what {
            What::Write(post) => Some(Late::Write(post)),
            What::Call(ask) => <S::Outside as Outside<S>>::can_be_late(&ask).then_some(Late::Call(ask)),
            What::Look(_) | What::Answer(_) => None,
        }
    }

    /// A request is left behind. If there are too many, the oldest never arrives.
    fn leave(&self, s: &mut State, doing: Option<Doing>) {
        let Some(late) = doing.and_then(|doing| Self::left_behind(doing.what)) else { return };
        let place = s.late.iter().position(Option::is_none).unwrap_or(0);
        s.late[place] = Some(late);
        // Which of them was left first is of no importance.
        s.late[..LATE].sort_unstable();
    }
}
