//! The queues against what they promise, in histories that chance makes.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// A small source of chance that is the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

const SHAPE: Shape = Shape { seats: 4, queues: 16, hand: 3, length: 5 };

/// Who waits: its number, and its flow.
type Who = (u64, u64);

/// A level, and what is known of who came.
struct World {
    level: Level<Who>,
    seated: Vec<(Who, Seat)>,
    waiting: BTreeMap<Who, Ticket>,
    /// Who came, and has neither gone away nor been turned away.
    inside: BTreeSet<Who>,
    next: u64,
}

impl World {
    fn new(shape: Shape) -> World {
        World {
            level: Level::new(shape),
            seated: Vec::new(),
            waiting: BTreeMap::new(),
            inside: BTreeSet::new(),
            next: 0,
        }
    }

    /// Whether there was a place.
    fn arrive(&mut self, flow: u64, width: usize) -> bool {
        self.next += 1;
        let who = (self.next, flow);
        self.inside.insert(who);
        match self.level.arrive(flow, width, who) {
            Arrival::Goes(who, seat) => self.seated.push((who, seat)),
            Arrival::Waits(ticket) => drop(self.waiting.insert(who, ticket)),
            Arrival::Full(who) => drop(self.inside.remove(&who)),
        }
        self.inside.contains(&who)
    }

    fn done(&mut self, index: usize, took: u64) -> Vec<Who> {
        let (who, seat) = self.seated.swap_remove(index);
        self.inside.remove(&who);
        let go = self.level.done(seat, took);
        self.went(go)
    }

    fn went(&mut self, go: Vec<(Who, Seat)>) -> Vec<Who> {
        let who: Vec<_> = go.iter().map(|(who, _)| *who).collect();
        for who in &who {
            assert!(self.waiting.remove(who).is_some(), "who goes was waiting");
        }
        self.seated.extend(go);
        who
    }

    fn check(&self, shape: Shape) {
        let taken: usize = self.seated.iter().map(|(_, seat)| seat.width).sum();
        assert_eq!(taken, self.level.taken);
        assert_eq!(self.level.waiting, self.waiting.len());
        let known: BTreeSet<_> =
            self.seated.iter().map(|(who, _)| *who).chain(self.waiting.keys().copied()).collect();
        assert_eq!(known, self.inside, "nobody is lost, and nobody is there twice");
        // No seat is free while somebody waits who fits into it: whoever is next does not.
        if let Some(next) = self
            .level
            .queues
            .values()
            .filter(|queue| !queue.waiting.is_empty())
            .min_by_key(|queue| queue.rank())
        {
            let width = next.waiting.front().map_or(0, |waiting| waiting.width.min(shape.seats.max(1)));
            assert!(taken + width > shape.seats, "{taken} seats are taken, and {width} are wanted");
        }
    }
}

#[test]
fn whatever_happens_nobody_is_lost_and_no_seat_is_idle() {
    for seed in 0..20 {
        let mut dice = Dice(seed);
        let mut shape = SHAPE;
        let mut world = World::new(shape);
        let (mut turned_away, mut waited) = (0, 0);
        for _ in 0..2000 {
            match dice.below(10) {
                0..=4 => {
                    let width = 1 + dice.below(3) as usize;
                    turned_away += usize::from(!world.arrive(dice.below(4) * 7919, width));
                }
                5..=7 if !world.seated.is_empty() => {
                    let index = dice.below(world.seated.len() as u64) as usize;
                    let took = dice.below(5_000_000);
                    waited += world.done(index, took).len();
                }
                8 if !world.waiting.is_empty() => {
                    let index = dice.below(world.waiting.len() as u64) as usize;
                    let (who, ticket) =
                        world.waiting.iter().nth(index).map(|(a, b)| (*a, *b)).expect("it is there");
                    let (left, go) = world.level.leave(ticket);
                    assert_eq!(left, Some(who));
                    assert_eq!(world.level.leave(ticket).0, None);
                    world.waiting.remove(&who);
                    world.inside.remove(&who);
                    world.went(go);
                }
                9 => {
                    // A larger level lets more go; a smaller one lets those finish who are under way.
                    shape.seats = shape.seats.max(world.level.taken).max(2 + dice.below(5) as usize);
                    let go = world.level.reshape(shape);
                    world.went(go);
                }
                _ => {}
            }
            world.check(shape);
        }
        assert!(turned_away > 0 && waited > 0, "{turned_away} {waited}");
    }
}

