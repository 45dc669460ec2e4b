//! What comes of what happens.

use bowline_control::Moment;
use bowline_control::lease::{Answer, Candidate, Request, Step, Wish};

use super::state::{
    Ask, FAST, Holder, Late, MARGIN, NOW, Process, Record, SLOW, Sent, Stage, State, TERM, Who,
};
use super::{Action, Fault, Leases};

impl Leases {
    pub(super) fn step(&self, before: &State, action: Action) -> State {
        let mut s = *before;
        match action {
            Action::Tick(fast) => self.tick(&mut s, fast),
            Action::Step(h) => self.go_on(&mut s, h),
            Action::Carry(h) => self.carry(&mut s, h),
            Action::See(h) => {
                if let Some(record) = s.record {
                    self.with(&mut s, h, |candidate| candidate.see(record.lease(), NOW));
                }
            }
            Action::Begin(h) => self.act(&mut s, h),
            Action::End(h) => s.holder(h).effect = None,
            Action::Drain(h) => {
                s.leaves -= u8::from(s.holder(h).wish == Wish::Hold);
                self.with(&mut s, h, self.rules.drain);
            }
            Action::Start(h) => *s.holder(h) = s.holder(h).begun(),
            Action::Wake(h) => s.holder(h).process = Process::Up,
            Action::Late(h) => {
                if let Some(late) = s.holder(h).late.take() {
                    self.write(&mut s, late);
                }
            }
            Action::Fault(fault, h) => {
                s.faults -= 1;
                self.fault(&mut s, fault, h);
            }
        }
        s
    }

    fn tick(&self, s: &mut State, fast: u8) {
        let ends = self.settings.acts_for().plus(MARGIN);
        for (h, holder) in (0..self.holders).zip(&mut s.holders) {
            holder.tick(if fast & 1 << h == 0 { SLOW } else { FAST }, ends);
        }
    }

    /// Does something with a candidate, and takes over what becomes of it.
    fn with<T>(&self, s: &mut State, h: u8, work: impl FnOnce(&mut Candidate<u8>) -> T) -> T {
        let mut candidate = self.candidate(s, h);
        let came = work(&mut candidate);
        let holder = s.holder(h);
        holder.take(&candidate);
        if candidate.asked.is_none() {
            holder.sent = None;
        }
        came
    }

    /// Does what the candidate decides. What it asks for is answered at once.
    fn go_on(&self, s: &mut State, h: u8) {
        let Some(step) = self.next_step(s, h) else { return };
        if step == Step::Left {
            return self.end_run(s, h);
        }
        if self.is_drained(s, h) {
            return self.with(s, h, Candidate::leave);
        }
        if self.send(s, h) {
            self.carry(s, h);
            self.carry(s, h);
        }
    }

    /// Begins what the candidate decides; whether something is sent for it.
    fn send(&self, s: &mut State, h: u8) -> bool {
        let Some(step) = self.next_step(s, h) else { return false };
        let now = Moment { clock: NOW, ..Moment::default() };
        let request = self.with(s, h, |candidate| (self.rules.begin)(candidate, step, now));
        let (version, epoch) = match &request {
            Some(Request::Write { guard, lease }) => {
                (guard.map_or(0, |guard| guard.0 as u8), lease.epoch.0 as u8)
            }
            _ => (0, 0),
        };
        let Some(ask) = Ask::of(step).filter(|_| request.is_some()) else { return false };
        s.holder(h).sent = Some(Sent { ask, age: 0, stage: Stage::Out, version, epoch });
        true
    }

    /// A write arrives: the version that it makes, if it is accepted.
    fn write(&self, s: &mut State, late: Late) -> Option<u8> {
        if late.version != s.version() && self.rules.guards {
            return None;
        }
        let version = s.version() + 1;
        let holder = (late.ask != Ask::Release).then_some(late.by);
        if late.epoch != s.epoch() {
            s.acted = None;
        }
        s.record = Some(Record { holder, version, epoch: late.epoch });
        // What is refused when it arrives need not arrive.
        if self.rules.guards {
            s.holders.iter_mut().for_each(|holder| holder.late = None);
        }
        Some(version)
    }

