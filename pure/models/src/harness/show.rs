//! A state as people read it.

use bowline_explorer::Field;

use super::flat::{Flat, Post};
use super::outside::{Note, Outside, is_there};
use super::server::Came;
use super::state::{Answer, Asked, Known, Late, Need, State, What};
use super::system::System;
use super::{Bounds, kinds_of};

pub(super) fn fields<S: System>(system: &S, bounds: &Bounds, s: &State) -> Vec<Field> {
    let mut fields = Vec::new();
    let truth = s.truth();
    let kinds = || (0..system.kinds().len() as u8).map(|kind| system.kind_name(kind));
    for slot in (0..s.shown.len() as u8).filter(|slot| system.uses(*slot, bounds.instances)) {
        let object = |flat: Option<Flat>| flat.map_or("-".to_owned(), |flat| object::<S>(slot, &flat));
        let place = S::place_name(slot);
        fields.push(Field::new(place.clone(), object(truth[usize::from(slot)])));
        fields.push(Field::new(format!("{place} as shown"), object(s.shown[usize::from(slot)])));
    }
    for (kind, pending) in kinds().zip(&s.pending) {
        let news = pending.iter().flatten().map(|news| {
            let gone = if news.gone { " is gone" } else { "" };
            format!("{}{gone} {}", S::place_name(news.slot), object::<S>(news.slot, &news.object))
        });
        fields.push(Field::new(format!("pending {kind}"), news.collect::<Vec<_>>().join("; ")));
    }
    for (kind, reached) in kinds().zip(s.reached) {
        fields.push(Field::new(format!("reached {kind}"), reached.to_string()));
    }
    for (key, known) in (1..=bounds.instances).zip(&s.keys) {
        fields.push(Field::new(format!("key {key}"), describe::<S>(known)));
    }
    for (key, outside) in (1..=bounds.instances).zip(&s.outside).filter(|_| is_there::<S>()) {
        fields.push(Field::new(format!("outside {key}"), <S::Outside as Outside<S>>::describe(outside)));
    }
    for (number, node) in (1..).zip(s.nodes).filter(|(_, node)| *node != 0) {
        fields.push(Field::new(format!("node {number}"), S::describe_node(node)));
    }
    for (place, late) in (1..).zip(&s.late) {
        fields.push(Field::new(format!("late {place}"), late.as_ref().map_or("-".into(), left::<S>)));
    }
    for (name, left) in S::BUDGETS.iter().zip(s.people) {
        fields.push(Field::new(format!("{name} left"), left.to_string()));
    }
    for (name, left) in kinds_of::<S>().iter().zip(s.budgets.0) {
        fields.push(Field::new(format!("{name} left"), left.to_string()));
    }
    fields.push(Field::new("remembered", s.ghost.to_string()));
    fields
}

fn object<S: System>(slot: u8, flat: &Flat) -> String {
    let mut text = format!("uid {} version {}", flat.uid, flat.version);
    if flat.generation > 0 {
        text += &format!(" generation {}", flat.generation);
    }
    if let Some((owner, uid)) = flat.owner {
        text += &format!(" of {} uid {uid}", S::place_name(owner));
    }
    if flat.finalizers > 0 {
        text += &format!(" finalizers {:b}", flat.finalizers);
    }
    if flat.deleting {
        text += " deleting";
    }
    format!("{text}: {}", S::describe(slot, flat))
}

fn write<S: System>(post: &Post) -> String {
    let read = post.read.map_or(String::new(), |(uid, version)| format!(" (of uid {uid} version {version})"));
    format!("{:?} {}{read}: {}", post.verb, S::place_name(post.slot), object::<S>(post.slot, &post.object))
}

fn answer<S: System>(answer: &Answer) -> String {
    let asked = match answer.asked {
        Asked::Write(Some(uid)) => format!("the write to {} uid {uid}", S::place_name(answer.slot)),
        Asked::Write(None) => format!("the write to {}", S::place_name(answer.slot)),
        Asked::Look => format!("the look at {}", S::place_name(answer.slot)),
    };
    let place = S::place_name(answer.place);
    match answer.came {
        Came::Is(flat) => format!("{asked} is answered: {place} {}", object::<S>(answer.place, &flat)),
        Came::Gone => format!("{asked} is answered: {place} is gone"),
        Came::Outdated => format!("{asked} is answered: {place} is another one now"),
    }
}

fn left<S: System>(late: &Late) -> String {
    match late {
        Late::Write(post) => write::<S>(post),
        Late::Call(ask) => <S::Outside as Outside<S>>::called(ask),
    }
}

fn describe<S: System>(known: &Known) -> String {
    let mut said = Vec::new();
    said.extend(known.waits.then(|| "waits".to_owned()));
    said.extend(known.due.then(|| "comes later".to_owned()));
    said.extend(match known.need {
        Need::Nothing => None,
        Need::Look(slot) => Some(format!("must look at {}", S::place_name(slot))),
        Need::At { slot, uid, version } => {
            Some(format!("until {} uid {uid} version {version} is shown", S::place_name(slot)))
        }
        Need::Gone { slot, uid } => Some(format!("until {} uid {uid} is gone", S::place_name(slot))),
    });
    said.extend(known.doing.map(|doing| {
        let name = S::POINTS[usize::from(doing.point)];
        match doing.what {
            What::Write(post) => format!("does `{name}`: {}", write::<S>(&post)),
            What::Look(slot) => format!("does `{name}`: looks at {}", S::place_name(slot)),
            What::Call(ask) => format!("does `{name}`: {}", <S::Outside as Outside<S>>::called(&ask)),
            What::Answer(back) => format!("does `{name}`: {}", answer::<S>(&back)),
        }
    }));
    said.extend(known.after.map(|point| format!("after `{}`", S::POINTS[usize::from(point)])));
    said.extend((known.effects > 0).then(|| format!("{} effects", known.effects)));
    said.extend(known.stalled.then(|| "stalled".to_owned()));
    said.extend(known.trouble.then(|| "in trouble".to_owned()));
    said.extend(known.outdated.then(|| "for another wish".to_owned()));
    let remembered = (known.memory != Note::default()).then(|| {
        let age = if known.old { "once" } else { "just" };
        format!("has {age} learned: {}", <S::Outside as Outside<S>>::remembered(&known.memory))
    });
    said.extend(remembered);
    said.join(", ")
}
