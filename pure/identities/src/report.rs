//! What people are told of how an identity stands: one sentence, four conditions, and an event when it changes.

use bowline_control::{Standing, Write};

use crate::decide::{Case, Wait};
use crate::object::Object;
use crate::state::{Identity, Mood, Names, Told};
use crate::words;

/// What is told when others have taken the role away.
pub(crate) const LOST: &str = "the role is not there in AWS any more, or is somebody else's";
/// The most characters that are told.
const LONGEST: usize = 8_192;

/// The write that makes the identity show how it stands; `None` if it does.
pub(crate) fn report<N: Names>(case: &Case<'_, N>, standing: Standing<'_, Wait>) -> Option<Write<Object<N>>> {
    let before = case.s.identity.as_ref()?;
    let told = told(case, before, standing);
    // Without our finalizer it is going, and nobody reads it any more.
    if before.told.as_ref() == Some(&told) || before.deleting && !before.held {
        return None;
    }
    let after = Identity { told: Some(told), ..before.clone() };
    Some(Write::Status { before: Object::Identity(before.clone()), after: Object::Identity(after) })
}

fn told<N: Names>(case: &Case<'_, N>, identity: &Identity<N>, standing: Standing<'_, Wait>) -> Told<N> {
    let (mood, words) = match standing {
        Standing::Converged | Standing::Waiting(Wait::NextLook) => (Mood::Well, words::well(identity)),
        Standing::Waiting(wait) if wait.is_for_a_person() => {
            (Mood::Stalled, words::stalled(case, identity, *wait))
        }
        Standing::Waiting(wait) => (Mood::Waiting, N::Text::from(&format!("waits for {wait}"))),
        // As it says also while it rests: else it would say the one and the other in turns.
        Standing::Failing(_) if case.stuck().is_some() => {
            (Mood::Stalled, words::stalled(case, identity, Wait::Stuck))
        }
        // What a person has to do stays to be done while AWS does not answer.
        Standing::Failing(why) => match &identity.told {
            Some(told) if told.mood == Mood::Stalled && told.observed == identity.generation => {
                return told.clone();
            }
            _ => (Mood::Failing, why.into()),
        },
        Standing::Stalled(why) => (Mood::Stalled, why.into()),
    };
    Told { mood, words: short::<N>(words), observed: identity.generation }
}

/// What is longer than a status has room for would be told again and again.
fn short<N: Names>(words: N::Text) -> N::Text {
    let end = words.as_ref().char_indices().nth(LONGEST).map(|(end, _)| end);
    match end.and_then(|end| words.as_ref().get(..end)) {
        Some(begin) => N::Text::from(&format!("{begin}…")),
        None => words,
    }
}

/// What people are told by a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition<Text> {
    /// Which.
    pub kind: &'static str,
    /// Whether it is so.
    pub is: bool,
    /// Why, in a word.
    pub reason: &'static str,
    /// Why, in a sentence.
    pub message: Text,
}

/// What people are told beside the status, once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice<Text> {
    /// It is nothing that should be.
    pub warns: bool,
    /// In a word.
    pub reason: &'static str,
    /// In a sentence.
    pub message: Text,
}

impl<N: Names> Identity<N> {
    /// How it stands: Complete, Ready, Synced and Stalled.
    pub fn conditions(&self) -> [Condition<N::Text>; 4] {
        let words: N::Text =
            self.told.as_ref().map_or("nobody has looked at it yet".into(), |told| told.words.clone());
        let told = self.told.as_ref().filter(|told| told.observed == self.generation);
        let mood = told.map(|told| told.mood);
        // What is being taken down is nothing to count on, however far that is.
        let complete = self.status.complete.is_some() && !self.deleting;
        let ready = self.status.ready;
        let synced = mood == Some(Mood::Well);
        let stalled = mood == Some(Mood::Stalled);
        let reason = reason(mood);
        let about = |kind, is, yes: (&'static str, &str)| match is {
            true => Condition { kind, is, reason: yes.0, message: yes.1.into() },
            false => Condition { kind, is, reason, message: words.clone() },
        };
        let stall = match stalled {
            true => Condition { kind: "Stalled", is: true, reason: "NeedsAttention", message: words.clone() },
            false => Condition { kind: "Stalled", is: false, reason: "GoesOn", message: "".into() },
        };
        [
            about("Complete", complete, ("Attached", "policy, role and attachment are there")),
            about("Ready", ready && complete, ("Assumable", "the role can be assumed")),
            about("Synced", synced, ("AsWanted", "what is in AWS is what the spec says")),
            stall,
        ]
    }

    /// What is worth an event of what has changed since it was like that before.
    pub fn notice(&self, before: &Identity<N>) -> Option<Notice<N::Text>> {
        if before.status.complete.is_some() && self.status.complete.is_none() {
            return Some(Notice { warns: true, reason: "RoleLost", message: LOST.into() });
        }
        if self.status.ready && !before.status.ready {
            return Some(Notice { warns: false, reason: "Ready", message: "the role can be assumed".into() });
        }
        if self.status.complete.is_some() && before.status.complete != self.status.complete {
            let message = "policy, role and attachment are there".into();
            return Some(Notice { warns: false, reason: "Complete", message });
        }
        let told = self.told.as_ref()?;
        let is_new =
            before.told.as_ref().is_none_or(|before| before.words != told.words || before.mood != told.mood);
        let is_told = matches!(told.mood, Mood::Stalled | Mood::Failing) && is_new;
        is_told.then(|| Notice { warns: true, reason: reason(Some(told.mood)), message: told.words.clone() })
    }
}

fn reason(mood: Option<Mood>) -> &'static str {
    match mood {
        None => "Pending",
        Some(Mood::Well) => "AsWanted",
        Some(Mood::Waiting) => "Waiting",
        Some(Mood::Failing) => "Failing",
        Some(Mood::Stalled) => "NeedsAttention",
    }
}
