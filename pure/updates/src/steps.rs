//! How a step is done: one write to the hub, or one call.

use std::sync::Arc;

use bowline_control::{Effect, Write};

use crate::decide::{Aim, Case, Fault, Objection, Step, View};
use crate::effect::{Ask, Call};
use crate::inventory::Inventory;
use crate::object::Object;
use crate::state::{
    Cluster, Good, Mood, Names, Number, Phase, Quarantined, Request, Shown, Stack, Stage, Status, Told,
    Update,
};
use crate::words;

type EffectOf<N> = Effect<Object<N>, Call<N>>;

/// Content that failed is remembered, but not all of it for ever.
const QUARANTINED: usize = 100;

impl<N: Names> Case<'_, N> {
    /// How a step is done, which was decided on this case.
    pub(crate) fn effect(&self, step: Step) -> EffectOf<N> {
        match step {
            Step::Hold => self.hold(true),
            Step::LetGo => self.hold(false),
            Step::Enter => self.with_activity(Some(self.stack.status.attempt)),
            Step::Leave => self.with_activity(None),
            Step::Show(number) => self.show(number),
            Step::Discard(number) => self.discard(number),
            Step::Fetch(aim) => self.call(Ask::Fetch {
                content: self.stack.digest(aim).cloned(),
                inventory: self.stack.status.inventory.clone(),
            }),
            Step::Forget => self.call(Ask::Forget),
            Step::Store(aim) => self.call(Ask::Store(Arc::new(self.needed(aim)))),
            Step::Look(aim) => {
                let digest = self.stack.digest(aim);
                self.call(Ask::Look {
                    digest: digest.cloned(),
                    content: self.s.content(digest).and_then(Result::ok).unwrap_or_default(),
                    inventory: self.s.inventory(self.stack).unwrap_or_default(),
                })
            }
            Step::Write(aim) => {
                let refused = &self.s.memory.refused;
                let deeds = self.planned(aim).map(|plan| plan.next(self.rhythm.batch, refused));
                self.call(Ask::Write(deeds.unwrap_or_default()))
            }
            _ => self.with_status(self.tells(step), |status| self.become_so(status, step)),
        }
    }

    fn call(&self, what: Ask<N>) -> EffectOf<N> {
        Effect::Call(Call {
            stack: self.stack.name.clone(),
            uid: self.stack.uid.clone(),
            cluster: self.stack.wish.cluster.clone(),
            on: self.s.cluster.as_ref().map(|cluster| cluster.uid.clone()),
            attempt: self.stack.status.attempt,
            what,
        })
    }

    fn hold(&self, held: bool) -> EffectOf<N> {
        let before = self.stack.clone();
        let after = Stack { held, ..before.clone() };
        Effect::Write(Write::Change { before: Object::Stack(before), after: Object::Stack(after) })
    }

    fn with_activity(&self, attempt: Option<u64>) -> EffectOf<N> {
        let Some(before) = self.s.cluster.clone() else {
            unreachable!("who enters or leaves a cluster has seen it")
        };
        let mut updates = before.updates.clone();
        updates.retain(|(stack, _)| *stack != self.stack.name);
        updates.extend(attempt.map(|attempt| (self.stack.name.clone(), attempt)));
        let after = Cluster { updates, ..before.clone() };
        Effect::Write(Write::Status { before: Object::Cluster(before), after: Object::Cluster(after) })
    }

    fn show(&self, number: Number) -> EffectOf<N> {
        // A stack that was made anew may have given the number of a stray again.
        let request = self.stack.request(number).filter(|request| self.differs(request));
        let known = request.and_then(|request| Some((self.s.update_of(request)?, request)));
        let (before, shown) = match known {
            Some((update, request)) => {
                let before = update.shown.as_ref();
                let is_new = before.is_none_or(|shown| shown.stage != request.stage);
                let words = before.filter(|_| !is_new && !request.stage.is_last());
                let shown = Shown {
                    number: Some(number),
                    stage: request.stage,
                    tally: request.tally.clone(),
                    done: self.done(request, before.map_or(0, |shown| shown.done)),
                    words: words.map_or_else(|| words::shown(request), |shown| shown.words.clone()),
                };
                (update, shown)
            }
            None => {
                let Some(stray) = self.strays().next() else { unreachable!("what is shown is there") };
                let good = self.stack.status.good.as_ref().is_some_and(|good| good.number == number);
                let stage = if good { Stage::Succeeded } else { Stage::Superseded };
                let (tally, done) =
                    stray.shown.as_ref().map_or((None, 0), |shown| (shown.tally.clone(), shown.done));
                (stray, Shown { number: Some(number), stage, tally, done, words: words::forgotten::<N>() })
            }
        };
        let after = Update { shown: Some(shown), ..before.clone() };
        Effect::Write(Write::Status { before: Object::Update(before.clone()), after: Object::Update(after) })
    }

    fn discard(&self, number: Number) -> EffectOf<N> {
        let is_it =
            |update: &&Update<N>| update.shown.as_ref().is_some_and(|shown| shown.number == Some(number));
        let Some(update) = self.s.updates.iter().find(is_it) else {
            unreachable!("what is discarded is there")
        };
        Effect::Write(Write::Delete(Object::Update(update.clone())))
    }

    /// What is told with a step: what is about to be put right is named before it is gone.
    fn tells(&self, step: Step) -> Option<Told<N>> {
        let is_drift = step == Step::Mend && self.stack.status.phase == Phase::Idle;
        match is_drift.then(|| self.plan(Aim::LastGood)) {
            Some(View::Plan(look, plan)) => Some(Told {
                mood: Mood::Drifted,
                words: self.going(words::drifted(look, &plan).as_ref()),
                observed: self.stack.generation,
            }),
            _ => self.stack.told.clone(),
        }
    }

    fn with_status(&self, told: Option<Told<N>>, change: impl FnOnce(&mut Status<N>)) -> EffectOf<N> {
        let before = self.stack.clone();
        let mut status = before.status.clone();
        self.tidy(&mut status);
        status.epoch = self.now.epoch;
        change(&mut status);
        let told = told.map(|told| match status.phase != before.status.phase {
            true => told.of_another_phase(before.told.as_ref()),
            false => told,
        });
        let after = Stack { status, told, ..before.clone() };
        Effect::Write(Write::Status { before: Object::Stack(before), after: Object::Stack(after) })
    }

    /// What has ended, and is seen to show it, need not be known any more; nor what somebody has released.
    fn tidy(&self, status: &mut Status<N>) {
        status.requests.retain(|request| {
            let is_shown = self
                .s
                .update_of(request)
                .is_none_or(|update| crate::decide::is_shown(update.shown.as_ref(), request));
            !request.stage.is_last() || !is_shown
        });
        let released = &self.stack.wish.released;
        status.quarantined.retain(|bad| !released.contains(&bad.number));
    }

    /// The status that a step leads to.
    fn become_so(&self, status: &mut Status<N>, step: Step) {
        match step {
            Step::TakeOver => self.take_over(status),
            Step::Number => self.number(status),
            Step::Cancel => {
                let gone: Vec<_> = self.taken_back().map(|request| request.number).collect();
                status.requests.retain(|request| !gone.contains(&request.number));
            }
            Step::Judge(number, objection) => self.judged(status, number, objection),
            Step::Start(number) => self.start(status, number),
            Step::Begin(number) => self.begun(status, number),
            Step::Fail(number, why) => {
                status.end(number, Stage::Failed, words::fault(self, Aim::Version(number), why));
                if status.phase == Phase::Starting(number) {
                    status.phase = Phase::Idle;
                }
            }
            Step::BackOut(why) => self.back_out(status, why),
            Step::Mend => {
                status.phase = Phase::RollingBack(status.phase.number());
                status.attempt += 1;
            }
            Step::Record(aim) => status.inventory = Some(N::digest_of(&self.needed(aim))),
            Step::Succeed => self.succeed(status),
            Step::Restored => {
                if let Some(number) = status.phase.number() {
                    let back = status.good.as_ref().map(|good| good.number);
                    let words = words::restored::<N>(&status.why(number), back);
                    status.end(number, Stage::RolledBack, words);
                }
                status.phase = Phase::Idle;
                status.resumed = false;
            }
            Step::Stall(why) => {
                let number = status.phase.number();
                status.phase = Phase::Stalled(number);
                if let Some(number) = number {
                    let words =
                        words::stalled::<N>(&status.why(number), &words::fault(self, Aim::LastGood, why));
                    status.end(number, Stage::PartialFailure, words);
                }
                status.attempt += 1;
            }
            _ => unreachable!("{step:?} changes no status"),
        }
    }

    fn take_over(&self, status: &mut Status<N>) {
        status.attempt += 1;
        let is_handed = self.now.handed && self.stack.status.epoch.next() == self.now.epoch;
        match status.phase {
            // Nobody remembers any more what stood in the way, and it may be gone: it is tried once, and not at the next interval.
            Phase::Stalled(number) if !self.stack.deleting => status.phase = Phase::RollingBack(number),
            // Who handed it over has ended in order: nobody was lost.
            _ if is_handed => {}
            Phase::Partial(_) if status.resumed => self.back_out(status, Fault::Lost),
            Phase::Partial(_) => status.resumed = true,
            _ => {}
        }
    }

    fn number(&self, status: &mut Status<N>) {
        // A stack of this name that was there before has given numbers too.
        let shown = self.s.updates.iter().filter_map(|update| update.shown.as_ref()?.number);
        status.submitted = shown.fold(status.submitted, Number::max);
        for update in self.to_be_numbered() {
            status.submitted = Number(status.submitted.0 + 1);
            status.requests.push(Request {
                number: status.submitted,
                update: update.name.clone(),
                uid: update.uid.clone(),
                digest: update.digest.clone(),
                plan: update.plan.clone(),
                stage: Stage::Submitted,
                tally: None,
                why: "".into(),
            });
        }
    }

    /// A version is queued, and takes the place of all that wait; or it is rejected.
    fn judged(&self, status: &mut Status<N>, number: Number, objection: Option<Objection>) {
        if let Some(objection) = objection {
            return status.end(number, Stage::Rejected, words::objection(self, number, objection));
        }
        // Numbers only grow, and the newest is judged first: nothing newer waits.
        for request in &mut status.requests {
            if request.number < number && request.stage.is_waiting() {
                request.stage = Stage::Superseded;
                request.why = words::superseded::<N>(number, "before it was started");
            }
        }
        status.set(number, Stage::Queued);
    }

    fn start(&self, status: &mut Status<N>, number: Number) {
        if let Phase::Starting(old) = status.phase {
            status.end(old, Stage::Superseded, words::superseded::<N>(number, "before it changed anything"));
        }
        status.phase = Phase::Starting(number);
        status.set(number, Stage::Processing);
        status.attempt += 1;
        status.resumed = false;
    }

    fn begun(&self, status: &mut Status<N>, number: Number) {
        if status.phase != Phase::Starting(number) {
            // What was learned for another aim, and how often that failed, is over.
            status.attempt += 1;
        }
        if let Some(old) = status.phase.number().filter(|old| *old != number) {
            let why = match status.phase {
                Phase::RollingBack(_) | Phase::Stalled(_) => {
                    words::superseded_while_rolled_back::<N>(number, &status.why(old))
                }
                _ => words::superseded::<N>(number, "after it had changed the cluster"),
            };
            status.end(old, Stage::Superseded, why);
        }
        let aim = Aim::Version(number);
        let needed = self.needed(aim);
        let tally = self.planned(aim).map(|plan| N::tally(&plan));
        status.inventory = Some(N::digest_of(&needed)).filter(|_| needed != Inventory::default());
        status.phase = Phase::Partial(number);
        status.set(number, Stage::Partial);
        for request in status.requests.iter_mut().filter(|request| request.number == number) {
            request.tally.clone_from(&tally);
        }
        status.resumed = false;
    }

    /// What has failed is put into quarantine, and what waits with the same content goes with it.
    fn back_out(&self, status: &mut Status<N>, fault: Fault) {
        let Some(number) = status.phase.number() else { return };
        let why = words::fault(self, Aim::Version(number), fault);
        status.phase = Phase::RollingBack(Some(number));
        status.end(number, Stage::PartialFailure, why.clone());
        status.attempt += 1;
        status.resumed = false;
        let Some(digest) = self.stack.digest(Aim::Version(number)).cloned() else { return };
        let is_good = status.good.as_ref().is_some_and(|good| good.digest == digest);
        let is_to_blame = !matches!(fault, Fault::Deleted | Fault::NoCluster | Fault::NotAllowed);
        if is_good || !is_to_blame {
            return;
        }
        for request in &mut status.requests {
            if request.stage.is_waiting() && request.digest == digest {
                request.stage = Stage::Rejected;
                request.why = words::quarantined::<N>(number, &why);
            }
        }
        status.quarantined.retain(|bad| bad.digest != digest);
        status.quarantined.push(Quarantined { digest, number, why });
        let too_many = status.quarantined.len().saturating_sub(QUARANTINED);
        status.quarantined.drain(..too_many);
    }

    fn succeed(&self, status: &mut Status<N>) {
        let Phase::Partial(number) = status.phase else { return };
        let Some(digest) = self.stack.digest(Aim::Version(number)).cloned() else { return };
        status.quarantined.retain(|bad| bad.digest != digest);
        status.good = Some(Good { number, digest });
        let plan = self.planned(Aim::Version(number));
        status.end(number, Stage::Succeeded, words::succeeded(plan.as_ref()));
        status.phase = Phase::Idle;
        status.resumed = false;
    }

    /// The plan of an aim, by the last look.
    fn planned(&self, aim: Aim) -> Option<crate::Plan<N>> {
        match self.plan(aim) {
            View::Plan(_, plan) => Some(plan),
            _ => None,
        }
    }

    /// The inventory that an aim needs; at rest, what is still wanted.
    fn needed(&self, aim: Aim) -> Inventory<N> {
        let Some(plan) = self.planned(aim) else { return Inventory::default() };
        let is_over = self.stack.status.phase == Phase::Idle && aim == Aim::LastGood && plan.is_done();
        let wanted = self.s.content(self.stack.digest(aim)).and_then(Result::ok);
        match wanted {
            Some(wanted) if is_over => plan.trimmed(&wanted),
            _ => plan.inventory,
        }
    }
}

impl<N: Names> Told<N> {
    /// What was told at rest is not so of what is under way, nor the other way round: without words, what follows from the phase
    /// is told. What is told with a step is told of what comes, and what has drifted was named.
    fn of_another_phase(self, was: Option<&Told<N>>) -> Told<N> {
        match was == Some(&self) && self.mood != Mood::Drifted {
            true => Told { words: "".into(), ..self },
            false => self,
        }
    }
}

impl<N: Names> Status<N> {
    fn set(&mut self, number: Number, stage: Stage) {
        for request in self.requests.iter_mut().filter(|request| request.number == number) {
            request.stage = stage;
        }
    }

    fn end(&mut self, number: Number, stage: Stage, why: N::Text) {
        for request in self.requests.iter_mut().filter(|request| request.number == number) {
            request.stage = stage;
            request.why = why.clone();
        }
    }

    fn why(&self, number: Number) -> N::Text {
        let request = self.requests.iter().find(|request| request.number == number);
        request.map_or("".into(), |request| request.why.clone())
    }
}
