//! The systems on one hub: each as it is explored by itself, with its own caches; and what they share.
//!
//! A state is one of each system. What one of them writes to the Cluster the others are going to be shown, each when its own
//! cache shows it; and a namespace that is placed there is what a stack may want. A process that ends, or is deposed, ends for all
//! of them. What a system does by itself goes at once, unless steps are apart (`alone.rs`).

mod alone;
mod expected;
#[cfg(test)]
pub(crate) mod mutants;
mod part;
mod properties;
mod shared;
#[cfg(test)]
mod tests;

use bowline_explorer::{Class, Field, Model, Property};

pub(crate) use self::expected::EXPECTED;
use self::part::Part;
use crate::budgets::{Coverage, Hit};
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value, number};
use crate::harness::{Action, Deed, FAULTS, Fault, Harness, Late, SHIPPED, State, Who};
use crate::{identities, placements, updates, upgrades};

pub(crate) const FLEET: Entry = Entry {
    name: "fleet",
    about: "the systems on one hub, and what they do to each other, while things go wrong",
    sizes: &[
        number("lag", "changes that a cache may be behind", 0, (0, 2)),
        number("requests", "how many updates people submit", 1, (1, 2)),
        number("nodes", "nodes in the group; a single one is interrupted", 1, (1, 2)),
        number("edits", "how often people want another version of the group", 0, (0, 2)),
        number("placements", "whether a namespace is placed on the cluster", 1, (0, 1)),
        number("moves", "how often people want it elsewhere", 0, (0, 1)),
        number("fences", "how often people want a fence, say that it is in force, or want none", 1, (0, 2)),
        number("identities", "whether there is an identity", 1, (0, 1)),
        SizeKey {
            name: "stepwise",
            about: "everything that a system does by itself is a step of its own",
            default: Value::Flag(false),
            range: (0, 0),
        },
    ],
    faults: &Fault::NAMES,
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Fleet::new(size, budgets, SHAPES)))
    },
};

/// The systems, in the order of a state.
const UPDATES: usize = 0;
const UPGRADES: usize = 1;
const PLACEMENTS: usize = 2;
const IDENTITIES: usize = 3;
const PARTS: usize = 4;
const NAMES: [&str; PARTS] = ["updates", "upgrades", "placements", "identities"];

/// The controllers as they are shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shapes {
    updates: updates::Shape,
    upgrades: upgrades::Shape,
    placements: placements::Shape,
    identities: identities::Shape,
}

pub(crate) static SHAPES: Shapes = Shapes {
    updates: updates::SHAPE,
    upgrades: upgrades::SHAPE,
    placements: placements::SHAPE,
    identities: identities::SHAPE,
};

/// The systems on one hub.
pub(crate) struct Fleet {
    updates: Harness<updates::Team>,
    upgrades: Harness<upgrades::Team>,
    placements: Harness<placements::Town>,
    identities: Harness<identities::Team>,
    /// Which of them there are.
    are_there: [bool; PARTS],
    stepwise: bool,
}

/// A state of each system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Whole([State; PARTS]);

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// In one system.
    In(usize, Action),
    /// The process ends, and starts again; what each system had sent is applied or not, a bit for each.
    Crash(u8),
    /// The leader is paused, and another one starts.
    Depose,
}

impl Fleet {
    fn new(size: &Size, faults: [u8; FAULTS], shapes: Shapes) -> Fleet {
        let [lag, requests, nodes, edits] = ["lag", "requests", "nodes", "edits"].map(|key| size.number(key));
        let [moves, fences] = ["moves", "fences"].map(|key| size.number(key));
        let [placements, identities] = ["placements", "identities"].map(|key| size.number(key) > 0);
        let alone = if nodes == 1 { ",interrupts=true" } else { "" };
        let group = format!("lag={lag},nodes={nodes},devices=0,edits={edits},cluster=true{alone}");
        let stack = format!("lag={lag},requests={requests},contents={requests}");
        let space = format!("lag={lag},fresh=true,new=true,volumes=0,moves={moves},fences={fences}");
        let identity = format!("lag={lag},edits=0,deletes=0");
        Fleet {
            updates: updates::at(&stack, faults, shapes.updates, SHIPPED),
            upgrades: upgrades::at(&group, faults, shapes.upgrades, SHIPPED),
            placements: placements::at(&space, faults, shapes.placements),
            identities: identities::at(&identity, faults, shapes.identities, SHIPPED),
            are_there: [true, true, placements, identities],
            stepwise: size.flag("stepwise"),
        }
    }

    fn part(&self, part: usize) -> &dyn Part {
        match part {
            UPDATES => &self.updates,
            UPGRADES => &self.upgrades,
            PLACEMENTS => &self.placements,
            _ => &self.identities,
        }
    }

    /// The systems that there are.
    fn parts(&self) -> impl Iterator<Item = usize> + Clone {
        let are_there = self.are_there;
        (0..PARTS).filter(move |part| are_there[*part])
    }

    /// What can happen in one system, if nobody else does what another system does here.
    fn in_part(&self, s: &Whole, part: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        self.part(part).can(&s.0[part], &mut actions);
        let is_others = |action: &Action| match action {
            // Whether another target is fenced is nothing to anybody.
            Action::Deed(Deed { who: Who::Person(_), slot, .. }) if part == PLACEMENTS => {
                *slot == placements::SECOND
            }
            Action::Deed(Deed { slot, .. }) => shared::cluster_at(part) == Some(*slot),
            // Whoever else writes to the Cluster does so for all.
            Action::Touch(slot) => shared::cluster_at(part) == Some(*slot) && part != UPDATES,
            _ => false,
        };
        actions.retain(|action| !is_others(action));
        actions
    }

