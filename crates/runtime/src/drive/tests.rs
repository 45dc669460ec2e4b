//! What is counted and told of a call that does not work.

use bowline_control::{Backoff, Decision, Effect, Id, Standing, Version, Write};

use super::*;

/// An object about which something outside is asked, until it answers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Thing;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Name;

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("thing")
    }
}

impl Id for Name {
    type Kind = ();

    fn kind(&self) {}
}

impl Object for Thing {
    type Id = Name;
    type Uid = ();

    fn id(&self) -> Name {
        Name
    }

    fn uid(&self) {}

    fn version(&self) -> Version {
        Version(1)
    }

    fn wish(&self) -> Option<u64> {
        None
    }
}

struct Asks;

impl Controller for Asks {
    type Key = Name;
    type Object = Thing;
    /// Whether it was answered.
    type Snapshot = bool;
    type Step = &'static str;
    type Wait = &'static str;
    type Call = ();
    type Reply = Result<(), String>;
    type Memory = bool;

    fn kinds(&self) -> &[()] {
        &[()]
    }

    fn keys(&self, _: &Thing) -> Vec<Name> {
        vec![Name]
    }

    fn snapshot(&self, _: &Name, _: &[&Thing], memory: &bool) -> bool {
        *memory
    }

    fn decide(&self, is_answered: &bool, _: Moment) -> Decision<&'static str, &'static str> {
        if *is_answered { Decision::Converged } else { Decision::Do("ask") }
    }

    fn effect(&self, _: &bool, _: &&'static str, _: Moment) -> EffectOf<Asks> {
        Effect::Call(())
    }

    fn report(&self, _: &bool, _: Standing<'_, &'static str>, _: Moment) -> Option<Write<Thing>> {
        None
    }

    fn learn(
        &self,
        memory: &mut bool,
        _: &&'static str,
        reply: Self::Reply,
        _: Moment,
    ) -> Result<(), String> {
        reply.map(|()| *memory = true)
    }
}

/// Asks once, and is answered like this; tells whether that was told before.
fn ask(desk: &mut Desk<Asks>, reply: Result<(), String>) -> Option<bool> {
    let (key, under, _) = desk.turn(&Mandate::always(), |()| "ask".into())?;
    let told = desk.failures.clone();
    desk.answer(&key, under, Answer::Replied(reply), |reply| format!("{reply:?}"));
    Some(desk.failures == told)
}

#[test]
fn a_call_that_fails_is_an_error_and_told_once() {
    let metrics = Metrics::new();
    let settings = Settings { backoff: Backoff { first: Millis(0), most: Millis(0) }, ..Settings::default() };
    let mut desk = Desk {
        name: "asks",
        room: Loop::new(Asks, settings),
        meter: metrics.of("asks", 1),
        journal: None,
        failures: Failures::new(),
        done: Driven::default(),
        ends: false,
    };
    desk.event(Event::ListBegins(()), |_| {});
    desk.event(Event::Listed((), vec![Thing]), |_| {});
    let counts = |result: &str, times: u32| {
        let text = metrics.text().expect("text");
        let line =
            format!("controller_runtime_reconcile_total{{controller=\"asks\",result=\"{result}\"}} {times}");
        assert!(text.lines().any(|told| told == line), "no {line} in {text}");
    };
    let silence = || Err("silence".to_owned());
    assert_eq!(ask(&mut desk, silence()), Some(false), "it is new");
    assert_eq!(ask(&mut desk, silence()), Some(true), "it is the same again");
    assert_eq!(ask(&mut desk, Err("no".into())), Some(false), "it has changed");
    counts("error", 3);
    counts("requeue", 0);
    assert_eq!(ask(&mut desk, Ok(())), Some(true), "it has worked");
    counts("requeue", 1);
    assert_eq!(ask(&mut desk, Ok(())), None, "there is nothing to do");
    assert_eq!(desk.failures, Failures::new(), "and nothing of it is remembered");
}
