//! Servers that write wrong.

use bowline_kernel::{Deletion, Expect, Head, Request, Version};

use super::state::PLACE;
use super::{OBJECTS, Objects, Rules, SHIPPED};
use crate::kernel::thing::{DELETION, Performed, Thing, edited, perform};
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal at $size:literal by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: OBJECTS.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = OBJECTS.size($size).expect("a size that works");
                Box::new(Objects::new(&size, &RULES))
            },
        }
    };
}

pub(in crate::kernel) const MUTANTS: &[Mutant] = &[
    mutant!("does not ask what the writer has seen" breaks "StaleNeverWins" at "updates=2,others=0" by perform: unguarded),
    mutant!("does not ask what the writer has seen" breaks "NoLostUpdate" at "updates=2,others=0" by perform: unguarded),
    mutant!("answers before the commit" breaks "AnsweredStays" at "updates=3,others=0" by answers_early: true),
    // The version that it told is given away again after a restart.
    mutant!("answers before the commit" breaks "NoLostUpdate" at "updates=3,others=0" by answers_early: true),
    mutant!("keeps what was refused" breaks "HeadAhead" at "updates=1,others=0" by takes_back: false),
    mutant!("counts on from what is left" breaks "VersionsGrow" at "updates=1,others=1" by counts_from: |_, object| object.unwrap_or_default()),
    mutant!("takes a version for nothing" breaks "VersionsGrow" at "updates=1,others=1" by perform: counts_nothing),
    mutant!("takes finalizers too late" breaks "GoingStays" at "updates=1,others=2" by perform: takes_late_finalizers),
    mutant!("takes an update for a change of mind" breaks "GoingStays" at "updates=1,others=2" by perform: undoes_deletion),
    mutant!("keeps what nothing holds" breaks "DoneIsGone" at "updates=1,others=3" by perform: keeps_done),
    mutant!("tells that it ends and lets it be" breaks "DoneIsGone" at "updates=1,others=1" by rest: |_| None),
    mutant!("ends without a word" breaks "EndIsTold" at "updates=1,others=1" by perform: ends_at_once),
    mutant!("asks no holder" breaks "HolderLetsGo" at "updates=1,others=3" by perform: ends_at_once),
    mutant!("waits until a batch is full" breaks "WritesAnswered" at "updates=1,others=0" by commits: |pending| pending > 1),
];

fn unguarded(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    match request {
        Request::Replace(thing, _) => perform(head, Request::Replace(thing, Expect::anything())),
        other => perform(head, other),
    }
}

fn counts_nothing(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let performed = perform(head, request);
    if performed.1.is_none() && performed.0.is_ok() {
        *head = Head::load(head.version().next(), head.objects().cloned());
    }
    performed
}

fn takes_late_finalizers(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let Request::Replace(thing, _) = &request else { return perform(head, request) };
    // To the kernel the object has had them all the time, and another value: or nothing would change.
    let finalizers = thing.meta.finalizers.clone();
    let mut lied_to = edited(head, PLACE, |thing| {
        if !finalizers.is_empty() {
            thing.meta.finalizers.clone_from(&finalizers);
            thing.value ^= 0xff;
        }
    });
    let performed = perform(&mut lied_to, request);
    if performed.1.is_some() {
        *head = lied_to;
    }
    performed
}

fn undoes_deletion(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let Request::Replace(..) = &request else { return perform(head, request) };
    let mut lied_to = edited(head, PLACE, |thing| thing.meta.deletion = None);
    let performed = perform(&mut lied_to, request);
    if performed.1.is_some() {
        *head = lied_to;
    }
    performed
}

fn ends_at_once(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let Request::Delete { .. } = &request else { return perform(head, request) };
    let mut lied_to = edited(head, PLACE, |thing| thing.meta.deletion = Some(DELETION));
    let performed = perform(&mut lied_to, request);
    *head = lied_to;
    performed
}

fn keeps_done(head: &mut Head<Thing>, request: Request<Thing>) -> Performed {
    let Request::Replace(..) = &request else { return perform(head, request) };
    let slowly = |thing: &mut Thing| {
        thing.meta.deletion = thing.meta.deletion.take().map(|deletion| Deletion { grace_s: 1, ..deletion });
    };
    let mut lied_to = edited(head, PLACE, slowly);
    let performed = perform(&mut lied_to, request);
    *head = Head::load(Version(lied_to.version().0), lied_to.objects().cloned());
    performed
}