    /// A state of a system in normal form, without requests that will be refused whenever they arrive: what they rest on has changed.
    fn normal(&self, part: usize, mut s: State) -> State {
        let truth = s.truth();
        let is_outdated = |late: &Late| match late {
            Late::Write(post) => post.read.is_some_and(|read| {
                truth[usize::from(post.slot)].is_none_or(|flat| (flat.uid, flat.version) != read)
            }),
            Late::Call(_) => false,
        };
        s.late = s.late.map(|late| late.filter(|late| !is_outdated(late)));
        s.late.sort_unstable();
        self.part(part).normal(s)
    }

    /// A system does something, and the others hear of it if it is about what they share.
    fn act(&self, s: &mut Whole, part: usize, action: &Action) {
        let before = s.0[part];
        s.0[part] = self.part(part).does(&before, action);
        if shared::has_written(part, &before, &s.0[part]) {
            for other in shared::WITH_CLUSTER.into_iter().filter(|other| *other != part) {
                let (slot, flat) = shared::as_seen_by(other, s, part);
                self.part(other).hears(&mut s.0[other], slot, flat);
            }
        }
        if part == PLACEMENTS {
            shared::place(&before, s);
        }
    }
}

/// Whether it happens to all systems at once.
fn is_of_all(action: &Action) -> bool {
    matches!(action, Action::Crash(_) | Action::Depose)
}

impl Catalogued for Fleet {
    /// Of the effects by which systems meet.
    fn coverage(&self) -> Option<Coverage> {
        let hits = Fault::NAMES.map(|kind| (kind, Vec::new()));
        let mut all = Coverage { effects: alone::EFFECTS, hits: hits.to_vec() };
        for part in 0..PARTS {
            let Some(table) = self.part(part).coverage() else { continue };
            for ((_, hits), (_, of)) in all.hits.iter_mut().zip(table.hits) {
                let met =
                    table.effects.iter().zip(of).filter(|(effect, _)| alone::MEETS[part].contains(effect));
                hits.extend(met.map(|(_, hit)| if self.are_there[part] { hit } else { Hit::Never }));
            }
        }
        Some(all)
    }
}

impl Model for Fleet {
    type State = Whole;
    type Action = Event;

    fn init(&self) -> Vec<Whole> {
        let first = |part: usize| self.part(part).begins().swap_remove(0);
        let mut s = Whole(std::array::from_fn(first));
        self.settle(&mut s, None);
        vec![s]
    }

    fn actions(&self, s: &Whole, out: &mut Vec<Event>) {
        let all: Vec<_> = self.parts().map(|part| (part, self.in_part(s, part))).collect();
        for (part, actions) in &all {
            let own = actions.iter().filter(|action| !is_of_all(action));
            out.extend(own.map(|action| Event::In(*part, *action)));
        }
        let all_have = |action: Action| all.iter().all(|(_, actions)| actions.contains(&action));
        if all_have(Action::Crash(false)) {
            let has_sent = |(_, actions): &&(usize, Vec<Action>)| actions.contains(&Action::Crash(true));
            let sent: u8 = all.iter().filter(has_sent).map(|(part, _)| 1 << part).sum();
            out.extend((0..1 << PARTS).filter(|applied| applied & !sent == 0).map(Event::Crash));
        }
        out.extend(all_have(Action::Depose).then_some(Event::Depose));
    }

    fn next(&self, before: &Whole, event: &Event) -> Whole {
        let mut s = *before;
        match event {
            Event::In(part, action) => self.act(&mut s, *part, action),
            Event::Crash(applied) => {
                let crash = |part: usize| Action::Crash(applied >> part & 1 == 1);
                self.parts().for_each(|part| self.act(&mut s, part, &crash(part)));
            }
            Event::Depose => self.parts().for_each(|part| self.act(&mut s, part, &Action::Depose)),
        }
        // What goes wrong in one system does not in another.
        let left = s.0[if let Event::In(part, _) = event { *part } else { UPDATES }].budgets;
        s.0.iter_mut().for_each(|of| of.budgets = left);
        self.settle(&mut s, Some(before));
        s
    }

    fn canonical(&self, s: Whole) -> Whole {
        Whole(std::array::from_fn(|part| self.normal(part, s.0[part])))
    }

    fn properties(&self) -> Vec<Property<Fleet>> {
        properties::all()
    }

    fn class(&self, event: &Event) -> Class {
        let Event::In(part, action) = event else { return Class::UNFAIR };
        let before: usize = (0..*part).map(|part| self.part(part).classes().len()).sum();
        self.part(*part).class(action).map_or(Class::UNFAIR, |class| Class::new(before as u16 + class))
    }

    fn fairness(&self) -> Vec<String> {
        let of = |part: usize| self.part(part).classes().into_iter().map(move |class| of_part(&class, part));
        (0..PARTS).flat_map(of).collect()
    }

    fn action_name(&self, event: &Event) -> String {
        match event {
            Event::In(part, action) => of_part(&self.part(*part).name(action), *part),
            Event::Crash(applied) => {
                let sent = |part: usize| if applied >> part & 1 == 1 { "sent" } else { "unsent" };
                format!("Crash({})", self.parts().map(sent).collect::<Vec<_>>().join(", "))
            }
            Event::Depose => "Depose".to_owned(),
        }
    }

    fn fields(&self, s: &Whole) -> Vec<Field> {
        let of = |part: usize| {
            let fields = self.part(part).fields(&s.0[part]).into_iter();
            fields.map(move |field| Field::new(of_part(&field.name, part), field.value))
        };
        self.parts().flat_map(of).collect()
    }
}

fn of_part(name: &str, part: usize) -> String {
    format!("{name} of {}", NAMES[part])
}