    /// A request arrives, or its answer does. What is read is answered as it is.
    fn carry(&self, s: &mut State, h: u8) {
        let Some(Sent { ask, stage, version, epoch, .. }) = s.holder(h).sent else { return };
        let answer = match stage {
            Stage::Out if ask == Ask::Look => {
                s.record.map_or(Answer::Absent, |record| Answer::Is(record.lease()))
            }
            Stage::Out => return self.apply(s, h),
            Stage::Refused => Answer::Outdated,
            Stage::Accepted => {
                let holder = (ask != Ask::Release).then_some(Who::Run(h));
                Answer::Is(Record { holder, version, epoch }.lease())
            }
        };
        self.answer(s, h, answer);
    }

    fn apply(&self, s: &mut State, h: u8) {
        let Some(sent) = s.holder(h).sent else { return };
        let made = self.write(s, Late::of(&sent, h));
        s.holder(h).sent = Some(match made {
            Some(version) => Sent { stage: Stage::Accepted, version, ..sent },
            None => Sent { stage: Stage::Refused, version: 0, epoch: 0, ..sent },
        });
    }

    fn answer(&self, s: &mut State, h: u8, answer: Answer<u8>) {
        self.with(s, h, |candidate| (self.rules.answered)(candidate, answer, NOW));
        let holder = s.holder(h);
        // What is under way may last as long as the newest deadline: that is more than it does.
        if let (Some(effect), Some(held)) = (&mut holder.effect, holder.held) {
            *effect = held.age.min(*effect);
        }
    }

    fn act(&self, s: &mut State, h: u8) {
        let Some(tenure) = self.tenure(s, h) else { return };
        let holder = s.holder(h);
        holder.effect = holder.held.map(|held| held.age);
        if tenure.epoch.0 == u64::from(s.epoch()) {
            s.acted = Some(Who::Run(h));
        }
    }

    /// Nobody waits any more for what was sent.
    fn leave_behind(&self, s: &mut State, h: u8) {
        let version = s.version();
        let holder = s.holder(h);
        let sent = holder.sent.filter(|sent| sent.ask != Ask::Look && sent.stage == Stage::Out);
        if let Some(sent) = sent.filter(|sent| sent.version == version || !self.rules.guards) {
            holder.late.get_or_insert(Late::of(&sent, h));
        }
    }

    fn end_run(&self, s: &mut State, h: u8) {
        if self.is_exclusive(h) {
            // All that it had under way ends with it; its name is what stays.
            let holder = s.holder(h);
            *holder = Holder { process: Process::Down, effect: None, late: None, ..holder.begun() };
            return s.end_acts(h);
        }
        self.leave_behind(s, h);
        let holder = s.holder(h);
        // The one that lasts longest.
        let past = holder.effect.into_iter().chain(holder.past).min();
        *holder = Holder { process: Process::Down, effect: None, past, ..holder.begun() };
        if self.rules.renames {
            s.rename(h);
        }
    }

    fn fault(&self, s: &mut State, fault: Fault, h: u8) {
        if fault.is_of_a_request() {
            self.send(s, h);
        }
        match fault {
            Fault::Pause | Fault::PauseSending => s.holder(h).process = Process::Paused,
            Fault::Crash | Fault::CrashSending => self.end_run(s, h),
            Fault::Slow => {}
            Fault::LoseRequest => self.answer(s, h, Answer::Unknown),
            Fault::LoseReply => {
                self.apply(s, h);
                self.answer(s, h, Answer::Unknown);
            }
            Fault::Late => {
                self.leave_behind(s, h);
                self.answer(s, h, Answer::Unknown);
            }
            Fault::Jump => {
                let holder = s.holder(h);
                holder.seen.iter_mut().for_each(|seen| seen.age = TERM);
                holder.sent.iter_mut().for_each(|sent| sent.age = TERM);
                holder.held.iter_mut().for_each(|held| held.age = TERM);
                s.jumped = true;
            }
            Fault::JumpWall => s.holder(h).ahead = true,
        }
    }
}

impl Late {
    fn of(sent: &Sent, h: u8) -> Late {
        Late { ask: sent.ask, by: Who::Run(h), version: sent.version, epoch: sent.epoch }
    }
}
