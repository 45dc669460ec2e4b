//! Who goes next: seats at one priority level, and queues for those who find none free.
//!
//! A flow is dealt a hand of queues and waits in the shortest. The next is taken from the queue that has had least of
//! the seats' time, so that a flow that asks for much waits behind itself and not before others. What is under way
//! counts with a guess until it is known what it took. There is no clock and nobody waits in here: whoever drives it
//! says what arrives and what is done, and is told who goes.

use std::collections::{BTreeMap, VecDeque};

/// What a request counts while it is not known what it takes: a second, in millionths.
const GUESS: u64 = 1_000_000;

/// How large a level is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// How much is under way at once.
    pub seats: usize,
    /// How many queues there are; without any, nobody waits.
    pub queues: usize,
    /// In how many of them a flow may wait.
    pub hand: usize,
    pub length: usize,
}

/// A priority level. `T` is who waits.
#[derive(Debug)]
pub(crate) struct Level<T> {
    shape: Shape,
    taken: usize,
    waiting: usize,
    /// Those that are in use: others have nothing to remember.
    queues: BTreeMap<usize, Queue<T>>,
    /// How far those have come that are served: who comes later does not catch up on what was before.
    now: u64,
    tickets: u64,
    /// By flow: what is on its way to a queue.
    coming: BTreeMap<u64, usize>,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<Waiting<T>>,
    /// How much of the seats' time it has had.
    had: u64,
    executing: usize,
}

impl<T> Queue<T> {
    fn is_used(&self) -> bool {
        !self.waiting.is_empty() || self.executing > 0
    }

    /// By this queues are in order: what it has had, and what it will have had by what is under way.
    fn rank(&self) -> u64 {
        self.had.saturating_add(GUESS * self.executing as u64)
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        Queue { waiting: VecDeque::new(), had: 0, executing: 0 }
    }
}

#[derive(Debug)]
struct Waiting<T> {
    ticket: u64,
    width: usize,
    who: T,
}

/// What somebody has who goes: to be given back by [`Level::done`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    width: usize,
    queue: Option<usize>,
}

/// What somebody has who waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    queue: usize,
    number: u64,
}

/// What becomes of who arrives.
#[derive(Debug)]
pub(crate) enum Arrival<T> {
    /// It goes at once.
    Goes(T, Seat),
    /// It waits.
    Waits(Ticket),
    /// There is no place to wait.
    Full(T),
}

impl<T> Level<T> {
    /// An empty one.
    pub(crate) fn new(shape: Shape) -> Level<T> {
        Level {
            shape,
            taken: 0,
            waiting: 0,
            queues: BTreeMap::new(),
            now: 0,
            tickets: 0,
            coming: BTreeMap::new(),
        }
    }

    /// Somebody of a flow arrives who takes so many seats.
    pub(crate) fn arrive(&mut self, flow: u64, width: usize, who: T) -> Arrival<T> {
        let width = width.clamp(1, self.shape.seats.max(1));
        if self.shape.queues == 0 {
            if !self.fits(width) {
                return Arrival::Full(who);
            }
            self.taken += width;
            return Arrival::Goes(who, Seat { width, queue: None });
        }
        let hand = deal(flow, self.shape.queues, self.shape.hand);
        let load =
            |queue: &usize| self.queues.get(queue).map_or(0, |queue| queue.waiting.len() + queue.executing);
        let index = hand.into_iter().min_by_key(load).unwrap_or(0);
        let fits = self.fits(width);
        let next = self.next();
        let (length, queue) = (self.shape.length, self.rouse(index));
        // Whoever waits and is next may need more than there is: who comes before it and needs less goes.
        let first = queue.waiting.is_empty() && next.is_none_or(|next| (queue.rank(), index) < next);
        if first && fits {
            return Arrival::Goes(who, self.seat(index, width));
        }
        if queue.waiting.len() >= length {
            return Arrival::Full(who);
        }
        self.tickets += 1;
        self.waiting += 1;
        let ticket = self.tickets;
        self.rouse(index).waiting.push_back(Waiting { ticket, width, who });
        Arrival::Waits(Ticket { queue: index, number: ticket })
    }

