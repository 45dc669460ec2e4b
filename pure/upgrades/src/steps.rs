//! How a step is one write, or one look.

use bowline_control::{Effect, Write};

use crate::decide::{Case, Step};
use crate::effect::Call;
use crate::member::Member;
use crate::object::Object;
use crate::report;
use crate::snapshot::Snapshot;
use crate::state::{Answered, Cluster, Group, Names, SeatState, Status};
use crate::words;

type EffectOf<N> = Effect<Object<N>, Call<N>>;

impl<N: Names> Case<'_, N> {
    pub(crate) fn effect(&self, step: &Step<N>) -> EffectOf<N> {
        match step {
            Step::Hold => self.hold(true),
            Step::LetGo => self.hold(false),
            Step::Look => self.look(),
            Step::Tell(member) => self.tell(self.known(member)),
            Step::Dismiss(member) => {
                let before = self.known(member);
                change(before, Member { held: false, ..before.clone() })
            }
            Step::Enter => self.with_upgrade(Some((self.group.name.clone(), self.next_attempt()))),
            Step::Leave => self.with_upgrade(None),
            step => self.record(step),
        }
    }

    /// The steps that are recorded in the group. What was commanded is answered in the same write.
    fn record(&self, step: &Step<N>) -> EffectOf<N> {
        let status = &self.group.status;
        let mut after = match step {
            Step::Found => Status { serving: self.first_version().cloned(), ..status.clone() },
            Step::Enroll(member) => self.enrolled(self.known(member)),
            Step::Return(member) => self.returned(self.known(member)),
            Step::Lose(member) => self.struck(member, SeatState::Lost),
            Step::Crash(member) => self.struck(member, SeatState::Crashed),
            Step::Recover(member) => self.recovered(member),
            Step::GiveUp => Status { attempt: self.next_attempt(), ..status.clone() },
            Step::Pardon => Status { failed: None, ..status.clone() },
            Step::Drop(member) => self.without(member),
            Step::Release => self.released(),
            Step::Give => self.given(),
            Step::Move | Step::Join => self.with_the_one_in_hand(step),
            Step::SwitchBack => self.switch_back().unwrap_or_else(|| status.clone()),
            Step::FailOver => self.fail_over().unwrap_or_else(|| status.clone()),
            step => self.moved(step),
        };
        if let Some(command) = self.pending().filter(|_| is_commanded(step)) {
            let refused = self.commanded(command).err().map(|refusal| words::refused(command, &refusal));
            after.answered = Some(Answered { ticket: command.ticket.clone(), refused });
            self.stays_failed(&mut after);
        }
        let after = self.with_told(Group { status: after, ..self.group.clone() });
        Effect::Write(Write::Status {
            before: Object::Group(self.group.clone()),
            after: Object::Group(after),
        })
    }

    /// A group that tells how it stands by what is recorded now. What it told was about what was before, and who waits for an
    /// answer reads both in one write.
    fn with_told(&self, group: Group<N>) -> Group<N> {
        let s = Snapshot { group: Some(group.clone()), ..self.s.clone() };
        let told = report::foretold(&Case { s: &s, group: &group, rhythm: self.rhythm, now: self.now });
        Group { told: Some(told), ..group }
    }

    /// A command is a change of the spec too, and not one that a version which was rolled back is tried again for.
    fn stays_failed(&self, after: &mut Status<N>) {
        if let Some((_, generation)) = &mut after.failed {
            *generation = self.group.generation;
        }
    }

    fn moved(&self, step: &Step<N>) -> Status<N> {
        let moved = match step {
            Step::Initialize => self.initialize(),
            Step::Take(member) => self.take(member),
            Step::Run => self.run(),
            Step::Commit => self.commit(),
            Step::Rollback => self.rollback(),
            Step::Forward => self.forward(),
            Step::Reset => self.reset(),
            Step::Forget(member) => self.forget(member),
            _ => Ok(self.group.status.clone()),
        };
        moved.unwrap_or_else(|refusal| unreachable!("what is decided can be done: {refusal:?}"))
    }

    fn with_the_one_in_hand(&self, step: &Step<N>) -> Status<N> {
        let Some(hand) = &self.group.status.hand else { unreachable!("somebody is in hand") };
        if *step == Step::Move { self.move_on(hand) } else { self.join(hand) }
    }

    fn recovered(&self, member: &N::Member) -> Status<N> {
        let mut after = self.group.status.clone();
        if let Some(seat) = after.seats.get_mut(member) {
            seat.state = SeatState::Present;
        }
        after
    }

    fn known(&self, member: &N::Member) -> &Member<N> {
        let Some(known) = self.s.members.get(member) else { unreachable!("who is told something is there") };
        known
    }

    fn look(&self) -> EffectOf<N> {
        let members = self.s.members.values().map(|member| (member.name.clone(), member.generation));
        Effect::Call(Call { group: self.group.name.clone(), members: members.collect() })
    }

    fn tell(&self, before: &Member<N>) -> EffectOf<N> {
        let desired = self.desired(before).unwrap_or_else(|| before.desired.clone());
        // One that is being deleted cannot be held any more, and one whose group is need not be.
        let held = before.held || !before.deleting && !self.group.deleting;
        change(before, Member { desired, held, ..before.clone() })
    }

    fn hold(&self, held: bool) -> EffectOf<N> {
        let after = Group { held, ..self.group.clone() };
        Effect::Write(Write::Change {
            before: Object::Group(self.group.clone()),
            after: Object::Group(after),
        })
    }

    fn with_upgrade(&self, upgrade: Option<(N::Group, u64)>) -> EffectOf<N> {
        let Some(before) = self.s.cluster.clone() else {
            unreachable!("who enters or leaves a cluster has seen it")
        };
        let after = Cluster { upgrade, ..before.clone() };
        Effect::Write(Write::Status { before: Object::Cluster(before), after: Object::Cluster(after) })
    }
}

fn change<N: Names>(before: &Member<N>, after: Member<N>) -> EffectOf<N> {
    Effect::Write(Write::Change { before: Object::Member(before.clone()), after: Object::Member(after) })
}

/// Whether a step may be what was commanded: a command comes before everything that follows by itself.
fn is_commanded<N: Names>(step: &Step<N>) -> bool {
    matches!(
        step,
        Step::Refuse
            | Step::Initialize
            | Step::Take(_)
            | Step::Run
            | Step::Commit
            | Step::Rollback
            | Step::Forward
            | Step::Reset
            | Step::Forget(_)
    )
}
