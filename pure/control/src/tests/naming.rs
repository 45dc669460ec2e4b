//! Objects that others name: they wake who names them, and are seen by them.

use std::convert::Infallible;

use super::counter::{Name, Number, SETTINGS, at, number};
use crate::{Controller, Decision, EffectOf, Event, Loop, Moment, Standing, Verdict, Write};

/// A number names the one that is called like a greater one's wish: 1 names `one`. That one has no key of its own.
struct Naming;

impl Controller for Naming {
    type Key = Name;
    type Object = Number;
    type Snapshot = Vec<&'static str>;
    type Step = &'static str;
    type Wait = String;
    type Call = Infallible;
    type Reply = Infallible;
    type Memory = ();

    fn kinds(&self) -> &[()] {
        &[()]
    }

    fn keys(&self, object: &Number) -> Vec<Name> {
        if object.name == "one" { Vec::new() } else { vec![Name(object.name)] }
    }

    fn names(&self, object: &Number) -> Vec<Name> {
        if object.wanted == 1 { vec![Name("one")] } else { Vec::new() }
    }

    fn snapshot(&self, _: &Name, objects: &[&Number], (): &()) -> Vec<&'static str> {
        objects.iter().map(|number| number.name).collect()
    }

    fn decide(&self, seen: &Vec<&'static str>, _: Moment) -> Decision<&'static str, String> {
        Decision::Wait { what: seen.join(" and "), until: None }
    }

    fn effect(&self, _: &Vec<&'static str>, _: &&'static str, _: Moment) -> EffectOf<Naming> {
        unreachable!("it only waits")
    }

    fn report(&self, _: &Vec<&'static str>, _: Standing<'_, String>, _: Moment) -> Option<Write<Number>> {
        None
    }

    fn learn(&self, (): &mut (), _: &&'static str, reply: Infallible, _: Moment) -> Result<(), String> {
        match reply {}
    }
}

fn waits(room: &mut Loop<Naming>) -> Vec<String> {
    let turns = std::iter::from_fn(|| room.turn(at(0)));
    let said = turns.map(|turn| match turn.verdict {
        Verdict::Wait(seen) => format!("{} sees {seen}", turn.key.0),
        other => panic!("{other:?}"),
    });
    let mut said: Vec<_> = said.collect();
    said.sort_unstable();
    said
}

#[test]
fn who_names_an_object_is_woken_by_it_and_sees_it() {
    let mut room = Loop::new(Naming, SETTINGS);
    room.event(Event::Listed((), vec![number("a", 1, 1), number("b", 2, 1), number("c", 3, 5)]), at(0));
    assert_eq!(waits(&mut room), ["a sees a", "b sees b", "c sees c"]);
    room.event(Event::Put(number("one", 4, 0)), at(0));
    assert_eq!(waits(&mut room), ["a sees a and one", "b sees b and one"]);
    room.event(Event::Put(number("a", 5, 2)), at(0));
    assert_eq!(waits(&mut room), ["a sees a"], "it names nobody any more");
    room.event(Event::Gone(number("one", 6, 0)), at(0));
    assert_eq!(waits(&mut room), ["b sees b"]);
    room.event(Event::Gone(number("b", 7, 1)), at(0));
    assert_eq!(waits(&mut room), ["b sees "]);
    room.event(Event::Put(number("one", 8, 0)), at(0));
    assert_eq!(waits(&mut room), [""; 0], "nobody names it");
}