/// Two flows that share no queue.
fn strangers(shape: Shape) -> [u64; 2] {
    let flow = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hand = |flow| deal(flow, shape.queues, shape.hand);
    let other = (2..).map(flow).find(|other| hand(*other).iter().all(|queue| !hand(flow(1)).contains(queue)));
    [flow(1), other.expect("there are many")]
}

/// Two flows that want more than there is.
fn compete(cost: [u64; 2]) -> [u64; 2] {
    let mut world = World::new(SHAPE);
    let flows = strangers(SHAPE);
    let (mut had, mut now) = ([0, 0], 0);
    let mut ends: BTreeMap<Who, u64> = BTreeMap::new();
    for _ in 0..4000 {
        for flow in flows {
            while world.arrive(flow, 1) {}
        }
        let which = |who: &Who| usize::from(who.1 == flows[1]);
        for (who, _) in &world.seated {
            ends.entry(*who).or_insert_with(|| now + cost[which(who)]);
        }
        let ends_at = |index: &usize| ends[&world.seated[*index].0];
        let index = (0..world.seated.len()).min_by_key(ends_at).expect("somebody is under way");
        let who = world.seated[index].0;
        now = ends[&who];
        had[which(&who)] += cost[which(&who)];
        world.done(index, cost[which(&who)]);
    }
    had
}

#[test]
fn two_flows_get_the_same_whatever_their_requests_take() {
    for cost in [[1000, 1000], [1000, 50_000], [400_000, 1000]] {
        let had = compete(cost);
        let (less, more) = (had[0].min(had[1]), had[0].max(had[1]));
        // What is under way is not counted yet: a few of the larger ones.
        assert!(more - less <= 8 * cost[0].max(cost[1]), "{cost:?}: {had:?}");
    }
}

#[test]
fn a_flow_is_served_in_its_order() {
    // One queue: what is in two may overtake itself.
    let shape = Shape { seats: 1, queues: 4, hand: 1, length: 50 };
    let mut world = World::new(shape);
    for number in 0..40 {
        world.arrive(number % 2, 1);
    }
    let mut served: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    while !world.seated.is_empty() {
        let (number, flow) = world.seated[0].0;
        served.entry(flow).or_default().push(number);
        world.done(0, 10);
    }
    assert_eq!(served.len(), 2);
    for order in served.values() {
        assert_eq!(order.len(), 20);
        assert!(order.is_sorted(), "{order:?}");
    }
}

#[test]
fn who_comes_alone_waits_for_one_seat_and_not_for_a_flood() {
    let shape = Shape { seats: 4, queues: 64, hand: 6, length: 50 };
    let [flood, alone] = strangers(shape);
    let mut world = World::new(shape);
    while world.arrive(flood, 1) {}
    assert_eq!(world.waiting.len(), 6 * 50);
    assert!(world.arrive(alone, 1), "another flow has queues of its own");
    let mine = (world.next, alone);
    // Its queue is one of seven that are due: the flood has a hand of six.
    let before = (0..).find(|_| world.done(0, 1_000_000).contains(&mine)).expect("it is served");
    assert!(before < shape.hand, "{before} of the flood went before it");
}

#[test]
fn a_level_without_queues_turns_away() {
    let mut level = Level::new(Shape { seats: 1, queues: 0, hand: 0, length: 0 });
    let Arrival::Goes((), seat) = level.arrive(1, 1, ()) else { panic!("there is a seat") };
    assert!(matches!(level.arrive(2, 1, ()), Arrival::Full(())));
    assert!(level.done(seat, 1).is_empty());
    assert!(matches!(level.arrive(2, 1, ()), Arrival::Goes(..)));
}

#[test]
fn of_one_flow_not_too_many_come_at_once() {
    let mut level: Level<()> = Level::new(SHAPE);
    for _ in 0..SHAPE.hand * SHAPE.length {
        assert!(level.announce(1));
    }
    assert!(!level.announce(1) && level.announce(2));
    level.came(1);
    assert!(level.announce(1));
}

#[test]
fn hands_are_dealt_without_duplicates_and_all_queues_are_used() {
    let mut used = BTreeSet::new();
    for flow in 0..2000_u64 {
        let hand = deal(flow.wrapping_mul(0x9E37_79B9_7F4A_7C15), 64, 6);
        assert_eq!(hand.iter().collect::<BTreeSet<_>>().len(), 6);
        assert!(hand.iter().all(|queue| *queue < 64));
        used.extend(hand);
    }
    assert_eq!(used.len(), 64);
}