    /// Somebody gives up waiting: who it was, if it still waited, and those who go now, because it needed much and
    /// they do not.
    pub(crate) fn leave(&mut self, ticket: Ticket) -> (Option<T>, Vec<(T, Seat)>) {
        let Some(queue) = self.queues.get_mut(&ticket.queue) else { return (None, Vec::new()) };
        let at = queue.waiting.iter().position(|waiting| waiting.ticket == ticket.number);
        let Some(left) = at.and_then(|at| queue.waiting.remove(at)) else { return (None, Vec::new()) };
        self.waiting -= 1;
        (Some(left.who), self.dispatch())
    }

    /// Somebody is done, which took so many millionths of a second; those who go now.
    pub(crate) fn done(&mut self, seat: Seat, took: u64) -> Vec<(T, Seat)> {
        self.taken -= seat.width;
        if let Some(queue) = seat.queue.and_then(|queue| self.queues.get_mut(&queue)) {
            queue.executing -= seat.width;
            queue.had = queue.had.saturating_add(took.saturating_mul(seat.width as u64));
        }
        let go = self.dispatch();
        let now = self.now;
        self.queues.retain(|_, queue| queue.is_used() || queue.had > now);
        go
    }

    /// The level is of another size; those who go now.
    pub(crate) fn reshape(&mut self, shape: Shape) -> Vec<(T, Seat)> {
        self.shape = shape;
        self.dispatch()
    }

    /// Somebody of a flow wants to come, and has something to say before. `false` if too many of it do already.
    pub(crate) fn announce(&mut self, flow: u64) -> bool {
        let most = match self.shape.queues {
            0 => self.shape.seats,
            _ => self.shape.hand * self.shape.length,
        };
        let coming = self.coming.entry(flow).or_default();
        if *coming >= most {
            return false;
        }
        *coming += 1;
        true
    }

    /// What was announced has come, or comes no more.
    pub(crate) fn came(&mut self, flow: u64) {
        if let Some(coming) = self.coming.get_mut(&flow) {
            *coming -= 1;
            if *coming == 0 {
                self.coming.remove(&flow);
            }
        }
    }

    fn fits(&self, width: usize) -> bool {
        self.taken + width <= self.shape.seats
    }

    /// The queue that is next of those in which somebody waits, after its rank.
    fn next(&self) -> Option<(u64, usize)> {
        if self.waiting == 0 {
            return None;
        }
        let waiting = self.queues.iter().filter(|(_, queue)| !queue.waiting.is_empty());
        waiting.map(|(index, queue)| (queue.rank(), *index)).min()
    }

    /// A queue. One that was idle has no claim to what it did not ask for.
    fn rouse(&mut self, index: usize) -> &mut Queue<T> {
        let now = self.now;
        let queue = self.queues.entry(index).or_default();
        if !queue.is_used() {
            queue.had = queue.had.max(now);
        }
        queue
    }

    fn seat(&mut self, index: usize, width: usize) -> Seat {
        let queue = self.queues.entry(index).or_default();
        self.now = self.now.max(queue.had);
        queue.executing += width;
        self.taken += width;
        Seat { width, queue: Some(index) }
    }

    /// As long as there are seats, the queue that has had least has the next.
    fn dispatch(&mut self) -> Vec<(T, Seat)> {
        let mut go = Vec::new();
        while self.waiting > 0 {
            let Some((_, index)) = self.next() else { break };
            let Some(queue) = self.queues.get_mut(&index) else { break };
            // Whoever is next and needs more waits for it: who needs less would overtake it for ever.
            let width = queue.waiting.front().map_or(1, |waiting| waiting.width).min(self.shape.seats.max(1));
            if self.taken + width > self.shape.seats {
                break;
            }
            let Some(next) = queue.waiting.pop_front() else { break };
            self.waiting -= 1;
            let seat = self.seat(index, width);
            go.push((next.who, seat));
        }
        go
    }
}

/// The queues that a flow may wait in: so many of the deck, each once, by its number.
fn deal(flow: u64, deck: usize, hand: usize) -> Vec<usize> {
    let mut left = flow;
    let mut dealt: Vec<usize> = Vec::with_capacity(hand);
    for index in 0..hand.min(deck) {
        let cards = (deck - index) as u64;
        let mut card = usize::try_from(left % cards).unwrap_or(0);
        left /= cards;
        // The card is counted among those that are left.
        let mut before = dealt.clone();
        before.sort_unstable();
        for taken in before {
            card += usize::from(card >= taken);
        }
        dealt.push(card);
    }
    dealt
}

#[cfg(test)]
mod tests;
