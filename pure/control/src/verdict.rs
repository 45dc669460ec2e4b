//! What is made of a decision: the step itself, or that it is shown first how the key stands.

use crate::controller::{Controller, Decision, EffectOf, Standing};
use crate::effect::Effect;
use crate::memo::Memo;
use crate::turns::Settings;
use crate::{Millis, Moment};

/// What was decided about a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<Step, Wait> {
    /// To look what became of a write.
    Look,
    /// A step of the protocol.
    Do(Step),
    /// To wait.
    Wait(Wait),
    /// All is as it should be.
    Converged,
    /// The last effect did not work, which is to be shown before the next.
    Failing(String),
    /// Too many effects have not led anywhere: in words for people.
    Stalled(String),
}

/// How often it is tried to show that a key is stalled.
const LAST_WORDS: u32 = 8;

/// What is made of a decision: the verdict, what is to be carried, and if nothing is, when it is decided again at the
/// latest.
pub(crate) struct Conclusion<C: Controller> {
    pub(crate) verdict: Verdict<C::Step, C::Wait>,
    pub(crate) effect: Option<EffectOf<C>>,
    pub(crate) until: Option<Millis>,
}

/// A decision about a snapshot, and what it is to be judged by.
pub(crate) struct Case<'a, C: Controller> {
    pub(crate) controller: &'a C,
    pub(crate) settings: &'a Settings,
    pub(crate) snapshot: &'a C::Snapshot,
    pub(crate) now: Moment,
}

impl<C: Controller> Case<'_, C> {
    pub(crate) fn conclude(&self, decision: Decision<C::Step, C::Wait>, memo: &mut Memo<C>) -> Conclusion<C> {
        match decision {
            Decision::Do(step) => self.advance(step, memo),
            Decision::Wait { what, until } => {
                let shown = self.show(Standing::Waiting(&what));
                self.rest(Verdict::Wait(what), until, shown, memo)
            }
            Decision::Converged => {
                let shown = self.show(Standing::Converged);
                self.rest(Verdict::Converged, None, shown, memo)
            }
        }
    }

    fn advance(&self, step: C::Step, memo: &mut Memo<C>) -> Conclusion<C> {
        if memo.stalled.is_some() || memo.effects >= self.settings.effects {
            return self.stall(&format!("the next would be to {step}"), memo);
        }
        if let Some(trouble) = memo.trouble.clone()
            && let Some(effect) = self.show(Standing::Failing(&trouble))
        {
            memo.effects += 1;
            return Conclusion { verdict: Verdict::Failing(trouble), effect: Some(effect), until: None };
        }
        memo.effects += 1;
        let effect = Some(self.controller.effect(self.snapshot, &step, self.now));
        Conclusion { verdict: Verdict::Do(step), effect, until: None }
    }

    /// Nothing is to be done, once it is shown.
    fn rest(
        &self,
        verdict: Verdict<C::Step, C::Wait>,
        until: Option<Millis>,
        shown: Option<EffectOf<C>>,
        memo: &mut Memo<C>,
    ) -> Conclusion<C> {
        // A status that never says what it should would be written for ever.
        if shown.is_some() && memo.effects >= self.settings.effects {
            return self.stall("the next would be to show how it stands", memo);
        }
        match shown {
            Some(_) => memo.effects += 1,
            None => memo.rest(),
        }
        Conclusion { verdict, effect: shown, until }
    }

    fn stall(&self, next: &str, memo: &mut Memo<C>) -> Conclusion<C> {
        let most = self.settings.effects;
        let why = format!("{most} steps in a row have not led anywhere; {next}");
        memo.stalled.get_or_insert(self.now.clock.plus(self.settings.stalled));
        let tries = memo.effects.saturating_sub(most);
        let shown = self.show(Standing::Stalled(&why)).filter(|_| tries < LAST_WORDS);
        memo.effects += u32::from(shown.is_some());
        Conclusion { verdict: Verdict::Stalled(why), effect: shown, until: None }
    }

    fn show(&self, standing: Standing<'_, C::Wait>) -> Option<EffectOf<C>> {
        self.controller.report(self.snapshot, standing, self.now).map(Effect::Write)
    }
}
