//! Epochs and generations, counted anew: nobody calculates with them, and what is equal or greater stays so.

use bowline_upgrades::Object;

use super::names::{self, DEVICES, GROUP};
use super::node::Node;
use crate::harness::{NODES, State};

/// The numbers that are known of one thing.
#[derive(Default, Clone, Copy)]
struct Numbers(u64);

impl Numbers {
    fn see(&mut self, number: u64) {
        assert!(number < 64, "numbers are small in normal form");
        self.0 |= 1 << number;
    }

    /// How many smaller ones are known; 0 is none, and stays.
    fn rank(self, number: u64) -> u64 {
        let smaller = self.0 & ((1 << number) - 1) & !1;
        if number == 0 { 0 } else { u64::from(smaller.count_ones()) + 1 }
    }
}

/// What numbers are of: epochs of devices, and generations of places.
#[derive(Clone, Copy)]
enum Of {
    Epoch(u8),
    Generation(u8),
}

pub(super) fn rank(s: &mut State) {
    let mut epochs = [Numbers::default(); DEVICES as usize];
    let mut generations = [Numbers::default(); NODES + 1];
    each(s, &mut |of, number| match of {
        Of::Epoch(device) => epochs[usize::from(device)].see(*number),
        Of::Generation(place) => generations[usize::from(place)].see(*number),
    });
    each(s, &mut |of, number| {
        *number = match of {
            Of::Epoch(device) => epochs[usize::from(device)].rank(*number),
            Of::Generation(place) => generations[usize::from(place)].rank(*number),
        };
    });
    count_attempts(s);
}

/// The first attempt that anybody knows of is none: how many there were before is of no importance.
fn count_attempts(s: &mut State) {
    let mut first = u64::MAX;
    each_attempt(s, &mut |attempt| first = first.min(*attempt));
    each_attempt(s, &mut |attempt| *attempt -= first);
}

fn each_attempt(s: &mut State, visit: &mut dyn FnMut(&mut u64)) {
    s.each_flat(|slot, flat| match names::object(slot, *flat) {
        Object::Group(mut group) if group.wish.cluster.is_some() => {
            visit(&mut group.status.attempt);
            *flat = names::flat_group(&group);
        }
        Object::Cluster(mut cluster) => {
            if let Some((_, attempt)) = cluster.upgrade.as_mut().filter(|(group, _)| *group == GROUP) {
                visit(attempt);
                *flat = names::flat_cluster(&cluster);
            }
        }
        Object::Group(_) | Object::Member(_) => {}
    });
}

fn each(s: &mut State, visit: &mut dyn FnMut(Of, &mut u64)) {
    s.each_flat(|slot, flat| {
        let mut object = names::object(slot, *flat);
        each_in(slot, &mut object, visit);
        *flat = names::flat(&object);
    });
    for number in 1..=NODES as u8 {
        let bits = &mut s.nodes[usize::from(number) - 1];
        if *bits == 0 {
            continue;
        }
        let mut node = Node::of(*bits);
        for duty in &mut node.desired.devices {
            visit(Of::Epoch(duty.device), &mut duty.epoch.0);
        }
        for (device, epoch) in (0..).zip(&mut node.acts) {
            narrow(epoch, &mut |number| visit(Of::Epoch(device), number));
        }
        narrow(&mut node.generation, &mut |generation| visit(Of::Generation(number), generation));
        *bits = node.bits();
    }
    for ask in s.asks() {
        for (number, generation) in (1..).zip(&mut ask.code[..NODES]) {
            narrow(generation, &mut |generation| visit(Of::Generation(number), generation));
        }
    }
    for known in &mut s.keys {
        for (number, lease) in (1..).zip(&mut known.memory.body[..NODES]) {
            let (mut generation, pulse) = (*lease & 15, *lease & !15);
            narrow(&mut generation, &mut |generation| visit(Of::Generation(number), generation));
            *lease = generation | pulse;
        }
    }
}

fn narrow(small: &mut u8, visit: &mut dyn FnMut(&mut u64)) {
    let mut number = u64::from(*small);
    visit(&mut number);
    *small = number as u8;
}

fn each_in(slot: u8, object: &mut Object<crate::tiny::Tiny>, visit: &mut dyn FnMut(Of, &mut u64)) {
    match object {
        Object::Group(group) => {
            visit(Of::Generation(GROUP), &mut group.generation);
            if let Some(told) = &mut group.told {
                visit(Of::Generation(GROUP), &mut told.observed);
            }
            if let Some((_, generation)) = &mut group.status.failed {
                visit(Of::Generation(GROUP), generation);
            }
            for (device, mastery) in &mut group.status.devices {
                visit(Of::Epoch(*device), &mut mastery.epoch.0);
            }
        }
        Object::Member(member) => {
            visit(Of::Generation(slot), &mut member.generation);
            for duty in &mut member.desired.devices {
                visit(Of::Epoch(duty.device), &mut duty.epoch.0);
            }
            if let Some(report) = &mut member.report {
                visit(Of::Generation(slot), &mut report.observed);
                for (device, epoch) in &mut report.devices {
                    visit(Of::Epoch(*device), &mut epoch.0);
                }
            }
        }
        Object::Cluster(_) => {}
    }
}
